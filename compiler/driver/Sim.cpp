// `tskc sim FILE`: runs the file's tests on the simulator and shows what their kernels do.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/TestRun.h"
#include "compiler/driver/Verbs.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

ExitCode runSim(Session &session) {
  Compilation compilation(session);
  if (!compilation.run(Phase::Plan, /*withTests=*/true))
    return ExitErrors;
  std::string profile;
  const ExitCode result =
      runCountedTests(session, *compilation.module, compilation.plans, profile);
  llvm::outs() << profile;
  return result;
}

} // namespace tsk::driver
