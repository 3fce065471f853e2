// All findings of a plan that the engine can tell apart, the first one along the smallest run
// first.
//
// A fault of memory says nothing about barriers: the access is taken out and the rest judged again.
// What follows a fault of a barrier may be owed to it: there the search ends. Of several findings
// about one pipeline only the first is reported, the others may be its consequences.
#pragma once

#include "compiler/verify/Verify.h"
#include "compiler/verify/proof/FromPlan.h"

namespace tsk::verify {

// Judges `translation`, reports and fills the result; leaves the program without guilty accesses.
void findAll(const plan::Plan &plan, proof::Translation &translation, DiagnosticEngine &diags,
             const VerifyOptions &options, VerifyResult &result);

} // namespace tsk::verify
