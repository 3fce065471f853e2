// The values of a scenario in words.
#include "compiler/verify/report/Explain.h"

#include <algorithm>

namespace tsk::verify {

using protocol::Program;
using protocol::Scenario;

static std::string valueOf(const protocol::Symbol &symbol, int value) {
  if (symbol.isCondition)
    return fmt::format("{}`{}`", value ? "" : "not ", symbol.name);
  return fmt::format("`{}` = {}", symbol.name, value);
}

// One of a symbol that has a value of its own in each iteration of a loop.
static std::string valuesOf(const protocol::Symbol &symbol, const std::vector<int> &values) {
  bool isConstant =
      std::all_of(values.begin(), values.end(), [&](int value) { return value == values.front(); });
  if (values.empty() || isConstant)
    return values.empty() ? "" : valueOf(symbol, values.front());
  if (!symbol.isCondition)
    return fmt::format("`{}` = {}", symbol.name, fmt::join(values, ", "));
  std::vector<size_t> iterations;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      iterations.push_back(i + 1);
  return fmt::format("`{}` in iteration{} {}", symbol.name, iterations.size() == 1 ? "" : "s",
                     fmt::join(iterations, ", "));
}

std::string describeCase(const Program &program, const Scenario &scenario) {
  std::vector<std::string> parts;
  auto add = [&](std::string part) {
    if (!part.empty() && std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  };
  for (size_t i = 0; i < program.symbols.size(); ++i) {
    const protocol::Symbol &symbol = program.symbols[i];
    if (!symbol.isPerTile) {
      if (symbol.min != symbol.max)
        add(valueOf(symbol, scenario.values[i]));
      continue;
    }
    for (const auto &[loop, tiles] : scenario.tiles) {
      std::vector<int> values;
      for (int tile = 0; tile < scenario.values[loop]; ++tile)
        values.push_back(scenario.valueIn(loop, tile, static_cast<int>(i)));
      add(valuesOf(symbol, values));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace tsk::verify
