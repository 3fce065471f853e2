// The numbers for which loops run as often as a search for launches wants: what no text has beside
// the loop, as 133 for `block.x .. rows step grid.x` to run twice where the grid has 132 CTAs.
#include "compiler/verify/proof/Witness.h"

#include <array>

namespace tsk::proof {

using ir::ConstantScalar;
using ir::ScalarClass;
using ir::ScalarType;

// Tries one number after the other for a variable, all others of the loop being chosen.
std::optional<int64_t> Witness::tripsAt(const ir::Loop &loop, const ir::Expr &leaf, int64_t value) {
  assign(current, leaf, ConstantScalar::ofInt(value, leaf.type.scalar));
  const Computed trips = computer.trips(loop, current);
  return trips.isKnown() ? std::optional(trips.value.value) : std::nullopt;
}

// Where a loop begins, ends and steps it is a quotient of sums: going away from 0, its count only
// rises or only falls. The two numbers between which it passes `trips`, if it does.
std::optional<std::array<int64_t, 2>> Witness::passing(const ir::Loop &loop, const ir::Expr &leaf,
                                                       int64_t trips, int64_t direction) {
  const Range range = rangeOf(leaf.type.scalar);
  auto isBelow = [&](int64_t value) -> std::optional<bool> {
    if (const std::optional<int64_t> found = tripsAt(loop, leaf, value))
      return *found < trips;
    return std::nullopt;
  };
  int64_t near = 0, far = direction;
  std::optional<bool> start = isBelow(near);
  if (!start) { // as of a step
    near = direction;
    start = isBelow(near);
    far = 2 * direction;
  }
  std::optional<bool> end = start;
  constexpr int64_t Farthest = int64_t{1} << 40;
  while (start && end == start) {
    if (!range.contains({far, far}) || far > Farthest || far < -Farthest)
      return std::nullopt;
    end = isBelow(far);
    if (end == start) {
      near = far;
      far *= 2;
    }
  }
  if (!start || !end)
    return std::nullopt;
  while (far - near != direction) {
    const int64_t middle = near + (far - near) / 2;
    const std::optional<bool> there = isBelow(middle);
    if (!there)
      return std::nullopt;
    (there == start ? near : far) = middle;
  }
  return std::array<int64_t, 2>{near, far};
}

// The first and the last number for which the loop runs so often, and those next to them that
// have the divisors that are asked for.
void Witness::solve(const Constraint &constraint, const Variable &variable,
                    std::set<int64_t> &values) {
  const int64_t common = commonMultiple(variable.moduli);
  const bool isNatural = isCount(variable.leaf);
  std::set<int64_t> near;
  for (int64_t direction : {1, -1}) {
    if (direction < 0 && isNatural)
      continue;
    for (int64_t trips : {constraint.trips, constraint.trips + 1})
      if (const auto ends = passing(*constraint.loop, variable.leaf, trips, direction))
        near.insert(ends->begin(), ends->end());
  }
  for (int64_t value : near) {
    values.insert(value);
    if (common > 1)
      values.insert({floorDiv(value, common) * common, (floorDiv(value, common) + 1) * common});
  }
}

// For the variable that is the last one of loops that are to run so often.
const std::vector<ConstantScalar> &Witness::solutions(size_t which) {
  chosen.resize(which);
  const auto [place, isNew] = solved.try_emplace(chosen);
  std::vector<ConstantScalar> &result = place->second;
  const Variable &variable = variables[which];
  const ScalarType type = variable.leaf.type.scalar;
  if (!isNew || ir::scalarClass(type) != ScalarClass::Int)
    return result;
  std::set<int64_t> values;
  for (size_t each : checkedAt[which])
    if (constraints[each].loop && equations > 0) {
      --equations;
      solve(constraints[each], variable, values);
    }
  for (int64_t value : values)
    if (rangeOf(type).contains({value, value}) && (value >= 0 || !isCount(variable.leaf)))
      result.push_back(ConstantScalar::ofInt(value, type));
  return result;
}

} // namespace tsk::proof
