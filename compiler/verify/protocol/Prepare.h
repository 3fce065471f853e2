// Rewrites a program so that no trip count depends on a loop's variable and no symbol counts a loop
// inside a loop that it counts: with symbols of their own in their place, which the proof takes as
// independent (more than can happen) and plain runs give their values.
#pragma once

#include "compiler/verify/protocol/Program.h"

namespace tsk::protocol {

// `unsupported`: why that is not possible; else empty.
Program prepare(const Program &program, std::string &unsupported);

} // namespace tsk::protocol
