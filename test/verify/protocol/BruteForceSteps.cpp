#include "BruteForceImpl.h"

#include <algorithm>

namespace tsk::protocol::oracle {

// ---- what a warp does --------------------------------------------------------------------------

bool Explorer::groupsDone(size_t warp, const Step &step) const {
  auto queue = static_cast<size_t>(step.queue);
  const Shape &mine = shapes[warp];
  int wanted = mine.committed[queue][get(warp, Pc)] - step.n;
  int done = get(warp, step.readOnly ? int(StoreRead) : GroupDone + static_cast<int>(queue));
  const std::vector<int> &commits = mine.groupCommits[queue];
  return done >= mine.issued[queue][get(warp, Pc)] || commits[done] >= wanted;
}

bool Explorer::registersFit(size_t warp, const Step &step) const {
  if (program.entryRegisters == 0)
    return true;
  int sum = 0, room = 0;
  for (size_t other = 0; other < program.warps.size(); ++other)
    if (program.warps[other].rank == program.warps[warp].rank) {
      sum += other == warp ? step.n : shapes[other].registers[get(other, Pc)];
      room += program.entryRegisters;
    }
  return sum <= room || step.n <= shapes[warp].registers[get(warp, Pc)];
}

bool Explorer::isEnabled(size_t warp) const {
  const Step *step = next(warp);
  if (!step)
    return false;
  switch (step->kind) {
  case OpKind::Wait:
    return get(warp, Probe) == step->bars[0] ||
           (now[pending(step->bars[0]) + 2] & 1) != step->parity;
  case OpKind::Sync:
    return get(warp, Blocked) != 1;
  case OpKind::ClusterWait:
    return get(warp, Cluster) == 2;
  case OpKind::GroupWait:
    return groupsDone(warp, *step);
  case OpKind::SetRegisters:
    return registersFit(warp, *step);
  case OpKind::PdlWait:
    return now[globals] != 0;
  default:
    return true;
  }
}

void Explorer::tag(size_t warp, int pc, int part, int phase) {
  auto &known = tags[classOf[warp]][pc];
  if (static_cast<int>(known.size()) <= part)
    known.resize(part + 1, -1);
  if (known[part] < 0)
    known[part] = phase;
  else if (known[part] != phase)
    fault("V3", program.warps[warp].name + ": the phase of a step varies");
}

void Explorer::contribute(State &after, int bar, int arrivals, int bytes, size_t warp, int pc,
                          int part) {
  int16_t *counts = after.data() + pending(bar);
  tag(warp, pc, part, counts[2]);
  if (arrivals > counts[0])
    fault("V3", program.barrierNames[bar] + ": more arrivals than counted");
  counts[0] = static_cast<int16_t>(counts[0] - arrivals);
  counts[1] = static_cast<int16_t>(counts[1] + bytes);
  if (proxies)
    proxies->contribute(after, warp, program.warps[warp].steps[pc], bar);
  if (counts[0] > 0 || counts[1] != 0)
    return;
  for (size_t other = 0; other < program.warps.size(); ++other) {
    const auto &steps = program.warps[other].steps;
    int at = after[base[other] + Pc];
    if (at < static_cast<int>(steps.size()) && steps[at].kind == OpKind::Wait &&
        steps[at].bars[0] == bar && (counts[2] & 1) != steps[at].parity &&
        after[base[other] + Probe] != bar)
      fault("V3", program.warps[other].name + " misses a phase of " + program.barrierNames[bar]);
  }
  ++counts[2];
  counts[0] = static_cast<int16_t>(program.arrivals[bar]);
  if (proxies)
    proxies->complete(after, bar);
}

void Explorer::arriveNamed(State &after, size_t warp, const Step &step) {
  int16_t *counts = after.data() + named(step.named);
  tag(warp, get(warp, Pc), 0, counts[2]);
  bool isCluster = step.kind == OpKind::ClusterArrive;
  int want = isCluster ? static_cast<int>(program.warps.size()) : step.n;
  if (counts[0] && counts[1] != want)
    fault("V3", "counts of a named barrier differ");
  counts[1] = static_cast<int16_t>(want);
  counts[0] = static_cast<int16_t>(counts[0] + (isCluster ? 1 : 32));
  if (counts[0] > want)
    fault("V3", "more threads than a named barrier counts");
  if (isCluster && get(warp, Cluster) != 0)
    fault("V3", "arrives twice at the cluster's barrier");
  if (step.kind == OpKind::Sync)
    at(after, warp, Blocked) = 1;
  else
    ++at(after, warp, Pc);
  if (isCluster)
    at(after, warp, Cluster) = 1;
  if (proxies)
    proxies->arriveNamed(after, warp, step.named);
  if (counts[0] < want)
    return;
  counts[0] = counts[1] = 0;
  ++counts[2];
  for (size_t other = 0; other < program.warps.size(); ++other) {
    if (isCluster) {
      if (after[base[other] + Cluster] == 1)
        at(after, other, Cluster) = 2;
    } else if (after[base[other] + Blocked] == 1 &&
               program.warps[other].steps[after[base[other] + Pc]].named == step.named) {
      at(after, other, Blocked) = 2;
      if (proxies)
        proxies->releaseNamed(after, other, step.named);
    }
  }
  if (proxies)
    proxies->completeNamed(after, step.named);
}

void Explorer::checkItems(State &after, size_t warp, const Step &step) {
  for (const CellAccess &access : step.cells) {
    if (access.isBarrier)
      continue;
    if (access.isPredecessors && now[globals] == 0)
      fault("V2", program.warps[warp].name + " reads what the kernel before may not have written");
    int16_t &item = after[cellBase + 2 * access.cell],
            &array = after[cellBase + 2 * access.cell + 1];
    if (access.isWrite) {
      item = static_cast<int16_t>(access.item);
      array = static_cast<int16_t>(access.array);
    } else if (access.isVersioned &&
               (array != access.array ||
                (item != AnyItem && access.item != AnyItem && item != access.item))) {
      fault("V5", program.cellNames[access.cell] + " holds another item");
    }
  }
}

void Explorer::takeWait(State &after, size_t warp, const Step &step) {
  int bar = step.bars[0], pc = get(warp, Pc);
  bool isProbed = get(warp, Probe) == bar;
  tag(warp, pc, 0, isProbed ? get(warp, ProbePhase) : now[pending(bar) + 2]);
  at(after, warp, Probe) = -1;
  at(after, warp, ProbePhase) = 0;
  ++at(after, warp, Pc);
  if (proxies)
    proxies->wait(after, warp, bar);
}

// A probe may fail whenever it likes; its success stands for the next wait on the barrier.
void Explorer::takeProbe(size_t warp, const Step &step) {
  State failed = now;
  at(failed, warp, Probe) = -1;
  at(failed, warp, ProbePhase) = 0;
  ++at(failed, warp, Pc);
  push(failed);
  int bar = step.bars[0], phase = now[pending(bar) + 2];
  if ((phase & 1) == step.parity)
    return;
  tag(warp, get(warp, Pc), 0, phase);
  at(failed, warp, Probe) = static_cast<int16_t>(bar);
  at(failed, warp, ProbePhase) = static_cast<int16_t>(phase);
  push(failed);
}

// Barriers that the step arrives at; false: it does no such thing.
bool Explorer::arrive(State &after, size_t warp, const Step &step) {
  int pc = get(warp, Pc);
  switch (step.kind) {
  case OpKind::Arrive:
  case OpKind::Expect:
  case OpKind::ArriveExpect: {
    ++at(after, warp, Pc);
    int arrivals = step.kind == OpKind::Arrive ? step.n : step.kind == OpKind::Expect ? 0 : 1;
    int bytes = step.kind == OpKind::Arrive ? 0 : step.n;
    for (size_t i = 0; i < step.bars.size(); ++i)
      contribute(after, step.bars[i], arrivals, bytes, warp, pc, static_cast<int>(i));
    return true;
  }
  case OpKind::Sync:
    if (get(warp, Blocked) == 2) {
      at(after, warp, Blocked) = 0;
      ++at(after, warp, Pc);
      return true;
    }
    [[fallthrough]];
  case OpKind::NamedArrive:
  case OpKind::ClusterArrive:
    arriveNamed(after, warp, step);
    return true;
  default:
    return false;
  }
}

// What memory order says of the step, and what it changes.
void Explorer::order(State &after, size_t warp) {
  std::vector<int> pcs;
  for (size_t other = 0; other < program.warps.size(); ++other)
    pcs.push_back(get(other, Pc));
  if (std::string wrong = proxies->check(now, pcs, warp); !wrong.empty())
    fault("V6", wrong);
  proxies->take(after, pcs, warp);
}

void Explorer::takeStep(size_t warp) {
  const Step &step = *next(warp);
  if (step.kind == OpKind::TryWait)
    return takeProbe(warp, step);
  State after = now;
  if (proxies)
    order(after, warp);
  if (step.kind == OpKind::Wait) {
    takeWait(after, warp, step);
  } else if (!arrive(after, warp, step)) {
    checkItems(after, warp, step);
    for (int bar : step.bars)
      if (step.kind == OpKind::Init || step.kind == OpKind::Inval) {
        int16_t *counts = after.data() + pending(bar);
        counts[0] = static_cast<int16_t>(program.arrivals[bar]);
        counts[1] = 0;
        counts[2] = static_cast<int16_t>(counts[2] + (counts[2] & 1)); // parity of a fresh one
        counts[3] = step.kind == OpKind::Init;
        if (proxies)
          proxies->retire(after, bar);
      }
    for (const CellAccess &access : step.cells) {
      bool allocates = step.kind == OpKind::TmemAlloc;
      if (!allocates && step.kind != OpKind::TmemDealloc)
        continue;
      int16_t &isAllocated = after[allocBase + access.cell];
      if ((isAllocated != 0) == allocates)
        fault("V2", "allocates twice, or frees what is not allocated");
      isAllocated = allocates;
      after[cellBase + 2 * access.cell + 1] = -1;
    }
    if (step.kind == OpKind::PdlLaunch && hasPdlWait && now[globals] == 0)
      fault("V2", "launches before the kernel before has ended");
    if (step.kind == OpKind::ClusterWait) {
      at(after, warp, Cluster) = 0;
      if (proxies)
        proxies->releaseNamed(after, warp, step.named);
    }
    ++at(after, warp, Pc);
  }
  push(std::move(after));
}

// ---- what happens by itself --------------------------------------------------------------------

void Explorer::completions(size_t warp) {
  const Shape &mine = shapes[warp];
  const auto &steps = program.warps[warp].steps;
  int pc = get(warp, Pc);
  auto copies = static_cast<size_t>(Queue::Copy);
  for (size_t i = 0; i < mine.parts.size(); ++i) {
    const Part &part = mine.parts[i];
    if (part.pc >= pc || isDone(warp, i))
      continue;
    const Step &step = steps[part.pc];
    // A commit arrives when what was issued before it is over.
    if (step.kind == OpKind::TensorCommit && get(warp, MmaDone) < mine.issued[QueueCount][part.pc])
      continue;
    if (step.kind == OpKind::CopyArrive &&
        get(warp, GroupDone + static_cast<int>(copies)) < mine.issued[copies][part.pc])
      continue;
    State after = now;
    setDone(after, warp, i);
    bool isLoad = step.kind == OpKind::Load;
    contribute(after, part.bar, isLoad ? 0 : step.n, isLoad ? -step.n : 0, warp, part.pc,
               part.index);
    push(std::move(after));
  }
  auto advance = [&](int field, int most) {
    if (get(warp, field) >= most)
      return;
    State after = now;
    ++at(after, warp, field);
    push(std::move(after));
  };
  advance(MmaDone, mine.issued[QueueCount][pc]);
  if (int done = get(warp, GroupDone + static_cast<int>(copies));
      proxies && done < mine.issued[copies][pc]) {
    State after = now;
    ++at(after, warp, GroupDone + static_cast<int>(copies));
    proxies->finishCopy(after, warp, steps[mine.groupOps[copies][done]]);
    push(std::move(after));
  }
  for (size_t q = 0; q < QueueCount; ++q) {
    bool isStore = q == static_cast<size_t>(Queue::Store);
    if (proxies && q == copies)
      continue;
    advance(GroupDone + static_cast<int>(q), isStore ? get(warp, StoreRead) : mine.issued[q][pc]);
    if (isStore)
      advance(StoreRead, mine.issued[q][pc]);
  }
}

void Explorer::successors() {
  moved = false;
  bool isWaiting = false;
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    if (isEnabled(warp))
      takeStep(warp);
    else
      isWaiting |= next(warp) != nullptr;
    completions(warp);
  }
  if (hasPredecessor && now[globals] == 0) {
    State after = now;
    after[globals] = 1;
    push(std::move(after));
  }
  if (isWaiting && !moved)
    fault("V1", "nobody can go on");
}

} // namespace tsk::protocol::oracle
