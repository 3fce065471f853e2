#include "compiler/verify/run/Choices.h"

#include <algorithm>
#include <set>

namespace tsk::verify {

namespace {

// How many values each coordinate gets; the first level whose product fits is taken.
enum class Density : uint8_t { Full, Reduced, Sparse, One };

std::vector<int64_t> tripValues(const std::set<int64_t> &stages, const Interval &range,
                                Density density) {
  std::set<int64_t> values;
  int64_t deepest = stages.empty() ? 1 : *stages.rbegin();
  switch (density) {
  case Density::Full:
    values = {0, 1, 2, 3};
    for (int64_t s : stages)
      values.insert({s, s + 1, 2 * s + 1});
    break;
  case Density::Reduced:
    values = {0, 1, 2, deepest + 1, 2 * deepest + 1};
    break;
  case Density::Sparse:
    values = {0, 1, deepest + 1};
    break;
  case Density::One:
    values = {deepest + 1};
    break;
  }
  int64_t low = range.low.value_or(0);
  int64_t high = range.high.value_or(INT64_MAX);
  std::set<int64_t> result;
  for (int64_t value : values)
    result.insert(std::clamp(value, low, high));
  return {result.begin(), result.end()};
}

std::vector<int64_t> branchValues(const Coordinate &coordinate, Density density) {
  std::vector<int64_t> values = {static_cast<int64_t>(BranchPattern::Never),
                                 static_cast<int64_t>(BranchPattern::Always)};
  if (coordinate.dependsOnLoop && density != Density::One)
    values.insert(values.end(), {static_cast<int64_t>(BranchPattern::EvenIterations),
                                 static_cast<int64_t>(BranchPattern::OddIterations)});
  return values;
}

size_t product(const std::vector<std::vector<int64_t>> &values, size_t limit) {
  size_t result = 1;
  for (const auto &list : values)
    result = std::min(result * list.size(), limit + 1);
  return result;
}

} // namespace

ChoicePlan planChoices(const plan::Plan &plan, const Coordinates &coordinates, size_t maxRuns) {
  std::set<int64_t> stages;
  for (const plan::Cursor &cursor : plan.cursors)
    stages.insert(cursor.stages);
  for (const plan::Barrier &barrier : plan.barriers)
    stages.insert(barrier.stages);

  ChoicePlan result;
  for (Density density : {Density::Full, Density::Reduced, Density::Sparse, Density::One}) {
    result.values.clear();
    for (const Coordinate &coordinate : coordinates.all())
      result.values.push_back(coordinate.kind == Coordinate::Kind::Trips
                                  ? tripValues(stages, coordinate.range, density)
                                  : branchValues(coordinate, density));
    result.isReduced = density != Density::Full;
    if (product(result.values, maxRuns) <= maxRuns)
      break;
  }
  // Past all densities only a prefix of the combinations is tried.
  size_t count = std::min(product(result.values, maxRuns), maxRuns);
  result.isReduced |= product(result.values, maxRuns) > maxRuns;

  size_t n = result.values.size();
  std::vector<size_t> index(n);
  for (size_t run = 0; run < count; ++run) {
    Choices choices;
    choices.trips.resize(n);
    choices.branches.resize(n, BranchPattern::Never);
    for (size_t i = 0; i < n; ++i) {
      int64_t value = result.values[i][index[i]];
      if (coordinates.all()[i].kind == Coordinate::Kind::Trips)
        choices.trips[i] = value;
      else
        choices.branches[i] = static_cast<BranchPattern>(value);
    }
    result.runs.push_back(std::move(choices));
    for (size_t i = 0; i < n && ++index[i] == result.values[i].size(); ++i)
      index[i] = 0;
  }
  auto size = [](const Choices &c) {
    int64_t sum = 0;
    for (int64_t trips : c.trips)
      sum += trips;
    return sum;
  };
  std::stable_sort(result.runs.begin(), result.runs.end(),
                   [&](const Choices &a, const Choices &b) { return size(a) < size(b); });
  return result;
}

} // namespace tsk::verify
