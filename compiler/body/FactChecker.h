// The judge of what Clang found in the bodies of one kernel, for the files that implement it. What
// bodies touch: FactChecks.cpp; what else they may not do: EventChecks.cpp.
#pragma once

#include "compiler/body/BodyReading.h"
#include "compiler/body/BodyScan.h"
#include "compiler/body/FactMessages.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace tsk::body {

class FactChecker {
public:
  FactChecker(ir::Kernel &k, const Reading &r, const SourceManager &s, DiagnosticEngine &d)
      : kernel(k), reading(r), sources(s), diags(d) {}

  void check();

private:
  void checkWork(const WorkFacts &facts);
  bool checkUnknownNames();
  void checkFunction(const WorkFacts &facts);
  std::string functionEvent(const EventFact &fact, SourceRange &range) const;

  // ---- Declared effects ----
  bool isDeclared(const Role &role, bool isWrite) const;
  std::string declaration() const;
  SourceRange declarationPlace() const;
  static constexpr char Declaration[] = "declared effects stand before this brace";
  void checkDeclared(const WorkFacts &facts);

  // ---- Accesses ----
  template <typename... Args>
  ReportBuilder report(const CxxPlace &place, const CxxPlace &via,
                       const Diagnostic<Args...> &diagnostic,
                       const std::type_identity_t<Args> &...args) {
    // In a function that the body calls, it is the call that is wrong.
    const SourceRange range = rangeOf(via.isValid() ? via : place, sources);
    ReportBuilder builder = diags.report(range.isValid() ? range : work->loc, diagnostic, args...);
    if (via.isValid())
      builder.note(rangeOf(place, sources), "it happens here");
    return builder;
  }
  void checkAccess(const AccessFact &fact);
  static bool isLoad(const AccessFact &fact);
  static bool isOnce(const AccessFact &fact) { return fact.least == 1 && fact.most == 1; }
  void checkLoads(const WorkFacts &facts);
  static std::string times(const AccessFact &fact);
  void checkField(const AccessFact &fact, ir::FieldId id);
  static bool isFilledByTma(const ir::Resource &resource);
  void checkTensorWrite(const AccessFact &fact, ir::ParamId id);
  void checkNamed(const WorkFacts &facts);
  void checkPipeline(ir::WorkId id);
  std::optional<SingleIssue> findSingleIssue(ir::WorkId id);

  // ---- Events ----
  std::string roleName(std::optional<unsigned> role) const;
  void checkEvent(const EventFact &fact);
  void reportEvent(const EventFact &fact);
  void checkOperand(const EventFact &fact);
  void checkUniform(const EventFact &fact);
  static char componentAt(StringRef text);
  void checkThreadIndex(const EventFact &fact);
  void checkUnwritten(const EventFact &fact);
  void checkDivergent(const EventFact &fact);
  void checkIndex(const EventFact &fact);
  void checkShared(const std::string &name,
                   llvm::ArrayRef<std::pair<const EventFact *, const ir::Work *>> uses);
  static std::string bytesText(const EventFact &fact);
  bool hasIndexOutside(const EventFact &fact) const;
  void checkOutside(const EventFact &fact);
  void checkInside(const EventFact &fact);
  void checkMeeting(const EventFact &fact);
  void checkTensorMeeting(const EventFact &fact);
  void checkOpaque(const EventFact &fact);
  void checkArgument(const ArgumentFact &fact);

  ir::Kernel &kernel;
  const Reading &reading;
  const SourceManager &sources;
  DiagnosticEngine &diags;
  const Function *function = nullptr;
  const WorkFacts *current = nullptr;
  // Of `cpp` blocks, by name: who writes and reads them.
  std::map<std::string, std::vector<std::pair<const EventFact *, const ir::Work *>>>
      sharedVariables;
  const ir::Work *work = nullptr;
  const ir::Resource *resource = nullptr;
};

} // namespace tsk::body
