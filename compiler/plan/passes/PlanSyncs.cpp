// plan-syncs: gives hardware to the predefined barriers of schedules.
//
// Needs warps and steps. `task.sync()` of one warp is a warp's barrier; where the task is the whole
// CTA it is the CTA's. In between it needs a named barrier with the task's threads, and so does
// `cta.sync()` in a CTA with padding: warps without a task never arrive. Named barriers are made on
// first use, one for each task and one for the CTA, and numbered from 1: 0 is the CTA's own.
//
// Stands behind lower-pipelines, which makes the steps.
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
    bool isTasks = step.scope == ir::SyncScope::Task;
    unsigned warps = isTasks ? task.warps : taskWarps;
    if (warps == plan.warps)
      return true;
    std::string name = isTasks ? task.name + ".sync" : "tasks.sync";
    auto [known, isNew] = made.try_emplace(name);
    if (isNew && made.size() >= target::NamedBarriers) {
      context.diags.report(step.loc, NamedBarriersExceeded, static_cast<unsigned>(made.size()),
                           target::NamedBarriers - 1);
      return false;
    }
    if (isNew)
      known->second = add(name, warps, step.loc);
    step.barrier = known->second;
    return true;
  }

  BarrierId add(const std::string &name, unsigned warps, SourceRange loc) {
    Barrier barrier;
    barrier.name = name;
    barrier.kind = Barrier::Kind::Named;
    barrier.arrivals = warps * target::WarpThreads;
    barrier.namedId = static_cast<unsigned>(made.size());
    barrier.loc = loc;
    return plan.barriers.add(std::move(barrier));
  }

  PassContext &context;
  Plan &plan;
  unsigned taskWarps = 0;
  std::map<std::string, BarrierId> made;
};

} // namespace

bool planSyncs(PassContext &context) { return SyncPlanner(context).run(); }

} // namespace tsk::plan
