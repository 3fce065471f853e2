// What the driver copies for each launch: a kernel's parameters have a room of their own, and nvcc
// says at no line of the .tsk file that it is full.
#include "compiler/codegen/CodegenDiagnostics.h"
#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/cuda/KernelUses.h"
#include "compiler/support/Count.h"
#include "compiler/target/Limits.h"

#include "llvm/Support/MathExtras.h"

namespace tsk::codegen {

constexpr Diagnostic<std::string, uint64_t, Count, Count, uint64_t> ParametersTooLarge{
    kind::ParametersTooLarge,
    "kernel `{}` takes {} bytes of parameters, {} and {} among them; CUDA passes at most {} bytes"};

bool checkParameters(const ir::Kernel &kernel, const plan::Plan &plan, DiagnosticEngine &diags) {
  constexpr uint64_t TensorMapBytes = 128; // of the driver's CUtensorMap
  constexpr uint64_t PointerBytes = 8;
  const KernelUses uses = findUses(kernel, plan);
  // In the order of the generated function's parameters.
  uint64_t bytes = TensorMapBytes * plan.tensorMaps.size() + PointerBytes * uses.params.size();
  for (ir::ScalarId id : uses.scalars) {
    const uint64_t size = llvm::divideCeil(ir::bitWidth(kernel.scalars[id].type), 8);
    bytes = llvm::alignTo(bytes, size) + size;
  }
  if (bytes <= target::MaxParameterBytes)
    return true;
  diags.report(kernel.loc, ParametersTooLarge, kernel.name, bytes,
               Count{plan.tensorMaps.size(), "tensor map"}, Count{uses.params.size(), "pointer"},
               target::MaxParameterBytes);
  return false;
}

} // namespace tsk::codegen
