#include "compiler/verify/proof/Translator.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace tsk::proof {

void Translator::addMemory() {
  for (const plan::Barrier &bar : plan.barriers) {
    mbarriers.push_back(-1);
    if (bar.kind != plan::Barrier::Kind::Mbarrier)
      continue;
    mbarriers.back() = static_cast<int>(result.program.barriers.size());
    protocol::BarrierArray array;
    array.name = bar.name;
    array.stages = bar.stages;
    array.arrivals = bar.arrivals;
    array.needsInit = ranks > 1; // so that nobody reaches a peer's too early
    result.program.barriers.push_back(std::move(array));
  }
  cells.assign(plan.fields.size(), -1);
  for (const plan::Allocation &memory : plan.allocations)
    addCells(memory);
}

// One array, or one a slice, as if slices followed each other. (Those of a swizzled field that has
// several panels lie in each panel; only a plan by hand, in which a field shares bytes with a part
// of such a one, could tell.)
void Translator::addCells(const plan::Allocation &memory) {
  cells[memory.field.index] = static_cast<int>(result.program.cells.size());
  const unsigned slices = countAlong(plan.cluster, sliced[memory.field.index]);
  for (unsigned slice = 0; slice < slices; ++slice) {
    protocol::CellArray cell;
    cell.name = plan.fields[memory.field];
    cell.stages = memory.stages;
    cell.hasAddress = memory.stageBytes >= slices;
    cell.stageBytes = std::max(1u, memory.stageBytes / slices);
    cell.stride = memory.stageBytes;
    cell.address = memory.offset + slice * cell.stageBytes;
    result.program.cells.push_back(std::move(cell));
  }
}

// Whether CTAs reach each other, and which fields they load together.
void Translator::findSlices() {
  sliced.assign(plan.fields.size(), {});
  bool reachesPeers = false;
  for (const plan::Region &inner : plan.regions)
    for (const plan::Step &step : inner.steps) {
      reachesPeers |= countAlong(plan.cluster, step.peers) > 1;
      reachesPeers |= step.peer && plan.cluster.size() > 1;
      for (const plan::Access &access : step.accesses) {
        if (countAlong(plan.cluster, access.multicast) == 1)
          continue;
        reachesPeers = true;
        plan::Axes &known = sliced[access.field.index];
        if (llvm::popcount(access.multicast.bits) > 1 || (known && known != access.multicast))
          fail(step, "a field that is multicast along several axes", "name one axis for it");
        known = access.multicast;
        const unsigned slices = countAlong(plan.cluster, access.multicast);
        for (const plan::Allocation &memory : plan.allocations)
          if (memory.field == access.field && access.bytes * uint64_t(slices) != memory.stageBytes)
            reject(step,
                   fmt::format("{} CTAs load a slice of {} bytes each, and a stage of `{}` has {}",
                               slices, access.bytes, plan.fields[access.field], memory.stageBytes),
                   "slices are equal parts of a stage");
      }
    }
  if (reachesPeers)
    ranks = result.program.clusterSize = plan.cluster.size();
}

protocol::Ranks Translator::ranksOf(plan::Axes peers) const {
  if (ranks == 1)
    return {};
  return {static_cast<uint16_t>(ranksAlong(plan.cluster, rank, peers)), 0};
}

protocol::Queue Translator::queueOf(plan::Queue queue) {
  switch (queue) {
  case plan::Queue::Wgmma:
    return protocol::Queue::Gmma;
  case plan::Queue::Bulk:
    return protocol::Queue::Store;
  }
  TSK_UNREACHABLE("queue outside its enumeration");
}

protocol::Index Translator::indexOf(const plan::At &at) const {
  if (at.cursor)
    return {cursorIndex[at.cursor.index], 0};
  return {-1, static_cast<int>(at.stage)};
}

// The CTA that a step names; the own one of a cluster of one.
std::optional<protocol::Ranks> Translator::rankOf(const plan::Step &step) {
  std::optional<int64_t> value = symbols.evaluate(step.peer, scope);
  if (value && ranks == 1 && *value == 0)
    return protocol::Ranks();
  if (value && *value >= 0 && *value < static_cast<int64_t>(ranks))
    return protocol::Ranks{static_cast<uint16_t>(1u << *value), 0};
  fail(step, value ? "a rank outside the cluster" : "a rank that is known at run time only",
       "name a rank of the cluster, from `cluster.rank` and constants");
  return std::nullopt;
}

protocol::BarrierRef Translator::barrierRef(plan::BarrierId barrier, const plan::At &at,
                                            plan::Axes peers) const {
  return {mbarriers[barrier.index], indexOf(at), ranksOf(peers)};
}

// All operations of one step in one place have one provenance.
unsigned Translator::provenance(const plan::Step &step, int64_t base, bool isFromEnd) {
  auto [known, isNew] = newestOrigin.try_emplace(&step, 0);
  if (!isNew) {
    const Origin &origin = result.origins[known->second];
    if (origin.base == base && origin.isFromEnd == isFromEnd)
      return known->second;
  }
  known->second = static_cast<unsigned>(result.origins.size());
  result.origins.push_back({&step, base, isFromEnd});
  result.program.places.push_back(plan::mnemonic(step.kind).str());
  return known->second;
}

void Translator::fail(const plan::Step &step, std::string what, std::string wayOut,
                      bool isSentence) {
  if (failed.insert({&step, what}).second)
    result.unsupported.push_back({std::move(what), std::move(wayOut), step.loc, isSentence});
}

// Whether it would be, with these nodes: then they are not to be made.
bool Translator::isTooLarge(const plan::Step &step, size_t more) {
  constexpr size_t MaxNodes = 50000;
  nodes = std::min(nodes + more, MaxNodes + 1);
  if (nodes <= MaxNodes)
    return false;
  fail(step, "a program of this size",
       "let loops with constant bounds run less often, and conditions be made of fewer parts");
  return true;
}

void Translator::add(const plan::Step &step, Op op, Region &into) {
  if (isTooLarge(step))
    return;
  Node node;
  op.provenance = provenance(step);
  node.op = std::move(op);
  into.push_back(std::move(node));
}

// A leader's step is one of the task's first warp.
void Translator::byWhom(const plan::Step &step, Op op, Region &into) {
  if (step.by != plan::By::Leader || task->warps == 1)
    return add(step, std::move(op), into);
  Node node;
  node.kind = NodeKind::Leader;
  add(step, std::move(op), node.body);
  into.push_back(std::move(node));
}

// ---- steps -------------------------------------------------------------------------------------

bool Translator::matters(plan::RegionId id) const {
  return id && std::any_of(plan.regions[id].steps.begin(), plan.regions[id].steps.end(),
                           [&](const plan::Step &step) { return matters(step); });
}

// Has a part in the protocol or touches memory that the engine looks at.
bool Translator::matters(const plan::Step &step) const {
  switch (step.kind) {
  case plan::StepKind::Let:
  case plan::StepKind::Var:
  case plan::StepKind::Assign:
    return false;
  case plan::StepKind::Call:
    return std::any_of(step.accesses.begin(), step.accesses.end(), [&](const plan::Access &each) {
      return each.completes || (each.field && cells[each.field.index] >= 0);
    });
  case plan::StepKind::For:
  case plan::StepKind::ParallelFor:
  case plan::StepKind::If:
    return matters(step.body) || matters(step.elseBody);
  default:
    return true;
  }
}

void Translator::step(const plan::Step &step, Region &into) {
  switch (step.kind) {
  case plan::StepKind::Wait:
  case plan::StepKind::TryWait:
  case plan::StepKind::Arrive:
  case plan::StepKind::ArriveExpect:
  case plan::StepKind::Expect:
    return barrierStep(step, into);
  case plan::StepKind::Advance: {
    Op op;
    op.kind = OpKind::Next;
    op.cursor = cursorIndex[step.cursor.index];
    return add(step, std::move(op), into);
  }
  case plan::StepKind::Sync:
    return sync(step, into);
  case plan::StepKind::Fence: {
    if (step.fence == plan::FenceKind::Wgmma) // of registers, which are no cells
      return;
    Op op;
    op.kind = OpKind::ProxyFence;
    return byWhom(step, std::move(op), into);
  }
  case plan::StepKind::CommitGroup:
  case plan::StepKind::WaitGroup: {
    Op op;
    op.kind = step.kind == plan::StepKind::CommitGroup ? OpKind::GroupCommit : OpKind::GroupWait;
    op.queue = queueOf(step.queue);
    op.n = static_cast<int>(step.pending);
    op.readOnly = step.isRead;
    return byWhom(step, std::move(op), into);
  }
  case plan::StepKind::Call:
    return call(step, into);
  case plan::StepKind::Let:
  case plan::StepKind::Var:
  case plan::StepKind::Assign:
    return; // values: what depends on them looks at their definitions
  case plan::StepKind::For:
    return loop(step, into);
  case plan::StepKind::ParallelFor:
    return parallelLoop(step, into);
  case plan::StepKind::If:
    return branch(step, into);
  }
}

void Translator::region(plan::RegionId id, Region &into) {
  if (id)
    for (const plan::Step &one : plan.regions[id].steps)
      step(one, into);
}

void Translator::addTask(plan::TaskId id) {
  const plan::Task &from = plan.tasks[id];
  protocol::Task added;
  added.name = from.name;
  isSingleLane = from.isSingleLane;
  added.warps = isSingleLane ? 1 : from.warps;
  added.ranks = static_cast<uint16_t>(1u << rank);
  for (size_t i = 0; i < plan.cursors.size(); ++i) {
    const plan::Cursor &cursor = plan.cursors[plan.cursors.idAt(i)];
    if (cursor.task != id)
      continue;
    cursorIndex[i] = static_cast<int>(added.cursors.size());
    added.cursors.push_back(cursor.name);
  }
  task = &added;
  taskIndex = id.index;
  if (ranks > 1)
    begin(added.body);
  region(from.body, added.body);
  if (ranks > 1)
    end(added.body);
  task = nullptr;
  result.program.tasks.push_back(std::move(added));
}

Translation Translator::run() {
  findSlices();
  addMemory();
  makeMeetings();
  cursorIndex.assign(plan.cursors.size(), -1);
  auto onEachRank = [&](auto act) {
    for (rank = 0; rank < ranks; ++rank) {
      if (ranks > 1)
        symbols.setRank(rank);
      act();
    }
  };
  onEachRank([&] { findTileLoops(); });
  onEachRank([&] {
    for (size_t i = 0; i < plan.tasks.size(); ++i)
      addTask(plan.tasks.idAt(i));
  });
  symbols.relate();
  return std::move(result);
}

Translation fromPlan(const plan::Plan &plan, const Launch *launch, const ir::Kernel *kernel) {
  return Translator(plan, launch, kernel).run();
}

} // namespace tsk::proof
