// V9: no step of the protocol stands under a condition or a loop bound on which the threads that
// take part in it can disagree.
//
// A task of a single lane has nobody to disagree with. Everywhere else a branch or a loop around a
// barrier, a cursor or a load must be decided alike by all threads of the task: a warp that waits
// once more or less than its siblings is counted wrongly ever after.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string> DivergentCondition{
    kind::DivergentCondition,
    "threads of task `{}` may disagree on {}, but {} inside needs all of them"};
constexpr Diagnostic<std::string> ProtocolInParallelFor{
    kind::ProtocolInParallelFor,
    "{} inside a `parallel for`, whose iterations are spread over threads"};

class Checker {
public:
  Checker(const plan::Plan &thePlan, DiagnosticEngine &engine) : plan(thePlan), diags(engine) {}

  bool run() {
    for (const plan::Task &task : plan.tasks)
      check(task, task.body);
    return isGood;
  }

private:
  void check(const plan::Task &task, plan::RegionId region) {
    if (!region)
      return;
    for (const plan::Step &step : plan.regions[region].steps) {
      if (step.kind == plan::StepKind::ParallelFor)
        checkParallel(step);
      else if (!task.isSingleLane)
        checkDecision(task, step);
      check(task, step.body);
      check(task, step.elseBody);
    }
  }

  void checkParallel(const plan::Step &loop) {
    const plan::Step *inner = protocolIn(loop.body);
    if (!inner)
      return;
    diags.report(inner->loc, ProtocolInParallelFor, nameOf(*inner))
        .note(loop.loc, "the loop is here");
    isGood = false;
  }

  void checkDecision(const plan::Task &task, const plan::Step &step) {
    bool isLoop = step.kind == plan::StepKind::For;
    if (!isLoop && step.kind != plan::StepKind::If)
      return;
    const plan::Step *inner = protocolIn(step.body);
    if (!inner)
      inner = protocolIn(step.elseBody);
    if (!inner)
      return;
    auto isDivergent = [&](ir::ExprId id) {
      return plan.tables.exprs[id].uniformity == ir::Uniformity::Thread;
    };
    bool diverges = isLoop ? isDivergent(step.loop.lower) || isDivergent(step.loop.upper) ||
                                 isDivergent(step.loop.step)
                           : isDivergent(step.args[0]);
    if (!diverges)
      return;
    diags
        .report(step.loc, DivergentCondition, task.name,
                isLoop ? "the bounds of this loop" : "this condition", nameOf(*inner))
        .note(inner->loc, "{} is here", nameOf(*inner));
    isGood = false;
  }

  // The first step in `region` in which all threads of a task have a part.
  const plan::Step *protocolIn(plan::RegionId region) const {
    if (!region)
      return nullptr;
    for (const plan::Step &step : plan.regions[region].steps) {
      switch (step.kind) {
      case plan::StepKind::Let:
      case plan::StepKind::Var:
      case plan::StepKind::Assign:
      case plan::StepKind::Fence:
        break;
      case plan::StepKind::Call:
        if (llvm::any_of(step.accesses, [](const plan::Access &a) { return bool(a.completes); }))
          return &step;
        break;
      case plan::StepKind::For:
      case plan::StepKind::ParallelFor:
      case plan::StepKind::If:
        if (const plan::Step *inner = protocolIn(step.body))
          return inner;
        if (const plan::Step *inner = protocolIn(step.elseBody))
          return inner;
        break;
      default:
        return &step;
      }
    }
    return nullptr;
  }

  std::string nameOf(const plan::Step &step) const {
    if (step.kind == plan::StepKind::Call)
      return fmt::format("`call {}`", plan.works[step.work]);
    if (step.kind == plan::StepKind::Advance)
      return fmt::format("`advance {}`", plan.cursors[step.cursor].name);
    if (step.barrier)
      return fmt::format("`{} {}`", plan::mnemonic(step.kind), plan.barriers[step.barrier].name);
    return fmt::format("`{} {}`", plan::mnemonic(step.kind), ir::spelling(step.scope));
  }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  bool isGood = true;
};

} // namespace

bool checkUniformity(const plan::Plan &plan, DiagnosticEngine &diags) {
  return Checker(plan, diags).run();
}

} // namespace tsk::verify
