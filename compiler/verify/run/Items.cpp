#include "compiler/verify/run/Items.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tsk::verify {

using plan::Step;
using plan::StepKind;

BarrierUser &BarrierItems::user(unsigned warp) {
  auto it = llvm::find_if(users, [&](const BarrierUser &u) { return u.warp == warp; });
  if (it != users.end())
    return *it;
  users.emplace_back();
  users.back().warp = warp;
  return users.back();
}

const BarrierUser *BarrierItems::find(unsigned warp) const {
  auto it = llvm::find_if(users, [&](const BarrierUser &u) { return u.warp == warp; });
  return it == users.end() ? nullptr : &*it;
}

Items::Items(const Model &theModel)
    : accesses(theModel.cells.size()), barriers(theModel.barriers.size()),
      threadBarriers(theModel.threadBarriers.size()), model(theModel) {
  for (std::vector<BarrierItems> *list : {&barriers, &threadBarriers})
    for (BarrierItems &items : *list) {
      items.newest = columns++;
      items.secondNewest = columns++;
    }
  unsigned firstWarp = 0;
  for (const plan::Task &task : model.plan().tasks) {
    collect(task.body, firstWarp, task);
    firstWarp += task.warps;
  }
}

void Items::collect(plan::RegionId region, unsigned firstWarp, const plan::Task &task) {
  if (!region)
    return;
  for (const Step &step : model.plan().regions[region].steps) {
    unsigned end = step.by == plan::By::Leader ? 1 : task.warps;
    for (unsigned w = 0; w < end; ++w)
      collectStep(step, firstWarp + w, end > 1);
    collect(step.body, firstWarp, task);
    collect(step.elseBody, firstWarp, task);
  }
}

// The stages that a place in the program can mean.
static void forStages(const plan::At &at, unsigned stages, llvm::function_ref<void(unsigned)> f) {
  if (!at.cursor)
    return f(at.stage);
  for (unsigned stage = 0; stage < stages; ++stage)
    f(stage);
}

void Items::collectStep(const Step &step, unsigned warp, bool hasSiblings) {
  switch (step.kind) {
  case StepKind::Wait:
  case StepKind::Arrive:
  case StepKind::ArriveExpect:
  case StepKind::Expect: {
    const plan::Barrier &barrier = model.plan().barriers[step.barrier];
    if (barrier.kind == plan::Barrier::Kind::Named)
      return addContribution(
          threadBarriers[model.threadBarrier(step, model.warps[warp])].user(warp));
    forStages(step.at, barrier.stages, [&](unsigned stage) {
      BarrierUser &user = barriers[model.barrierCell(step.barrier, stage)].user(warp);
      if (step.kind == StepKind::Wait)
        column(user.waited);
      else
        addContribution(user);
      if (step.kind == StepKind::Expect)
        column(user.expected);
    });
    return;
  }
  case StepKind::Sync:
    if (int barrier = model.threadBarrier(step, model.warps[warp]); barrier >= 0)
      addContribution(threadBarriers[barrier].user(warp));
    return;
  case StepKind::Call:
    for (const plan::Access &access : step.accesses)
      collectAccess(access, warp, hasSiblings);
    return;
  default:
    return;
  }
}

void Items::collectAccess(const plan::Access &access, unsigned warp, bool hasSiblings) {
  if (!access.field || model.fieldCell(access.field, 0) < 0)
    return;
  bool isLoad = access.isWrite && access.mechanism == ir::Mechanism::Tma;
  auto first = static_cast<unsigned>(model.fieldCell(access.field, 0));
  unsigned stages = model.plan().allocations[model.cells[first].allocation].stages;
  forStages(access.at, stages, [&](unsigned stage) {
    addAccess(first + stage, isLoad ? -1 : static_cast<int>(warp), access.isWrite, hasSiblings);
  });
}

void Items::addAccess(unsigned cell, int warp, bool isWrite, bool hasSiblings) {
  for (AccessItem &item : accesses[cell])
    if (item.warp == warp && item.isWrite == isWrite) {
      if (hasSiblings)
        column(item.olderColumn);
      return;
    }
  AccessItem item;
  item.column = columns++;
  item.warp = warp;
  item.isWrite = isWrite;
  if (hasSiblings)
    column(item.olderColumn);
  accesses[cell].push_back(item);
}

unsigned Items::access(unsigned cell, int warp, bool isWrite) const {
  for (unsigned i = 0; i < accesses[cell].size(); ++i)
    if (accesses[cell][i].warp == warp && accesses[cell][i].isWrite == isWrite)
      return i;
  TSK_UNREACHABLE("an access without an item");
}

void Items::addContribution(BarrierUser &user) {
  for (int &slot : user.contributed)
    column(slot);
}

int Items::column(int &slot) {
  if (slot < 0)
    slot = static_cast<int>(columns++);
  return slot;
}

} // namespace tsk::verify
