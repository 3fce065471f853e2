// How many bytes TMA brings into a stage, found by walking a task's operations.
#pragma once

#include "compiler/plan/Passes.h"

namespace tsk::plan {

// Bytes that one call of `work` loads into the fields of `resource`.
int64_t loadedBytes(const ir::Kernel &kernel, const ir::Work &work, ir::ResourceId resource);

// Bytes loaded into the stage that operation `acquire` of `region` takes, up to its commit or the
// next acquire (works fill the newest stage). Nothing if that depends on the path or on a loop's
// trip count, or if the stage is handed over in another region.
std::optional<int64_t> stageBytes(const ir::Kernel &kernel, ir::RegionId region, size_t acquire,
                                  ir::ResourceId resource);

} // namespace tsk::plan
