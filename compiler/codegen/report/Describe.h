// Phrases that the graph, the report and the schedule table share.
#pragma once

#include "compiler/ir/Kernel.h"

#include <fmt/format.h>

namespace tsk::codegen {

std::string warpRange(unsigned first, unsigned count); // "warps 0 .. 4", "warp 4"
std::string describe(const ir::Pipeline &pipeline);    // "tma -> async stages 4"
std::string mechanisms(const ir::Pipeline &pipeline);  // "tma -> async"

} // namespace tsk::codegen
