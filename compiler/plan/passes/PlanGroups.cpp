// plan-groups: asynchronous work that its issuer waits for gets the hardware's groups.
//
// Needs steps with their accesses; `await`s are wait_group steps that name only a work. Each call
// of a work with such accesses becomes a group of its own, so that `await acc.mma but n` counts
// calls:
//
//   wgmma        fence wgmma; call …; commit_group wgmma;     by all threads of whole warpgroups
//   bulk store   call …; commit_group bulk by …;              by the lane that issued the store
//
// An await waits for the queue's groups up to those that are newer than the call that it is about,
// the work's newest but n: where several works of a task share a queue, others' groups count too
// (GroupAges.h). Registers that a warpgroup's multiplications write hold their values behind a wait
// for all that write them: the step names these fields, so that the code generator keeps their uses
// behind it. Lanes that have not waited meet those that have at a warp's barrier.
//
// Stands behind lower-pipelines, which makes the steps, and before the passes that insert barriers
// and fences for what it adds.
#include "compiler/ir/Text.h"
#include "compiler/plan/GroupAges.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::plan {

namespace {

constexpr Diagnostic<std::string> AwaitNothing{
    kind::AwaitNothing, "`{}` is over when it returns: there is nothing to wait for"};
constexpr Diagnostic<std::string, llvm::StringRef> AwaitRead{
    kind::AwaitRead,
    "`read` is said of stores, whose source may be written again before they are complete; `{}` is "
    "{}"};
constexpr Diagnostic<std::string, std::string, unsigned, unsigned> PartOfWarpgroup{
    kind::PartOfWarpgroup,
    "`{}` belongs to whole warpgroups, and `{}` runs on warps {} .. {}: begin at a multiple of "
    "four warps and take a multiple of four"};
constexpr Diagnostic<std::string> WgmmaByOne{
    kind::WgmmaByOne, "`{}` multiplies with all threads of a warpgroup; let it run `by all`"};

class GroupPlanner {
public:
  GroupPlanner(PassContext &pass, Task &planned) : context(pass), plan(pass.plan), task(planned) {}

  bool run() {
    collect(task.body);
    for (Use &use : uses)
      if (!use.isMixed)
        use.awaits = awaitedGroups(plan, task.body, use.works);
    rewrite(task.body);
    return isGood;
  }

private:
  static std::optional<Queue> queueOf(const Access &access) {
    if (access.mechanism == ir::Mechanism::Wgmma)
      return Queue::Wgmma;
    if (access.mechanism == ir::Mechanism::Tma && access.field && !access.isWrite)
      return Queue::Bulk;
    return std::nullopt;
  }

  static std::optional<Queue> queueOf(const Step &call) {
    for (const Access &access : call.accesses)
      if (std::optional<Queue> queue = queueOf(access))
        return queue;
    return std::nullopt;
  }

  struct Use {
    std::set<WorkId> works;
    std::map<FieldId, std::set<WorkId>> registers; // that its works write, and which
    By by = By::All;
    bool isMixed = false; // its works are not all issued by the same threads
    std::map<const Step *, AwaitedGroups> awaits;
  };
  Use &useOf(Queue queue) { return uses[static_cast<size_t>(queue)]; }

  bool isInRegisters(FieldId field) const {
    const ir::Resource &resource = context.kernel.resources[context.kernel.fields[field].resource];
    return resource.space == ir::SpaceKind::Regs;
  }

  void collect(RegionId region) {
    if (!region)
      return;
    for (const Step &step : plan.regions[region].steps) {
      collect(step.body);
      collect(step.elseBody);
      if (step.kind != StepKind::Call)
        continue;
      checkWarps(step);
      std::optional<Queue> queue = queueOf(step);
      if (!queue)
        continue;
      Use &use = useOf(*queue);
      use.isMixed |= !use.works.empty() && use.by != step.by;
      use.works.insert(step.work);
      use.by = step.by;
      for (const Access &access : step.accesses)
        if (access.isWrite && access.field && isInRegisters(access.field))
          use.registers[access.field].insert(step.work);
    }
  }

  void checkWarps(const Step &step) {
    const bool isWgmma = queueOf(step) == Queue::Wgmma;
    const bool ofWarpgroups =
        isWgmma || llvm::any_of(step.accesses, [&](const Access &access) {
          return access.field && context.kernel.fields[access.field].per == ir::PerUnit::Warpgroup;
        });
    if (!ofWarpgroups)
      return;
    if (isWgmma && step.by != By::All) {
      context.diags.report(step.loc, WgmmaByOne, plan.works[step.work]);
      isGood = false;
    }
    if (task.firstWarp % target::WarpgroupWarps || task.warps % target::WarpgroupWarps) {
      context.diags.report(step.loc, PartOfWarpgroup, plan.works[step.work], task.name,
                           task.firstWarp, task.firstWarp + task.warps);
      isGood = false;
    }
  }

  void rewrite(RegionId region) {
    if (!region)
      return;
    std::vector<Step> steps;
    for (Step &step : plan.regions[region].steps) {
      rewrite(step.body);
      rewrite(step.elseBody);
      if (step.kind == StepKind::WaitGroup)
        wait(step, steps);
      else if (std::optional<Queue> queue =
                   step.kind == StepKind::Call ? queueOf(step) : std::nullopt)
        group(std::move(step), *queue, steps);
      else
        steps.push_back(std::move(step));
    }
    plan.regions[region].steps = std::move(steps);
  }

  void group(Step call, Queue queue, std::vector<Step> &steps) {
    Step fence, commit;
    fence.kind = StepKind::Fence;
    fence.fence = FenceKind::Wgmma;
    commit.kind = StepKind::CommitGroup;
    commit.queue = queue;
    commit.by = call.by;
    fence.loc = commit.loc = call.loc;
    if (queue == Queue::Wgmma)
      steps.push_back(std::move(fence));
    steps.push_back(std::move(call));
    steps.push_back(std::move(commit));
  }

  // Whose writers are over behind a wait; of a wait that leaves groups in flight, those that its
  // work writes.
  static llvm::SmallVector<FieldId, 2> defined(const Use &use, WorkId work,
                                               const AwaitedGroups &awaited) {
    llvm::SmallVector<FieldId, 2> fields;
    for (const auto &[field, writers] : use.registers) {
      const bool isMeant = awaited.pending == 0 || writers.count(work);
      if (isMeant && llvm::none_of(writers, [&](WorkId writer) {
            return awaited.maybeFlying.count(writer) != 0;
          }))
        fields.push_back(field);
    }
    return fields;
  }

  void wait(const Step &awaits, std::vector<Step> &steps) {
    Step step = awaits;
    const std::string &name = plan.works[step.work];
    std::optional<Queue> queue;
    for (Queue each : {Queue::Wgmma, Queue::Bulk})
      if (useOf(each).works.count(step.work))
        queue = each;
    if (!queue) {
      context.diags.report(step.loc, AwaitNothing, name);
      isGood = false;
      return;
    }
    const Use &use = useOf(*queue);
    if (step.isRead && *queue != Queue::Bulk) {
      context.diags.report(step.loc, AwaitRead, name, "a multiplication");
      isGood = false;
    }
    if (step.pending && use.isMixed) {
      context.diags.report(
          step.loc, PlanNotYetCompiled,
          fmt::format("`await {} but {}` beside works of its queue that other threads issue", name,
                      step.pending));
      isGood = false;
    }
    step.queue = *queue;
    step.by = use.by;
    const auto known = use.awaits.find(&awaits);
    const AwaitedGroups awaited = known == use.awaits.end() ? AwaitedGroups{} : known->second;
    step.pending = awaited.pending;
    step.defines = defined(use, step.work, awaited);
    const bool isBySome = step.by != By::All && !task.isSingleLane;
    Step sync;
    sync.kind = StepKind::Sync;
    sync.scope = ir::SyncScope::Warp;
    sync.loc = step.loc;
    steps.push_back(std::move(step));
    if (isBySome)
      steps.push_back(std::move(sync));
  }

  PassContext &context;
  Plan &plan;
  const Task &task;
  Use uses[2]; // by queue
  bool isGood = true;
};

} // namespace

bool planGroups(PassContext &context) {
  bool isGood = true;
  for (Task &task : context.plan.tasks)
    isGood &= GroupPlanner(context, task).run();
  return isGood;
}

} // namespace tsk::plan
