// plan-barriers: the two barriers of each pipeline and how many arrivals complete a phase of them.
//
// Needs the tasks, with infer-single-lane done, because the counts are numbers of threads. Makes
// for each pipelined resource `r.full` (the producers arrive, the consumers wait) and `r.empty`
// (the other way round), one mbarrier a stage. Stands before lower-pipelines, which emits exactly
// the arrivals that are counted here:
//
//   tma producer     1          its leader's arrive_expect; the bytes complete the rest
//   async side       threads    every thread stores or loads, so every thread arrives
//
// A stage into which peers load is given back to all of them, by one lane of each warp: an arrival
// on a peer's barrier travels. So `empty` counts the warps of all the CTAs to whom this one loads.
// The same goes for both ends of a pipeline `remote -> …`, each of which is one other CTA.
//
// Several tasks on one side all walk all stages, so their counts add up. Where consumers share the
// items, each is given back by one of them, so one of them counts; they must be equally many.
#include "compiler/plan/Names.h"
#include "compiler/plan/Participants.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

constexpr Diagnostic<std::string, std::string, unsigned, std::string, unsigned> SharersDiffer{
    kind::SharersDiffer,
    "tasks that share the tiles of one queue take turns with `{}`, so as many threads of each give "
    "a stage back; but `{}` has {} and `{}` {}"};

static unsigned threads(const Task &task) {
  return task.isSingleLane ? 1 : task.warps * target::WarpThreads;
}

bool planBarriers(PassContext &context) {
  const ir::Kernel &kernel = context.kernel;
  for (size_t i = 0; i < kernel.resources.size(); ++i) {
    ir::ResourceId id = kernel.resources.idAt(i);
    const ir::Resource &resource = kernel.resources[id];
    if (!resource.pipeline)
      continue;
    Participants participants = participantsOf(kernel, id);
    if (participants.producers.empty() && participants.consumers.empty())
      continue; // no task uses it, and no mbarrier counts to 0
    Barrier full;
    full.name = fullBarrierName(resource);
    full.resource = resource.name;
    full.stages = resource.pipeline->stages;
    full.loc = resource.pipeline->loc;
    Barrier empty = full;
    empty.name = emptyBarrierName(resource);
    full.arrivals = empty.arrivals = 0;
    const bool isOfPeers = ir::isRemote(*resource.pipeline);
    full.isOfCluster = empty.isOfCluster = isOfPeers;
    for (TaskId task : participants.producers) {
      const Task &producer = context.plan.tasks[task];
      full.arrivals += isTmaPipeline(resource) ? 1 : isOfPeers ? producer.warps : threads(producer);
    }
    const Axes peers = peersOf(kernel, id);
    const std::vector<TaskId> &sharers = participants.sharers;
    for (TaskId task : participants.consumers) {
      const Task &consumer = context.plan.tasks[task];
      const unsigned arrivals = peers ? consumer.warps * countAlong(context.plan.cluster, peers)
                                : isOfPeers ? consumer.warps
                                            : threads(consumer);
      if (!llvm::is_contained(sharers, task) || task == sharers.front())
        empty.arrivals += arrivals;
      else if (const Task &first = context.plan.tasks[sharers.front()];
               threads(first) != threads(consumer)) {
        context.diags.report(consumer.loc, SharersDiffer, resource.name, first.name, threads(first),
                             consumer.name, threads(consumer));
        return false;
      }
    }
    context.plan.barriers.add(std::move(full));
    context.plan.barriers.add(std::move(empty));
  }
  return true;
}

} // namespace tsk::plan
