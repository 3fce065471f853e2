// infer-single-lane: a task of one warp in which one lane does everything runs on that lane alone.
//
// Needs the tasks of plan-warps; sets Task::isSingleLane. A load task is the usual case: its calls
// are all its leader's, and waiting, counting and looping by 31 more lanes would only take issue
// slots from the warps that compute. It stands before plan-barriers because such a task's arrivals
// are those of one thread.
//
// A step for all lanes keeps the warp together: a call `by all`, a loop whose iterations are spread
// over threads, any barrier of threads.
#include "compiler/plan/Issue.h"

namespace tsk::plan {

static bool isOneLanesWork(const ir::Kernel &kernel, ir::RegionId region) {
  if (!region)
    return true;
  for (const ir::Op &op : kernel.regions[region].ops) {
    if (op.kind == ir::OpKind::ParallelFor || op.kind == ir::OpKind::Sync)
      return false;
    if (op.kind == ir::OpKind::Call && issuerOf(kernel.works[op.work], 1) != By::Leader)
      return false;
    if (!isOneLanesWork(kernel, op.body) || !isOneLanesWork(kernel, op.elseBody))
      return false;
  }
  return true;
}

bool inferSingleLane(PassContext &context) {
  for (size_t i = 0; i < context.plan.tasks.size(); ++i) {
    TaskId id = context.plan.tasks.idAt(i);
    Task &task = context.plan.tasks[id];
    task.isSingleLane =
        task.warps == 1 && isOneLanesWork(context.kernel, context.kernel.tasks[id].body);
  }
  return true;
}

} // namespace tsk::plan
