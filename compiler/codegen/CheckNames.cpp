// What stands in the launchers' namespace is what callers name, so it cannot give way: a kernel
// must not be called like the structure of another one's arguments.
#include "compiler/codegen/CodegenDiagnostics.h"
#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/cuda/KernelNames.h"

#include <map>

namespace tsk::codegen {

constexpr Diagnostic<std::string, std::string> LauncherNamesCollide{
    kind::LauncherNamesCollide,
    "kernel `{}` is called like the structure that the launcher of `{}` takes; rename one of them"};

bool checkLauncherNames(const ir::Module &module, DiagnosticEngine &diags) {
  std::map<std::string, std::string> owners; // of structures
  for (const auto &kernel : module.kernels)
    for (const std::string &name : {kernel->name, kernel->templateName})
      owners.try_emplace(argumentsName(name), name);
  bool isRight = true;
  for (const auto &kernel : module.kernels)
    if (const auto owner = owners.find(cppName(kernel->name)); owner != owners.end()) {
      diags.report(kernel->loc, LauncherNamesCollide, kernel->name, owner->second);
      isRight = false;
    }
  return isRight;
}

} // namespace tsk::codegen
