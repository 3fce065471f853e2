#include "compiler/syntax/SyntaxErrors.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> TooManySyntaxErrors{
    kind::TooManySyntaxErrors, "too many syntax errors; the rest of this file is not read"};

void SyntaxErrors::reportLimit(SourceRange range) {
  diagnostics.report(range, TooManySyntaxErrors);
}

} // namespace tsk::syntax
