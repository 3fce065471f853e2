#include "Proxies.h"

#include <algorithm>
#include <set>

namespace tsk::protocol::oracle {

static bool isAsync(const Step &step) {
  return step.kind == OpKind::Load || step.kind == OpKind::Mma ||
         (step.kind == OpKind::Group && step.queue != Queue::Copy);
}

static bool isCopyStep(const Step &step) {
  return step.kind == OpKind::Group && step.queue == Queue::Copy;
}

static bool arrivesLater(const Step &step) {
  return step.kind == OpKind::Load || step.kind == OpKind::TensorCommit ||
         step.kind == OpKind::CopyArrive;
}

// By threads: of data, or of a barrier that lies in a field's memory.
static bool isOrdinary(const Step &step, const CellAccess &access) {
  return access.hasProxies &&
         (access.isBarrier ? !arrivesLater(step) : step.kind == OpKind::Access);
}

static bool isAsync(const Step &step, const CellAccess &access) {
  return access.hasProxies && !access.isBarrier && isAsync(step);
}

void Proxies::collect(size_t warp) {
  std::set<int> written, readElsewhere, asyncWritten, asyncTouched;
  for (size_t other = 0; other < program.warps.size(); ++other)
    for (const Step &step : program.warps[other].steps)
      for (const CellAccess &access : step.cells) {
        if (isAsync(step, access)) {
          asyncTouched.insert(access.cell);
          if (access.isWrite)
            asyncWritten.insert(access.cell);
        } else if (isOrdinary(step, access) && !access.isWrite && other != warp) {
          readElsewhere.insert(access.cell);
        }
      }
  firstPending.push_back(pending.size());
  firstFact.push_back(facts.size());
  for (const Step &step : program.warps[warp].steps)
    for (const CellAccess &access : step.cells) {
      if (!access.hasProxies)
        continue;
      bool isRelevant = (access.isWrite ? asyncTouched : asyncWritten).count(access.cell) != 0;
      bool isCopy = isCopyStep(step);
      if (isRelevant &&
          ((isCopy && !access.isBarrier) || (isOrdinary(step, access) && !access.isWrite)) &&
          indexOf(warp, access.cell, isCopy, access.isWrite) < 0)
        pending.push_back({warp, access.cell, isCopy, access.isWrite});
      if (isOrdinary(step, access) && access.isWrite && readElsewhere.count(access.cell) &&
          written.insert(access.cell).second)
        facts.push_back({warp, access.cell});
    }
}

Proxies::Proxies(const Expanded &expanded, int first) : program(expanded), base(first) {
  warps = static_cast<int>(program.warps.size());
  bars = static_cast<int>(program.arrivals.size());
  std::set<int> used;
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    collect(warp);
    for (const Step &step : program.warps[warp].steps)
      if (step.kind == OpKind::Sync || step.kind == OpKind::NamedArrive ||
          step.kind == OpKind::ClusterArrive)
        used.insert(step.named);
  }
  names.assign(used.begin(), used.end());
  firstPending.push_back(pending.size());
  firstFact.push_back(facts.size());
  holders = warps + 2 * bars + 1 + static_cast<int>(names.size());
  bits = static_cast<int>(pending.size()) + holders * static_cast<int>(facts.size());
}

int Proxies::named(int index) const {
  auto found = std::lower_bound(names.begin(), names.end(), index);
  return warps + 2 * bars + 1 + static_cast<int>(found - names.begin());
}

int Proxies::indexOf(size_t warp, int cell, bool isCopy, bool isWrite) const {
  size_t end = warp + 1 < firstPending.size() ? firstPending[warp + 1] : pending.size();
  for (size_t i = firstPending[warp]; i < end; ++i)
    if (pending[i].cell == cell && pending[i].isCopy == isCopy && pending[i].isWrite == isWrite)
      return static_cast<int>(i);
  return -1;
}

// ---- what must not be --------------------------------------------------------------------------

int Proxies::lastWrite(size_t warp, int pc, int cell) const {
  const auto &steps = program.warps[warp].steps;
  for (int at = pc - 1; at >= 0; --at)
    for (const CellAccess &access : steps[at].cells)
      if (access.cell == cell && access.isWrite && isOrdinary(steps[at], access))
        return at;
  return -1;
}

bool Proxies::isFenced(size_t warp, int after, int pc, OpKind fence) const {
  const auto &steps = program.warps[warp].steps;
  return std::any_of(steps.begin() + after, steps.begin() + pc,
                     [&](const Step &step) { return step.kind == fence; });
}

// Warps' parts of one call of one work are one access.
bool Proxies::isSameCall(size_t writer, int write, size_t reader, const Step &step) const {
  const Warp &first = program.warps[writer], &second = program.warps[reader];
  const Step &other = first.steps[write];
  return step.kind == OpKind::Access && first.task == second.task && first.rank == second.rank &&
         other.provenance == step.provenance && other.call == step.call;
}

std::string Proxies::check(const State &state, const std::vector<int> &pcs, size_t warp) const {
  const Step &step = program.warps[warp].steps[pcs[warp]];
  for (int bar : step.bars)
    for (size_t other = 0; other < program.warps.size() && step.kind != OpKind::Init; ++other) {
      if (!arrivesLater(step) && program.barrierRank[bar] == program.warps[warp].rank)
        continue;
      const auto &steps = program.warps[other].steps;
      for (int at = pcs[other] - 1; at >= 0; --at)
        if (steps[at].kind == OpKind::Init &&
            std::count(steps[at].bars.begin(), steps[at].bars.end(), bar)) {
          if (!isFenced(other, at, pcs[other], OpKind::InitFence))
            return program.barrierNames[bar] + "'s initialisation is not published";
          break;
        }
    }
  for (const CellAccess &access : step.cells) {
    for (size_t other = 0; other < program.warps.size() && isAsync(step, access); ++other) {
      int write = lastWrite(other, pcs[other], access.cell);
      if (write >= 0 && !isFenced(other, write, pcs[other], OpKind::ProxyFence))
        return program.warps[other].name + " has not fenced what it wrote";
      for (size_t i = firstPending[other]; i < firstPending[other + 1]; ++i)
        if (pending[i].cell == access.cell && get(state, static_cast<int>(i)) &&
            (access.isWrite || pending[i].isWrite))
          return "nothing orders what " + program.warps[other].name + " did before";
    }
    for (size_t i = 0; i < facts.size() && isOrdinary(step, access) && !access.isWrite; ++i) {
      const Fact &fact = facts[i];
      if (fact.cell != access.cell || fact.warp == warp)
        continue;
      int write = lastWrite(fact.warp, pcs[fact.warp], fact.cell);
      if (write >= 0 && !get(state, view(static_cast<int>(warp), i)) &&
          !isSameCall(fact.warp, write, warp, step))
        return program.warps[fact.warp].name + " has not published what it wrote";
    }
  }
  return "";
}

// ---- effects -----------------------------------------------------------------------------------

void Proxies::take(State &state, const std::vector<int> &pcs, size_t warp) const {
  const Step &step = program.warps[warp].steps[pcs[warp]];
  bool isFence = step.kind == OpKind::ProxyFence;
  for (size_t i = 0; i < pending.size(); ++i)
    if (isFence ? pending[i].isCopy || pending[i].warp == warp
                : step.kind == OpKind::Arrive && !pending[i].isWrite)
      set(state, static_cast<int>(i), false);
  for (const CellAccess &access : step.cells) {
    if (!isOrdinary(step, access))
      continue;
    if (!access.isWrite) {
      if (int i = indexOf(warp, access.cell, false, false); i >= 0)
        set(state, i, true);
      continue;
    }
    for (size_t i = firstFact[warp]; i < firstFact[warp + 1]; ++i)
      for (int holder = 0; holder < holders && facts[i].cell == access.cell; ++holder)
        set(state, view(holder, i), holder == static_cast<int>(warp));
  }
}

void Proxies::finishCopy(State &state, size_t warp, const Step &step) const {
  for (const CellAccess &access : step.cells)
    if (int i = indexOf(warp, access.cell, true, access.isWrite); i >= 0)
      set(state, i, true);
}

// `keeps`: what `into` holds already.
void Proxies::move(State &state, int into, int from, bool keeps) const {
  for (size_t i = 0; i < facts.size(); ++i)
    set(state, view(into, i),
        (from >= 0 && get(state, view(from, i))) || (keeps && get(state, view(into, i))));
}

void Proxies::contribute(State &state, size_t warp, const Step &step, int bar) const {
  if (step.kind == OpKind::Arrive || step.kind == OpKind::ArriveExpect)
    move(state, open(bar), static_cast<int>(warp), true);
}

void Proxies::complete(State &state, int bar) const {
  move(state, past(bar), open(bar), false);
  move(state, open(bar), -1, false);
}

void Proxies::retire(State &state, int bar) const {
  move(state, past(bar), -1, false);
  move(state, open(bar), -1, false);
}

void Proxies::wait(State &state, size_t warp, int bar) const {
  move(state, static_cast<int>(warp), past(bar), true);
}

void Proxies::arriveNamed(State &state, size_t warp, int index) const {
  move(state, named(index), static_cast<int>(warp), true);
}

void Proxies::releaseNamed(State &state, size_t warp, int index) const {
  move(state, static_cast<int>(warp), index < 0 ? pastCluster() : named(index), true);
}

void Proxies::completeNamed(State &state, int index) const {
  if (index < 0)
    move(state, pastCluster(), named(index), false);
  move(state, named(index), -1, false);
}

void Proxies::permute(State &state, const std::vector<size_t> &from) const {
  if (bits == 0)
    return;
  State old = state;
  for (size_t to = 0; to < from.size(); ++to) {
    size_t count = firstPending[to + 1] - firstPending[to];
    for (size_t i = 0; i < count && from[to] != to; ++i)
      set(state, static_cast<int>(firstPending[to] + i),
          get(old, static_cast<int>(firstPending[from[to]] + i)));
    count = firstFact[to + 1] - firstFact[to];
    for (size_t i = 0; i < count; ++i)
      for (int holder = 0; holder < holders; ++holder) {
        int source = holder < warps ? static_cast<int>(from[holder]) : holder;
        set(state, view(holder, firstFact[to] + i),
            get(old, view(source, firstFact[from[to]] + i)));
      }
  }
}

} // namespace tsk::protocol::oracle
