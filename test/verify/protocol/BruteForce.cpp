#include "BruteForce.h"

#include "Proxies.h"
#include "StateSet.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <numeric>

namespace tsk::protocol::oracle {

namespace {

// One asynchronous piece of a step: a load's landing at one barrier, a commit's arrival.
struct Part {
  int pc = 0;
  int bar = 0;
  int index = 0; // of the step's barriers
};

// What a warp keeps in the state, as offsets from its place there. Warps of a class do the same.
enum Field {
  Pc,
  Blocked,
  Cluster,
  Probe,
  ProbePhase,
  MmaDone,
  GroupDone,
  StoreRead = GroupDone + 3
};
constexpr int FirstPart = StoreRead + 1; // then one bit a part, 15 to a number

struct Shape { // of the warps of a class
  std::vector<Part> parts;
  std::vector<std::vector<int>> groupCommits;  // per queue: commits before each operation
  std::vector<int> groupOps[QueueCount], mmas; // their steps
  std::vector<int> committed[QueueCount];      // per step: commits before it
  std::vector<int> issued[QueueCount + 1];     // per step: operations before it; last: mma
  std::vector<int> registers;                  // per step: before it
};

class Explorer {
public:
  Explorer(const Expanded &expanded, size_t maxStates, bool untilTheEnd, bool withProxies)
      : program(expanded), limit(maxStates), all(untilTheEnd), hasProxies(withProxies) {}
  Exploration run();
  std::vector<std::set<std::string>> reads();

private:
  using State = std::vector<int16_t>;
  void lay();
  void shape(size_t warp);
  State initial() const;
  int16_t &at(State &state, size_t warp, int field) const { return state[base[warp] + field]; }
  int get(size_t warp, int field) const { return now[base[warp] + field]; }
  bool isDone(size_t warp, size_t part) const {
    return now[base[warp] + FirstPart + part / 15] >> part % 15 & 1;
  }
  void setDone(State &state, size_t warp, size_t part) const {
    at(state, warp, FirstPart + static_cast<int>(part / 15)) |=
        static_cast<int16_t>(1 << part % 15);
  }
  const Step *next(size_t warp) const {
    const auto &steps = program.warps[warp].steps;
    return get(warp, Pc) < static_cast<int>(steps.size()) ? &steps[get(warp, Pc)] : nullptr;
  }
  void fault(const char *property, const std::string &what) {
    if (result.faults.empty())
      result.why = what;
    result.faults.insert(property);
  }
  bool isEnabled(size_t warp) const;
  bool registersFit(size_t warp, const Step &step) const;
  bool groupsDone(size_t warp, const Step &step) const;
  void successors();
  void completions(size_t warp);
  void order(State &after, size_t warp);
  void takeStep(size_t warp);
  bool arrive(State &after, size_t warp, const Step &step);
  void takeWait(State &after, size_t warp, const Step &step);
  void takeProbe(size_t warp, const Step &step);
  void contribute(State &after, int bar, int arrivals, int bytes, size_t warp, int pc, int part);
  void arriveNamed(State &after, size_t warp, const Step &step);
  void tag(size_t warp, int pc, int part, int phase);
  void checkState();
  void checkRaces();
  void checkExit();
  void checkUse(size_t warp, const Step &step);
  void checkItems(State &after, size_t warp, const Step &step);
  bool collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const;
  void push(State state);
  void sortTwins(State &state);

  struct Flight { // something asynchronous that is not over yet
    size_t warp;
    const Step *step;
    int rank; // of the cells concerned; -1: all
    bool onlyWrites;
  };
  std::vector<Flight> inFlight() const;

  int pending(int bar) const { return barrierBase + 4 * bar; } // then bytes, phases, readiness
  int named(int index) const { return namedBase + 3 * (index + 1); } // count, wanted, generation

  const Expanded &program;
  size_t limit;
  bool all, hasProxies;
  std::unique_ptr<Proxies> proxies; // null: memory order between proxies is left out
  Exploration result;
  std::vector<Shape> shapes; // per warp
  std::vector<int> base;     // per warp
  std::vector<int> classOf;  // per warp: the first one that does the same
  std::vector<std::vector<size_t>> classes;
  int barrierBase = 0, namedBase = 0, cellBase = 0, allocBase = 0, globals = 0, size = 0;
  bool hasPdlWait = false, hasPredecessor = false;
  State now;
  bool moved = false;
  StateSet seen;
  std::vector<std::vector<std::vector<int>>> tags; // class, pc, part: the phase it always meets
};

} // namespace

// ---- layout ------------------------------------------------------------------------------------

static bool equal(const CellAccess &a, const CellAccess &b) {
  return a.cell == b.cell && a.isWrite == b.isWrite && a.isVersioned == b.isVersioned &&
         a.item == b.item && a.array == b.array;
}

static bool equal(const Step &a, const Step &b) {
  return a.kind == b.kind && a.bars == b.bars && a.parity == b.parity && a.n == b.n &&
         a.named == b.named && a.queue == b.queue && a.readOnly == b.readOnly &&
         a.provenance == b.provenance && a.call == b.call && a.cells.size() == b.cells.size() &&
         std::equal(a.cells.begin(), a.cells.end(), b.cells.begin(),
                    [](const CellAccess &x, const CellAccess &y) { return equal(x, y); });
}

static bool equal(const Warp &a, const Warp &b) {
  return a.task == b.task && a.rank == b.rank && a.steps.size() == b.steps.size() &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(),
                    [](const Step &x, const Step &y) { return equal(x, y); });
}

void Explorer::shape(size_t warp) {
  Shape made;
  const auto &steps = program.warps[warp].steps;
  int commits[QueueCount] = {}, registers = program.entryRegisters;
  made.groupCommits.resize(QueueCount);
  for (size_t pc = 0; pc <= steps.size(); ++pc) {
    for (size_t q = 0; q < QueueCount; ++q) {
      made.committed[q].push_back(commits[q]);
      made.issued[q].push_back(static_cast<int>(made.groupOps[q].size()));
    }
    made.issued[QueueCount].push_back(static_cast<int>(made.mmas.size()));
    made.registers.push_back(registers);
    if (pc == steps.size())
      break;
    const Step &step = steps[pc];
    auto queue = static_cast<size_t>(step.queue);
    int place = static_cast<int>(pc);
    switch (step.kind) {
    case OpKind::Load:
    case OpKind::TensorCommit:
    case OpKind::CopyArrive:
      for (size_t i = 0; i < step.bars.size(); ++i)
        made.parts.push_back({place, step.bars[i], static_cast<int>(i)});
      break;
    case OpKind::Mma:
      made.mmas.push_back(place);
      break;
    case OpKind::Group:
      made.groupOps[queue].push_back(place);
      made.groupCommits[queue].push_back(commits[queue]);
      break;
    case OpKind::GroupCommit:
      ++commits[queue];
      break;
    case OpKind::SetRegisters:
      registers = step.n;
      break;
    case OpKind::PdlWait:
      hasPdlWait = hasPredecessor = true;
      break;
    default:
      break;
    }
    for (const CellAccess &access : step.cells)
      hasPredecessor |= access.isPredecessors;
  }
  shapes.push_back(std::move(made));
}

void Explorer::lay() {
  int names = 1;
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    shape(warp);
    base.push_back(size);
    size += FirstPart + static_cast<int>((shapes[warp].parts.size() + 14) / 15);
    classOf.push_back(static_cast<int>(warp));
    for (size_t other = 0; other < warp; ++other)
      if (classOf[other] == static_cast<int>(other) &&
          equal(program.warps[warp], program.warps[other])) {
        classOf[warp] = static_cast<int>(other);
        break;
      }
    if (classOf[warp] == static_cast<int>(warp))
      classes.emplace_back();
    for (std::vector<size_t> &one : classes)
      if (one.empty() || classOf[one.front()] == classOf[warp]) {
        one.push_back(warp);
        break;
      }
    for (const Step &step : program.warps[warp].steps)
      names = std::max(names, step.named + 2);
    tags.emplace_back(program.warps[warp].steps.size());
  }
  barrierBase = size;
  namedBase = barrierBase + 4 * static_cast<int>(program.arrivals.size());
  cellBase = namedBase + 3 * names;
  allocBase = cellBase + 2 * program.cells; // item, array
  globals = allocBase + program.cells;      // the predecessor has ended
  size = globals + 1;
  if (!hasProxies)
    return;
  proxies = std::make_unique<Proxies>(program, size);
  size += proxies->numbers();
}

Explorer::State Explorer::initial() const {
  State state(size, 0);
  for (size_t warp = 0; warp < program.warps.size(); ++warp)
    at(state, warp, Probe) = -1;
  for (size_t bar = 0; bar < program.arrivals.size(); ++bar) {
    state[pending(static_cast<int>(bar))] = static_cast<int16_t>(program.arrivals[bar]);
    state[pending(static_cast<int>(bar)) + 3] = program.isReady[bar];
  }
  for (int cell = 0; cell < program.cells; ++cell)
    state[cellBase + 2 * cell + 1] = -1;
  return state;
}

// Warps that do the same are told apart by where they are, not by their numbers.
void Explorer::push(State state) {
  moved = true;
  if (classes.size() < base.size())
    sortTwins(state);
  seen.insert(state);
}

void Explorer::sortTwins(State &state) {
  std::vector<size_t> from(base.size());
  std::iota(from.begin(), from.end(), 0);
  for (const std::vector<size_t> &one : classes) {
    if (one.size() < 2)
      continue;
    int length = FirstPart + static_cast<int>((shapes[one.front()].parts.size() + 14) / 15);
    std::vector<std::pair<State, size_t>> blocks;
    for (size_t warp : one)
      blocks.push_back(
          {State(state.begin() + base[warp], state.begin() + base[warp] + length), warp});
    std::sort(blocks.begin(), blocks.end());
    for (size_t i = 0; i < one.size(); ++i) {
      std::copy(blocks[i].first.begin(), blocks[i].first.end(), state.begin() + base[one[i]]);
      from[one[i]] = blocks[i].second;
    }
  }
  if (proxies)
    proxies->permute(state, from);
}

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

// ---- what must not be --------------------------------------------------------------------------

std::vector<Explorer::Flight> Explorer::inFlight() const {
  std::vector<Flight> flights;
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    const Shape &mine = shapes[warp];
    const auto &steps = program.warps[warp].steps;
    for (size_t i = 0; i < mine.parts.size(); ++i) {
      const Part &part = mine.parts[i];
      if (part.pc < get(warp, Pc) && !isDone(warp, i) && !steps[part.pc].cells.empty())
        flights.push_back({warp, &steps[part.pc],
                           steps[part.pc].bars.size() > 1 ? program.barrierRank[part.bar] : -1,
                           false});
    }
    for (int i = get(warp, MmaDone); i < mine.issued[QueueCount][get(warp, Pc)]; ++i)
      flights.push_back({warp, &steps[mine.mmas[i]], -1, false});
    for (size_t q = 0; q < QueueCount; ++q) {
      int read = q == static_cast<size_t>(Queue::Store) ? get(warp, StoreRead) : 0;
      for (int i = get(warp, GroupDone + static_cast<int>(q)); i < mine.issued[q][get(warp, Pc)];
           ++i)
        flights.push_back({warp, &steps[mine.groupOps[q][i]], -1, i < read});
    }
  }
  return flights;
}

// The cell on which two steps conflict; null: none. `rank`, `onlyWrites`: of the second.
static const CellAccess *overlap(const Step &a, const Step &b, int rank = -1,
                                 bool onlyWrites = false) {
  for (const CellAccess &x : a.cells)
    for (const CellAccess &y : b.cells)
      if (x.cell == y.cell && (x.isWrite || y.isWrite) && (rank < 0 || y.rank == rank) &&
          (y.isWrite || !onlyWrites))
        return &x;
  return nullptr;
}

// Shares of one call of one work do not collide; of global memory only the whole is known.
bool Explorer::collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const {
  const Warp &first = program.warps[warpA], &second = program.warps[warpB];
  bool isShared = a.kind == OpKind::Access && b.kind == OpKind::Access &&
                  a.provenance == b.provenance && first.task == second.task &&
                  first.rank == second.rank;
  if (!isShared)
    return overlap(a, b) != nullptr;
  const CellAccess *cell = overlap(a, b);
  return cell && a.call != b.call && !cell->isGlobal;
}

void Explorer::checkRaces() {
  std::vector<Flight> flights = inFlight();
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    const Step *step = next(warp);
    if (!step || step->cells.empty() || get(warp, Blocked) != 0)
      continue;
    auto report = [&](const CellAccess *cell, const std::string &what) {
      if (cell)
        fault(cell->isBarrier ? "V6" : "V2", program.warps[warp].name + " against " + what);
    };
    for (size_t other = warp + 1; other < program.warps.size(); ++other)
      if (const Step *second = next(other);
          second && !second->cells.empty() && collide(warp, *step, other, *second))
        report(overlap(*step, *second), program.warps[other].name);
    for (const Flight &flight : flights) {
      const Step &running = *flight.step;
      bool isStore = step->kind == OpKind::Group && step->queue == Queue::Store &&
                     running.kind == OpKind::Group && running.queue == Queue::Store;
      bool sameQueue = flight.warp == warp && running.kind == step->kind &&
                       (step->kind == OpKind::Mma ||
                        (step->kind == OpKind::Group && step->queue == Queue::Gmma &&
                         running.queue == Queue::Gmma));
      const CellAccess *cell = overlap(*step, running, flight.rank, flight.onlyWrites);
      // Stores of one queue write different tiles.
      if (isStore && flight.warp == warp && cell && cell->isWrite)
        continue;
      if (!sameQueue)
        report(cell, "what is in flight of " + program.warps[flight.warp].name);
    }
  }
}

// A CTA that has ended while something in flight, or a step of another CTA, is about its memory.
void Explorer::checkExit() {
  for (int rank = 0; rank < program.ranks; ++rank) {
    bool isOver = true;
    for (size_t warp = 0; warp < program.warps.size(); ++warp)
      isOver &= program.warps[warp].rank != rank || !next(warp);
    if (!isOver)
      continue;
    auto touches = [&](const Step &step, int ofRank, bool onlyWrites) {
      return std::any_of(step.cells.begin(), step.cells.end(), [&](const CellAccess &access) {
        return access.rank == rank && !access.outlivesCta && !access.isBarrier &&
               (ofRank < 0 || ofRank == rank) && (access.isWrite || !onlyWrites);
      });
    };
    for (const Flight &flight : inFlight())
      if (touches(*flight.step, flight.rank, flight.onlyWrites))
        fault("V4", "in flight at the end of a CTA");
    for (size_t warp = 0; warp < program.warps.size(); ++warp) {
      const Step *step = next(warp);
      if (program.warps[warp].rank == rank)
        continue;
      for (size_t i = 0; i < shapes[warp].parts.size(); ++i) {
        const Part &part = shapes[warp].parts[i];
        if (part.pc < get(warp, Pc) && !isDone(warp, i) && program.barrierRank[part.bar] == rank)
          fault("V4", "an arrival is on its way to a CTA that has ended");
      }
      if (!step)
        continue;
      bool isRemote = touches(*step, -1, false);
      for (int bar : step->bars)
        isRemote |= program.barrierRank[bar] == rank;
      if (isRemote)
        fault("V4", "a CTA has ended that another one still needs");
    }
    for (int cell = 0; cell < program.cells; ++cell)
      if (now[allocBase + cell] && program.cellRank[cell] == rank)
        fault("V4", "tensor memory is not given back");
  }
}

void Explorer::checkState() {
  for (size_t warp = 0; warp < program.warps.size(); ++warp)
    if (const Step *step = next(warp))
      for (int bar : step->bars)
        if ((now[pending(bar) + 3] != 0) == (step->kind == OpKind::Init))
          fault("V6", program.barrierNames[bar] + " is used before it is there, or made twice");
  checkRaces();
  checkExit();
}

Exploration Explorer::run() {
  lay();
  seen.setWidth(size);
  push(initial());
  for (size_t index = 0; index < seen.count(); ++index) {
    if (++result.states > limit) {
      result.isComplete = false;
      break;
    }
    seen.get(index, now);
    checkState();
    if (!result.faults.empty() && !all)
      break;
    successors();
    if (!result.faults.empty() && !all)
      break;
  }
  return std::move(result);
}

static std::string nameOf(const Warp &warp, const Step &step, const CellAccess &access) {
  bool isNumbered = access.isVersioned && access.item != AnyItem;
  return warp.name.substr(0, warp.name.find('.')) + " " + std::to_string(step.provenance) +
         (isNumbered ? " item " + std::to_string(access.item) : " " + std::to_string(step.call));
}

// Down to the end by whatever comes last; every step gets nearer to it.
std::vector<std::set<std::string>> Explorer::reads() {
  std::vector<std::set<std::string>> seenBy(program.warps.size());
  std::vector<std::string> writers(program.cells);
  lay();
  classes.clear(); // each warp keeps its name
  for (size_t warp = 0; warp < program.warps.size(); ++warp)
    classes.push_back({warp});
  seen.setWidth(size);
  push(initial());
  for (size_t count = 0; count != seen.count();) {
    count = seen.count();
    State before = now;
    seen.get(count - 1, now);
    for (size_t warp = 0; warp < program.warps.size() && !before.empty(); ++warp) {
      if (at(before, warp, Pc) == get(warp, Pc))
        continue;
      const Step &step = program.warps[warp].steps[at(before, warp, Pc)];
      for (const CellAccess &access : step.cells)
        if (!access.isWrite)
          seenBy[warp].insert(nameOf(program.warps[warp], step, access) + " saw " +
                              writers[access.cell]);
      for (const CellAccess &access : step.cells)
        if (access.isWrite)
          writers[access.cell] = nameOf(program.warps[warp], step, access);
    }
    successors();
  }
  return seenBy;
}

std::vector<std::set<std::string>> readsOf(const Expanded &expanded) {
  return Explorer(expanded, 0, true, false).reads();
}

Exploration explore(const Expanded &expanded, size_t limit, bool all, Order order) {
  return Explorer(expanded, limit, all, order == Order::Proxies).run();
}

} // namespace tsk::protocol::oracle
