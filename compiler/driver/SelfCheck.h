// --verify-each: whatever a pass leaves behind can be written as text and read back to the same.
// What cannot is a fault of the compiler (exit status 70).
#pragma once

#include "compiler/ir/Kernel.h"
#include "compiler/plan/Plan.h"

namespace tsk::driver {

void checkRoundTrip(const ir::Kernel &kernel);
void checkRoundTrip(const plan::Plan &plan);
// Between two passes: the reader may add what a later pass will decide, but then it stays.
void checkFixedPoint(const plan::Plan &plan);

} // namespace tsk::driver
