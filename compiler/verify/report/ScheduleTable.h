// A plan at a glance: one run of it as a table, what it takes of the SM, what was proved.
// `tskc check --table`.
#pragma once

#include "compiler/verify/Verify.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::verify {

// One run of the plan, its title the values of the loops; none where the verifier has no model.
std::optional<Timeline> showRun(const plan::Plan &plan);

// The run has each loop as often as the deepest ring, and once more, so that the table shows every
// stage and the first reuse. `#2` behind a step on a barrier: it is of its stage's second phase.
// `result` is what verify() said.
void printScheduleTable(const plan::Plan &plan, const VerifyResult &result, llvm::raw_ostream &os);

} // namespace tsk::verify
