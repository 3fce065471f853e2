// The machine's own C++ compiler, which builds test programs for the simulator.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::driver {

// `asked` (--cxx), else $CXX, else the first of c++, g++, clang++ on the PATH: its path. Reports
// what was asked for and is not there.
std::optional<std::string> findHostCompiler(llvm::StringRef asked, DiagnosticEngine &diags);

// Errors in the compiler's output as diagnostics: at their place in the .tsk file where they have
// one, also when the error itself is in a header that a body uses wrongly. False if there was none
// to be understood.
bool reportCompilerErrors(llvm::StringRef output, const SourceManager &sources,
                          DiagnosticEngine &diags);

} // namespace tsk::driver
