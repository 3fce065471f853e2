// What lives as long as one run of tskc: the request, the sources and the diagnostics.
#pragma once

#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Invocation.h"
#include "compiler/support/Diagnostics.h"

namespace tsk::driver {

enum ExitCode : int {
  ExitSuccess = 0,
  ExitErrors = 1,   // the input has errors, a test failed, a file could not be read or written
  ExitUsage = 2,    // the command line is wrong
  ExitInternal = 70 // a fault of the compiler
};

class Session {
public:
  explicit Session(const CommandLine &commandLine);

  Invocation invocation;
  SourceManager sources;

private:
  bool readByPrograms;
  std::unique_ptr<DiagnosticConsumer>
      renderer; // may write last of all, and needs the sources for it

public:
  DiagnosticEngine diags;

  // Reads the one input file; an invalid location after a fault, which was reported.
  SourceLoc readInput();
  // What messages and generated code call the input.
  llvm::StringRef inputName() const;
  // Whether programs read what this run says: then it says its results too, with sayResult.
  bool isReadByPrograms() const { return readByPrograms; }
  void sayResult(const llvm::json::Object &result) { renderer->handleResult(result); }
  // The last word of a run: how many errors were too many to show.
  void finish();
  ExitCode exitCode() const { return diags.hasErrors() ? ExitErrors : ExitSuccess; }
};

// Reads `path` into the session's sources and reports why that is not possible.
SourceLoc readFile(Session &session, llvm::StringRef path);

} // namespace tsk::driver
