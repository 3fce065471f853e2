#include "compiler/driver/HostProgram.h"

#include "compiler/driver/Installation.h"
#include "compiler/driver/OutputFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

namespace tsk::driver {

namespace fs = llvm::sys::fs;
using llvm::StringRef;

constexpr Diagnostic<StringRef, std::string> CannotWrite{DiagnosticKind::CannotWrite,
                                                         "cannot write `{}`: {}"};
constexpr Diagnostic<StringRef> ToolNotFound{
    DiagnosticKind::ToolNotFound, "there is no `{}` here; `--cxx` names another C++ compiler"};
constexpr Diagnostic<StringRef, std::string> ToolFailed{DiagnosticKind::ToolFailed, "`{}` {}"};

ProgramFolder::~ProgramFolder() {
  if (folder.empty() || !session.invocation.keepFolder.empty())
    return;
  for (StringRef name : names)
    llvm::sys::DontRemoveFileOnSignal(path(name));
  (void)fs::remove_directories(folder);
}

std::string ProgramFolder::path(StringRef name) const {
  llvm::SmallString<128> result = StringRef(folder);
  llvm::sys::path::append(result, name);
  return result.str().str();
}

bool ProgramFolder::write(llvm::ArrayRef<GeneratedFile> files) {
  StringRef kept = session.invocation.keepFolder;
  llvm::SmallString<128> created = kept;
  std::error_code error =
      kept.empty() ? fs::createUniqueDirectory("tskc", created) : fs::create_directories(kept);
  if (error) {
    session.diags.report({}, CannotWrite, kept.empty() ? "<temporary folder>" : kept,
                         error.message());
    return false;
  }
  folder = created.str().str();
  OutputFiles outputs;
  for (const GeneratedFile &file : files) {
    names.push_back(file.name);
    outputs.add(path(file.name), file.text);
    if (kept.empty())
      llvm::sys::RemoveFileOnSignal(path(file.name));
  }
  return outputs.write(session.diags, /*keepUnchanged=*/false);
}

std::optional<int> runProgram(Session &session, StringRef path,
                              llvm::ArrayRef<std::string> arguments) {
  std::vector<StringRef> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::string why;
  int status = llvm::sys::ExecuteAndWait(path, words, std::nullopt, {}, 0, 0, &why);
  if (status >= 0)
    return status;
  session.diags.report({}, ToolFailed, llvm::sys::path::filename(path),
                       status == -1 ? "could not be run: " + why : "crashed: " + why);
  return std::nullopt;
}

bool buildForSimulator(Session &session, const ProgramFolder &folder, StringRef source,
                       StringRef program) {
  StringRef compiler = session.invocation.hostCompiler;
  auto found = llvm::sys::findProgramByName(compiler.empty() ? "g++" : compiler);
  if (!found) {
    session.diags.report({}, ToolNotFound, compiler.empty() ? "g++" : compiler);
    return false;
  }
  auto simulatorInclude = installedPath(SimulatorInclude, session.diags);
  auto deviceInclude = installedPath(DeviceInclude, session.diags);
  auto library = installedPath(SimulatorLibrary, session.diags);
  if (!simulatorInclude || !deviceInclude || !library)
    return false;
  // -O1: tests are compiled more often than they run long. Bodies' warnings are for nvcc to give.
  std::vector<std::string> arguments = {
      "-std=c++20",        "-O1", "-w",           "-x",     "c++",
      folder.path(source), "-x",  "none",         *library, "-I",
      *simulatorInclude,   "-I",  *deviceInclude, "-o",     folder.path(program)};
  std::optional<int> status = runProgram(session, *found, arguments);
  if (status && *status != 0)
    session.diags.report({}, ToolFailed, llvm::sys::path::filename(*found),
                         "could not compile the generated program");
  return status == 0;
}

} // namespace tsk::driver
