// The C++ names of everything in one kernel's generated code.
#pragma once

#include "compiler/codegen/cuda/Names.h"
#include "compiler/plan/Plan.h"

namespace tsk::codegen {

struct KernelNames {
  // At namespace scope. Constants keep their names: bodies spell them.
  std::string kernel;        // "tma_copy": the launcher
  std::string arguments;     // "tma_copy_args"
  std::string implNamespace; // "tma_copy_impl"
  std::string function;      // "tma_copy_kernel"
  std::vector<std::string> constants;
  std::vector<std::string> tasks; // namespaces

  // In the kernel's function, by id.
  std::string smem, warp, leader, warpLeader, results;
  std::vector<std::string> scalars, values;
  // By the loop's variable, where the bound or the step may change inside.
  std::vector<std::string> loopEnds, loopSteps;
  std::vector<std::string> views, pointers; // of parameters: `src`, `src_ptr`
  std::vector<std::string> allocations, barriers, maps;
  std::vector<std::string> stages, parities; // of cursors

  // In the launcher.
  std::string args, stream, check, launch;
  std::vector<std::string> launcherScalars, launcherMaps;
  std::vector<std::string> launcherLets; // by the value's id
};

// Of the structure that a launcher takes.
std::string argumentsName(llvm::StringRef kernel);

KernelNames nameKernel(const ir::Kernel &kernel, const plan::Plan &plan);

} // namespace tsk::codegen
