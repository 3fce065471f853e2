// tskc: reads the command line and runs one verb.
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/Explanations.h"
#include "compiler/driver/Help.h"
#include "compiler/driver/RunProgram.h"
#include "compiler/driver/Verbs.h"

#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <unistd.h>

using namespace tsk;
using namespace tsk::driver;

constexpr Diagnostic<llvm::StringRef, std::string> CannotWrite{kind::CannotWrite,
                                                               "cannot write `{}`: {}"};

// After a crash; LLVM's handler has removed temporary files. Only calls that a signal handler may
// make.
static void sayInternalError(void *) {
  static const char Text[] = "tskc: internal error: the compiler crashed\n"
                             "tskc: this is a fault of the compiler; please report it with the "
                             "input\n";
  (void)!::write(STDERR_FILENO, Text, std::strlen(Text));
  ::_exit(ExitInternal);
}

static ExitCode runVerb(Session &session) {
  switch (session.invocation.verb) {
#define TSK_VERB(Name, Spelling, Operands, Summary)                                                \
  case Verb::Name:                                                                                 \
    return run##Name(session);
#include "compiler/driver/Verbs.def"
  }
  return ExitInternal;
}

static bool isAvailable(Verb verb) { return verb != Verb::Tune; }

static ExitCode run(const CommandLine &commandLine, Session &session) {
  if (commandLine.asks(OPT_help) && commandLine.knowsVerb())
    printHelp(llvm::outs(), commandLine.verb());
  else if (commandLine.valueOf(OPT_print_docs) == "cli")
    printHelpMarkdown(llvm::outs());
  else if (commandLine.valueOf(OPT_print_docs) == "diagnostics")
    printDiagnosticsMarkdown(llvm::outs());
  else if (commandLine.asks(OPT_version))
    printVersion(llvm::outs());
  else if (!isAvailable(commandLine.verb())) {
    session.invocation.verb = commandLine.verb();
    return runVerb(session); // says so, whatever its options
  } else if (!commandLine.readInvocation(session.invocation, session.diags))
    return ExitUsage;
  else
    return runVerb(session);
  return ExitSuccess;
}

int main(int argc, char **argv) {
  llvm::sys::AddSignalHandler(sayInternalError, nullptr);
  endWithoutLeftovers();
  CommandLine commandLine(argc, argv);
  Session session(commandLine);
  ExitCode code = run(commandLine, session);
  session.finish();

  // A full disk or a closed pipe shows when standard output is flushed, last of all.
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    session.diags.report({}, CannotWrite, "<stdout>", error.message());
    return code == ExitSuccess ? ExitErrors : code;
  }
  return code;
}
