// Which steps of a warp need its lanes together before they run.
//
// The lanes of a warp are not in step with each other. A lane may read a word of shared memory that
// another lane of its warp writes (or write one that another reads) only behind a barrier that both
// have passed. One warp is one agent to the rest of the verifier, so this is decided here: the pass
// insert-warp-syncs asks where a barrier is needed, the verifier whether one is missing.
#pragma once

#include "compiler/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tsk::plan {

struct LaneConflict {
  RegionId region; // of `later`
  size_t index;    // of `later` in its region
  const Step *earlier;
  const Step *later;
  const Access *earlierAccess; // null: it is a fence, behind which the others may still be
  FieldId field;               // of the later access; the earlier one's may overlay it
  bool isDivergent; // `later` stands where lanes may have parted: no barrier can stand there
};

// Calls `found` for each step of `task` that conflicts with an earlier one, once a step: a call, in
// a task of one warp, or an arrival by one lane. Returns true if there was one.
bool findLaneConflicts(const Plan &plan, const Task &task,
                       llvm::function_ref<bool(FieldId, FieldId)> shareBytes,
                       llvm::function_ref<void(const LaneConflict &)> found);

} // namespace tsk::plan
