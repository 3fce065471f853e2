// Runs a program in a process group of its own, so that nothing of it survives: not a time limit,
// not Ctrl-C on tskc, not a child of the child.
#pragma once

#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tsk::driver {

// From here on a signal that asks the process to end (SIGINT, SIGTERM, SIGQUIT, a limit on
// processor time, …) takes programs and temporary files along.
void endWithoutLeftovers();

struct ProgramResult {
  enum class End : uint8_t { Exited, Crashed, TimedOut, NotStarted };
  End end = End::Exited;
  int status = 0;     // Exited
  std::string reason; // why it did not end by itself
};

// `arguments`: the program's path first. With `outputFile`, standard output and error go there.
ProgramResult runProgram(const std::vector<std::string> &arguments,
                         std::optional<unsigned> seconds = std::nullopt,
                         llvm::StringRef outputFile = "");

// A folder for files that must not outlive tskc; readable by its user alone. One at a time.
class TemporaryFolder {
public:
  // Null if there can be none, which is reported.
  static std::unique_ptr<TemporaryFolder> make(DiagnosticEngine &diags);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  llvm::StringRef getPath() const { return path; }
  // The path of a file in it. The folder goes with all that is in it.
  std::string file(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path);

  const std::string path;
};

} // namespace tsk::driver
