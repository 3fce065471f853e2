// The kinds of diagnostic of the lexer and parser: tsk::kind::Name for each line of the registry.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::kind {
#define TSK_DIAGNOSTIC(Name, Code, Level, Flag) inline constexpr DiagnosticKind Name{Code};
#include "compiler/syntax/SyntaxDiagnostics.def"
#undef TSK_DIAGNOSTIC
} // namespace tsk::kind
