// Lets Clang read the bodies of a file: asks `tskc-bodies`, the program that holds it, or finds an
// answer from before (docs/decisions/0007-body-reader.md).
#pragma once

#include "compiler/body/BodyReading.h"
#include "compiler/support/Diagnostics.h"

namespace tsk::body {

// The reply; or none, after a remark or warning that says why bodies are judged by their tokens
// alone. `program`: the path of tskc-bodies, there or not.
std::optional<Reply> readBodies(const Request &request, llvm::StringRef program, bool usesCache,
                                DiagnosticEngine &diags);

// Clang's messages as diagnostics, but for those about what has been reported already.
void reportMessages(const ir::Module &module, const Reading &reading, llvm::ArrayRef<Report> known,
                    const SourceManager &sources, DiagnosticEngine &diags);

// The errors in the host code of tests. None where Clang could not read what it includes: the
// compiler that the tests are built with may.
void reportTestMessages(const ir::Module &module, const Reading &reading,
                        const SourceManager &sources, DiagnosticEngine &diags);

} // namespace tsk::body
