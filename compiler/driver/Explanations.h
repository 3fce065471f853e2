// The long texts behind the codes. They are written in a page a phase (<Phase>Diagnostics.md beside
// its .def file), each under a heading `## TSK1101`, and compiled into tskc.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace llvm {
class raw_ostream;
}

namespace tsk::driver {

// The text under the diagnostic's heading; empty if nobody wrote one.
llvm::StringRef explanation(const DiagnosticInfo &diagnostic);

// docs/diagnostics.md.
void printDiagnosticsMarkdown(llvm::raw_ostream &os);

} // namespace tsk::driver
