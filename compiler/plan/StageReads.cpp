#include "compiler/plan/StageReads.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

namespace {

bool onlyMultiplies(const ir::Kernel &kernel, ir::RegionId region, ir::ResourceId resource) {
  if (!region)
    return true;
  auto isOther = [&](const ir::Access &access) {
    return !access.field || kernel.fields[access.field].resource != resource ||
           (access.mechanism == ir::Mechanism::Wgmma && !access.isWrite);
  };
  return llvm::all_of(kernel.regions[region].ops, [&](const ir::Op &op) {
    return (op.kind != ir::OpKind::Call || llvm::all_of(kernel.works[op.work].accesses, isOther)) &&
           onlyMultiplies(kernel, op.body, resource) &&
           onlyMultiplies(kernel, op.elseBody, resource);
  });
}

bool isMultiplication(const ir::Kernel &kernel, ir::WorkId work) {
  return llvm::any_of(kernel.works[work].accesses, [](const ir::Access &access) {
    return access.mechanism == ir::Mechanism::Wgmma;
  });
}

} // namespace

bool isReadBehindMultiplication(const ir::Kernel &kernel, ir::RegionId task,
                                const std::vector<ir::Op> &ops, size_t release) {
  const ir::ResourceId resource = ops[release].resource;
  if (!onlyMultiplies(kernel, task, resource))
    return false;
  for (size_t i = release; i-- > 0;) {
    const ir::Op &op = ops[i];
    if (op.kind == ir::OpKind::Await && isMultiplication(kernel, op.work))
      return true;
    const bool isWait = op.kind == ir::OpKind::Wait || op.kind == ir::OpKind::TryWait;
    if (op.body || (isWait && op.resource == resource))
      return false;
  }
  return false;
}

} // namespace tsk::plan
