#include "compiler/verify/protocol/Run.h"

#include "compiler/support/Check.h"

#include <algorithm>

namespace tsk::protocol {

static constexpr uint64_t MaxRunSteps = 1000000;

int valueOf(const Program &program, const Scenario &scenario, int loop, int tile, int which) {
  const Symbol &symbol = program.symbols[which];
  if (!symbol.isDerived)
    return loop < 0 ? scenario.values[which] : scenario.valueIn(loop, tile, which);
  int base = symbol.isOfTile ? tile
             : symbol.of < 0 ? 0
                             : valueOf(program, scenario, loop, tile, symbol.of);
  return std::max(0, symbol.scale * base + symbol.add);
}

std::optional<Fault> runScenario(Machine &machine, const Scenario &scenario) {
  const Model &model = machine.model;
  size_t symbols = model.program->symbols.size();
  machine.reset();
  machine.keptStages = SIZE_MAX;
  machine.steps = 0;
  machine.stepLimit = MaxRunSteps;
  for (size_t part = 0; part < model.parts.size(); ++part) {
    int loop = model.parts[part].tiles;
    int runs = loop < 0 ? 1 : valueOf(*model.program, scenario, -1, 0, loop);
    for (int tile = 0; tile < runs; ++tile) {
      machine.beginStage(static_cast<int>(part), loop >= 0 && tile == 0);
      std::vector<SymbolState> &known = machine.state.stages.back().symbols;
      for (size_t symbol = 0; symbol < symbols; ++symbol)
        known[symbol] = {valueOf(*model.program, scenario, loop, tile, static_cast<int>(symbol)),
                         true};
      known[symbols] = {loop >= 0 && tile == runs - 1 ? 1 : 0, true};
      Stop stop = machine.run(false);
      if (stop == Stop::Fault || stop == Stop::Limit)
        return machine.fault;
      TSK_CHECK(stop == Stop::Quiet, "a concrete run does not stop");
    }
  }
  machine.checkEnd();
  return machine.fault;
}

bool isAllowed(const Program &program, const Scenario &scenario) {
  for (const Relation &relation : program.relations) {
    if (program.symbols[relation.larger].isDerived || program.symbols[relation.smaller].isDerived)
      continue;
    auto holds = [&](const std::vector<int> &values) {
      return values[relation.larger] >= values[relation.smaller] + relation.atLeast;
    };
    bool isPerTile =
        program.symbols[relation.larger].isPerTile || program.symbols[relation.smaller].isPerTile;
    if (!isPerTile && !holds(scenario.values))
      return false;
    for (const auto &[loop, tiles] : scenario.tiles)
      if (isPerTile && !std::all_of(tiles.begin(), tiles.end(), holds))
        return false;
  }
  return true;
}

std::string describe(const Program &program, const Scenario &scenario) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  for (size_t i = 0; i < std::min(program.symbols.size(), scenario.values.size()); ++i)
    if (!program.symbols[i].isPerTile && !program.symbols[i].isDerived)
      add(program.symbols[i].name + " = " + std::to_string(scenario.values[i]));
  for (auto &[loop, tiles] : scenario.tiles)
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      if (!program.symbols[i].isPerTile || program.symbols[i].isDerived || tiles.empty())
        continue;
      add(program.symbols[i].name + " =");
      for (const std::vector<int> &values : tiles)
        text += " " + std::to_string(values[i]);
    }
  return text;
}

} // namespace tsk::protocol
