#include "compiler/verify/report/Deadlock.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

class Analysis {
public:
  Analysis(const Model &theModel, const Coordinates &theCoordinates, const Program &theProgram,
           const CanonicalRun &theRun)
      : model(theModel), coordinates(theCoordinates), program(theProgram), run(theRun) {}

  Deadlock explain() {
    std::vector<unsigned> blocked;
    for (unsigned warp = 0; warp < model.warps.size(); ++warp)
      if (!run.isFinished(warp))
        blocked.push_back(warp);
    for (unsigned warp : blocked)
      if (std::optional<Deadlock> cause = miscounted(warp))
        return *cause;
    for (unsigned warp : blocked)
      if (std::optional<Deadlock> cause = unfulfillable(warp))
        return *cause;
    return findCircle(blocked.front());
  }

private:
  Place waiting(unsigned warp) const { return {warp, run.warps()[warp].pc}; }
  const Op &opOf(unsigned warp) const { return *run.nextOp(warp); }
  const TaskProgram &programOf(unsigned warp) const {
    return program.tasks[model.warps[warp].task.index];
  }

  bool isMine(const Op &op, unsigned warp) const {
    return op.by != plan::By::Leader || model.warps[warp].index == 0;
  }

  // Whether `op`, executed by `warp`, helps the barrier that `waiter` waits for.
  bool contributes(const Op &op, unsigned warp, const Op &waiter) const {
    if (waiter.kind == OpKind::Wait)
      return (op.kind == OpKind::Arrive && op.cell == waiter.cell) ||
             (op.kind == OpKind::Call && loadsFor(op, warp, waiter.cell));
    bool isThreads = op.kind == OpKind::Sync || op.kind == OpKind::Signal;
    return isThreads && model.threadBarrier(*op.step, model.warps[warp]) == waitedThreads;
  }

  bool loadsFor(const Op &op, unsigned warp, unsigned cell) const {
    const TaskProgram &task = programOf(warp);
    for (unsigned i = 0; i < op.accessCount; ++i)
      if (task.accesses[op.firstAccess + i].completes == static_cast<int>(cell))
        return true;
    return false;
  }

  // Warps that still have a contribution before them; their own wait stands in the way.
  std::vector<unsigned> helpers(unsigned waiter) {
    const Op &wait = opOf(waiter);
    waitedThreads = run.warps()[waiter].blockedIn;
    std::vector<unsigned> result;
    for (unsigned warp = 0; warp < model.warps.size(); ++warp) {
      if (warp == waiter && wait.kind != OpKind::Wait)
        continue;
      const std::vector<Op> &ops = programOf(warp).ops;
      for (size_t i = run.warps()[warp].pc; i < ops.size(); ++i) {
        bool isOwnBlocked = i == run.warps()[warp].pc && ops[i].kind == OpKind::Sync;
        if (isMine(ops[i], warp) && !isOwnBlocked && contributes(ops[i], warp, wait)) {
          result.push_back(warp);
          break;
        }
      }
    }
    return result;
  }

  // A phase that has begun and that the steps on its barrier, each done once, do not complete.
  std::optional<Deadlock> miscounted(unsigned waiter) const {
    const Op &wait = opOf(waiter);
    if (wait.kind != OpKind::Wait)
      return std::nullopt;
    Deadlock result;
    result.waiter = waiting(waiter);
    plan::BarrierId barrier = model.barriers[wait.cell].barrier;
    for (const plan::Task &task : model.plan().tasks)
      addEffects(task.body, task, barrier, result);
    const BarrierState &state = run.barriers()[wait.cell];
    unsigned counted = model.barriers[wait.cell].arrivals;
    if (state.pending == 0 && result.bytesExpected != result.bytesLoaded)
      result.cause = Deadlock::Cause::Bytes;
    else if (state.pending > 0 && state.pending < counted && result.arrivals < counted)
      result.cause = Deadlock::Cause::TooFewArrivals;
    else
      return std::nullopt;
    return result;
  }

  void addEffects(plan::RegionId region, const plan::Task &task, plan::BarrierId barrier,
                  Deadlock &sum) const {
    if (!region)
      return;
    for (const plan::Step &step : model.plan().regions[region].steps) {
      uint64_t lanes = step.by != plan::By::All ? (step.by == plan::By::Leader ? 1 : task.warps)
                       : task.isSingleLane      ? 1
                                                : task.warps * target::WarpThreads;
      bool isArrival =
          step.kind == plan::StepKind::Arrive || step.kind == plan::StepKind::ArriveExpect;
      bool isExpect =
          step.kind == plan::StepKind::Expect || step.kind == plan::StepKind::ArriveExpect;
      if (isArrival && step.barrier == barrier)
        sum.arrivals += lanes;
      if (isExpect && step.barrier == barrier)
        sum.bytesExpected += lanes * step.bytes;
      for (const plan::Access &access : step.accesses)
        if (access.completes == barrier)
          sum.bytesLoaded += lanes * access.bytes;
      addEffects(step.body, task, barrier, sum);
      addEffects(step.elseBody, task, barrier, sum);
    }
  }

  std::optional<Deadlock> unfulfillable(unsigned waiter) {
    if (!helpers(waiter).empty())
      return std::nullopt;
    Deadlock result;
    result.waiter = waiting(waiter);
    const Op &wait = opOf(waiter);
    if (wait.kind != OpKind::Wait) {
      result.cause = Deadlock::Cause::SyncMissing;
      findMissingParticipant(result, waiter);
      return result;
    }
    findContributor(result, wait);
    if (!result.contributor)
      result.cause = Deadlock::Cause::NoArrival;
    else if (findMismatch(result))
      result.cause = Deadlock::Cause::TripMismatch;
    else
      result.cause = Deadlock::Cause::ArrivalsSpent;
    return result;
  }

  // Somebody whose steps arrive on the barrier, whether they have been executed or not.
  void findContributor(Deadlock &result, const Op &wait) {
    plan::BarrierId barrier = model.barriers[wait.cell].barrier;
    for (unsigned warp = 0; warp < model.warps.size(); ++warp) {
      const plan::Task &task = model.plan().tasks[model.warps[warp].task];
      if (model.warps[warp].index > 0 || !arrivesOn(task.body, barrier))
        continue;
      if (!result.contributor)
        result.contributor = warp;
      // Of several, the one that has ended is to blame.
      if (run.isFinished(warp) && !run.isFinished(*result.contributor))
        result.contributor = warp;
    }
    if (!result.contributor)
      return;
    const std::vector<Op> &ops = programOf(*result.contributor).ops;
    for (unsigned i = 0; i < run.warps()[*result.contributor].pc; ++i)
      if (ops[i].kind == OpKind::Arrive && model.barriers[ops[i].cell].barrier == barrier)
        result.contribution = {*result.contributor, i};
  }

  bool arrivesOn(plan::RegionId region, plan::BarrierId barrier) const {
    if (!region)
      return false;
    return llvm::any_of(model.plan().regions[region].steps, [&](const plan::Step &step) {
      bool arrives =
          step.kind == plan::StepKind::Arrive || step.kind == plan::StepKind::ArriveExpect;
      return (arrives && step.barrier == barrier) || arrivesOn(step.body, barrier) ||
             arrivesOn(step.elseBody, barrier);
    });
  }

  // The innermost loops around the wait and around the contributor's arrivals, if they run a
  // different number of times and no one number stands for both.
  bool findMismatch(Deadlock &result) {
    const plan::Step *mine = enclosingLoop(result.waiter.warp, [&](const plan::Step &step) {
      return &step == opOf(result.waiter.warp).step;
    });
    plan::BarrierId barrier = model.barriers[opOf(result.waiter.warp).cell].barrier;
    const plan::Step *theirs = enclosingLoop(*result.contributor, [&](const plan::Step &step) {
      bool arrives =
          step.kind == plan::StepKind::Arrive || step.kind == plan::StepKind::ArriveExpect;
      return arrives && step.barrier == barrier;
    });
    if (!mine || !theirs || !run.isFinished(*result.contributor))
      return false;
    TripCount a = coordinates.tripCount(*mine);
    TripCount b = coordinates.tripCount(*theirs);
    if (a.constant ? a.constant == b.constant : !b.constant && a.coordinate == b.coordinate)
      return false;
    result.waiterLoop = mine;
    result.contributorLoop = theirs;
    return true;
  }

  template <typename Predicate>
  const plan::Step *enclosingLoop(unsigned warp, Predicate isWanted) const {
    return enclosingLoop(model.plan().tasks[model.warps[warp].task].body, nullptr, isWanted);
  }
  template <typename Predicate>
  const plan::Step *enclosingLoop(plan::RegionId region, const plan::Step *around,
                                  Predicate isWanted) const {
    if (!region)
      return nullptr;
    for (const plan::Step &step : model.plan().regions[region].steps) {
      if (isWanted(step))
        return around;
      const plan::Step *inner = step.kind == plan::StepKind::For ? &step : around;
      for (plan::RegionId body : {step.body, step.elseBody})
        if (const plan::Step *found = enclosingLoop(body, inner, isWanted))
          return found;
    }
    return nullptr;
  }

  // A task whose warps have taken part in the barrier before, or should, and come no more.
  void findMissingParticipant(Deadlock &result, unsigned waiter) {
    const Op &wait = opOf(waiter);
    waitedThreads = run.warps()[waiter].blockedIn;
    bool isCta = !wait.step->barrier && wait.step->scope == ir::SyncScope::Cta;
    for (unsigned warp = 0; warp < model.warps.size(); ++warp) {
      if (!run.isFinished(warp))
        continue;
      bool takesPart = isCta;
      const std::vector<Op> &ops = programOf(warp).ops;
      for (unsigned i = 0; i < ops.size(); ++i)
        if (isMine(ops[i], warp) && contributes(ops[i], warp, wait)) {
          takesPart = true;
          result.contribution = {warp, i};
        }
      if (takesPart) {
        result.contributor = warp;
        return;
      }
    }
  }

  // Every blocked warp has helpers, and they are all blocked: following them leads into a circle.
  Deadlock findCircle(unsigned start) {
    std::vector<unsigned> path;
    unsigned warp = start;
    while (!llvm::is_contained(path, warp)) {
      path.push_back(warp);
      warp = nextHelper(warp);
    }
    path.erase(path.begin(), llvm::find(path, warp));
    Deadlock result;
    for (unsigned member : path)
      result.circle.push_back(waiting(member));
    result.waiter = result.circle.front();
    return result;
  }

  // Preferably of another task: siblings are blocked at the same place and tell nothing.
  unsigned nextHelper(unsigned warp) {
    std::vector<unsigned> candidates = helpers(warp);
    for (unsigned candidate : candidates)
      if (model.warps[candidate].task != model.warps[warp].task)
        return candidate;
    return candidates.front();
  }

  const Model &model;
  const Coordinates &coordinates;
  const Program &program;
  const CanonicalRun &run;
  int waitedThreads = -1;
};

} // namespace

Deadlock explainDeadlock(const Model &model, const Coordinates &coordinates, const Program &program,
                         const CanonicalRun &run) {
  return Analysis(model, coordinates, program, run).explain();
}

} // namespace tsk::verify
