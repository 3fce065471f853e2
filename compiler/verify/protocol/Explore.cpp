#include "compiler/verify/protocol/Explore.h"

#include <algorithm>
#include <numeric>

namespace tsk::protocol {

// More than this many snapshots of one symbol on a path: it will not repeat.
static constexpr size_t MaxSnapshots = 256;

Outcome StageExplorer::explore(const std::function<Outcome()> &atEnd) {
  end = &atEnd;
  Path path;
  path.designated.assign(model.program->symbols.size() + 1, {-1, -1});
  Periods periods(model.program->symbols.size() + 1, 1);
  machine.steps = spent;
  machine.stepLimit = budget.maxSteps;
  return run(std::move(path), periods);
}

// The slot of the one run of the symbol's loops that an agent is in; -1: none, -2: several.
int StageExplorer::runOf(const AgentState &agent, int symbol) const {
  int found = -1;
  for (unsigned slot = 0; slot < agent.depth; ++slot)
    if (agent.loops[slot] >= 0 && model.loopSymbols[agent.loops[slot]] == symbol)
      found = found == -1 ? static_cast<int>(slot) : -2;
  return found;
}

// The present iteration of a resolved loop has another one behind it.
bool StageExplorer::leavesRoom(int agent, int slot) const {
  const AgentState &at = machine.state.agents[agent];
  int loop = at.loops[slot];
  int most = machine.most(machine.stageOf(at), model.loopSymbols[loop]);
  if (most == INT_MAX)
    return true;
  for (const Instr &instr : model.agents[agent].code)
    if (instr.code == Code::LoopTest && instr.loop == loop)
      return at.counters[slot] <= instr.count.scale * most + instr.count.add - 2;
  return false;
}

// Whether the agents that moved all stayed in one run each of the symbol's loops and advanced by
// the same number of trips.
bool StageExplorer::moved(const Snapshot &from, const Snapshot &to, int symbol,
                          std::vector<Covered> &runs) const {
  int trips = 0;
  for (size_t index = 0; index < to.agents.size(); ++index) {
    const AgentState &before = from.agents[index], &after = to.agents[index];
    if (before.steps == after.steps)
      continue;
    int slot = runOf(before, symbol);
    if (slot < 0 || runOf(after, symbol) != slot ||
        before.instances[slot] != after.instances[slot] || before.counters[slot] < 1 ||
        !leavesRoom(static_cast<int>(index), slot))
      return false;
    int advance = after.counters[slot] - before.counters[slot], scale = 1;
    for (const Instr &instr : model.agents[index].code)
      if (instr.code == Code::LoopTest && instr.loop == after.loops[slot])
        scale = instr.count.scale;
    if (advance <= 0 || advance % scale != 0 || (trips != 0 && advance / scale != trips))
      return false;
    trips = advance / scale;
    runs.push_back({static_cast<int>(index), after.instances[slot], symbol, trips});
  }
  return trips != 0;
}

// Most snapshots differ in their keys already.
void StageExplorer::turn(Snapshot &snapshot) const {
  canon.turnKnowledge(snapshot.known, snapshot.shifts);
  snapshot.shifts.clear();
}

// Of those with equal keys, most differ in this.
uint64_t StageExplorer::weightOf(Snapshot &snapshot) {
  if (snapshot.weight == 0)
    snapshot.weight = snapshot.known.weight() + 1;
  return snapshot.weight;
}

bool StageExplorer::matches(Snapshot &from, Snapshot &to, Path &path) {
  if (from.symbol != to.symbol || from.hash != to.hash || from.key != to.key)
    return false;
  if (weightOf(from) != weightOf(to))
    return false;
  turn(from);
  turn(to);
  if (from.known != to.known)
    return false;
  // Segments may only lie in each other, and one symbol's not even that.
  for (const Segment &segment : path.segments)
    if (segment.end > from.order && (segment.begin < from.order || segment.symbol == to.symbol))
      return false;
  std::vector<Covered> runs;
  if (!moved(from, to, to.symbol, runs))
    return false;
  for (const Covered &run : runs)
    for (const Covered &old : path.covered)
      if (old.agent == run.agent && old.instance == run.instance && old.symbol == run.symbol)
        return false;
  path.covered.insert(path.covered.end(), runs.begin(), runs.end());
  path.segments.push_back({to.symbol, from.order, to.order});
  return true;
}

void StageExplorer::iterationEnded(Path &path) {
  const AgentState &agent = machine.state.agents[machine.stopped];
  int slot = machine.stoppedSlot;
  int symbol = model.loopSymbols[agent.loops[slot]];
  std::pair<int, int> run{machine.stopped, agent.instances[slot]};
  auto isCovered = [&](std::pair<int, int> which) {
    return std::any_of(path.covered.begin(), path.covered.end(), [&](const Covered &old) {
      return old.agent == which.first && old.instance == which.second && old.symbol == symbol;
    });
  };
  if (isCovered(run))
    return;
  std::pair<int, int> &designated = path.designated[symbol];
  if (designated != run) {
    bool isActive = false;
    if (designated.first >= 0 && !isCovered(designated)) {
      const AgentState &other = machine.state.agents[designated.first];
      for (unsigned k = 0; k < other.depth; ++k)
        isActive |= other.loops[k] >= 0 && other.instances[k] == designated.second;
    }
    if (isActive)
      return;
    designated = run;
  }
  if (path.snapshots.size() >= MaxSnapshots)
    return;
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->symbol = symbol;
  snapshot->order = ++path.order;
  snapshot->agents = machine.state.agents;
  scratch = machine.state;
  canon.normalise(scratch);
  snapshot->shifts = canon.turnControl(scratch);
  snapshot->key = canon.controlKey(scratch, symbol);
  snapshot->known = scratch.known;
  snapshot->hash = hashOf(snapshot->key);
  for (size_t i = path.snapshots.size(); i-- > 0;)
    if (matches(*path.snapshots[i], *snapshot, path))
      break;
  path.snapshots.push_back(std::move(snapshot));
}

Outcome StageExplorer::limit() {
  return unknown(machine.beyond.empty()
                     ? "the proof takes more than " + std::to_string(budget.maxSteps) + " steps"
                     : machine.beyond);
}

Outcome StageExplorer::run(Path path, Periods &periods) {
  for (;;) {
    switch (machine.run(true)) {
    case Stop::Iteration:
      iterationEnded(path);
      break;
    case Stop::Quiet:
      return leaf(path, periods);
    case Stop::Decide:
      return decide(path, periods);
    case Stop::Fault:
      return Outcome::Fault;
    case Stop::Limit:
      return limit();
    }
  }
}

// A run of the stage is complete: which symbols' trip counts does it speak for?
Outcome StageExplorer::leaf(const Path &path, Periods &periods) {
  for (const LoopRun &run : machine.state.loopRuns) {
    int symbol = model.loopSymbols[run.loop];
    auto found = std::find_if(path.covered.begin(), path.covered.end(), [&](const Covered &old) {
      return old.agent == run.agent && old.instance == run.instance && old.symbol == symbol;
    });
    periods[symbol] = found == path.covered.end() ? 0 : std::lcm(periods[symbol], found->period);
  }
  return (*end)();
}

// periods[i]: of the trip count first + i. A number by which the last so many of them repeat, so
// that every larger count is one of them plus a multiple of it; 0: there is none.
int StageExplorer::commonPeriod(const std::vector<int> &periods, int first, int next) {
  int common = 1;
  for (;;) {
    int needed = 1;
    for (int value = next - common; value < next; ++value) {
      if (value < first || periods[value - first] == 0)
        return 0;
      needed = std::lcm(needed, periods[value - first]);
    }
    if (needed <= common)
      return common;
    common = needed;
  }
}

// All values of a symbol were explicit because a larger symbol ends them. That one can only be
// pumped if this one can go with it: for its values beyond there are larger ones of this.
void StageExplorer::boundByOthers(int symbol, const std::vector<int> &known, int first,
                                  Periods &periods) const {
  int common = commonPeriod(known, first, first + static_cast<int>(known.size()));
  const Stage &stage = machine.state.stages.back();
  for (const Relation &relation : model.relations)
    if (relation.smaller == symbol && stage.symbols[relation.larger].isResolved) {
      int &period = periods[relation.larger];
      period = common && period ? std::lcm(period, common) : 0;
    }
}

Outcome StageExplorer::decide(Path &path, Periods &periods) {
  if (machine.decisionLag > 0)
    return unknown("a task is behind in a tile whose trip count is open");
  int symbol = machine.decision;
  bool isLastTile = symbol == static_cast<int>(model.program->symbols.size());
  bool isCondition = isLastTile || model.program->symbols[symbol].isCondition;
  const Stage &stage = machine.state.stages.back();
  int max = machine.most(stage, symbol);
  int first = machine.least(stage, symbol);
  std::vector<int> known;
  for (int value = first;; ++value) {
    State before = machine.state;
    machine.state.stages.back().symbols[symbol] = {value, true};
    Periods inner(periods.size(), 1);
    if (Outcome outcome = run(path, inner); outcome != Outcome::Covered)
      return outcome;
    // Up to there branches ask how large the symbol is, which no larger count repeats.
    bool isAsked = isCondition || value <= model.largestBound[symbol];
    known.push_back(isAsked ? 0 : inner[symbol]);
    for (size_t i = 0; i < periods.size(); ++i)
      if (static_cast<int>(i) != symbol)
        periods[i] = periods[i] && inner[i] ? std::lcm(periods[i], inner[i]) : 0;
    if (value == max) {
      boundByOthers(symbol, known, first, periods);
      return Outcome::Covered;
    }
    if (commonPeriod(known, first, value + 1))
      return Outcome::Covered;
    if (value - first >= budget.maxTrips)
      return unknown("no period found for `" + model.program->symbols[symbol].name + "` up to " +
                     std::to_string(value));
    // Now for all larger values, until somebody must know more of it.
    machine.state = std::move(before);
    if (value + 1 == max)
      continue;
    machine.state.stages.back().symbols[symbol].value = value + 1;
    for (Stop stop = Stop::Iteration; stop == Stop::Iteration;) {
      stop = machine.run(true);
      if (stop == Stop::Iteration)
        iterationEnded(path);
      else if (stop == Stop::Fault)
        return Outcome::Fault;
      else if (stop == Stop::Limit)
        return limit();
      else if (stop == Stop::Quiet || machine.decision != symbol || machine.decisionLag > 0) {
        // Another symbol comes first, or this one does not matter any more: whatever follows
        // speaks for all larger values.
        Periods rest(periods.size(), 1);
        Outcome outcome = stop == Stop::Quiet ? leaf(path, rest) : decide(path, rest);
        for (size_t i = 0; i < periods.size(); ++i)
          if (static_cast<int>(i) != symbol)
            periods[i] = periods[i] && rest[i] ? std::lcm(periods[i], rest[i]) : 0;
        return outcome;
      }
    }
  }
}

} // namespace tsk::protocol
