#include "BruteForceImpl.h"

#include <algorithm>
#include <numeric>

namespace tsk::protocol::oracle {

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

// ---- the search --------------------------------------------------------------------------------

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
