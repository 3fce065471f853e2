// insert-warp-syncs: a warp's barrier wherever one lane uses shared memory that another lane of its
// warp has used just before, or arrives for it.
//
// Needs steps with their accesses and the barriers that the schedule has already. Uses count in
// tasks of one warp: in a larger one they are those of different warps too, and what orders warps
// is for the schedule to say (TSK2101). Where lanes may have parted no barrier can stand; the
// verifier reports that.
//
// Stands behind plan-syncs, whose barriers make most of these needless.
#include "compiler/plan/LaneConflicts.h"
#include "compiler/plan/Passes.h"

#include <map>

namespace tsk::plan {

bool insertWarpSyncs(PassContext &context) {
  Plan &plan = context.plan;
  auto shareBytes = [&](FieldId a, FieldId b) {
    const ir::Field &field = context.kernel.fields[a];
    return a == b && context.kernel.resources[field.resource].space == ir::SpaceKind::Smem;
  };
  // Where to insert, the last of a region first, so that indices stay right.
  std::map<std::pair<unsigned, size_t>, SourceRange, std::greater<>> places;
  for (const Task &task : plan.tasks)
    findLaneConflicts(plan, task, shareBytes, [&](const LaneConflict &conflict) {
      if (!conflict.isDivergent)
        places[{conflict.region.index, conflict.index}] = conflict.later->loc;
    });
  for (auto &[place, loc] : places) {
    Step sync;
    sync.kind = StepKind::Sync;
    sync.scope = ir::SyncScope::Warp;
    sync.loc = loc;
    std::vector<Step> &steps = plan.regions[RegionId{place.first}].steps;
    steps.insert(steps.begin() + place.second, std::move(sync));
  }
  return true;
}

} // namespace tsk::plan
