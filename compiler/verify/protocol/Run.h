// Runs a program in one scenario.
#pragma once

#include "compiler/verify/protocol/Machine.h"
#include "compiler/verify/protocol/Scenario.h"

namespace tsk::protocol {

// A complete run, checked; the fault, if any, is also the machine's. Nothing as well where the run
// is too long: then the machine has made more steps than its limit.
std::optional<Fault> runScenario(Machine &machine, const Scenario &scenario);

} // namespace tsk::protocol
