// Small changes to a plan, for tests that plant one fault and watch what becomes of it.
#pragma once

#include "compiler/plan/Plan.h"

namespace tsk {

// `drop STEP BARRIER`     every such step: wait, arrive, arrive_expect
// `drop advance TASK`     every advance of that task's cursors
// `raise STEP BARRIER`    moves every such step before the one that it follows
// `arrivals BARRIER N`    what a phase of the barrier expects
// `bytes BARRIER N`       what its arrive_expect steps announce
// `parity TASK N`         where that task's cursors start
// False if the text is none of these or changes nothing.
bool editPlan(plan::Plan &plan, llvm::StringRef edit);

} // namespace tsk
