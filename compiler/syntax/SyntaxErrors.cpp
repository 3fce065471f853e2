#include "compiler/syntax/SyntaxErrors.h"

namespace tsk::syntax {

constexpr Diagnostic<> TooManySyntaxErrors{
    DiagnosticKind::TooManySyntaxErrors,
    "too many syntax errors; the rest of this file is not read"};

void SyntaxErrors::reportLimit(SourceRange range) {
  diagnostics.report(range, TooManySyntaxErrors);
}

} // namespace tsk::syntax
