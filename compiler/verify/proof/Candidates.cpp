// Which numbers a search for launches tries for a kernel's parameters.
#include "compiler/verify/proof/Witness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tsk::proof {

using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;
using ir::ScalarClass;
using ir::ScalarType;

static constexpr size_t MaxCandidates = 80;
static constexpr size_t MaxNumbers = 12;
static constexpr size_t FewCandidates = 4; // then others are looked for
static constexpr int64_t MaxByTrial = 4096;
static constexpr int64_t MaxCommon = int64_t{1} << 30;

// What all these numbers divide; 0: it is too large.
int64_t Witness::commonMultiple(const std::set<int64_t> &numbers) {
  int64_t common = 1;
  for (int64_t number : numbers) {
    const Wide next = Wide(common / std::gcd(common, number)) * number;
    if (next > MaxCommon)
      return 0;
    common = static_cast<int64_t>(next);
  }
  return common;
}

static std::vector<ConstantScalar> realsNear(const std::set<double> &reals, ScalarType type) {
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  std::vector<double> all{0.0, 1.0, -1.0};
  for (double each : reals)
    all.insert(all.end(), {each, each + 1, each - 1});
  // Products that are rounded to 1, and not.
  const double little = type == ScalarType::F32 ? 0x1p-13 : 0x1p-27;
  all.insert(all.end(),
             {1 + little, little - 1, 0.5, 2.0, std::nan(""), Infinity, -0.0, -Infinity});
  std::vector<ConstantScalar> result;
  for (double each : all)
    result.push_back(ConstantScalar::ofReal(each, type));
  return result;
}

// Not below 0.
bool Witness::isCount(const ir::Expr &leaf) const {
  return leaf.op == ExprOp::Builtin ||
         (leaf.op == ExprOp::Scalar && plan.scalars[leaf.scalarRef].isDimension);
}

// The likely ones first: which have the trip counts that are wanted, then those where something
// changes.
std::vector<ConstantScalar> Witness::candidatesOf(const Variable &variable) const {
  const ir::Expr &leaf = variable.leaf;
  const ScalarType type = leaf.type.scalar;
  if (ir::scalarClass(type) == ScalarClass::Float)
    return realsNear(variable.reals, type);
  Range range = rangeOf(type);
  if (isCount(leaf))
    range.low = 0;
  std::vector<ConstantScalar> result;
  std::set<Wide> known;
  auto add = [&](std::initializer_list<Wide> values) {
    for (Wide value : values)
      if (range.contains({value, value}) && known.insert(value).second)
        result.push_back({type, static_cast<int64_t>(value), 0});
  };
  const Wide common = commonMultiple(variable.moduli);
  add({0, 1});
  for (int64_t trips : wanted)
    add({trips});
  if (common > 1)
    add({common});
  add({2});
  for (int64_t number : variable.numbers)
    for (int64_t trips : wanted)
      add({(Wide(trips) - 1) * number + 1, Wide(trips) * number});
  for (int64_t number : variable.numbers)
    add({number, number + 1});
  add({3, -1});
  for (int64_t number : variable.numbers)
    add({number - 1, 2 * Wide(number), 2 * Wide(number) + 1, -number});
  add({range.low, range.high, range.high - 1, 4, 5, -2});
  for (Wide times : {3, 4, 5, 6, 7, 8, 9})
    for (int64_t number : variable.numbers)
      add({times * number, times * number + 1, times * number - 1});
  for (int64_t trips : wanted)
    add({trips + 1, trips - 1});
  for (int64_t number : variable.numbers)
    add({-number - 1, -2 * Wide(number)});
  for (Wide times : {2, 3, 4})
    add({times * common});
  for (Wide value = 6; value < 20; ++value)
    add({value});
  for (Wide times : {16, 64, 256, 1024}) // where quotients by close numbers differ
    for (int64_t number : variable.numbers)
      add({times * number});
  return result;
}

// Numbers of the text; those in a remainder, too, as its divisor.
void Witness::note(Variable &variable, const ir::Expr &expr) const {
  if (expr.op == ExprOp::IntConst && expr.value > 1 && variable.numbers.size() < MaxNumbers)
    variable.numbers.insert(expr.value);
  if (expr.op == ExprOp::FloatConst)
    variable.reals.insert(expr.real);
  if (expr.op == ExprOp::Rem)
    if (const auto by = ir::constantValue(plan.tables, expr.operands[1]); by && *by > 1)
      variable.moduli.insert(*by);
}

// By constraint: what it is about.
std::vector<std::vector<size_t>> Witness::findVariables() {
  std::vector<std::vector<size_t>> used;
  for (const Constraint &constraint : constraints) {
    std::set<uint32_t> seenExprs;
    std::vector<ir::Expr> leaves;
    for (ExprId id : constraint.on)
      collectLeaves(id, seenExprs, leaves);
    used.emplace_back();
    for (const ir::Expr &leaf : leaves)
      used.back().push_back(variableOf(leaf));
    for (uint32_t index : seenExprs)
      for (size_t which : used.back())
        note(variables[which], plan.tables.exprs[plan.tables.exprs.idAt(index)]);
  }
  return used;
}

// The place in the grid, of which small numbers will do: what the text computes with it can then be
// solved for a parameter.
void Witness::putPlacesFirst(std::vector<std::vector<size_t>> &used) {
  std::vector<size_t> order, place(variables.size());
  for (bool isPlace : {true, false})
    for (size_t i = 0; i < variables.size(); ++i)
      if ((variables[i].leaf.op == ExprOp::Builtin) == isPlace)
        order.push_back(i);
  std::vector<Variable> sorted;
  for (size_t i : order) {
    place[i] = sorted.size();
    sorted.push_back(std::move(variables[i]));
  }
  variables = std::move(sorted);
  for (std::vector<size_t> &each : used)
    for (size_t &which : each)
      which = place[which];
}

// Whether what is asked of a variable alone admits a value.
bool Witness::isAdmitted(size_t which, const ConstantScalar &value,
                         const std::vector<std::vector<size_t>> &used) const {
  Launch alone;
  assign(alone, variables[which].leaf, value);
  for (size_t i = 0; i < constraints.size(); ++i)
    if (!used[i].empty() &&
        std::all_of(used[i].begin(), used[i].end(), [&](size_t of) { return of == which; }) &&
        !constraints[i].holds(alone))
      return false;
  return true;
}

// Where hardly any number of the text will do, as with `n % 6 == 5`: the first that do.
void Witness::addByTrial(size_t which, const std::vector<std::vector<size_t>> &used) {
  Variable &variable = variables[which];
  const ScalarType type = variable.leaf.type.scalar;
  for (int64_t value = 2; value < MaxByTrial && variable.candidates.size() < FewCandidates;
       ++value) {
    const ConstantScalar number = ConstantScalar::ofInt(value, type);
    const bool isKnown =
        std::any_of(variable.candidates.begin(), variable.candidates.end(),
                    [&](const ConstantScalar &known) { return known.value == value; });
    if (!isKnown && rangeOf(type).contains({value, value}) && isAdmitted(which, number, used))
      variable.candidates.push_back(number);
  }
}

void Witness::chooseCandidates() {
  variables.clear();
  checkedAt.clear();
  std::vector<std::vector<size_t>> used = findVariables();
  putPlacesFirst(used);
  checkedAt.resize(variables.size());
  for (size_t i = 0; i < constraints.size(); ++i)
    if (!used[i].empty())
      checkedAt[*std::max_element(used[i].begin(), used[i].end())].push_back(i);
  for (size_t which = 0; which < variables.size(); ++which) {
    Variable &variable = variables[which];
    for (const ConstantScalar &value : candidatesOf(variable))
      if (variable.candidates.size() < MaxCandidates && isAdmitted(which, value, used))
        variable.candidates.push_back(value);
    if (!variable.moduli.empty() && variable.candidates.size() < FewCandidates)
      addByTrial(which, used);
  }
}

} // namespace tsk::proof
