// Whether the threads of a warp have read a stage when one of them gives it back.
#pragma once

#include "compiler/ir/Kernel.h"

namespace tsk::plan {

// True if at `ops[release]` no lane may still read the stage, nor wait for it: all that the task
// does with the resource is multiply, and behind its last wait for a stage the warp has waited,
// together, for a multiplication. False where that is not plain from the text.
bool isReadBehindMultiplication(const ir::Kernel &kernel, ir::RegionId task,
                                const std::vector<ir::Op> &ops, size_t release);

} // namespace tsk::plan
