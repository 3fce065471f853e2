// Rules on the plan that need no run. Each reports all its findings; false: there were some.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tsk::verify {

bool checkBudgets(const plan::Plan &plan, DiagnosticEngine &diags);
bool checkLoopSteps(const plan::Plan &plan, DiagnosticEngine &diags);
void warnOfUnusedItems(const plan::Plan &plan, DiagnosticEngine &diags);
bool checkUniformity(const plan::Plan &plan, DiagnosticEngine &diags);
// Whether there were findings, and a fault among them: more than what could not be shown.
enum class Outcome : uint8_t { Right, NotShown, Fault };
// Registers that running multiplications write. Adds what it takes for granted to `assumptions`.
Outcome checkInFlight(const plan::Plan &plan, DiagnosticEngine &diags,
                      std::vector<std::string> &assumptions);
// Of bodies that have been read.
bool checkMulticast(const plan::Plan &plan, DiagnosticEngine &diags);
bool checkLanes(const plan::Plan &plan, DiagnosticEngine &diags);
// Arrivals at other CTAs.
bool checkPeers(const plan::Plan &plan, DiagnosticEngine &diags);
// `kernel`: with it, CTAs of one launch are compared. Adds what it takes for granted to
// `assumptions`.
Outcome checkGlobalMemory(const plan::Plan &plan, const ir::Kernel *kernel, DiagnosticEngine &diags,
                          std::vector<std::string> &assumptions);

} // namespace tsk::verify
