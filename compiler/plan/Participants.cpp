#include "compiler/plan/Participants.h"
#include "compiler/plan/Names.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

namespace {

struct Sides {
  bool produces = false;
  bool consumes = false;
  bool shares = false;
};

void scan(const ir::Kernel &kernel, ir::RegionId region, ir::ResourceId resource, Sides &sides) {
  if (!region)
    return;
  for (const ir::Op &op : kernel.regions[region].ops) {
    if (op.resource == resource) {
      sides.produces |= op.kind == ir::OpKind::Acquire || op.kind == ir::OpKind::Commit;
      sides.consumes |= op.kind == ir::OpKind::Wait || op.kind == ir::OpKind::Release;
      sides.shares |= op.kind == ir::OpKind::Skip;
    }
    scan(kernel, op.body, resource, sides);
    scan(kernel, op.elseBody, resource, sides);
  }
}

} // namespace

Participants participantsOf(const ir::Kernel &kernel, ir::ResourceId resource) {
  Participants result;
  for (size_t i = 0; i < kernel.tasks.size(); ++i) {
    Sides sides;
    TaskId task = kernel.tasks.idAt(i);
    scan(kernel, kernel.tasks[task].body, resource, sides);
    if (sides.produces)
      result.producers.push_back(task);
    if (sides.consumes)
      result.consumers.push_back(task);
    if (sides.shares)
      result.sharers.push_back(task);
  }
  return result;
}

PipelineBarriers barriersOf(const PassContext &context, ir::ResourceId resource) {
  const ir::Resource &owner = context.kernel.resources[resource];
  PipelineBarriers result;
  for (size_t i = 0; i < context.plan.barriers.size(); ++i) {
    BarrierId id = context.plan.barriers.idAt(i);
    const Barrier &barrier = context.plan.barriers[id];
    if (barrier.resource != owner.name)
      continue;
    (barrier.name == fullBarrierName(owner) ? result.full : result.empty) = id;
  }
  return result;
}

bool isTmaPipeline(const ir::Resource &resource) {
  return resource.pipeline && llvm::is_contained(resource.pipeline->producers, ir::Mechanism::Tma);
}

Axes multicastOf(const ir::Kernel &kernel, const ir::Field &field) {
  if (!field.multicast)
    return {};
  const unsigned axis = static_cast<unsigned>(*field.multicast - 'x');
  return kernel.cluster.extents[axis] > 1 ? Axes::of(axis) : Axes{};
}

Axes peersOf(const ir::Kernel &kernel, ir::ResourceId resource) {
  Axes axes;
  if (isTmaPipeline(kernel.resources[resource]))
    for (FieldId field : kernel.resources[resource].fields)
      axes |= multicastOf(kernel, kernel.fields[field]);
  return axes;
}

bool reachesPeers(const ir::Kernel &kernel, ir::ResourceId resource) {
  const std::optional<ir::Pipeline> &pipeline = kernel.resources[resource].pipeline;
  return kernel.cluster.size() > 1 &&
         (bool(peersOf(kernel, resource)) || (pipeline && ir::isRemote(*pipeline)));
}

} // namespace tsk::plan
