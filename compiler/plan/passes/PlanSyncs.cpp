// plan-syncs: gives hardware to the predefined barriers of schedules.
//
// Needs warps and steps. `task.sync()` of one warp is a warp's barrier; where the task is the whole
// CTA it is the CTA's, and `sync cta` without a barrier is left: all threads meet at one statement.
// In between a task needs a named barrier with its threads. So does `cta.sync()` of several tasks,
// which meet at several statements: the CTA's own, 0, or in a CTA with padding, whose warps never
// arrive, another one. Named barriers are made on first use, one for each task and one for the CTA,
// and numbered from 1.
//
// Stands behind lower-pipelines, which makes the steps.
#include "compiler/plan/Names.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include <map>

namespace tsk::plan {

namespace {

constexpr Diagnostic<unsigned, unsigned> NamedBarriersExceeded{
    kind::NamedBarriersExceeded,
    "this is the {}th named barrier of the CTA; the hardware has {} besides the CTA's own"};

class SyncPlanner {
public:
  explicit SyncPlanner(PassContext &pass) : context(pass), plan(pass.plan) {
    for (const Task &task : plan.tasks)
      taskWarps += task.warps;
  }

  bool run() {
    bool isGood = true;
    for (const Task &task : plan.tasks)
      isGood &= visit(task, task.body);
    return isGood;
  }

private:
  bool visit(const Task &task, RegionId region) {
    bool isGood = true;
    if (!region)
      return isGood;
    for (Step &step : plan.regions[region].steps) {
      if (step.kind == StepKind::Sync && !step.barrier)
        isGood &= assign(task, step);
      isGood &= visit(task, step.body) & visit(task, step.elseBody);
    }
    return isGood;
  }

  bool assign(const Task &task, Step &step) {
    if (step.scope == ir::SyncScope::Task && task.warps == 1)
      step.scope = ir::SyncScope::Warp;
    if (step.scope != ir::SyncScope::Task && step.scope != ir::SyncScope::Cta)
      return true;
    const bool isTasks = step.scope == ir::SyncScope::Task && plan.tasks.size() > 1;
    step.scope = isTasks ? ir::SyncScope::Task : ir::SyncScope::Cta;
    const unsigned warps = isTasks ? task.warps : taskWarps;
    const bool isWhole = warps == plan.warps;
    if (isWhole && plan.tasks.size() == 1)
      return true;
    auto [known, isNew] = made.try_emplace(isTasks ? &task : nullptr);
    if (isNew && !isWhole && ++numbered >= target::NamedBarriers) {
      context.diags.report(step.loc, NamedBarriersExceeded, numbered, target::NamedBarriers - 1);
      return false;
    }
    if (isNew)
      known->second = add(isTasks ? taskBarrierName(task) : ctaBarrierName(), warps,
                          isWhole ? 0 : numbered, step.loc);
    step.barrier = known->second;
    return true;
  }

  BarrierId add(std::string name, unsigned warps, unsigned number, SourceRange loc) {
    Barrier barrier;
    barrier.name = std::move(name);
    barrier.kind = Barrier::Kind::Named;
    barrier.arrivals = warps * target::WarpThreads;
    barrier.namedId = number;
    barrier.loc = loc;
    return plan.barriers.add(std::move(barrier));
  }

  PassContext &context;
  Plan &plan;
  unsigned taskWarps = 0;
  unsigned numbered = 0;
  std::map<const Task *, BarrierId> made; // null: of the CTA
};

} // namespace

bool planSyncs(PassContext &context) { return SyncPlanner(context).run(); }

} // namespace tsk::plan
