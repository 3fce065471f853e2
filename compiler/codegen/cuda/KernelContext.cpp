#include "compiler/codegen/cuda/KernelContext.h"

#include "compiler/codegen/cuda/WorkText.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

// A name for a work's function, and with "_results" for its structure.
static std::string claimWork(NameScope &scope, const ir::Work &work, const std::string &wanted) {
  std::string name = scope.claim(wanted);
  while (work.results.size() > 1 && !scope.isFree(resultsName(name)))
    name = scope.claim(wanted);
  scope.reserve(resultsName(name));
  return name;
}

KernelContext::KernelContext(const ir::Kernel &k, const plan::Plan &p, const ModuleNames &m,
                             const SourceManager &s, const CudaOptions &o)
    : kernel(k), plan(p), sources(s), options(o), names(nameKernel(k, p, m)), uses(findUses(k, p)) {
  for (const auto &[task, works] : uses.works) {
    NameScope scope;
    scope.reserveAll(m.spelled);
    std::map<ir::ResourceId, NameScope> inner; // of resource types' instances
    for (ir::WorkId id : works) {
      const ir::Work &work = kernel.works[id];
      const ir::Resource &resource = kernel.resources[work.resource];
      if (resource.constants.empty()) {
        workNames[{task, id}] = claimWork(scope, work, resource.name + "_" + work.name);
        continue;
      }
      const auto [space, isNew] = inner.try_emplace(work.resource);
      if (isNew) {
        space->second.reserveAll(m.spelled);
        resourceNames[{task, work.resource}] = scope.claim(resource.name);
      }
      workNames[{task, id}] =
          resourceNames[{task, work.resource}] + "::" + claimWork(space->second, work, work.name);
    }
  }
}

const std::string &KernelContext::resourceName(ir::TaskId task, ir::ResourceId resource) const {
  return resourceNames.at({task, resource});
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
