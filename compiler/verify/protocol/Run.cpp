#include "compiler/verify/protocol/Run.h"

#include "compiler/support/Check.h"

namespace tsk::protocol {

static constexpr uint64_t MaxRunSteps = 1000000;

std::optional<Fault> runScenario(Machine &machine, const Scenario &scenario) {
  const Model &model = machine.model;
  size_t symbols = model.program->symbols.size();
  machine.reset();
  machine.keptStages = SIZE_MAX;
  machine.steps = 0;
  machine.stepLimit = MaxRunSteps;
  for (size_t part = 0; part < model.parts.size(); ++part) {
    int loop = model.parts[part].tiles;
    int runs = loop < 0 ? 1 : scenario.values[loop];
    for (int tile = 0; tile < runs; ++tile) {
      machine.beginStage(static_cast<int>(part), loop >= 0 && tile == 0);
      std::vector<SymbolState> &known = machine.state.stages.back().symbols;
      for (size_t symbol = 0; symbol < symbols; ++symbol)
        known[symbol] = {loop < 0 ? scenario.values[symbol]
                                  : scenario.valueIn(loop, tile, static_cast<int>(symbol)),
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

std::string describe(const Program &program, const Scenario &scenario) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  for (size_t i = 0; i < scenario.values.size(); ++i)
    if (!program.symbols[i].isPerTile)
      add(program.symbols[i].name + " = " + std::to_string(scenario.values[i]));
  for (auto &[loop, tiles] : scenario.tiles)
    for (size_t i = 0; i < program.symbols.size(); ++i) {
      if (!program.symbols[i].isPerTile || tiles.empty())
        continue;
      add(program.symbols[i].name + " =");
      for (const std::vector<int> &values : tiles)
        text += " " + std::to_string(values[i]);
    }
  return text;
}

} // namespace tsk::protocol
