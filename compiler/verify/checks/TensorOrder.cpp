#include "compiler/verify/checks/TensorOrder.h"

#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using plan::By;
using plan::Step;
using plan::StepKind;

bool Node::isIn(const Step *loop) const {
  return llvm::any_of(path, [&](const Around &around) { return around.step == loop; });
}

std::vector<const Step *> Node::loops() const {
  std::vector<const Step *> result;
  for (const Around &around : path)
    if (around.isLoop())
      result.push_back(around.step);
  return result;
}

TensorOrder::TensorOrder(const plan::Plan &judged, const proof::Facts &said)
    : plan(judged), facts(said) {
  for (size_t i = 0; i < plan.tasks.size(); ++i) {
    Node place{nullptr, i, {}};
    collect(task(i).body, place);
    ends.push_back(nodes.size());
  }
}

void TensorOrder::collect(plan::RegionId region, Node &place) {
  if (!region)
    return;
  for (const Step &step : plan.regions[region].steps) {
    place.step = &step;
    nodes.push_back(place);
    for (bool isElse : {false, true}) {
      place.path.push_back({&step, isElse});
      collect(isElse ? step.elseBody : step.body, place);
      place.path.pop_back();
    }
  }
}

By TensorOrder::byOf(const Node &node) const {
  return task(node.task).isSingleLane ? By::All : node.step->by;
}

// ---- Within a task ------------------------------------------------------------------------------

const Step *TensorOrder::loopIn(size_t task, const Search &search) const {
  if (!search.rounds.areLater())
    return nullptr;
  return task == nodes[search.from.node].task ? search.rounds.ofFrom
         : task == nodes[search.to.node].task ? search.rounds.ofTo
                                              : nullptr;
}

// Whoever has come by the state's node, and goes on to the goal, comes by `next`. A branch or a
// loop around `next` is around one of these too, in the same round; or it is a loop that runs.
bool TensorOrder::comesBy(const State &state, size_t next, unsigned lap,
                          const Search &search) const {
  const Node &to = nodes[next];
  const Node &goal = nodes[search.to.node];
  const Step *loop = loopIn(to.task, search);
  const auto *inner = llvm::find_if(llvm::ArrayRef(to.path),
                                    [&](const Around &around) { return around.step == loop; });
  const bool isInLoop = inner != llvm::ArrayRef(to.path).end();
  for (const Around &around : to.path) {
    const bool isOutside = isInLoop && &around <= inner; // the loop itself or around it
    auto isShared = [&](const Node &other, unsigned otherLap) {
      return llvm::is_contained(other.path, around) && (lap == otherLap || isOutside);
    };
    const bool isBeforeGoal = goal.task == to.task && next < search.to.node;
    if (isShared(nodes[state.node], state.lap) ||
        (isBeforeGoal && isShared(goal, search.goalLap())))
      continue;
    if (around.isLoop() ? !runs(*around.step, search) : !mayBeMet(around, search))
      return false;
  }
  return true;
}

// It runs at least once: in any launch, or where the start or the goal is come by, since a loop
// around that runs as often.
bool TensorOrder::runs(const Step &loop, const Search &search) const {
  const proof::TermId trips = facts.trips(loop.loop);
  if (facts.all().range(trips).low >= 1)
    return true;
  const bool isFixed = llvm::all_of(
      llvm::ArrayRef({loop.loop.lower, loop.loop.upper, loop.loop.step}), [&](ir::ExprId bound) {
        const proof::Facts::Variables on = facts.variables(bound);
        return on.loops.empty() && on.changing.empty();
      });
  return isFixed &&
         llvm::any_of(llvm::ArrayRef({search.from.node, search.to.node}), [&](size_t at) {
           return llvm::any_of(nodes[at].loops(), [&](const Step *around) {
             return around->kind == StepKind::For && facts.trips(around->loop) == trips;
           });
         });
}

// A condition that changes from round to round may hold in the one that counts.
bool TensorOrder::mayBeMet(const Around &around, const Search &search) const {
  return search.isLoose && !facts.variables(around.step->args[0]).loops.empty();
}

static bool covers(By knowing, By acting) {
  return knowing == By::All || knowing == acting ||
         (knowing == By::WarpLeader && acting == By::Leader);
}

bool TensorOrder::isEverybodysSync(const Node &node) const {
  const Step &step = *node.step;
  if (step.kind != StepKind::Sync)
    return false;
  const unsigned warps = task(node.task).warps;
  if (step.barrier)
    return true;
  return step.scope == ir::SyncScope::Warp        ? warps == 1
         : step.scope == ir::SyncScope::Warpgroup ? warps <= target::WarpgroupWarps
                                                  : true;
}

// What follows from `state` at `next`, a later node of the same task.
void TensorOrder::advance(const State &state, size_t next, unsigned lap, Search &search) {
  if (!comesBy(state, next, lap, search))
    return;
  const Node &to = nodes[next];
  if (to.step->kind == StepKind::Fence && to.step->fence == plan::FenceKind::ProxyAsync &&
      state.isOwn && !state.isFenced)
    search.open.push_back({next, true, state.by, true, lap});
  const State here{next, false, By::All, state.isFenced, lap};
  if (isEverybodysSync(to)) {
    search.open.push_back(here);
    throughSync(next, here, search);
  }
  const bool isArrival =
      to.step->kind == StepKind::Arrive || to.step->kind == StepKind::ArriveExpect;
  if (isArrival && (!state.isOwn || covers(byOf(to), state.by)))
    throughBarrier(to.step->barrier, next, here, search);
}

// A copy is over where a wait says so: of its barrier, or of the group of bulk stores.
void TensorOrder::start(Search &search) const {
  const Site &from = search.from;
  const By by = byOf(nodes[from.node]);
  if (!from.isCopy()) {
    search.open.push_back({from.node, true, by, false});
    return;
  }
  const State begin{from.node, true, by, true};
  if (!from.access->isWrite)
    return;
  for (size_t next = from.node + 1; next < ends[nodes[from.node].task]; ++next) {
    const Step &step = *nodes[next].step;
    if (step.kind == StepKind::WaitGroup && step.queue == plan::Queue::Bulk && step.pending == 0 &&
        !step.isRead && byOf(nodes[next]) == by && comesBy(begin, next, 0, search))
      search.open.push_back({next, true, by, true});
  }
}

bool TensorOrder::isReached(const State &state, const Search &search) const {
  const Node &node = nodes[state.node];
  const Node &goal = nodes[search.to.node];
  if (state.isOwn || node.task != goal.task || !covers(state.by, byOf(goal)) ||
      (search.needsFence && !state.isFenced))
    return false;
  return state.node < search.to.node ||
         (state.lap < search.goalLap() && node.isIn(loopIn(node.task, search)));
}

bool TensorOrder::leads(const Site &from, const Site &to, bool needsFence, Rounds rounds) {
  Search search{from, to, rounds, needsFence};
  return run(search);
}

bool TensorOrder::mayLead(const Site &from, const Site &to, bool needsFence, Rounds rounds) {
  Search search{from, to, rounds, needsFence, /*isLoose=*/true};
  return run(search);
}

bool TensorOrder::run(Search &search) {
  const Site &from = search.from;
  start(search);
  if (from.isCopy() && !from.access->isWrite)
    for (const plan::Access &access : nodes[from.node].step->accesses)
      if (access.completes)
        throughBarrier(access.completes, from.node, {from.node, false, By::All, true}, search);
  while (!search.open.empty()) {
    const State state = search.open.back();
    search.open.pop_back();
    if (!search.seen.insert(state).second)
      continue;
    if (isReached(state, search))
      return true;
    const Node &node = nodes[state.node];
    const Step *loop = loopIn(node.task, search);
    const bool turns = state.lap < search.goalLap() && node.isIn(loop);
    const size_t begin = node.task == 0 ? 0 : ends[node.task - 1];
    for (size_t next = turns ? begin : state.node + 1; next < ends[node.task]; ++next) {
      if (budget == 0) // the verdict will say so
        return true;
      --budget;
      if (next > state.node)
        advance(state, next, state.lap, search);
      if (turns && nodes[next].isIn(loop))
        advance(state, next, state.lap + 1, search);
    }
  }
  return false;
}

// ---- From task to task --------------------------------------------------------------------------

// What stands around a use, told so that two tasks can be compared: how often loops run, what
// conditions say, and what it shares with the use before it.
TensorOrder::Uses::Sign TensorOrder::signOf(const Node &node, const Node *before,
                                            bool isAdvance) const {
  Uses::Sign sign{isAdvance};
  size_t common = 0;
  while (before && common < node.path.size() && common < before->path.size() &&
         node.path[common] == before->path[common])
    ++common;
  sign.push_back(common);
  for (const Around &around : node.path) {
    sign.push_back(around.isLoop() ? 2 : around.isElse);
    sign.push_back(around.isLoop() ? facts.trips(around.step->loop).index
                                   : facts.term(around.step->args[0]).index);
  }
  return sign;
}

void TensorOrder::addUse(Uses &into, size_t node, bool isAdvance, bool sharesSlots) const {
  const Node *before = into.slots.empty() ? nullptr : &nodes[into.slots.back().first];
  // With a cursor, all uses of one place before it moves are of one phase.
  const bool isSame = sharesSlots && before && !isAdvance && before->path == nodes[node].path &&
                      before->step->kind != StepKind::Advance;
  if (!isSame)
    into.pattern.push_back(signOf(nodes[node], before, isAdvance));
  into.slots.push_back({node, into.pattern.size() - 1});
  into.isClear &= llvm::none_of(nodes[node].path, [](const Around &around) {
    return around.step->kind == StepKind::ParallelFor;
  });
}

// `of`: the barrier, or a scope below 0.
const TensorOrder::Uses &TensorOrder::uses(size_t task, Side side, int64_t of) {
  auto [it, isNew] = known.try_emplace({task, side, of});
  Uses &result = it->second;
  if (!isNew)
    return result;
  auto cursorOf = [&](const Step &step) -> std::optional<plan::CursorId> {
    const bool isWait = step.kind == StepKind::Wait;
    const bool isArrival = step.kind == StepKind::Arrive || step.kind == StepKind::ArriveExpect;
    if ((side == Side::Wait && isWait) || (side == Side::Arrive && isArrival))
      return step.barrier.index == of ? std::optional(step.at.cursor) : std::nullopt;
    if (side == Side::Arrive && step.kind == StepKind::Call)
      for (const plan::Access &access : step.accesses)
        if (access.completes && access.completes.index == of)
          return access.completesAt.cursor ? access.completesAt.cursor : access.at.cursor;
    return std::nullopt;
  };
  const size_t begin = task == 0 ? 0 : ends[task - 1];
  if (side == Side::Sync) {
    for (size_t i = begin; i < ends[task]; ++i) {
      const Step &step = *nodes[i].step;
      const bool isSync = step.kind == StepKind::Sync;
      if (of < 0 ? isSync && !step.barrier && -1 - static_cast<int64_t>(step.scope) == of
                 : (isSync || step.kind == StepKind::Arrive) && step.barrier &&
                       step.barrier.index == of)
        addUse(result, i, false, false);
    }
    return result;
  }
  std::optional<plan::CursorId> cursor;
  for (size_t i = begin; i < ends[task]; ++i)
    if (std::optional<plan::CursorId> own = cursorOf(*nodes[i].step)) {
      result.isClear &= !cursor || *cursor == *own;
      cursor = own;
    }
  for (size_t i = begin; i < ends[task] && cursor; ++i) {
    const Step &step = *nodes[i].step;
    if (cursorOf(step))
      addUse(result, i, false, bool(*cursor));
    else if (*cursor && step.kind == StepKind::Advance && step.cursor == *cursor)
      addUse(result, i, true, true);
  }
  return result;
}

// The uses by another task that are of the same phase.
std::vector<size_t> TensorOrder::partners(size_t node, const Uses &from, const Uses &to,
                                          bool isLoose) const {
  std::vector<size_t> result;
  const bool isAny = !areAlike(from, to);
  if (isAny && !isLoose)
    return result;
  for (const auto &[use, slot] : from.slots)
    if (use == node)
      for (const auto &[partner, other] : to.slots)
        if ((isAny || other == slot) && nodes[partner].step->kind != StepKind::Advance)
          result.push_back(partner);
  return result;
}

// Where a way from any round to any other must not go: a barrier that leads to one round of the
// goal's loop from one of the start's, or perhaps from such a one through other tasks. From a place
// behind the start's loop it leads to each round from all of that.
bool TensorOrder::isOfOneRound(size_t arrival, size_t partner, bool areAlike,
                               const Search &search) const {
  if (search.isLoose && !areAlike)
    return false; // nobody can tell
  if (!search.rounds.areAny || !nodes[partner].isIn(search.rounds.ofTo))
    return false;
  const Node &from = nodes[arrival];
  const bool isBehind = from.task == nodes[search.from.node].task && arrival > search.from.node;
  return from.isIn(search.rounds.ofFrom) || (!isBehind && !search.isLoose);
}

void TensorOrder::throughSync(size_t sync, const State &state, Search &search) {
  const Step &step = *nodes[sync].step;
  if (!step.barrier && step.scope != ir::SyncScope::Cta && step.scope != ir::SyncScope::Cluster)
    return;
  const int64_t of = step.barrier ? step.barrier.index : -1 - static_cast<int64_t>(step.scope);
  const Uses &own = uses(nodes[sync].task, Side::Sync, of);
  for (size_t other = 0; other < ends.size(); ++other) {
    if (other == nodes[sync].task)
      continue;
    const Uses &theirs = uses(other, Side::Sync, of);
    for (size_t partner : partners(sync, own, theirs, search.isLoose))
      if (isEverybodysSync(nodes[partner]) &&
          !isOfOneRound(sync, partner, areAlike(own, theirs), search) &&
          nodes[sync].isIn(loopIn(nodes[sync].task, search)) ==
              nodes[partner].isIn(loopIn(other, search)))
        search.open.push_back({partner, false, By::All, state.isFenced, state.lap});
  }
}

// A fresh barrier lets a producer's first waits pass: as many as it has stages, so with one stage
// the arrival of a round belongs to the wait of the next.
void TensorOrder::throughBarrier(plan::BarrierId barrier, size_t arrival, const State &state,
                                 Search &search) {
  const size_t from = nodes[arrival].task;
  const Step *loop = loopIn(from, search);
  const Uses &own = uses(
      from, plan.barriers[barrier].kind == plan::Barrier::Kind::Named ? Side::Sync : Side::Arrive,
      barrier.index);
  const bool isNamed = plan.barriers[barrier].kind == plan::Barrier::Kind::Named;
  for (size_t other = 0; other < ends.size(); ++other) {
    const Uses &theirs = uses(other, isNamed ? Side::Sync : Side::Wait, barrier.index);
    for (size_t partner : partners(arrival, own, theirs, search.isLoose)) {
      const Step &wait = *nodes[partner].step;
      if (isNamed ? wait.kind != StepKind::Sync || other == from : wait.kind != StepKind::Wait)
        continue;
      const bool isFresh = !isNamed && (wait.at.cursor ? plan.cursors[wait.at.cursor].startParity
                                                       : wait.at.parity) != 0;
      const Step *theirLoop = loopIn(other, search);
      const bool isInside = nodes[partner].isIn(theirLoop);
      if (nodes[arrival].isIn(loop) != isInside ||
          isOfOneRound(arrival, partner, areAlike(own, theirs), search))
        continue;
      const State next{partner, false, byOf(nodes[partner]), state.isFenced, state.lap};
      if (!isFresh) {
        search.open.push_back(next);
        continue;
      }
      const auto inLoop = llvm::count_if(theirs.slots, [&](const auto &use) {
        return nodes[use.first].step->kind == StepKind::Wait && nodes[use.first].isIn(theirLoop);
      });
      if (isInside && inLoop == 1 && plan.barriers[barrier].stages == 1 &&
          state.lap < search.goalLap() && wait.at.cursor) {
        State later = next;
        ++later.lap;
        search.open.push_back(later);
      }
    }
  }
}

} // namespace tsk::verify
