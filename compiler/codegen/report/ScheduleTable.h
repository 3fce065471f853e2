// What each task of a kernel does, side by side: `tskc check --table`.
//
// One column a task, time downwards: a step that waits for a full stage stands below the step that
// fills it, as in the first round of a run. It is the plan that is shown, barriers and all, so it
// is what the verifier judges and what is emitted.
#pragma once

#include "compiler/plan/Plan.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::codegen {

void writeScheduleTable(const plan::Plan &plan, llvm::raw_ostream &os);

} // namespace tsk::codegen
