// One kernel on its way to text: what it is, its names, what of it is used. Read-only for the
// emitters.
#pragma once

#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/cuda/KernelNames.h"
#include "compiler/codegen/cuda/KernelUses.h"
#include "compiler/codegen/cuda/Signature.h"
#include "compiler/codegen/cuda/UserText.h"

namespace tsk::codegen {

struct KernelContext {
  KernelContext(const ir::Kernel &kernel, const plan::Plan &plan, const ModuleNames &module,
                const SourceManager &sources, const CudaOptions &options);

  const ir::Kernel &kernel;
  const plan::Plan &plan;
  const SourceManager &sources;
  const CudaOptions &options;
  KernelNames names;
  KernelUses uses;

  // Within the task's namespace: `box_column`; of a resource type's instance: `box::column`.
  const std::string &workName(ir::TaskId task, ir::WorkId work) const;
  // The namespace of a resource type's instance.
  const std::string &resourceName(ir::TaskId task, ir::ResourceId resource) const;
  unsigned threads() const { return plan.warps * 32; }
  bool usesBarriers() const;
  bool usesSharedMemory() const { return plan.sharedBytes != 0; }

private:
  std::map<std::pair<ir::TaskId, ir::WorkId>, std::string> workNames;
  std::map<std::pair<ir::TaskId, ir::ResourceId>, std::string> resourceNames;
};

// The emitters, one file each, in the order in which their text stands in the output.
// The type of a tensor or pointer as a parameter: "tsk::tensor<const int, 1> ", "int *".
std::string paramType(const ir::Param &param, bool isReadOnly = false);
std::string constantDeclaration(const ir::Constant &constant, llvm::StringRef attribute = "");
void emitConstants(Writer &out, const KernelContext &context);
void emitFunctions(Writer &out, const KernelContext &context);
// Whether a body is written for a block of elements (runtime/include/tsk/tile.h).
bool speaksOfTiles(const ir::Work &work);
void emitWorks(Writer &out, const KernelContext &context, ir::TaskId task);
void emitKernelFunction(Writer &out, const KernelContext &context);
void emitTaskBody(Writer &out, const KernelContext &context, ir::TaskId task);
// `variants`: instances of the same template that this launcher tries first.
void emitLauncher(Writer &out, const KernelContext &context,
                  llvm::ArrayRef<const KernelContext *> variants);
// The launcher of a template that has no instance of its own name.
void emitDispatcher(Writer &out, llvm::StringRef name,
                    llvm::ArrayRef<const KernelContext *> variants);
void emitArguments(Writer &out, const KernelContext &context);
std::string launcherDeclaration(const std::string &name, const std::string &arguments);
void emitLauncherDeclaration(Writer &out, const KernelContext &context);
// Whether one argument structure serves both launchers.
bool haveEqualArguments(const KernelContext &a, const KernelContext &b);
// Whether a tensor must be aligned to 16 bytes: the copy engine or a vector access touches it.
bool needsAlignment(const KernelContext &context, const ir::Param &param);

} // namespace tsk::codegen
