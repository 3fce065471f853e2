#include "compiler/verify/report/Deadlock.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

using plan::StepKind;

bool isArrival(const plan::Step &step) {
  return step.kind == StepKind::Arrive || step.kind == StepKind::ArriveExpect;
}

class Analysis {
public:
  explicit Analysis(const Trace &stuck)
      : trace(stuck), plan(stuck.plan), agents(static_cast<int>(stuck.model.agents.size())) {}

  Deadlock explain() {
    std::vector<int> blocked;
    for (int agent = 0; agent < agents; ++agent) {
      rest.push_back(trace.remaining(agent));
      if (!trace.isFinished(agent))
        blocked.push_back(agent);
    }
    for (int agent : blocked)
      if (std::optional<Deadlock> cause = miscounted(agent))
        return *cause;
    for (int agent : blocked)
      if (std::optional<Deadlock> cause = unfulfillable(agent))
        return *cause;
    return findCircle(blocked.front());
  }

private:
  const Moment &waiting(int agent) const { return rest[agent].front(); }
  unsigned taskOf(int agent) const { return trace.model.agents[agent].task; }
  const plan::Task &planTask(int agent) const { return plan.tasks[trace.taskOf(agent)]; }
  bool isFirst(int agent) const { return trace.model.agents[agent].warp == 0; }
  plan::BarrierId barrierOf(int agent) const { return waiting(agent).step->barrier; }

  // Which generation barrier a step is about: its number, or a scope's own.
  static auto threadsOf(const Moment &at, unsigned task) {
    bool isTasks = !at.step->barrier && at.step->scope != ir::SyncScope::Cta &&
                   at.step->scope != ir::SyncScope::Cluster;
    return std::tuple(at.step->barrier, at.step->scope, isTasks ? task : ~0u);
  }

  // Whether `moment` of `agent` helps the barrier that `waiter` waits for.
  bool contributes(const Moment &moment, int agent, int waiter) const {
    const Moment &wait = waiting(waiter);
    if (wait.element >= 0)
      return trace.isAt(moment, wait.element) &&
             (isArrival(*moment.step) || moment.step->kind == StepKind::Call);
    bool isSync = moment.step->kind == StepKind::Sync ||
                  (moment.step->kind == StepKind::Arrive && moment.element < 0);
    return isSync && threadsOf(moment, taskOf(agent)) == threadsOf(wait, taskOf(waiter));
  }

  // Agents that still have a contribution before them; their own wait stands in the way.
  std::vector<int> helpers(int waiter) const {
    std::vector<int> result;
    for (int agent = 0; agent < agents; ++agent) {
      if (agent == waiter && waiting(waiter).element < 0)
        continue;
      for (size_t i = 0; i < rest[agent].size(); ++i) {
        bool isOwnBlocked = i == 0 && rest[agent][i].step->kind == StepKind::Sync;
        if (!isOwnBlocked && contributes(rest[agent][i], agent, waiter)) {
          result.push_back(agent);
          break;
        }
      }
    }
    return result;
  }

  // A phase that has begun and that the steps on its barrier, each done once, do not complete.
  std::optional<Deadlock> miscounted(int waiter) const {
    int element = waiting(waiter).element;
    if (element < 0)
      return std::nullopt;
    Deadlock result;
    result.waiter = waiting(waiter);
    for (const plan::Task &task : plan.tasks)
      addEffects(task.body, task, barrierOf(waiter), result);
    const protocol::ElementState &state = trace.state().elements[element];
    auto pending = static_cast<unsigned>(state.pending);
    unsigned counted = plan.barriers[barrierOf(waiter)].arrivals;
    if (pending == 0 && result.bytesExpected != result.bytesLoaded)
      result.cause = Deadlock::Cause::Bytes;
    else if (pending > 0 && pending < counted && result.arrivals < counted)
      result.cause = Deadlock::Cause::TooFewArrivals;
    else
      return std::nullopt;
    return result;
  }

  void addEffects(plan::RegionId region, const plan::Task &task, plan::BarrierId barrier,
                  Deadlock &sum) const {
    if (!region)
      return;
    for (const plan::Step &step : plan.regions[region].steps) {
      uint64_t lanes = step.by != plan::By::All ? (step.by == plan::By::Leader ? 1 : task.warps)
                       : task.isSingleLane      ? 1
                                                : task.warps * target::WarpThreads;
      if (isArrival(step) && step.barrier == barrier) // as many come from peers as go to them
        sum.arrivals += lanes * countAlong(plan.cluster, step.peers);
      bool isExpect = step.kind == StepKind::Expect || step.kind == StepKind::ArriveExpect;
      if (isExpect && step.barrier == barrier)
        sum.bytesExpected += lanes * step.bytes;
      for (const plan::Access &access : step.accesses)
        if (access.completes == barrier)
          (access.mechanism == ir::Mechanism::CpAsync ? sum.arrivals : sum.bytesLoaded) +=
              lanes * (access.mechanism == ir::Mechanism::CpAsync
                           ? 1
                           : access.bytes * countAlong(plan.cluster, access.multicast));
      addEffects(step.body, task, barrier, sum);
      addEffects(step.elseBody, task, barrier, sum);
    }
  }

  std::optional<Deadlock> unfulfillable(int waiter) const {
    if (!helpers(waiter).empty())
      return std::nullopt;
    Deadlock result;
    result.waiter = waiting(waiter);
    if (result.waiter.element < 0) {
      result.cause = Deadlock::Cause::SyncMissing;
      findMissingParticipant(result, waiter);
      return result;
    }
    findContributor(result, waiter);
    if (result.contributor < 0)
      result.cause = Deadlock::Cause::NoArrival;
    else if (findMismatch(result, waiter))
      result.cause = Deadlock::Cause::TripMismatch;
    else
      result.cause = Deadlock::Cause::ArrivalsSpent;
    return result;
  }

  // Somebody whose steps arrive on the barrier, whether they have been executed or not.
  void findContributor(Deadlock &result, int waiter) const {
    plan::BarrierId barrier = barrierOf(waiter);
    for (int agent = 0; agent < agents; ++agent) {
      if (!isFirst(agent) || !arrivesOn(planTask(agent).body, barrier))
        continue;
      if (result.contributor < 0)
        result.contributor = agent;
      // Of several, the one that has ended is to blame.
      if (trace.isFinished(agent) && !trace.isFinished(result.contributor))
        result.contributor = agent;
    }
    for (const Moment &moment : trace.moments())
      if (moment.agent == result.contributor && moment.step->barrier == barrier &&
          isArrival(*moment.step))
        result.contribution = moment;
  }

  static bool helps(const plan::Step &step, plan::BarrierId barrier) {
    return (isArrival(step) && step.barrier == barrier) ||
           llvm::any_of(step.accesses,
                        [&](const plan::Access &access) { return access.completes == barrier; });
  }

  bool arrivesOn(plan::RegionId region, plan::BarrierId barrier) const {
    return region && llvm::any_of(plan.regions[region].steps, [&](const plan::Step &step) {
             return (isArrival(step) && step.barrier == barrier) || arrivesOn(step.body, barrier) ||
                    arrivesOn(step.elseBody, barrier);
           });
  }

  // The innermost loops around the wait and around the contributor's arrivals, if they run a
  // different number of times and nothing says that they are equal.
  bool findMismatch(Deadlock &result, int waiter) const {
    const plan::Step *mine =
        enclosingLoop(plan, planTask(waiter).body,
                      [&](const plan::Step &step) { return &step == result.waiter.step; });
    plan::BarrierId barrier = barrierOf(waiter);
    const plan::Step *theirs =
        enclosingLoop(plan, planTask(result.contributor).body,
                      [&](const plan::Step &step) { return helps(step, barrier); });
    if (!mine || !theirs || !trace.isFinished(result.contributor))
      return false;
    proof::Facts facts(plan);
    if (facts.trips(mine->loop) == facts.trips(theirs->loop))
      return false;
    result.waiterLoop = mine;
    result.contributorLoop = theirs;
    return true;
  }

  // A task whose warps have taken part in the barrier before, or should, and come no more.
  void findMissingParticipant(Deadlock &result, int waiter) const {
    const plan::Step &wait = *result.waiter.step;
    unsigned threads = 0;
    for (const plan::Task &task : plan.tasks)
      threads += task.warps * target::WarpThreads;
    bool isCta = wait.barrier ? plan.barriers[wait.barrier].arrivals == threads
                              : wait.scope == ir::SyncScope::Cta;
    for (int agent = 0; agent < agents; ++agent) {
      if (!trace.isFinished(agent))
        continue;
      bool takesPart = isCta;
      for (const Moment &moment : trace.moments())
        if (moment.agent == agent && contributes(moment, agent, waiter)) {
          takesPart = true;
          result.contribution = moment;
        }
      if (takesPart) {
        result.contributor = agent;
        return;
      }
    }
  }

  // Every blocked agent has helpers, and they are all blocked: following them leads into a circle.
  Deadlock findCircle(int start) const {
    std::vector<int> path;
    int agent = start;
    while (!llvm::is_contained(path, agent)) {
      path.push_back(agent);
      agent = nextHelper(agent);
    }
    path.erase(path.begin(), llvm::find(path, agent));
    Deadlock result;
    for (int member : path)
      result.circle.push_back(waiting(member));
    result.waiter = result.circle.front();
    return result;
  }

  // Preferably of another task: siblings are blocked at the same place and tell nothing.
  int nextHelper(int agent) const {
    std::vector<int> candidates = helpers(agent);
    for (int candidate : candidates)
      if (taskOf(candidate) != taskOf(agent))
        return candidate;
    return candidates.front();
  }

  const Trace &trace;
  const plan::Plan &plan;
  int agents;
  std::vector<std::vector<Moment>> rest; // by agent: what it has still to do
};

} // namespace

static const plan::Step *loopAround(const plan::Plan &plan, plan::RegionId region,
                                    const plan::Step *around,
                                    llvm::function_ref<bool(const plan::Step &)> isWanted,
                                    bool &isFound) {
  if (!region)
    return nullptr;
  for (const plan::Step &step : plan.regions[region].steps) {
    isFound = isWanted(step);
    if (isFound)
      return around;
    const plan::Step *inner = step.kind == StepKind::For ? &step : around;
    for (plan::RegionId body : {step.body, step.elseBody}) {
      const plan::Step *found = loopAround(plan, body, inner, isWanted, isFound);
      if (isFound)
        return found;
    }
  }
  return nullptr;
}

const plan::Step *enclosingLoop(const plan::Plan &plan, plan::RegionId region,
                                llvm::function_ref<bool(const plan::Step &)> isWanted) {
  bool isFound = false;
  return loopAround(plan, region, nullptr, isWanted, isFound);
}

Deadlock explainDeadlock(const Trace &trace) { return Analysis(trace).explain(); }

} // namespace tsk::verify
