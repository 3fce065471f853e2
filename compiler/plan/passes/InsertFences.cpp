// insert-fences: a proxy fence wherever threads' own stores to shared memory are followed by the
// bulk copy engine's access to the same bytes.
//
// Needs steps with their accesses. The copy engine works through another proxy: an mbarrier orders
// the two in time, but only fence.proxy.async makes the stores visible to it (or keeps them from
// landing after its own writes). There are two such places, and the threads that stored execute the
// fence in both:
//
//   into a stage which TMA fills again   before the arrival that gives the stage back, and before
//   the
//                                        warp's barrier where one lane arrives for all
//   into a field that TMA stores from    behind the call; what orders it before the store is for
//   the
//                                        schedule to say
//
// Stands behind lower-pipelines, which knows which arrival that is.
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::plan {

constexpr Diagnostic<std::string, llvm::StringRef> FenceInserted{
    kind::FenceInserted, "a `fence.proxy.async` is inserted here: threads store into {}, {}"};

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
          else if (access.mechanism == ir::Mechanism::Tma && access.field && !access.isWrite)
            stored.insert(access.field);
    for (const Task &task : plan.tasks) {
      dirty.clear();
      findStores(task.body);
      if (!dirty.empty() || !stored.empty())
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
        std::optional<Step> together; // one lane arrives for all: behind the fences of all
        if (!steps.empty() && isWarpBarrier(steps.back())) {
          together = std::move(steps.back());
          steps.pop_back();
        }
        addFence(step, steps);
        if (together)
          steps.push_back(std::move(*together));
        say(step, "`" + plan.barriers[step.barrier].resource + "`", "which TMA fills again");
      }
      const std::optional<FieldId> field = storedFrom(step);
      steps.push_back(std::move(step));
      if (field) {
        addFence(Step(steps.back()), steps);
        say(steps.back(), "`" + resourceOf(*field) + "." + context.kernel.fields[*field].name + "`",
            "which the copy engine reads");
      }
    }
    plan.regions[region].steps = std::move(steps);
  }

  static bool isWarpBarrier(const Step &step) {
    return step.kind == StepKind::Sync && step.scope == ir::SyncScope::Warp;
  }

  void say(const Step &at, const std::string &what, llvm::StringRef then) {
    context.diags.report(at.loc, FenceInserted, what, then);
  }

  static void addFence(const Step &beside, std::vector<Step> &steps) {
    Step &fence = steps.emplace_back();
    fence.kind = StepKind::Fence;
    fence.fence = FenceKind::ProxyAsync;
    fence.loc = beside.loc;
    fence.by = beside.kind == StepKind::Call ? beside.by : By::All;
  }

  // Threads write what TMA will take from there.
  std::optional<FieldId> storedFrom(const Step &step) const {
    if (step.kind == StepKind::Call)
      for (const Access &access : step.accesses)
        if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Async &&
            stored.count(access.field))
          return access.field;
    return std::nullopt;
  }

  bool isEmptyOfDirty(const Barrier &barrier) const {
    return dirty.count(barrier.resource) && barrier.name == barrier.resource + ".empty";
  }

  PassContext &context;
  Plan &plan;
  std::set<FieldId> loaded;    // by TMA
  std::set<FieldId> stored;    // from, by TMA
  std::set<std::string> dirty; // resources of the current task
};

} // namespace

bool insertFences(PassContext &context) {
  FenceInserter(context).run();
  return true;
}

} // namespace tsk::plan
