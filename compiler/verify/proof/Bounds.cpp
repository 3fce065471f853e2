// What `requires` and the positivity of dimensions say about values and trip counts.
#include "compiler/verify/proof/Facts.h"

#include <algorithm>

namespace tsk::proof {

using ir::Expr;
using ir::ExprId;
using ir::ExprOp;

// Beyond this a bound is of no use; sums and products stay far from overflow.
static constexpr int64_t Huge = int64_t(1) << 40;

static std::optional<int64_t> limited(__int128 value) {
  if (value > Huge || value < -Huge)
    return std::nullopt;
  return static_cast<int64_t>(value);
}

static int64_t divided(int64_t value, int64_t divisor, bool roundsUp) {
  int64_t floor = value / divisor - (value % divisor != 0 && value < 0);
  return floor + (roundsUp && value % divisor != 0);
}

static Interval divided(Interval value, int64_t divisor, bool roundsUp) {
  if (value.low)
    value.low = divided(*value.low, divisor, roundsUp);
  if (value.high)
    value.high = divided(*value.high, divisor, roundsUp);
  return value;
}

using Bound = std::optional<int64_t>;

static Bound sum(Bound a, Bound b, int sign) {
  if (!a || !b)
    return std::nullopt;
  return limited(__int128(*a) + sign * __int128(*b));
}

static Interval sum(const Interval &a, const Interval &b, int sign) {
  return {sum(a.low, sign > 0 ? b.low : b.high, sign),
          sum(a.high, sign > 0 ? b.high : b.low, sign)};
}

static Interval intersect(Interval a, Interval b) {
  if (!a.low || (b.low && *b.low > *a.low))
    a.low = b.low;
  if (!a.high || (b.high && *b.high < *a.high))
    a.high = b.high;
  return a;
}

Interval Facts::computeBounds(ExprId id) const {
  if (std::optional<int64_t> constant = ir::constantValue(plan.tables, id))
    return {constant, constant};
  Interval result;
  const Expr &expr = plan.tables.exprs[id];
  auto operand = [&](unsigned i) { return bounds(expr.operands[i]); };
  switch (expr.op) {
  case ExprOp::Scalar:
    if (plan.scalars[expr.scalarRef].isDimension)
      result = {0, INT32_MAX};
    break;
  case ExprOp::Value:
    if (ExprId let = definition(expr.valueRef))
      return bounds(let);
    break;
  case ExprOp::Add:
    result = sum(operand(0), operand(1), 1);
    break;
  case ExprOp::Sub:
    result = sum(operand(0), operand(1), -1);
    break;
  case ExprOp::Mul:
    if (std::optional<int64_t> factor = ir::constantValue(plan.tables, expr.operands[1])) {
      Interval value = operand(0);
      if (*factor < 0)
        break;
      if (value.low)
        result.low = limited(__int128(*value.low) * *factor);
      if (value.high)
        result.high = limited(__int128(*value.high) * *factor);
    }
    break;
  case ExprOp::Div:
  case ExprOp::CeilDiv:
    if (std::optional<int64_t> divisor = ir::constantValue(plan.tables, expr.operands[1]))
      if (*divisor > 0)
        result = divided(operand(0), *divisor, expr.op == ExprOp::CeilDiv);
    break;
  default:
    break;
  }
  std::string name = key(id);
  if (int64_t constant; !llvm::StringRef(name).getAsInteger(10, constant))
    return {constant, constant};
  auto fact = known.find(name);
  return fact == known.end() ? result : intersect(result, fact->second);
}

Interval Facts::bounds(ExprId id) const {
  auto [entry, isNew] = intervals.try_emplace(id.index);
  if (!isNew)
    return entry->second;
  Interval result = computeBounds(id);
  return intervals[id.index] = result;
}

Interval Facts::tripBounds(const ir::Loop &loop) const {
  Interval extent = sum(bounds(loop.upper), bounds(loop.lower), -1);
  if (std::optional<int64_t> step = ir::constantValue(plan.tables, loop.step))
    extent = divided(extent, std::max<int64_t>(*step, 1), true);
  else
    extent = {std::nullopt, extent.high};
  auto fact = known.find(tripKey(loop));
  if (fact != known.end())
    extent = intersect(extent, fact->second);
  extent.low = std::max<int64_t>(extent.low.value_or(0), 0);
  return extent;
}

std::optional<bool> Facts::decide(ExprId id) const {
  const Expr &expr = plan.tables.exprs[id];
  if (expr.operands.size() != 2)
    return std::nullopt;
  std::string left = key(expr.operands[0]);
  std::string right = key(expr.operands[1]);
  // left - right lies in here.
  Interval difference =
      left == right ? Interval{0, 0} : sum(bounds(expr.operands[0]), bounds(expr.operands[1]), -1);
  auto isBelow = [&](int64_t limit) -> std::optional<bool> { // left - right < limit
    if (difference.high && *difference.high < limit)
      return true;
    if (difference.low && *difference.low >= limit)
      return false;
    return std::nullopt;
  };
  auto negated = [](std::optional<bool> value) {
    return value ? std::optional(!*value) : std::nullopt;
  };
  bool isZero = difference.low == 0 && difference.high == 0;
  bool isNonZero = isBelow(0) == true || isBelow(1) == false;
  switch (expr.op) {
  case ExprOp::Lt:
    return isBelow(0);
  case ExprOp::Le:
    return isBelow(1);
  case ExprOp::Gt:
    return negated(isBelow(1));
  case ExprOp::Ge:
    return negated(isBelow(0));
  case ExprOp::Eq:
    return isZero ? std::optional(true) : isNonZero ? std::optional(false) : std::nullopt;
  case ExprOp::Ne:
    return isZero ? std::optional(false) : isNonZero ? std::optional(true) : std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace tsk::proof
