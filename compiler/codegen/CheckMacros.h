// Macros of the user's that would change the text that is generated around theirs.
#pragma once

#include "compiler/body/BodyMacros.h"

namespace tsk::codegen {

// Reports the macros of `cpp` blocks that replace a name in `text`, which was generated under the
// name `ownFile`; what the user wrote in it is theirs. False after an error.
bool checkMacros(llvm::ArrayRef<body::Macro> macros, llvm::StringRef text, llvm::StringRef ownFile,
                 DiagnosticEngine &diags);

} // namespace tsk::codegen
