#include "BruteForce.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <unordered_set>

namespace tsk::protocol::oracle {

namespace {

struct InFlight {
  short warp = 0;
  short pc = 0;
  short part = 0; // of a load: which of its barriers
  short group = 0;
};

struct State {
  std::vector<short> pc, pending, bytes, completed;
  std::vector<short> namedCount, namedWant, namedGeneration;
  std::vector<short> blocked;                // generation a warp waits for, or -1
  std::vector<short> cluster;                // per warp: generation it arrived in, or -1
  std::vector<InFlight> loads;               // in any order
  std::vector<std::vector<InFlight>> queues; // per warp: tensor, then one per Queue
  std::vector<short> groups;                 // commits so far, per warp and Queue
  std::vector<int> items;                    // per cell: array << 16 | item, or INT_MIN

  std::string text() const;
};

class Explorer {
public:
  Explorer(const Expanded &expanded, size_t maxStates, bool untilTheEnd)
      : program(expanded), limit(maxStates), all(untilTheEnd) {}
  Exploration run();

private:
  static constexpr int QueuesPerWarp = 1 + static_cast<int>(QueueCount);
  size_t warps() const { return program.warps.size(); }
  const Step *next(const State &state, size_t warp) const {
    const auto &steps = program.warps[warp].steps;
    return state.pc[warp] < static_cast<int>(steps.size()) ? &steps[state.pc[warp]] : nullptr;
  }
  const Step &stepOf(const InFlight &op) const { return program.warps[op.warp].steps[op.pc]; }
  void fault(const char *property, const std::string &what) {
    if (result.faults.empty())
      result.why = what;
    result.faults.insert(property);
  }
  State initial() const;
  bool isEnabled(const State &state, size_t warp) const;
  void take(State &state, size_t warp);
  void successors(const State &state);
  void push(State state);
  void contribute(State &state, int bar, int arrivals, int bytes, int warp, int pc, int part);
  void tag(int warp, int pc, int part, int phase);
  void arriveNamed(State &state, size_t warp, const Step &step);
  void checkRaces(const State &state);
  void checkExit(const State &state);
  void checkItems(State &state, const Step &step);
  bool collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const;
  template <typename F> void forInFlight(const State &state, F visit) const {
    for (const InFlight &op : state.loads)
      visit(op);
    for (const auto &queue : state.queues)
      for (const InFlight &op : queue)
        if (!stepOf(op).cells.empty())
          visit(op);
  }

  const Expanded &program;
  size_t limit;
  bool all;
  Exploration result;
  std::vector<State> stack;
  std::unordered_set<std::string> seen;
  std::vector<std::vector<std::vector<int>>> tags; // warp, pc, part: the phase it always meets
};

} // namespace

template <typename T> static void append(std::string &key, const std::vector<T> &values) {
  key.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  key.push_back('\x7f');
}

std::string State::text() const {
  std::string key;
  for (const auto *values : {&pc, &pending, &bytes, &completed, &namedCount, &namedWant,
                             &namedGeneration, &blocked, &cluster, &groups})
    append(key, *values);
  std::vector<InFlight> sorted = loads;
  std::sort(sorted.begin(), sorted.end(), [](const InFlight &a, const InFlight &b) {
    return std::tie(a.warp, a.pc, a.part) < std::tie(b.warp, b.pc, b.part);
  });
  append(key, sorted);
  for (const auto &queue : queues)
    append(key, queue);
  append(key, items);
  return key;
}

State Explorer::initial() const {
  State state;
  state.pc.assign(warps(), 0);
  for (int count : program.arrivals)
    state.pending.push_back(static_cast<short>(count));
  state.bytes.assign(program.arrivals.size(), 0);
  state.completed.assign(program.arrivals.size(), 0);
  int named = 1; // the cluster's
  for (const Warp &warp : program.warps)
    for (const Step &step : warp.steps)
      named = std::max(named, step.named + 2);
  state.namedCount.assign(named, 0);
  state.namedWant.assign(named, 0);
  state.namedGeneration.assign(named, 0);
  state.blocked.assign(warps(), -1);
  state.cluster.assign(warps(), -1);
  state.queues.resize(warps() * QueuesPerWarp);
  state.groups.assign(warps() * QueueCount, 0);
  state.items.assign(program.cells, INT_MIN);
  return state;
}

bool Explorer::isEnabled(const State &state, size_t warp) const {
  const Step *step = next(state, warp);
  if (!step)
    return false;
  switch (step->kind) {
  case OpKind::Wait:
    return (state.completed[step->bars[0]] & 1) != step->parity;
  case OpKind::Sync:
    return state.blocked[warp] < 0 || state.namedGeneration[step->named + 1] > state.blocked[warp];
  case OpKind::ClusterWait:
    return state.cluster[warp] >= 0 && state.namedGeneration[0] > state.cluster[warp];
  case OpKind::GroupWait: {
    const auto &queue = state.queues[warp * QueuesPerWarp + 1 + static_cast<int>(step->queue)];
    int done = state.groups[warp * QueueCount + static_cast<int>(step->queue)] - step->n;
    return queue.empty() || queue.front().group >= done;
  }
  default:
    return true;
  }
}

void Explorer::tag(int warp, int pc, int part, int phase) {
  auto &known = tags[warp][pc];
  if (static_cast<int>(known.size()) <= part)
    known.resize(part + 1, -1);
  if (known[part] < 0)
    known[part] = phase;
  else if (known[part] != phase)
    fault("V3", program.warps[warp].name + ": the phase of a step varies");
}

void Explorer::contribute(State &state, int bar, int arrivals, int bytes, int warp, int pc,
                          int part) {
  tag(warp, pc, part, state.completed[bar]);
  if (arrivals > state.pending[bar])
    fault("V3", program.barrierNames[bar] + ": more arrivals than counted");
  state.pending[bar] = static_cast<short>(state.pending[bar] - arrivals);
  state.bytes[bar] = static_cast<short>(state.bytes[bar] + bytes);
  if (state.pending[bar] > 0 || state.bytes[bar] != 0)
    return;
  for (size_t other = 0; other < warps(); ++other) {
    const Step *step = next(state, other);
    if (step && step->kind == OpKind::Wait && step->bars[0] == bar && isEnabled(state, other))
      fault("V3", program.warps[other].name + " misses a phase of " + program.barrierNames[bar]);
  }
  ++state.completed[bar];
  state.pending[bar] = static_cast<short>(program.arrivals[bar]);
}

void Explorer::arriveNamed(State &state, size_t warp, const Step &step) {
  int index = step.named + 1;
  tag(static_cast<int>(warp), state.pc[warp], 0, state.namedGeneration[index]);
  bool isCluster = step.kind == OpKind::ClusterArrive;
  short want = static_cast<short>(isCluster ? warps() : step.n);
  if (state.namedCount[index] && state.namedWant[index] != want)
    fault("V3", "counts of a named barrier differ");
  state.namedWant[index] = want;
  state.namedCount[index] = static_cast<short>(state.namedCount[index] + (isCluster ? 1 : 32));
  if (state.namedCount[index] > want)
    fault("V3", "more threads than a named barrier counts");
  if (step.kind == OpKind::Sync)
    state.blocked[warp] = state.namedGeneration[index];
  else
    ++state.pc[warp];
  if (isCluster) {
    if (state.cluster[warp] >= 0)
      fault("V3", "arrives twice at the cluster's barrier");
    state.cluster[warp] = state.namedGeneration[index];
  }
  if (state.namedCount[index] < want)
    return;
  state.namedCount[index] = state.namedWant[index] = 0;
  ++state.namedGeneration[index];
}

void Explorer::checkItems(State &state, const Step &step) {
  for (const CellAccess &access : step.cells) {
    int &held = state.items[access.cell];
    int item = access.array << 16 | (access.item & 0xffff);
    if (access.isWrite)
      held = item;
    else if (access.isVersioned && held != item &&
             (held == INT_MIN || held >> 16 != access.array ||
              ((held & 0xffff) != AnyItem && access.item != AnyItem)))
      fault("V5", program.cellNames[access.cell] + " holds another item");
  }
}

void Explorer::take(State &state, size_t warp) {
  int pc = state.pc[warp];
  const Step &step = program.warps[warp].steps[pc];
  short who = static_cast<short>(warp), at = static_cast<short>(pc);
  auto &tensor = state.queues[warp * QueuesPerWarp];
  switch (step.kind) {
  case OpKind::Wait:
    tag(who, pc, 0, state.completed[step.bars[0]]);
    ++state.pc[warp];
    return;
  case OpKind::Arrive:
  case OpKind::Expect:
  case OpKind::ArriveExpect: {
    ++state.pc[warp];
    int arrivals = step.kind == OpKind::Arrive ? step.n : step.kind == OpKind::Expect ? 0 : 1;
    int bytes = step.kind == OpKind::Arrive ? 0 : step.n;
    for (size_t i = 0; i < step.bars.size(); ++i)
      contribute(state, step.bars[i], arrivals, bytes, who, pc, static_cast<int>(i));
    return;
  }
  case OpKind::Load:
    checkItems(state, step);
    for (size_t i = 0; i < step.bars.size(); ++i)
      state.loads.push_back({who, at, static_cast<short>(i), 0});
    break;
  case OpKind::Mma:
    checkItems(state, step);
    tensor.push_back({who, at, 0, 0});
    break;
  case OpKind::TensorCommit:
    tensor.push_back({who, at, 0, 0});
    break;
  case OpKind::Group: {
    checkItems(state, step);
    int queue = static_cast<int>(step.queue);
    state.queues[warp * QueuesPerWarp + 1 + queue].push_back(
        {who, at, 0, state.groups[warp * QueueCount + queue]});
    break;
  }
  case OpKind::GroupCommit:
    ++state.groups[warp * QueueCount + static_cast<int>(step.queue)];
    break;
  case OpKind::Access:
    checkItems(state, step);
    break;
  case OpKind::Sync:
    if (state.blocked[warp] >= 0) {
      state.blocked[warp] = -1;
      break;
    }
    arriveNamed(state, warp, step);
    return;
  case OpKind::NamedArrive:
  case OpKind::ClusterArrive:
    arriveNamed(state, warp, step);
    return;
  case OpKind::ClusterWait:
    state.cluster[warp] = -1;
    break;
  default:
    break;
  }
  ++state.pc[warp];
}

static bool isOverlap(const Step &a, const Step &b) {
  for (const CellAccess &x : a.cells)
    for (const CellAccess &y : b.cells)
      if (x.cell == y.cell && (x.isWrite || y.isWrite))
        return true;
  return false;
}

// Shares of one call of one work do not collide.
bool Explorer::collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const {
  if (a.kind == OpKind::Access && b.kind == OpKind::Access && a.provenance == b.provenance &&
      (a.call == b.call || (!a.cells.empty() && a.cells[0].isGlobal)) &&
      program.warps[warpA].task == program.warps[warpB].task &&
      program.warps[warpA].rank == program.warps[warpB].rank)
    return false;
  return isOverlap(a, b);
}

void Explorer::checkRaces(const State &state) {
  for (size_t warp = 0; warp < warps(); ++warp) {
    const Step *step = next(state, warp);
    if (!step || step->cells.empty())
      continue;
    for (size_t other = warp + 1; other < warps(); ++other)
      if (const Step *second = next(state, other);
          second && !second->cells.empty() && collide(warp, *step, other, *second))
        fault("V2", program.warps[warp].name + " against " + program.warps[other].name);
    forInFlight(state, [&](const InFlight &op) {
      const Step &running = stepOf(op);
      bool sameQueue = static_cast<size_t>(op.warp) == warp && running.kind == step->kind &&
                       (step->kind == OpKind::Mma ||
                        (step->kind == OpKind::Group && step->queue == Queue::Gmma &&
                         running.queue == Queue::Gmma));
      if (!sameQueue && isOverlap(*step, running))
        fault("V2", program.warps[warp].name + " against what is in flight of " +
                        program.warps[op.warp].name);
    });
  }
}

// A CTA that has ended while something in flight, or a step of another CTA, is about its memory.
void Explorer::checkExit(const State &state) {
  int ranks = 0;
  for (const Warp &warp : program.warps)
    ranks = std::max(ranks, warp.rank + 1);
  for (int rank = 0; rank < ranks; ++rank) {
    bool isOver = true;
    for (size_t warp = 0; warp < warps(); ++warp)
      isOver &= program.warps[warp].rank != rank || !next(state, warp);
    if (!isOver)
      continue;
    auto touches = [&](const Step &step) {
      for (const CellAccess &access : step.cells)
        if (access.rank == rank)
          return true;
      return false;
    };
    forInFlight(state, [&](const InFlight &op) {
      if (touches(stepOf(op)))
        fault("V4", "in flight at the end of a CTA");
    });
    for (size_t warp = 0; warp < warps(); ++warp) {
      const Step *step = next(state, warp);
      if (!step || program.warps[warp].rank == rank)
        continue;
      bool remote = touches(*step);
      for (int bar : step->bars)
        remote |= program.barrierRank[bar] == rank;
      if (remote)
        fault("V4", "a CTA has ended that another one still needs");
    }
  }
}

void Explorer::push(State state) {
  if (seen.insert(state.text()).second)
    stack.push_back(std::move(state));
}

void Explorer::successors(const State &state) {
  bool any = false;
  for (size_t warp = 0; warp < warps(); ++warp)
    if (isEnabled(state, warp)) {
      State after = state;
      take(after, warp);
      any = true;
      push(std::move(after));
    }
  for (size_t i = 0; i < state.loads.size(); ++i) {
    State after = state;
    InFlight op = after.loads[i];
    after.loads.erase(after.loads.begin() + static_cast<long>(i));
    contribute(after, stepOf(op).bars[op.part], 0, -stepOf(op).n, op.warp, op.pc, op.part);
    any = true;
    push(std::move(after));
  }
  for (size_t index = 0; index < state.queues.size(); ++index) {
    const auto &queue = state.queues[index];
    bool isTensor = index % QueuesPerWarp == 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      // In order; commits only wait for the operations before them.
      bool isBlocked = false;
      for (size_t k = 0; k < i; ++k)
        isBlocked |= !isTensor || stepOf(queue[k]).kind == OpKind::Mma;
      if (isBlocked)
        break;
      State after = state;
      auto &changed = after.queues[index];
      changed.erase(changed.begin() + static_cast<long>(i));
      const Step &step = stepOf(queue[i]);
      if (step.kind == OpKind::TensorCommit)
        for (size_t b = 0; b < step.bars.size(); ++b)
          contribute(after, step.bars[b], step.n, 0, queue[i].warp, queue[i].pc,
                     static_cast<int>(b));
      any = true;
      push(std::move(after));
    }
  }
  for (size_t warp = 0; warp < warps() && !any; ++warp)
    if (next(state, warp))
      fault("V1", program.warps[warp].name + " never ends");
}

Exploration Explorer::run() {
  for (const Warp &warp : program.warps)
    tags.emplace_back(warp.steps.size());
  push(initial());
  while (!stack.empty()) {
    State state = std::move(stack.back());
    stack.pop_back();
    if (++result.states > limit) {
      result.isComplete = false;
      break;
    }
    checkRaces(state);
    checkExit(state);
    if (!result.faults.empty() && !all)
      break;
    successors(state);
    if (!result.faults.empty() && !all)
      break;
  }
  return std::move(result);
}

Exploration explore(const Expanded &expanded, size_t limit, bool all) {
  return Explorer(expanded, limit, all).run();
}

} // namespace tsk::protocol::oracle
