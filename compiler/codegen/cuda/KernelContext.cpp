#include "compiler/codegen/cuda/KernelContext.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

KernelContext::KernelContext(const ir::Kernel &k, const plan::Plan &p, const SourceManager &s,
                             const CudaOptions &o)
    : kernel(k), plan(p), sources(s), options(o), names(nameKernel(k, p)), uses(findUses(k, p)) {
  for (const auto &[task, works] : uses.works) {
    NameScope scope;
    for (ir::WorkId id : works) {
      const ir::Work &work = kernel.works[id];
      const ir::Resource &resource = kernel.resources[work.resource];
      workNames[{task, id}] = resource.constants.empty()
                                  ? scope.claim(resource.name + "_" + work.name)
                                  : cppName(resource.name) + "::" + cppName(work.name);
    }
  }
}

const std::string &KernelContext::workName(ir::TaskId task, ir::WorkId work) const {
  const auto found = workNames.find({task, work});
  TSK_CHECK(found != workNames.end(), "a call that the uses of the kernel do not list");
  return found->second;
}

bool KernelContext::usesBarriers() const {
  return llvm::any_of(plan.barriers, [](const plan::Barrier &barrier) {
    return barrier.kind == plan::Barrier::Kind::Mbarrier;
  });
}

} // namespace tsk::codegen
