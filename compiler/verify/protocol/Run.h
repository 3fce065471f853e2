// Runs a program in one scenario.
#pragma once

#include "compiler/verify/protocol/Machine.h"
#include "compiler/verify/protocol/Scenario.h"

namespace tsk::protocol {

// A complete run, checked; the fault, if any, is also the machine's.
std::optional<Fault> runScenario(Machine &machine, const Scenario &scenario);

} // namespace tsk::protocol
