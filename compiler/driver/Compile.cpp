// `tskc FILE`: verifies a file and writes what --emit asks for.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Verbs.h"

#include "compiler/syntax/AstDump.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> VerbNotAvailable{DiagnosticKind::VerbNotAvailable,
                                                       "`tskc {}` is not available yet"};

static std::string astText(const Session &session, const Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  ast::dump(*compilation.file, session.sources, os);
  return text;
}

ExitCode runCompile(Session &session) {
  const Invocation &invocation = session.invocation;
  Compilation compilation;
  if (!compile(session, Phase::Syntax, compilation))
    return ExitErrors;
  OutputFiles outputs;
  outputs.addInput(invocation.inputs.front());
  if (invocation.emit == Emit::Ast)
    outputs.add(invocation.output.empty() ? "-" : invocation.output, astText(session, compilation));
  else
    session.diags.report({}, VerbNotAvailable, "compile");
  outputs.write(session.diags, invocation.keepUnchanged);
  return session.exitCode();
}

} // namespace tsk::driver
