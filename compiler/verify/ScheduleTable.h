// A plan at a glance: one run of it as a table, what it takes of the SM, what was checked. Stands
// below the schedules in what `tskc check --table` shows.
#pragma once

#include "compiler/verify/Verify.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::verify {

// The run has each loop as often as its ring is deep, and once more, so that the table shows every
// stage and the first reuse; `result` is what verify() said.
void printScheduleTable(const plan::Plan &plan, const VerifyResult &result, llvm::raw_ostream &os);

} // namespace tsk::verify
