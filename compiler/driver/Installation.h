// Where tskc finds its own parts: relative to the program, in an installation and in a build tree
// alike (docs/decisions/0003-installed-layout.md).
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::driver {

constexpr llvm::StringLiteral DeviceInclude = "include";
constexpr llvm::StringLiteral SimulatorInclude = "lib/tskc/sim/include"; // before DeviceInclude
constexpr llvm::StringLiteral SimulatorLibrary = "lib/tskc/libtsksim.a";
constexpr llvm::StringLiteral BodyReader = "bin/tskc-bodies";   // a part that may be left out
constexpr llvm::StringLiteral LanguageFolder = "lib/tskc/lang"; // `import tsk.…`

// The path of one of these, there or not.
std::string partPath(llvm::StringRef part);

// The same; nothing if it is not there, which is reported.
std::optional<std::string> installedPath(llvm::StringRef part, DiagnosticEngine &diags);

} // namespace tsk::driver
