// Who fills a stage and who drains it. Only what needs no order is judged here: a task that waits
// for a resource must read it, one that acquires must fill it.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> WaitWithoutConsume{
    kind::WaitWithoutConsume,
    "task `{}` waits for `{}` but does not consume it: it calls none of its `consume` works and no "
    "work that reads its fields"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> AcquireWithoutProduce{
    kind::AcquireWithoutProduce,
    "task `{}` acquires `{}` but does not produce it: it calls none of its `produce` works"};
constexpr Diagnostic<llvm::StringRef> UnusedResource{kind::UnusedResource,
                                                     "no task uses resource `{}`"};

namespace {

// What one task does with one resource.
struct Role {
  SourceRange firstWait;
  SourceRange firstAcquire;
  bool reads = false;
  bool writes = false;
  bool isUsed = false;
};

class RoleChecker {
public:
  RoleChecker(const ir::Kernel &k, DiagnosticEngine &engine, AddNotes addNotes)
      : kernel(k), diags(engine), more(addNotes) {}

  void check() {
    std::vector<bool> isUsed(kernel.resources.size());
    for (const ir::Task &task : kernel.tasks) {
      roles.assign(kernel.resources.size(), {});
      visit(task.body);
      for (size_t i = 0; i < roles.size(); ++i) {
        judge(task, kernel.resources[kernel.resources.idAt(i)], roles[i]);
        isUsed[i] = isUsed[i] || roles[i].isUsed;
      }
    }
    for (size_t i = 0; i < isUsed.size(); ++i) {
      const ir::Resource &resource = kernel.resources[kernel.resources.idAt(i)];
      if (!isUsed[i])
        finish(diags.report(resource.loc, UnusedResource, resource.name));
    }
  }

private:
  void visit(ir::RegionId id);
  void visitCall(const ir::Work &work);
  void judge(const ir::Task &task, const ir::Resource &resource, const Role &role);

  void finish(ReportBuilder report) const {
    if (more)
      more(report);
  }

  const ir::Kernel &kernel;
  DiagnosticEngine &diags;
  AddNotes more;
  std::vector<Role> roles;
};

} // namespace

void RoleChecker::visit(ir::RegionId id) {
  if (!id)
    return;
  for (const ir::Op &op : kernel.regions[id].ops) {
    if (op.resource)
      roles[op.resource.index].isUsed = true;
    if (op.kind == ir::OpKind::Call)
      visitCall(kernel.works[op.work]);
    if ((op.kind == ir::OpKind::Wait || op.kind == ir::OpKind::Release) &&
        !roles[op.resource.index].firstWait.isValid())
      roles[op.resource.index].firstWait = op.loc;
    if ((op.kind == ir::OpKind::Acquire || op.kind == ir::OpKind::Commit) &&
        !roles[op.resource.index].firstAcquire.isValid())
      roles[op.resource.index].firstAcquire = op.loc;
    visit(op.body);
    visit(op.elseBody);
  }
}

void RoleChecker::visitCall(const ir::Work &work) {
  Role &own = roles[work.resource.index];
  own.isUsed = true;
  own.writes |= work.kind == ir::WorkKind::Produce || work.kind == ir::WorkKind::Update;
  own.reads |= work.kind == ir::WorkKind::Consume || work.kind == ir::WorkKind::Update;
  for (const ir::Access &access : work.accesses) {
    if (!access.field)
      continue;
    Role &other = roles[kernel.fields[access.field].resource.index];
    other.isUsed = true;
    other.reads |= !access.isWrite;
  }
}

void RoleChecker::judge(const ir::Task &task, const ir::Resource &resource, const Role &role) {
  if (resource.fields.empty()) // a pipeline of nothing passes tokens: waiting is all there is
    return;
  auto report = [&](SourceRange range, const auto &diagnostic) {
    ReportBuilder builder = diags.report(range, diagnostic, task.name, resource.name);
    builder.note(task.loc, "task `{}` is declared here", task.name);
    finish(std::move(builder));
  };
  if (role.firstWait.isValid() && !role.reads)
    report(role.firstWait, WaitWithoutConsume);
  if (role.firstAcquire.isValid() && !role.writes)
    report(role.firstAcquire, AcquireWithoutProduce);
}

void checkRoles(const ir::Kernel &kernel, DiagnosticEngine &diags, AddNotes more) {
  RoleChecker(kernel, diags, more).check();
}

} // namespace tsk::sema
