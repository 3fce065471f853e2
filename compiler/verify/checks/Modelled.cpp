// Is there anything in the plan that this verifier does not know how to judge? Then it says so
// instead of calling it safe.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

namespace tsk::verify {

constexpr Diagnostic<std::string> NotJudged{kind::NotJudged, "the verifier cannot judge {} yet"};

namespace {

class Checker {
public:
  Checker(const plan::Plan &thePlan, DiagnosticEngine &engine) : plan(thePlan), diags(engine) {}

  bool run() {
    for (const plan::Region &region : plan.regions)
      for (const plan::Step &step : region.steps)
        check(step);
    return isGood;
  }

private:
  void notJudged(SourceRange place, std::string what) {
    diags.report(place, NotJudged, what);
    isGood = false;
  }

  void check(const plan::Step &step) {
    if (step.kind == plan::StepKind::Sync && !step.barrier && step.scope == ir::SyncScope::Cluster)
      notJudged(step.loc, "`sync cluster`");
    for (const plan::Access &access : step.accesses) {
      if (!access.field)
        continue;
      bool isLoad = access.isWrite && access.mechanism == ir::Mechanism::Tma;
      if (access.mechanism != ir::Mechanism::Async && !isLoad)
        notJudged(step.loc,
                  fmt::format("accesses by `{}` that {} a field", ast::spelling(access.mechanism),
                              access.isWrite ? "write" : "read"));
      if (isLoad && step.by == plan::By::All && !isSingleLane(step))
        notJudged(step.loc, "a bulk load that every thread issues");
    }
  }

  // Steps do not know their task; a call belongs to exactly one.
  bool isSingleLane(const plan::Step &step) const {
    for (const plan::Task &task : plan.tasks)
      if (task.isSingleLane && contains(task.body, step))
        return true;
    return false;
  }

  bool contains(plan::RegionId region, const plan::Step &wanted) const {
    if (!region)
      return false;
    for (const plan::Step &step : plan.regions[region].steps)
      if (&step == &wanted || contains(step.body, wanted) || contains(step.elseBody, wanted))
        return true;
    return false;
  }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  bool isGood = true;
};

} // namespace

bool checkModelled(const plan::Plan &plan, DiagnosticEngine &diags) {
  return Checker(plan, diags).run();
}

} // namespace tsk::verify
