// Builds a generated test program with the host's C++ compiler and runs it.
#pragma once

#include "compiler/driver/Session.h"

namespace tsk::driver {

struct GeneratedFile {
  std::string name; // without a folder
  std::string text;
};

// A folder for generated files: the user's (--keep), which stays, or a temporary one, which goes
// with this object and is removed when a signal ends the run.
class ProgramFolder {
public:
  explicit ProgramFolder(Session &current) : session(current) {}
  ~ProgramFolder();
  ProgramFolder(const ProgramFolder &) = delete;
  ProgramFolder &operator=(const ProgramFolder &) = delete;

  // False after an error, which was reported.
  bool write(llvm::ArrayRef<GeneratedFile> files);
  std::string path(llvm::StringRef name) const;

private:
  Session &session;
  std::string folder;
  std::vector<std::string> names;
};

// Compiles `source` in `folder` against the simulator; false after an error. The compiler's own
// messages go to standard error as they are: #line makes them name the .tsk file.
bool buildForSimulator(Session &session, const ProgramFolder &folder, llvm::StringRef source,
                       llvm::StringRef program);

// The exit status of a program, or none if it could not be run or crashed, which was reported.
std::optional<int> runProgram(Session &session, llvm::StringRef path,
                              llvm::ArrayRef<std::string> arguments);

} // namespace tsk::driver
