// Who executes a work's call: shared by the passes that count arrivals and those that lower calls.
#pragma once

#include "compiler/plan/Passes.h"

namespace tsk::plan {

// A body with a primitive that one thread issues for all (a TMA load).
bool isSingleIssue(const ir::Work &work);

// The issuer of `work` in a task of `warps` warps, as it was declared or as follows: a single-issue
// body in a task of one warp is its elected lane's. Nothing if the body must name its issuer.
std::optional<By> issuerOf(const ir::Work &work, unsigned warps);

} // namespace tsk::plan
