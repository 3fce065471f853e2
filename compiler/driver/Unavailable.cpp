// Verbs that the language promises and this version does not have.
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/Verbs.h"

namespace tsk::driver {

constexpr Diagnostic<> TuneNotAvailable{
    kind::VerbNotAvailable,
    "`tskc tune` is not available yet; `-D NAME=VALUE` sets a compile-time parameter by hand"};

ExitCode runTune(Session &session) {
  session.diags.report({}, TuneNotAvailable);
  return ExitErrors;
}

} // namespace tsk::driver
