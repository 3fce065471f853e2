// The mbarriers of a canonical run: phases, who knows them, and what can go wrong with them.
#include "compiler/verify/run/CanonicalRun.h"

#include "llvm/ADT/bit.h"

#include <set>

namespace tsk::verify {

// Of an expect in its phase; the 64th and all later ones share theirs.
static uint64_t bitOf(size_t expect) { return uint64_t(1) << std::min<size_t>(expect, 63); }

// The phase `age` before the newest completed one is known, directly or through all who
// contributed.
bool CanonicalRun::knowsPhase(const Knowledge::Row &row, unsigned cell, unsigned age) const {
  const BarrierItems &barrier = items.barriers[cell];
  if (Knowledge::knows(row, age == 0 ? barrier.newest : barrier.secondNewest))
    return true;
  if (hasAsync[cell][1 + age])
    return false;
  for (const BarrierUser &user : barrier.users)
    if (user.contributed[1 + age] >= 0 && !Knowledge::knows(row, user.contributed[1 + age]))
      return false;
  return true;
}

void CanonicalRun::wait(unsigned warp, const Op &op) {
  BarrierState &state = barrierStates[op.cell];
  if (state.completed >= 2 && !knowsPhase(known.row(warp), op.cell, 1)) {
    report(FindingKind::StalePass, warp).barrier = static_cast<int>(op.cell);
    return;
  }
  if (state.completed)
    known.join(warp, phaseRow(op.cell));
  const BarrierItems &barrier = items.barriers[op.cell];
  const BarrierUser *user = barrier.find(warp);
  known.setColumn(user->waited, false);
  known.set(warp, user->waited);
  lastWait[op.cell][user - barrier.users.data()] = static_cast<int>(states[warp].pc);
  states[warp].time = std::max(states[warp].time, state.time);
}

void CanonicalRun::arrive(unsigned warp, const Op &op) {
  unsigned lanes = op.by == plan::By::All ? model.warps[warp].lanes : 1;
  // Each lane of an arrive_expect expects its bytes.
  contribute(warp, op.cell, lanes, int64_t(op.bytes) * lanes, known.row(warp), false);
}

void CanonicalRun::expect(unsigned warp, const Op &op) {
  unsigned lanes = op.by == plan::By::All ? model.warps[warp].lanes : 1;
  const BarrierItems &barrier = items.barriers[op.cell];
  const BarrierUser *user = barrier.find(warp);
  OpenPhase &phase = openPhases[op.cell];
  for (size_t i = 0; i < phase.expects.size(); ++i)
    phase.expects[i].isCovered = isCovered(op.cell, i);
  phase.expects.push_back(
      {static_cast<unsigned>(user - barrier.users.data()), states[warp].pc, false});
  known.setColumn(user->expected, false);
  known.set(warp, user->expected);
  contribute(warp, op.cell, 0, int64_t(op.bytes) * lanes, known.row(warp), false);
}

void CanonicalRun::load(unsigned warp, const CellAccess &access) {
  if (access.completes < 0)
    return;
  auto cell = static_cast<unsigned>(access.completes);
  Knowledge::Row row = known.row(warp);
  // The completion brings the load itself.
  Knowledge::set(row, items.accesses[access.cell][items.access(access.cell, -1, true)].column,
                 true);
  contribute(warp, cell, 0, -int64_t(access.bytes), std::move(row), true);
}

void CanonicalRun::contribute(unsigned warp, unsigned cell, unsigned arrivals, int64_t bytes,
                              Knowledge::Row row, bool isAsync) {
  BarrierState &state = barrierStates[cell];
  if (state.completed && !knowsPhase(row, cell, 0)) {
    report(FindingKind::EarlyArrival, warp).barrier = static_cast<int>(cell);
    return;
  }
  if (arrivals > state.pending) {
    report(FindingKind::Overrun, warp).barrier = static_cast<int>(cell);
    return;
  }
  OpenPhase &phase = openPhases[cell];
  uint64_t after = 0;
  for (size_t i = 0; i < phase.expects.size(); ++i)
    if (Knowledge::knows(row, items.barriers[cell].users[phase.expects[i].user].expected))
      after |= bitOf(i);
  if (after || !phase.expects.empty() || bytes != 0)
    phase.contributions.push_back({bytes, after, isAsync});
  // Only an arrival covers the expects that it comes after.
  if (arrivals == 0)
    for (const BarrierUser &user : items.barriers[cell].users)
      if (user.expected >= 0)
        Knowledge::set(row, user.expected, false);
  if (isAsync) {
    hasAsync[cell][0] = true;
  } else {
    int column = items.barriers[cell].find(warp)->contributed[0];
    known.setColumn(column, false);
    known.set(warp, column);
    Knowledge::set(row, column, true);
  }
  state.pending -= arrivals;
  state.bytes += bytes;
  known.join(openRow(cell), row);
  state.time = std::max(state.time, states[warp].time + 1);
  if (state.pending == 0 && state.bytes == 0)
    complete(warp, cell);
}

bool CanonicalRun::isCovered(unsigned cell, size_t expect) const {
  const OpenPhase &phase = openPhases[cell];
  const Expect &wanted = phase.expects[expect];
  bool isNewest = true;
  for (size_t i = expect + 1; i < phase.expects.size(); ++i)
    isNewest &= phase.expects[i].user != wanted.user;
  return wanted.isCovered ||
         (isNewest && known.knows(openRow(cell), items.barriers[cell].users[wanted.user].expected));
}

// An expect of the open phase without which the phase can be complete in some interleaving: no
// arrival comes after it, and some of what is not after it balances. Loads land when they like. -1:
// none.
int CanonicalRun::lateExpect(unsigned cell) const {
  const OpenPhase &phase = openPhases[cell];
  std::vector<unsigned> uncovered;
  for (unsigned i = 0; i < phase.expects.size(); ++i)
    if (!isCovered(cell, i))
      uncovered.push_back(i);
  constexpr size_t MaxExpects = 8; // more at once are judged as one
  for (uint64_t choice = 1; choice < uint64_t(1) << std::min(uncovered.size(), MaxExpects);
       ++choice) {
    uint64_t missing = 0;
    for (size_t i = 0; i < uncovered.size(); ++i)
      if (choice >> std::min(i, MaxExpects - 1) & 1)
        missing |= bitOf(uncovered[i]);
    std::set<int64_t> balances = {0};
    for (const Contribution &contribution : phase.contributions) {
      if (contribution.after & missing)
        continue;
      std::set<int64_t> next;
      for (int64_t balance : balances) {
        next.insert(balance + contribution.bytes);
        if (contribution.isLoad)
          next.insert(balance);
      }
      balances = std::move(next);
    }
    if (balances.count(0))
      return static_cast<int>(uncovered[llvm::countr_zero(choice)]);
  }
  return -1;
}

void CanonicalRun::complete(unsigned warp, unsigned cell) {
  const BarrierItems &barrier = items.barriers[cell];
  unsigned open = openRow(cell);
  if (int index = lateExpect(cell); index >= 0) {
    const Expect &expect = openPhases[cell].expects[static_cast<size_t>(index)];
    Finding &late = report(FindingKind::LateExpect, warp);
    late.barrier = static_cast<int>(cell);
    late.other = {barrier.users[expect.user].warp, expect.op};
    return;
  }
  openPhases[cell] = {};
  for (size_t i = 0; i < barrier.users.size(); ++i) {
    const BarrierUser &user = barrier.users[i];
    if (user.waited >= 0) {
      if (!known.knows(open, user.waited)) {
        Finding &missed = report(FindingKind::MissedPhase, warp);
        missed.barrier = static_cast<int>(cell);
        missed.other = {user.warp, static_cast<unsigned>(lastWait[cell][i])};
        return;
      }
      known.setColumn(user.waited, true);
    }
    if (user.expected >= 0)
      known.setColumn(user.expected, true);
    if (user.contributed[0] >= 0) {
      known.copyColumn(user.contributed[1], user.contributed[2]);
      known.copyColumn(user.contributed[0], user.contributed[1]);
      known.setColumn(user.contributed[0], true);
    }
  }
  known.copyColumn(barrier.newest, barrier.secondNewest);
  known.setColumn(barrier.newest, false);
  known.copyRow(open, phaseRow(cell));
  known.set(phaseRow(cell), barrier.newest);
  known.setRow(open, false);
  hasAsync[cell] = {false, hasAsync[cell][0], hasAsync[cell][1]};
  BarrierState &state = barrierStates[cell];
  state.pending = model.barriers[cell].arrivals;
  ++state.completed;
}

// A phase that stays open here, with all its arrivals in, for want of bytes: elsewhere it may
// complete before an expect that no arrival covers.
void CanonicalRun::checkOpenPhases() {
  for (unsigned cell = 0; cell < barrierStates.size() && !finding; ++cell) {
    int index = barrierStates[cell].pending == 0 ? lateExpect(cell) : -1;
    if (index < 0)
      continue;
    const Expect &expect = openPhases[cell].expects[static_cast<size_t>(index)];
    Finding &late = report(FindingKind::LateExpect, items.barriers[cell].users[expect.user].warp);
    late.barrier = static_cast<int>(cell);
    late.place.op = expect.op;
    late.other = late.place;
  }
}

} // namespace tsk::verify
