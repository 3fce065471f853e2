#include "compiler/driver/Compilation.h"

#include "compiler/syntax/Parser.h"

namespace tsk::driver {

bool compile(Session &session, Phase last, Compilation &result) {
  DiagnosticEngine &diags = session.diags;
  result.source = session.readInput();
  if (!result.source.isValid())
    return false;

  result.file = syntax::parseFile(session.sources, result.source, diags);
  if (diags.hasErrors() || last == Phase::Syntax)
    return !diags.hasErrors();

  return false;
}

} // namespace tsk::driver
