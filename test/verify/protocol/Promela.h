// Writes one scenario as a Promela model for SPIN: the second oracle. Every fault of V1 to V5 is a
// failed assertion or an invalid end state.
#pragma once

#include "Expand.h"

namespace tsk::protocol::oracle {

// Only what the generator makes: one CTA, no cluster barrier. `phases`: the phase that each
// barrier operation meets in some complete run (per warp, per step); any interleaving in which it
// meets another one is a fault.
std::string writePromela(const Expanded &expanded, const std::vector<std::vector<int>> &phases);

// One run, warp after warp as far as each gets; empty if it does not come to its end.
std::vector<std::vector<int>> referencePhases(const Expanded &expanded);

} // namespace tsk::protocol::oracle
