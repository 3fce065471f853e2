// From kernels and their plans to CUDA C++: one source file that nvcc and the simulator's host
// compiler read alike (docs/decisions/0001), and a header with a launcher for each kernel.
#pragma once

#include "compiler/ir/Module.h"
#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::codegen {

struct CudaOptions {
  std::string sourceName;            // "tma_copy.tsk.cu": what #line returns to
  std::string headerName;            // "tma_copy.tsk.h": what the source includes
  std::string nameSpace = "kernels"; // of the launchers; "a::b" nests
  // Kernels that exist for a test's compile-time arguments.
  bool emitTestKernels = false;
  // Bodies keep the columns of the .tsk file, for compilers that show them; else they are indented
  // like the code around them.
  bool keepColumns = false;
};

struct CudaText {
  std::string source;
  std::string header;
  // Lines of the source that are statements of a schedule, in their order: for the reports of the
  // simulator, which sees the generated line.
  std::vector<std::pair<unsigned, SourceLoc>> steps;
};

// Reports a variant (`instantiate … when`) that its launcher could not call. False after an error.
bool checkVariants(const ir::Module &module, DiagnosticEngine &diags);
// Reports kernels whose launchers could not be declared beside each other. False after an error.
bool checkLauncherNames(const ir::Module &module, DiagnosticEngine &diags);
// Reports a kernel with more parameters than a launch can pass. False after an error.
bool checkParameters(const ir::Kernel &kernel, const plan::Plan &plan, DiagnosticEngine &diags);

// `plans` in the order of `module.kernels`. The kernels are verified and planned; what comes out
// compiles, unless a body does not, which is then reported at its line in the .tsk file.
CudaText emitCuda(const ir::Module &module, llvm::ArrayRef<plan::Plan> plans,
                  const SourceManager &sources, const CudaOptions &options);

} // namespace tsk::codegen
