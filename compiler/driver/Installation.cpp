#include "compiler/driver/Installation.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> IncompleteInstallation{
    kind::IncompleteInstallation, "`{}` is missing from this installation of tskc"};

std::string partPath(llvm::StringRef part) {
  namespace path = llvm::sys::path;
  static int anchor = 0;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> result = path::parent_path(path::parent_path(program));
  path::append(result, part);
  return result.str().str();
}

std::optional<std::string> installedPath(llvm::StringRef part, DiagnosticEngine &diags) {
  std::string path = partPath(part);
  if (llvm::sys::fs::exists(path))
    return path;
  // Its name in the installation: where that lies is no part of the message.
  diags.report({}, IncompleteInstallation, part);
  return std::nullopt;
}

} // namespace tsk::driver
