// Verbs that the command line promises and this version does not have.
#include "compiler/driver/Verbs.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> VerbNotAvailable{DiagnosticKind::VerbNotAvailable,
                                                       "`tskc {}` is not available yet"};

static ExitCode unavailable(Session &session) {
  if (session.readInput().isValid())
    session.diags.report({}, VerbNotAvailable, info(session.invocation.verb).name);
  return ExitErrors;
}

ExitCode runTest(Session &session) { return unavailable(session); }
ExitCode runSim(Session &session) { return unavailable(session); }
ExitCode runCheck(Session &session) { return unavailable(session); }
ExitCode runGraph(Session &session) { return unavailable(session); }
ExitCode runReport(Session &session) { return unavailable(session); }
ExitCode runTune(Session &session) { return unavailable(session); }

} // namespace tsk::driver
