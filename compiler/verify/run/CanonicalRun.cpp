#include "compiler/verify/run/CanonicalRun.h"

#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <set>

namespace tsk::verify {

// Rows: warps, then what each barrier's open phase has collected, then what its newest completed
// phase gives, then what each barrier of threads has collected.
static unsigned openRow(const Model &model, unsigned cell) {
  return static_cast<unsigned>(model.warps.size()) + cell;
}
static unsigned phaseRow(const Model &model, unsigned cell) {
  return static_cast<unsigned>(model.warps.size() + model.barriers.size()) + cell;
}
static unsigned threadRow(const Model &model, unsigned barrier) {
  return static_cast<unsigned>(model.warps.size() + 2 * model.barriers.size()) + barrier;
}

// Of an expect in its phase; the 64th and all later ones share theirs.
static uint64_t bitOf(size_t expect) { return uint64_t(1) << std::min<size_t>(expect, 63); }

CanonicalRun::CanonicalRun(const Model &theModel, const Items &theItems, const Program &theProgram)
    : model(theModel), items(theItems), program(theProgram),
      known(threadRow(theModel, static_cast<unsigned>(theModel.threadBarriers.size())),
            theItems.columns),
      states(theModel.warps.size()), threadStates(theModel.threadBarriers.size()),
      hasAsync(theModel.barriers.size()), versions(theModel.cells.size()) {
  for (unsigned warp = 0; warp < states.size(); ++warp)
    known.setRow(warp, true);
  for (const BarrierCell &cell : model.barriers)
    barrierStates.push_back({cell.arrivals, 0, 0, 0});
  for (const auto &list : items.accesses)
    lastAccess.emplace_back(list.size());
  for (const BarrierItems &barrier : items.barriers)
    lastWait.emplace_back(barrier.users.size(), -1);
  openPhases.resize(items.barriers.size());
}

// ---- scheduling --------------------------------------------------------------------------------

const TaskProgram &CanonicalRun::programOf(unsigned warp) const {
  return program.tasks[model.warps[warp].task.index];
}

void CanonicalRun::skipOthers(unsigned warp) {
  const std::vector<Op> &ops = programOf(warp).ops;
  unsigned &pc = states[warp].pc;
  while (model.warps[warp].index > 0 && pc < ops.size() && ops[pc].by == plan::By::Leader)
    ++pc;
}

const Op *CanonicalRun::nextOp(unsigned warp) const {
  const std::vector<Op> &ops = programOf(warp).ops;
  return states[warp].pc < ops.size() ? &ops[states[warp].pc] : nullptr;
}

bool CanonicalRun::isEnabled(unsigned warp) const {
  const Op *op = nextOp(warp);
  if (!op)
    return false;
  if (op->kind == OpKind::Wait)
    return barrierStates[op->cell].completed % 2 != op->parity;
  return states[warp].blockedIn < 0 || states[warp].isReleased;
}

int CanonicalRun::pick() const {
  int best = -1;
  for (unsigned warp = 0; warp < states.size(); ++warp)
    if (isEnabled(warp) && (best < 0 || states[warp].time < states[best].time))
      best = static_cast<int>(warp);
  return best;
}

std::optional<Finding> CanonicalRun::run() {
  for (unsigned warp = 0; warp < states.size(); ++warp)
    skipOthers(warp);
  while (!finding) {
    int warp = pick();
    if (warp < 0)
      break;
    step(static_cast<unsigned>(warp));
  }
  for (unsigned warp = 0; warp < states.size() && !finding; ++warp)
    if (!isFinished(warp))
      report(FindingKind::Stuck, warp);
  if (!finding)
    checkOpenPhases();
  if (!finding)
    checkExit();
  return finding;
}

void CanonicalRun::finish(unsigned warp) {
  ++states[warp].time;
  if (recordsEvents)
    log.push_back({{warp, states[warp].pc}, states[warp].time});
  ++states[warp].pc;
  skipOthers(warp);
}

void CanonicalRun::step(unsigned warp) {
  const Op &op = *nextOp(warp);
  switch (op.kind) {
  case OpKind::Wait:
    wait(warp, op);
    break;
  case OpKind::Arrive:
    arrive(warp, op);
    break;
  case OpKind::Expect:
    expect(warp, op);
    break;
  case OpKind::Sync:
    if (states[warp].isReleased) {
      states[warp].isReleased = false;
      states[warp].blockedIn = -1;
      break;
    }
    signal(warp, op);
    // A warp's own sync, and the last arrival, go on at once; others stay on the operation.
    if (states[warp].blockedIn >= 0 && !states[warp].isReleased)
      return;
    states[warp].isReleased = false;
    states[warp].blockedIn = -1;
    break;
  case OpKind::Signal:
    signal(warp, op);
    break;
  case OpKind::Call:
    call(warp, op);
    break;
  }
  if (!finding)
    finish(warp);
}

Finding &CanonicalRun::report(FindingKind kind, unsigned warp) {
  TSK_CHECK(!finding, "a run ends with its first finding");
  finding.emplace();
  finding->kind = kind;
  finding->place = {warp, states[warp].pc};
  return *finding;
}

// ---- mbarriers ---------------------------------------------------------------------------------

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
    known.join(warp, phaseRow(model, op.cell));
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
  known.join(openRow(model, cell), row);
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
         (isNewest &&
          known.knows(openRow(model, cell), items.barriers[cell].users[wanted.user].expected));
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
  unsigned open = openRow(model, cell);
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
  known.copyRow(open, phaseRow(model, cell));
  known.set(phaseRow(model, cell), barrier.newest);
  known.setRow(open, false);
  hasAsync[cell] = {false, hasAsync[cell][0], hasAsync[cell][1]};
  BarrierState &state = barrierStates[cell];
  state.pending = model.barriers[cell].arrivals;
  ++state.completed;
}

// ---- barriers of threads -----------------------------------------------------------------------

void CanonicalRun::signal(unsigned warp, const Op &op) {
  int index = model.threadBarrier(*op.step, model.warps[warp]);
  if (index < 0)
    return;
  auto barrier = static_cast<unsigned>(index);
  ThreadBarrierState &state = threadStates[barrier];
  const BarrierItems &item = items.threadBarriers[barrier];
  // The generation before must be over, for who has been in it cannot be told apart otherwise.
  bool knowsLast = known.knows(warp, item.newest);
  if (!knowsLast) {
    knowsLast = true;
    for (const BarrierUser &user : item.users)
      knowsLast &= known.knows(warp, user.contributed[1]);
  }
  if (state.generations && !knowsLast) {
    report(FindingKind::EarlyArrival, warp).threadBarrier = index;
    return;
  }
  unsigned threads = target::WarpThreads; // the hardware counts whole warps
  if (state.arrived + threads > model.threadBarriers[barrier].threads) {
    report(FindingKind::Overrun, warp).threadBarrier = index;
    return;
  }
  int column = item.find(warp)->contributed[0];
  known.setColumn(column, false);
  known.set(warp, column);
  state.arrived += threads;
  known.join(threadRow(model, barrier), warp);
  state.time = std::max(state.time, states[warp].time);
  if (op.kind == OpKind::Sync)
    states[warp].blockedIn = index;
  if (state.arrived == model.threadBarriers[barrier].threads)
    completeThreads(barrier);
}

void CanonicalRun::completeThreads(unsigned barrier) {
  ThreadBarrierState &state = threadStates[barrier];
  const BarrierItems &item = items.threadBarriers[barrier];
  for (const BarrierUser &user : item.users) {
    known.copyColumn(user.contributed[0], user.contributed[1]);
    known.setColumn(user.contributed[0], true);
  }
  known.setColumn(item.newest, false);
  unsigned row = threadRow(model, barrier);
  known.set(row, item.newest);
  // Whoever is blocked learns now, not when it goes on: by then another generation may be open.
  for (unsigned warp = 0; warp < states.size(); ++warp)
    if (states[warp].blockedIn == static_cast<int>(barrier) && !states[warp].isReleased) {
      states[warp].isReleased = true;
      known.join(warp, row);
      states[warp].time = std::max(states[warp].time, state.time);
    }
  known.setRow(row, false);
  state.arrived = 0;
  ++state.generations;
}

// ---- memory ------------------------------------------------------------------------------------

void CanonicalRun::call(unsigned warp, const Op &op) {
  const TaskProgram &task = programOf(warp);
  for (unsigned i = 0; i < op.accessCount && !finding; ++i)
    access(warp, op, task.accesses[op.firstAccess + i]);
}

void CanonicalRun::access(unsigned warp, const Op &op, const CellAccess &access) {
  if (!checkRaces(warp, access, access.cell))
    return;
  for (unsigned overlap : model.cells[access.cell].overlaps)
    if (!checkRaces(warp, access, overlap))
      return;
  if (access.isWrite)
    write(access);
  else if (!checkVersion(warp, access))
    return;

  unsigned index =
      items.access(access.cell, access.isLoad ? -1 : static_cast<int>(warp), access.isWrite);
  const AccessItem &item = items.accesses[access.cell][index];
  Last &last = lastAccess[access.cell][index];
  auto pc = static_cast<int>(states[warp].pc);
  if (item.olderColumn >= 0 && last.op != pc)
    known.copyColumn(item.column, item.olderColumn);
  known.setColumn(item.column, false);
  last = {pc, warp};
  if (access.isLoad)
    load(warp, access);
  else
    known.set(warp, item.column);
}

bool CanonicalRun::checkRaces(unsigned warp, const CellAccess &access, unsigned cell) {
  for (size_t i = 0; i < items.accesses[cell].size(); ++i) {
    const AccessItem &item = items.accesses[cell][i];
    const Last &last = lastAccess[cell][i];
    if (last.op < 0 || !(item.isWrite || access.isWrite))
      continue;
    unsigned column = item.column;
    // The threads of one call of one work cooperate: their accesses do not conflict.
    if (last.op == static_cast<int>(states[warp].pc) &&
        model.warps[last.warp].task == model.warps[warp].task) {
      if (item.olderColumn < 0)
        continue;
      column = static_cast<unsigned>(item.olderColumn);
    }
    if (known.knows(warp, column))
      continue;
    Finding &race = report(FindingKind::Race, warp);
    race.cell = static_cast<int>(access.cell);
    race.other = {last.warp, static_cast<unsigned>(last.op)};
    race.isWrite = access.isWrite;
    race.isLoad = access.isLoad;
    race.isOtherWrite = item.isWrite;
    race.isOtherLoad = item.warp < 0;
    return false;
  }
  return true;
}

void CanonicalRun::write(const CellAccess &access) {
  versions[access.cell] = {Version::Written, access.position};
  for (unsigned overlap : model.cells[access.cell].overlaps)
    if (versions[overlap].state == Version::Written)
      versions[overlap].state = Version::Clobbered;
}

// Without races the newest write is the same in every interleaving, so this run decides.
bool CanonicalRun::checkVersion(unsigned warp, const CellAccess &access) {
  const Version &version = versions[access.cell];
  bool isWrong =
      access.position >= 0 && version.position >= 0 && access.position != version.position;
  if (version.state == Version::Written && !isWrong)
    return true;
  FindingKind kind = version.state == Version::Unwritten   ? FindingKind::Unwritten
                     : version.state == Version::Clobbered ? FindingKind::Clobbered
                                                           : FindingKind::WrongVersion;
  Finding &wrong = report(kind, warp);
  wrong.cell = static_cast<int>(access.cell);
  wrong.expected = access.position;
  wrong.found = version.position;
  return false;
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

// The memory of a CTA lives as long as one of its warps: a load must be known complete to some warp
// before that one ends.
void CanonicalRun::checkExit() {
  for (unsigned cell = 0; cell < items.accesses.size(); ++cell)
    for (size_t i = 0; i < items.accesses[cell].size(); ++i) {
      const AccessItem &item = items.accesses[cell][i];
      const Last &last = lastAccess[cell][i];
      if (item.warp >= 0 || last.op < 0)
        continue;
      bool isKnown = false;
      for (unsigned warp = 0; warp < states.size(); ++warp)
        isKnown |= known.knows(warp, item.column);
      if (isKnown)
        continue;
      Finding &open = report(FindingKind::LoadAtExit, last.warp);
      open.place = {last.warp, static_cast<unsigned>(last.op)};
      open.cell = static_cast<int>(cell);
      return;
    }
}

} // namespace tsk::verify
