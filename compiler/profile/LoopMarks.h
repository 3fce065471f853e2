// Marks the loops of generated CUDA for a program that is counted
// (runtime/sim/include/tsk/sim/loops.h).
//
// Lexical: `for`, `while` and `do` are found among the text's tokens, and marks stand on the same
// line, so that lines keep their numbers. A loop that touches nothing but numbers and arrays of the
// thread's own needs no mark, and gets none: marks would keep it from being unrolled.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tsk::profile {

std::string markLoops(llvm::StringRef source);

} // namespace tsk::profile
