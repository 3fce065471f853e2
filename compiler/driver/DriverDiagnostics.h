// The kinds of diagnostic of the command line and files: tsk::kind::Name for each line of the
// registry.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::kind {
#define TSK_DIAGNOSTIC(Name, Code, Level, Flag) inline constexpr DiagnosticKind Name{Code};
#include "compiler/driver/DriverDiagnostics.def"
#undef TSK_DIAGNOSTIC
} // namespace tsk::kind
