// insert-fences: a proxy fence wherever threads' own stores to shared memory are followed by the
// bulk copy engine's access to the same bytes.
//
// Needs steps with their accesses. The copy engine works through another proxy: an mbarrier orders
// the two in time, but only fence.proxy.async makes the stores visible to it (or keeps them from
// landing after its own writes). In the pipelines that are compiled so far there is one such place:
// a task that stores into a stage which TMA fills again. Its fence stands before the arrival that
// gives the stage back, executed by the threads that stored.
//
// Stands behind lower-pipelines, which knows which arrival that is.
#include "compiler/plan/Passes.h"

#include <set>

namespace tsk::plan {

namespace {

class FenceInserter {
public:
  explicit FenceInserter(PassContext &pass) : context(pass), plan(pass.plan) {}

  void run() {
    for (const Region &region : plan.regions)
      for (const Step &step : region.steps)
        for (const Access &access : step.accesses)
          if (access.completes)
            loaded.insert(access.field);
    for (const Task &task : plan.tasks) {
      dirty.clear();
      findStores(task.body);
      if (!dirty.empty())
        insert(task.body);
    }
  }

private:
  void findStores(RegionId region) {
    if (!region)
      return;
    for (const Step &step : plan.regions[region].steps) {
      for (const Access &access : step.accesses)
        if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Async &&
            loaded.count(access.field))
          dirty.insert(resourceOf(access.field));
      findStores(step.body);
      findStores(step.elseBody);
    }
  }

  std::string resourceOf(FieldId field) const {
    return context.kernel.resources[context.kernel.fields[field].resource].name;
  }

  void insert(RegionId region) {
    if (!region)
      return;
    std::vector<Step> steps;
    for (Step &step : plan.regions[region].steps) {
      insert(step.body);
      insert(step.elseBody);
      if (step.kind == StepKind::Arrive && isEmptyOfDirty(plan.barriers[step.barrier])) {
        Step &fence = steps.emplace_back();
        fence.kind = StepKind::Fence;
        fence.fence = FenceKind::ProxyAsync;
        fence.loc = step.loc;
      }
      steps.push_back(std::move(step));
    }
    plan.regions[region].steps = std::move(steps);
  }

  bool isEmptyOfDirty(const Barrier &barrier) const {
    return dirty.count(barrier.resource) && barrier.name == barrier.resource + ".empty";
  }

  PassContext &context;
  Plan &plan;
  std::set<FieldId> loaded;    // by TMA
  std::set<std::string> dirty; // resources of the current task
};

} // namespace

bool insertFences(PassContext &context) {
  FenceInserter(context).run();
  return true;
}

} // namespace tsk::plan
