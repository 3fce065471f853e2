// The machine's own C++ compiler, which builds test programs for the simulator.
#pragma once

#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tsk::driver {

// A path and options that always follow it; or a launcher, such as ccache, and what it launches.
struct HostCompiler {
  std::vector<std::string> words; // the first is a path

  llvm::StringRef name() const; // for messages
};

// `asked` (--cxx), else $CXX, else the first of c++, g++, clang++ on the PATH. Reports what was
// asked for and is not there.
std::optional<HostCompiler> findHostCompiler(llvm::StringRef asked, DiagnosticEngine &diags);

// Errors in the compiler's output as diagnostics: at their place in the .tsk file where they have
// one, also when the error itself is in a header that a body uses wrongly. False if there was none
// to be understood.
bool reportCompilerErrors(llvm::StringRef output, const SourceManager &sources,
                          DiagnosticEngine &diags);

} // namespace tsk::driver
