#include "test/codegen/SimplePlan.h"

#include <map>

namespace tsk::codegen {

using ir::ResourceId;
using plan::BarrierId;
using plan::CursorId;
using plan::StepKind;

namespace {

class Planner {
public:
  explicit Planner(const ir::Kernel &k) : kernel(k) {}

  plan::Plan make() {
    plan.kernel = kernel.name;
    plan.target = kernel.targets.empty() ? "sm_90a" : kernel.targets[0];
    plan.tables = kernel.tables;
    memory();
    for (size_t i = 0; i < kernel.tasks.size(); ++i)
      task(kernel.tasks.idAt(i));
    for (const plan::Task &t : plan.tasks)
      plan.warps = std::max(plan.warps, t.firstWarp + t.warps);
    if (plan.usesSetmaxnreg && plan.warps % 4) {
      plan.padding.push_back({plan.warps, 4 - plan.warps % 4, 0});
      plan.warps += 4 - plan.warps % 4;
    }
    return plan;
  }

private:
  void memory() {
    for (size_t i = 0; i < kernel.resources.size(); ++i) {
      const ResourceId id = kernel.resources.idAt(i);
      const ir::Resource &resource = kernel.resources[id];
      if (!resource.pipeline)
        continue;
      const unsigned stages = resource.pipeline->stages;
      for (ir::FieldId field : resource.fields) {
        const uint32_t bytes = static_cast<uint32_t>(kernel.fields[field].stageBytes());
        plan.allocations.add({resource.name + "." + kernel.fields[field].name, field, stages,
                              plan.sharedBytes, bytes, 128});
        plan.sharedBytes += bytes * stages;
        if (kernel.fields[field].tensors.empty())
          continue;
        plan::TensorMap map{resource.name + "_" + kernel.fields[field].name + "_map",
                            kernel.fields[field].tensors[0],
                            field,
                            {},
                            {}};
        for (int64_t dim : kernel.fields[field].dims)
          map.box.push_back(static_cast<uint32_t>(dim));
        plan.tensorMaps.add(map);
      }
      full[id] = barrier(resource.name + ".full", stages, 1);
      empty[id] = barrier(resource.name + ".empty", stages, consumerThreads(id));
    }
  }

  BarrierId barrier(const std::string &name, unsigned stages, unsigned arrivals) {
    plan::Barrier item;
    item.name = name;
    item.stages = stages;
    item.arrivals = arrivals;
    item.offset = plan.sharedBytes;
    plan.sharedBytes += 8 * stages;
    return plan.barriers.add(item);
  }

  unsigned consumerThreads(ResourceId id) {
    for (const ir::Task &t : kernel.tasks)
      if (touches(t.body, id, ir::OpKind::Release))
        return t.warps * 32;
    return 1;
  }

  bool touches(ir::RegionId region, ResourceId id, ir::OpKind kind) {
    if (!region)
      return false;
    for (const ir::Op &op : kernel.regions[region].ops)
      if ((op.kind == kind && op.resource == id) || touches(op.body, id, kind) ||
          touches(op.elseBody, id, kind))
        return true;
    return false;
  }

  void task(ir::TaskId id) {
    const ir::Task &source = kernel.tasks[id];
    current = id;
    isProducer = false;
    cursors.clear();
    for (const auto &[resource, barrierId] : full)
      isProducer |= touches(source.body, resource, ir::OpKind::Acquire);
    plan::Task result;
    result.name = source.name;
    result.firstWarp = source.firstWarp;
    result.warps = source.warps;
    result.isSingleLane = isProducer && source.warps == 1;
    result.regs = source.regs;
    plan.usesSetmaxnreg |= source.regs.has_value();
    result.body = region(source.body);
    plan.tasks.add(result);
  }

  plan::RegionId region(ir::RegionId id) {
    if (!id)
      return {};
    plan::Region result;
    for (const ir::Op &op : kernel.regions[id].ops)
      lower(op, result.steps);
    return plan.regions.add(std::move(result));
  }

  CursorId cursorOf(ResourceId id) {
    const auto [found, isNew] = cursors.try_emplace(id);
    if (isNew) {
      const ir::Resource &resource = kernel.resources[id];
      found->second = plan.cursors.add(
          {resource.name, current, resource.pipeline->stages, isProducer ? 1u : 0u});
    }
    return found->second;
  }

  uint32_t bytesOf(ResourceId id) const {
    uint32_t bytes = 0;
    for (ir::FieldId field : kernel.resources[id].fields)
      bytes += static_cast<uint32_t>(kernel.fields[field].stageBytes());
    return bytes;
  }

  void lower(const ir::Op &op, std::vector<plan::Step> &steps) {
    plan::Step step;
    step.loc = op.loc;
    step.by = isProducer ? plan::By::Leader : plan::By::All;
    const auto on = [&](StepKind kind, BarrierId target) {
      step.kind = kind;
      step.barrier = target;
      step.at.cursor = cursorOf(op.resource);
      step.bytes = kind == StepKind::ArriveExpect ? bytesOf(op.resource) : 0;
      steps.push_back(step);
    };
    const auto advance = [&] {
      step.kind = StepKind::Advance;
      step.by = plan::By::All;
      step.barrier = {};
      step.cursor = cursorOf(op.resource);
      steps.push_back(step);
    };
    switch (op.kind) {
    case ir::OpKind::Acquire:
      on(StepKind::Wait, empty[op.resource]);
      return on(StepKind::ArriveExpect, full[op.resource]);
    case ir::OpKind::Wait:
      return on(StepKind::Wait, full[op.resource]);
    case ir::OpKind::Release:
      on(StepKind::Arrive, empty[op.resource]);
      return advance();
    case ir::OpKind::Commit:
      return advance();
    default:
      steps.push_back(plain(op, step));
    }
  }

  plan::Step plain(const ir::Op &op, plan::Step step) {
    static const std::map<ir::OpKind, StepKind> kinds = {
        {ir::OpKind::Call, StepKind::Call}, {ir::OpKind::Let, StepKind::Let},
        {ir::OpKind::Var, StepKind::Var},   {ir::OpKind::Assign, StepKind::Assign},
        {ir::OpKind::For, StepKind::For},   {ir::OpKind::ParallelFor, StepKind::ParallelFor},
        {ir::OpKind::If, StepKind::If},     {ir::OpKind::Sync, StepKind::Sync}};
    step.kind = kinds.at(op.kind);
    step.work = op.work;
    step.args.assign(op.args.begin(), op.args.end());
    step.results.assign(op.results.begin(), op.results.end());
    step.loop = op.loop;
    step.across = op.across;
    step.scope = op.scope;
    if (step.kind != StepKind::Call)
      step.by = plan::By::All;
    else
      accesses(kernel.works[op.work], step);
    step.body = region(op.body);
    step.elseBody = region(op.elseBody);
    return step;
  }

  void accesses(const ir::Work &work, plan::Step &step) {
    for (const ir::Access &access : work.accesses) {
      plan::Access result;
      result.field = access.field;
      result.tensor = access.tensor;
      result.isWrite = access.isWrite;
      result.mechanism = access.mechanism;
      if (access.field) {
        const ResourceId owner = kernel.fields[access.field].resource;
        result.at.cursor = cursorOf(owner);
        if (access.isWrite)
          result.completes = full[owner];
      }
      step.accesses.push_back(result);
    }
  }

  const ir::Kernel &kernel;
  plan::Plan plan;
  std::map<ResourceId, BarrierId> full, empty;
  std::map<ResourceId, CursorId> cursors;
  ir::TaskId current;
  bool isProducer = false;
};

} // namespace

plan::Plan simplePlan(const ir::Kernel &kernel) { return Planner(kernel).make(); }

} // namespace tsk::codegen
