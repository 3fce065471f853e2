#include "compiler/verify/protocol/Prove.h"

#include "compiler/verify/protocol/Run.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace tsk::protocol {

namespace {

constexpr unsigned MaxNodes = 4000;
constexpr unsigned MaxLag = 3;
constexpr int CountedTiles = 8; // tile counts with bounds no larger than this are told apart

// What can stand between two stages. Nodes with equal control are merged: the merged one knows
// what both know.
struct Cut {
  State state;
  int part = -1;          // that has just run
  bool mustLeave = false; // the tile said that it was the last one
  bool mustStay = false;  // … that it was not
  int tiles = 0;          // as far as the bounds of the count ask
  int parent = -1;
  std::vector<SymbolState> values; // of the stage that led here
  std::vector<int32_t> key;
  bool isQueued = false;
};

class Prover {
public:
  Prover(const Model &judged, const Budget &allowed)
      : model(judged), budget(allowed), machine(judged), canon(judged) {}
  Verdict run();

private:
  bool extend(int from);
  bool runStage(int from, int part, bool isFirst);
  Outcome atEnd(int from, int part, bool isFirst);
  Outcome join(Cut cut);
  bool canStop(const AgentState &agent, size_t index) const;
  Scenario scenarioOf(int from, const Stage &last, bool &isUniform) const;
  void conclude(int from);
  bool search(Scenario &found);

  const Model &model;
  Budget budget;
  Machine machine;
  Canon canon;
  std::deque<Cut> cuts;
  std::unordered_map<uint64_t, std::vector<int>> byKey;
  std::deque<int> queue;
  bool merged = false;
  Verdict verdict;
};

} // namespace

// An agent that is blocked before the end of its stage may wait for something in a later one. It
// can be carried along as long as nothing symbolic is left of its stage.
bool Prover::canStop(const AgentState &agent, size_t index) const {
  if (agent.atBoundary || machine.isDetached(static_cast<int>(index)))
    return true;
  if (agent.lag + 1u > MaxLag)
    return false;
  const std::vector<Instr> &code = model.agents[index].code;
  for (size_t pc = model.agents[index].loopHorizon[agent.pc]; code[pc].code != Code::PartEnd; ++pc)
    if (code[pc].count.symbol >= 0 && code[pc].code != Code::Op)
      return false;
  return true;
}

Outcome Prover::join(Cut cut) {
  std::vector<int32_t> &key = cut.key;
  key = canon.controlKey(cut.state, -1);
  key.push_back(cut.part);
  key.push_back(cut.mustLeave | cut.mustStay << 1 | cut.tiles << 2);
  std::vector<int> &same = byKey[hashOf(key)];
  for (int index : same) {
    Cut &old = cuts[index];
    if (old.key != key)
      continue;
    bool hasChanged = old.state.known.meet(cut.state.known);
    if (hasChanged) {
      merged = true;
      if (!old.isQueued)
        queue.push_back(index);
      old.isQueued = true;
    }
    return Outcome::Covered;
  }
  if (cuts.size() >= MaxNodes) {
    verdict.reason = "more than " + std::to_string(MaxNodes) + " states between tiles";
    return Outcome::Unknown;
  }
  cut.isQueued = true;
  same.push_back(static_cast<int>(cuts.size()));
  queue.push_back(static_cast<int>(cuts.size()));
  cuts.push_back(std::move(cut));
  return Outcome::Covered;
}

Outcome Prover::atEnd(int from, int part, bool isFirst) {
  bool isFinal = part + 1 == static_cast<int>(model.parts.size());
  if (isFinal) {
    bool isClean = machine.checkEnd();
    if (!machine.fault && !machine.beyond.empty()) {
      verdict.reason = machine.beyond;
      return Outcome::Unknown;
    }
    return isClean ? Outcome::Covered : Outcome::Fault;
  }
  for (size_t index = 0; index < model.agents.size(); ++index)
    if (!canStop(machine.state.agents[index], index)) {
      verdict.reason = model.agents[index].name +
                       " needs a later tile to get through a loop with an open trip count";
      return Outcome::Unknown;
    }
  Cut cut;
  cut.state = machine.state;
  cut.part = part;
  cut.parent = from;
  cut.values = machine.state.stages.back().symbols;
  const SymbolState &last = cut.values.back();
  int tiles = model.parts[part].tiles;
  if (tiles >= 0) {
    cut.mustLeave = last.isResolved && last.value == 1;
    cut.mustStay = last.isResolved && last.value == 0;
    const Symbol &symbol = model.program->symbols[tiles];
    int counted = symbol.max <= CountedTiles ? symbol.max : std::min(symbol.min, CountedTiles);
    cut.tiles = std::min((isFirst ? 0 : cuts[from].tiles) + 1, counted);
  }
  size_t needed = 0;
  for (const AgentState &agent : cut.state.agents)
    if (!agent.atBoundary)
      needed = std::max<size_t>(needed, agent.lag + 1u);
  std::vector<Stage> &stages = cut.state.stages;
  stages.erase(stages.begin(), stages.end() - std::max<size_t>(needed, 1));
  cut.state.loopRuns.clear();
  canon.normalise(cut.state);
  canon.turn(cut.state);
  return join(std::move(cut));
}

// The values along the way to a fault. Where they differ between stages for a symbol that has one
// value in the kernel, there is no such run.
Scenario Prover::scenarioOf(int from, const Stage &last, bool &isUniform) const {
  Scenario scenario;
  const std::vector<Symbol> &symbols = model.program->symbols;
  std::vector<SymbolState> kernel(symbols.size());
  for (size_t i = 0; i < symbols.size(); ++i)
    kernel[i].value = symbols[i].min;
  isUniform = true;
  auto note = [&](int part, const std::vector<SymbolState> &values) {
    std::vector<int> plain;
    for (size_t i = 0; i < symbols.size(); ++i) {
      plain.push_back(values[i].value);
      SymbolState &known = kernel[i];
      if (symbols[i].isPerTile)
        continue;
      if (values[i].isResolved)
        isUniform &=
            known.isResolved ? known.value == values[i].value : known.value <= values[i].value;
      else
        isUniform &= !known.isResolved || known.value >= values[i].value;
      if (values[i].isResolved || values[i].value > known.value)
        known = values[i];
    }
    if (int loop = model.parts[part].tiles; loop >= 0)
      scenario.tiles[loop].push_back(plain);
  };
  std::vector<int> path;
  for (int at = from; at > 0; at = cuts[at].parent)
    path.push_back(at);
  for (size_t i = path.size(); i-- > 0;)
    note(cuts[path[i]].part, cuts[path[i]].values);
  note(last.part, last.symbols);
  for (const SymbolState &known : kernel)
    scenario.values.push_back(known.value);
  for (size_t part = 1; part < model.parts.size(); part += 2)
    scenario.values[model.parts[part].tiles] = 0;
  for (auto &[loop, tiles] : scenario.tiles) {
    scenario.values[loop] = static_cast<int>(tiles.size());
    for (std::vector<int> &values : tiles)
      for (size_t i = 0; i < symbols.size(); ++i)
        if (!symbols[i].isPerTile)
          values[i] = scenario.values[i];
  }
  // What nobody asked for is still bound by what others are.
  for (const Relation &relation : model.relations) {
    auto raise = [&](std::vector<int> &values) {
      values[relation.larger] =
          std::max(values[relation.larger], values[relation.smaller] + relation.atLeast);
    };
    raise(scenario.values);
    for (auto &[loop, tiles] : scenario.tiles)
      std::for_each(tiles.begin(), tiles.end(), raise);
  }
  return scenario;
}

// A finding on the way from a merged state may be owed to the merging: it counts once a plain run
// shows it.
void Prover::conclude(int from) {
  bool isUniform = true;
  Scenario scenario = scenarioOf(from, machine.state.stages.back(), isUniform);
  bool isReal = isUniform && isAllowed(*model.program, scenario) &&
                runScenario(machine, scenario).has_value();
  if (!isReal)
    isReal = search(scenario);
  if (!isReal) {
    verdict.judgement = Judgement::Unknown;
    verdict.reason = isUniform
                         ? "a finding that no plain run shows; the proof merged states"
                         : "a finding that needs different values of one symbol of the kernel";
    return;
  }
  verdict.judgement = Judgement::Fault;
  verdict.scenario = smallestFault(model, scenario);
  verdict.fault = runScenario(machine, verdict.scenario);
}

// Small scenarios with the same values in all tiles.
bool Prover::search(Scenario &found) {
  const std::vector<Symbol> &symbols = model.program->symbols;
  if (std::count_if(symbols.begin(), symbols.end(),
                    [](const Symbol &symbol) { return !symbol.isDerived; }) > 6)
    return false;
  std::vector<int> values;
  for (const Symbol &symbol : symbols)
    values.push_back(symbol.min);
  uint64_t steps = 0;
  for (int runs = 0; runs < 5000 && steps < MaxSearchSteps; ++runs) {
    Scenario scenario;
    scenario.values = values;
    for (const Part &part : model.parts)
      if (part.tiles >= 0 && !model.program->symbols[part.tiles].isDerived)
        scenario.tiles[part.tiles].assign(values[part.tiles], values);
    if (isAllowed(*model.program, scenario)) {
      if (runScenario(machine, scenario)) {
        found = scenario;
        return true;
      }
      if (machine.steps > machine.stepLimit)
        return false;
      steps += machine.steps;
    }
    size_t i = 0;
    for (; i < values.size(); ++i) {
      if (!symbols[i].isDerived && values[i] < std::min(symbols[i].max, symbols[i].min + 4)) {
        ++values[i];
        break;
      }
      values[i] = symbols[i].min;
    }
    if (i == values.size())
      break;
  }
  return false;
}

bool Prover::runStage(int from, int part, bool isFirst) {
  machine.state = cuts[from].state;
  machine.fault.reset();
  machine.beyond.clear();
  machine.stageNumber = 1;
  machine.beginStage(part, isFirst);
  StageExplorer explorer(machine, budget, verdict.steps);
  Outcome outcome = explorer.explore([&] { return atEnd(from, part, isFirst); });
  verdict.steps = machine.steps;
  if (outcome == Outcome::Covered)
    return true;
  if (outcome == Outcome::Fault) {
    conclude(from);
    return false;
  }
  if (verdict.reason.empty())
    verdict.reason = explorer.reason;
  Scenario scenario;
  std::string reason = verdict.reason;
  if (search(scenario)) {
    verdict.judgement = Judgement::Fault;
    verdict.scenario = smallestFault(model, scenario);
    verdict.fault = runScenario(machine, verdict.scenario);
    verdict.reason.clear();
    return false;
  }
  verdict.reason = reason;
  verdict.judgement = Judgement::Unknown;
  return false;
}

// Runs every stage that may come after a cut.
bool Prover::extend(int from) {
  int part = cuts[from].part;
  if (part < 0)
    return runStage(from, 0, false);
  bool isTiles = model.parts[part].tiles >= 0;
  if (isTiles) {
    const Symbol &symbol = model.program->symbols[model.parts[part].tiles];
    bool more =
        !cuts[from].mustLeave && (symbol.max > CountedTiles || cuts[from].tiles < symbol.max);
    if (more && !runStage(from, part, false))
      return false;
    bool enough = cuts[from].tiles >= std::min(symbol.min, CountedTiles);
    return cuts[from].mustStay || !enough || runStage(from, part + 1, false);
  }
  const Symbol &symbol = model.program->symbols[model.parts[part + 1].tiles];
  if (symbol.max > 0 && !runStage(from, part + 1, true))
    return false;
  return symbol.min > 0 || runStage(from, part + 2, false);
}

Verdict Prover::run() {
  Cut start;
  start.state = machine.state;
  join(std::move(start));
  while (!queue.empty()) {
    int from = queue.front();
    queue.pop_front();
    cuts[from].isQueued = false;
    if (!extend(from)) {
      verdict.nodes = static_cast<unsigned>(cuts.size());
      return std::move(verdict);
    }
  }
  verdict.nodes = static_cast<unsigned>(cuts.size());
  verdict.judgement = Judgement::Proved;
  return std::move(verdict);
}

Verdict prove(const Model &model, const Budget &budget) {
  if (!model.unsupported.empty()) {
    Verdict verdict;
    verdict.reason = model.unsupported;
    return verdict;
  }
  return Prover(model, budget).run();
}

} // namespace tsk::protocol
