// Who issues a single-issue primitive.
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyScan.h"
#include "compiler/body/BodyTokens.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::body {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, unsigned> SingleIssueWithoutBy{
    kind::SingleIssueWithoutBy, "`tsk::{}` is issued by one thread, but task `{}` has {} "
                                "warps; write `by leader` or `by warp`"};
constexpr Diagnostic<llvm::StringRef> IssuedByAll{
    kind::IssuedByAll,
    "`tsk::{}` is issued by one thread, not `by all`; write `by leader` or `by warp`"};

namespace {

class IssuerChecker {
public:
  using Finder = llvm::function_ref<std::optional<SingleIssue>(ir::WorkId)>;

  IssuerChecker(ir::Kernel &k, DiagnosticEngine &engine, Finder finder)
      : kernel(k), diags(engine), find(finder) {}

  void check() {
    for (const ir::Task &task : kernel.tasks)
      checkRegion(task, task.body);
    // When all tasks are seen, so that the order of tasks does not matter.
    for (ir::WorkId work : byOneWarp)
      kernel.works[work].by = ir::IssueBy::Leader;
  }

private:
  void checkRegion(const ir::Task &task, ir::RegionId id) {
    if (!id)
      return;
    for (const ir::Op &op : kernel.regions[id].ops) {
      if (op.kind == ir::OpKind::Call)
        checkCall(task, op);
      checkRegion(task, op.body);
      checkRegion(task, op.elseBody);
    }
  }

  void checkCall(const ir::Task &task, const ir::Op &op);

  ir::Kernel &kernel;
  DiagnosticEngine &diags;
  Finder find;
  std::set<ir::WorkId> byOneWarp;
};

} // namespace

void IssuerChecker::checkCall(const ir::Task &task, const ir::Op &op) {
  const ir::Work &work = kernel.works[op.work];
  bool isAsynchronous = llvm::any_of(work.accesses, [](const ir::Access &access) {
    return access.mechanism != ir::Mechanism::Async;
  });
  if (!isAsynchronous || work.by == ir::IssueBy::Leader || work.by == ir::IssueBy::Warp)
    return;
  const std::optional<SingleIssue> found = find(op.work);
  if (!found)
    return;
  if (work.by == ir::IssueBy::All)
    diags.report(found->range, IssuedByAll, found->primitive);
  else if (task.warps > 1)
    diags.report(found->range, SingleIssueWithoutBy, found->primitive, task.name, task.warps)
        .note(op.loc, "called here")
        .fixit({work.bodyLoc.begin, work.bodyLoc.begin}, "by leader ",
               "let one lane of the task's first warp issue it");
  else
    byOneWarp.insert(op.work);
}

void checkIssuers(ir::Kernel &kernel, DiagnosticEngine &diagnostics,
                  llvm::function_ref<std::optional<SingleIssue>(ir::WorkId)> find) {
  IssuerChecker(kernel, diagnostics, find).check();
}

namespace {
enum class Issue { Single, All };
} // namespace

static bool isSingleIssue(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringRef, Issue> Primitives[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issuer, Effect) {#Name, Issue::Issuer},
#include "compiler/body/Primitives.def"
  };
  return llvm::is_contained(Primitives, std::pair(name, Issue::Single));
}

static std::optional<SingleIssue> findSingleIssue(const ir::Work &work) {
  const BodyTokens tokens(work);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens.isDeviceFunction(i) && isSingleIssue(tokens[i].text))
      return SingleIssue{tokens.range(i), tokens[i].text.str()};
  return std::nullopt;
}

void checkIssuers(ir::Kernel &kernel, DiagnosticEngine &diagnostics) {
  checkIssuers(kernel, diagnostics,
               [&](ir::WorkId id) { return findSingleIssue(kernel.works[id]); });
}

} // namespace tsk::body
