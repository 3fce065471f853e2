// A plan made straight from a task graph, for the tests of the code generator alone: tma -> async
// pipelines, one field each, and everything that needs no pipeline.
#pragma once

#include "compiler/plan/Plan.h"

namespace tsk::codegen {

plan::Plan simplePlan(const ir::Kernel &kernel);

} // namespace tsk::codegen
