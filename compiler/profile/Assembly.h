// From the assembly that a C++ compiler made of a test program to that of one which counts.
//
// The program is compiled with the instrumentation of the thread sanitizer and of coverage, whose
// calls stand where memory is touched and where basic blocks begin. Here each call becomes one of
// the simulator's own, with the number of its place in the source; calls that speak of the
// runtime's own headers go away; a block that computes gets a counter. The tables of what the
// numbers mean are put behind the code (runtime/sim/machine/counting/sites.h). Text for x86-64 in
// AT&T syntax.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tsk::profile {

// Options by which the compiler makes such assembly.
std::vector<std::string> instrumentingOptions(bool isClang);

// `foreign`: folders whose files no user wrote. Nothing if the text is not what it should be.
std::string countInAssembly(llvm::StringRef text, llvm::ArrayRef<std::string> foreign);

} // namespace tsk::profile
