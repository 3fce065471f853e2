// A program of tests for the simulator: from generated texts to something that runs.
#pragma once

#include "compiler/driver/HostCompiler.h"
#include "compiler/driver/ProgramCache.h"
#include "compiler/driver/RunProgram.h"
#include "compiler/driver/Session.h"

#include "llvm/Support/Chrono.h"

#include <memory>

namespace tsk::driver {

struct GeneratedFile {
  std::string name;
  std::string text;
};

class SimulatorBuild {
public:
  // `files`: the program first, then what it includes.
  // `isCounted`: the program counts what its kernels do (compiler/profile/).
  SimulatorBuild(Session &session, std::vector<GeneratedFile> files, bool isCounted);

  // The built program's path, which is good as long as this lives; nothing after an error, which is
  // reported.
  std::optional<std::string> program();
  // A file that lives as long, once the program is built.
  std::string temporaryFile(llvm::StringRef name) const { return temporary->file(name); }

private:
  bool findParts();
  std::string programKey();
  std::string compilerVersion();
  std::string file(llvm::StringRef name);
  bool writeSources();
  std::vector<std::string> options() const;
  std::vector<std::string> sourceCommand();
  bool compile(const std::string &built);
  bool compileCounted(const std::string &built);
  bool runCompiler(const std::vector<std::string> &command);
  std::optional<ProgramInputs> inputsOfBuild() const;
  void sayThatItCompiles() const;
  std::string shortened(llvm::StringRef text) const;

  Session &session;
  DiagnosticEngine &diags;
  std::vector<GeneratedFile> files;
  const bool isCounted;
  std::string keep;
  std::vector<std::string> folders; // where the user's own headers are looked for
  HostCompiler compiler;
  std::string simulatorInclude, deviceInclude, library;
  std::unique_ptr<TemporaryFolder> temporary;
  std::string dependencyRule;
  llvm::sys::TimePoint<> started; // compiling
  ProgramCache cache;
};

} // namespace tsk::driver
