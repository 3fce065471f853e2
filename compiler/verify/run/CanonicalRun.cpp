#include "compiler/verify/run/CanonicalRun.h"
#include "compiler/target/Target.h"

namespace tsk::verify {

CanonicalRun::CanonicalRun(const Model &theModel, const Items &theItems, const Program &theProgram)
    : model(theModel), items(theItems), program(theProgram),
      known(threadRow(static_cast<unsigned>(theModel.threadBarriers.size())), theItems.columns),
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
  known.join(threadRow(barrier), warp);
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
  unsigned row = threadRow(barrier);
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

} // namespace tsk::verify
