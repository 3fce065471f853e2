#include "compiler/verify/model/Model.h"
#include "compiler/plan/Layout.h"

#include <fmt/format.h>

namespace tsk::verify {

using target::WarpgroupWarps;
using target::WarpThreads;

Model::Model(const plan::Plan &plan) : thePlan(plan) {
  addWarps();
  addBarriers();
  addCells();
  findOverlaps();
}

void Model::addWarps() {
  for (size_t t = 0; t < thePlan.tasks.size(); ++t) {
    plan::TaskId id = thePlan.tasks.idAt(t);
    const plan::Task &task = thePlan.tasks[id];
    for (unsigned w = 0; w < task.warps; ++w)
      warps.push_back({id, w, task.isSingleLane ? 1 : WarpThreads});
  }
}

void Model::addBarriers() {
  for (size_t i = 0; i < thePlan.barriers.size(); ++i) {
    plan::BarrierId id = thePlan.barriers.idAt(i);
    const plan::Barrier &barrier = thePlan.barriers[id];
    if (barrier.kind == plan::Barrier::Kind::Named) {
      barrierBase.push_back(static_cast<unsigned>(threadBarriers.size()));
      threadBarriers.push_back({barrier.name, barrier.arrivals});
      continue;
    }
    barrierBase.push_back(static_cast<unsigned>(barriers.size()));
    for (unsigned stage = 0; stage < barrier.stages; ++stage)
      barriers.push_back({id, stage, barrier.arrivals});
  }
  // The scopes' own: the CTA's first, then each task's and its warpgroups'.
  taskBarrier.push_back(static_cast<unsigned>(threadBarriers.size()));
  threadBarriers.push_back({"cta", static_cast<unsigned>(warps.size()) * WarpThreads});
  for (const plan::Task &task : thePlan.tasks) {
    taskBarrier.push_back(static_cast<unsigned>(threadBarriers.size()));
    threadBarriers.push_back({"task " + task.name, task.warps * WarpThreads});
    for (unsigned w = 0; w < task.warps; w += WarpgroupWarps)
      threadBarriers.push_back(
          {"warpgroup " + task.name, std::min(WarpgroupWarps, task.warps - w) * WarpThreads});
  }
}

void Model::addCells() {
  cellBase.assign(thePlan.fields.size(), -1);
  for (size_t i = 0; i < thePlan.allocations.size(); ++i) {
    plan::AllocationId id = thePlan.allocations.idAt(i);
    const plan::Allocation &allocation = thePlan.allocations[id];
    cellBase[allocation.field.index] = static_cast<int>(cells.size());
    for (unsigned stage = 0; stage < allocation.stages; ++stage)
      cells.push_back({id, stage, {}});
  }
}

// Cells of one allocation lie side by side; two allocations may share bytes on purpose.
void Model::findOverlaps() {
  auto rangeOf = [&](const FieldCell &cell) {
    const plan::Allocation &allocation = thePlan.allocations[cell.allocation];
    uint64_t begin = allocation.offset + uint64_t(cell.stage) * allocation.stageBytes;
    return std::pair(begin, begin + allocation.stageBytes);
  };
  std::vector<std::pair<uint64_t, unsigned>> byBegin;
  for (unsigned i = 0; i < cells.size(); ++i)
    byBegin.push_back({rangeOf(cells[i]).first, i});
  std::sort(byBegin.begin(), byBegin.end());
  for (size_t a = 0; a < byBegin.size(); ++a) {
    uint64_t end = rangeOf(cells[byBegin[a].second]).second;
    for (size_t b = a + 1; b < byBegin.size() && byBegin[b].first < end; ++b) {
      cells[byBegin[a].second].overlaps.push_back(byBegin[b].second);
      cells[byBegin[b].second].overlaps.push_back(byBegin[a].second);
    }
  }
}

int Model::fieldCell(plan::FieldId field, unsigned stage) const {
  int base = cellBase[field.index];
  return base < 0 ? -1 : base + static_cast<int>(stage);
}

int Model::threadBarrier(const plan::Step &step, const Warp &warp) const {
  if (step.barrier)
    return static_cast<int>(barrierBase[step.barrier.index]);
  switch (step.scope) {
  case ir::SyncScope::Warp:
    return -1;
  case ir::SyncScope::Warpgroup:
    return static_cast<int>(taskBarrier[warp.task.index + 1] + 1 + warp.index / WarpgroupWarps);
  case ir::SyncScope::Task:
    return static_cast<int>(taskBarrier[warp.task.index + 1]);
  case ir::SyncScope::Cta:
  case ir::SyncScope::Cluster: // one CTA: the cluster is refused before
    return static_cast<int>(taskBarrier[0]);
  }
  TSK_UNREACHABLE("scope outside its enumeration");
}

std::string Model::barrierName(unsigned cell) const {
  const plan::Barrier &barrier = thePlan.barriers[barriers[cell].barrier];
  return barrier.stages == 1 ? barrier.name
                             : fmt::format("{}[{}]", barrier.name, barriers[cell].stage);
}

std::string Model::cellName(unsigned cell) const {
  const plan::Allocation &allocation = thePlan.allocations[cells[cell].allocation];
  const std::string &name = thePlan.fields[allocation.field];
  return allocation.stages == 1 ? name : fmt::format("{}[{}]", name, cells[cell].stage);
}

const std::string &Model::taskName(unsigned warp) const {
  return thePlan.tasks[warps[warp].task].name;
}

} // namespace tsk::verify
