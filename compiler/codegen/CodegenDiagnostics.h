// The kinds of diagnostic of generated code: tsk::kind::Name for each line of the registry.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::kind {
#define TSK_DIAGNOSTIC(Name, Code, Level, Flag) inline constexpr DiagnosticKind Name{Code};
#include "compiler/codegen/CodegenDiagnostics.def"
#undef TSK_DIAGNOSTIC
} // namespace tsk::kind
