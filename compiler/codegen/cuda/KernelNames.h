// The C++ names of everything in one kernel's generated code.
#pragma once

#include "compiler/codegen/cuda/Names.h"
#include "compiler/ir/Module.h"
#include "compiler/plan/Plan.h"

namespace tsk::codegen {

// What the names of all kernels of a file have to respect.
struct ModuleNames {
  ModuleNames(const ir::Module &module, std::string nameSpace);

  std::string nameSpace; // of the launchers: "kernels", "a::b"
  // By the user's C++. Around a body, a generated name would hide what the user means by it.
  std::set<std::string> spelled;
  std::set<std::string> macros; // of `cpp` blocks: they would replace a generated name
};

// Of what a loop computes before its first iteration and keeps; empty where it keeps nothing.
struct LoopNames {
  std::string begin, end; // the bounds, in the order in which the loop meets them
  std::string step;
};

struct KernelNames {
  // In the launchers' namespace.
  std::string kernel;    // "tma_copy": the launcher
  std::string arguments; // "tma_copy_args"
  // The device code stands in a namespace of its own beside that one, since a body may mean another
  // `tma_copy` than the launcher: "kernels_tma_copy_impl". Constants keep their names: bodies spell
  // them.
  std::string implNamespace;
  std::string function; // "tma_copy_kernel"
  std::vector<std::string> constants;
  std::vector<std::string> userFunctions; // by FunctionId
  std::vector<std::string> tasks;         // namespaces

  // In the kernel's function, by id.
  std::string smem, warp, leader, warpLeader, results;
  std::vector<std::string> scalars, values;
  std::vector<LoopNames> loops;             // by the loop's variable
  std::vector<std::string> views, pointers; // of parameters: `src`, `src_ptr`
  std::vector<std::string> allocations, barriers, maps;
  std::vector<std::string> registers;        // by field: in its task
  std::vector<std::string> stages, parities; // of cursors

  // In the launcher.
  std::string args, stream, check, launch;
  std::vector<std::string> launcherScalars, launcherMaps;
  std::vector<std::string> launcherLets; // by the value's id
};

// Of the structure that a launcher takes.
std::string argumentsName(llvm::StringRef kernel);

KernelNames nameKernel(const ir::Kernel &kernel, const plan::Plan &plan, const ModuleNames &module);

} // namespace tsk::codegen
