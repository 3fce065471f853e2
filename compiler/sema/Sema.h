// From what was written to what is meant: names, types, constants, imports; schedules inlined into
// the tasks that run them; one task graph for each kernel instance.
//
// Everything that can be judged without a plan is judged here, but for the brackets of pipelines
// (missing commit, double release, …), which the verifier checks on the task graph. Each error is
// reported at its place and costs only what depends on it: the rest of the file is still analysed.
// A construct that parses and is not compiled yet is reported once, by its name.
#pragma once

#include "compiler/ir/Module.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tsk::sema {

struct SemaOptions {
  // Where findings about the tokens of bodies go, if Clang is to read the bodies: it knows better.
  DiagnosticEngine *tokenFindings = nullptr;
  // -D NAME=value: defaults of the kernels' compile-time parameters.
  std::vector<std::pair<std::string, std::string>> defines;
  // -I: where imports are looked for after the importing file's own folder.
  std::vector<std::string> importFolders;
  // Where `import tsk.x;` finds x.tsk. Such files are called tsk/x.tsk in all output.
  std::string libraryFolder;
  // Whether a test whose arguments break a requirement is an error: a -D that is meant for what is
  // compiled changes the kernels of tests too, which then do not run.
  bool judgesTestArguments = true;
  // Reads an imported file. The driver passes readSourceFile; tests pass a map.
  std::function<llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>(llvm::StringRef path)> readFile;
};

// Always returns a module. After errors it lacks what could not be understood: emit nothing then.
std::unique_ptr<ir::Module> analyze(const ast::File &file, SourceManager &sources,
                                    DiagnosticEngine &diagnostics, const SemaOptions &options);

// What rests on the accesses of works: tensors used against their direction, tasks that wait for
// what they do not read. analyze() does it with what the tokens of bodies tell. `more` may add
// notes.
void checkUses(const ir::Kernel &kernel, DiagnosticEngine &diagnostics,
               llvm::function_ref<void(ReportBuilder &)> more = nullptr);

} // namespace tsk::sema
