#include "compiler/verify/proof/TripCounts.h"

#include <algorithm>

namespace tsk::proof {

using ir::ExprOp;

static constexpr int64_t MaxBound = 1000; // larger lower bounds say no more than this

TripCounts::TripCounts(const plan::Plan &judged, protocol::Program &target)
    : plan(judged), program(target) {
  for (ir::ExprId condition : plan.assumptions)
    assume(condition);
}

ir::ExprId TripCounts::resolve(ir::ExprId expr) const {
  for (int depth = 0; depth < 64; ++depth) {
    const ir::Expr &node = plan.tables.exprs[expr];
    auto found = node.op == ExprOp::Value ? lets.find(node.valueRef.index) : lets.end();
    if (found == lets.end())
      return expr;
    expr = found->second;
  }
  return expr;
}

bool TripCounts::varies(ir::ExprId id) const {
  const ir::Expr &expr = plan.tables.exprs[resolve(id)];
  if (expr.op == ExprOp::Value)
    return true; // no `let`: a loop's variable, a `var`, a result
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](ir::ExprId operand) { return varies(operand); });
}

std::string TripCounts::representative(std::string key) const {
  for (auto found = equal.find(key); found != equal.end(); found = equal.find(key))
    key = found->second;
  return key;
}

// A canonical text: constants by value, `let`s looked through, equalities applied.
std::string TripCounts::text(ir::ExprId id) const {
  id = resolve(id);
  if (std::optional<int64_t> value = ir::constantValue(plan.tables, id))
    return std::to_string(*value);
  const ir::Expr &expr = plan.tables.exprs[id];
  switch (expr.op) {
  case ExprOp::Scalar:
    return representative(plan.scalars[expr.scalarRef].name);
  case ExprOp::Value:
    return "value " + std::to_string(expr.valueRef.index);
  case ExprOp::Builtin:
    return ir::spelling(expr.builtin).str();
  case ExprOp::FloatConst:
    return std::to_string(expr.real);
  default:
    break;
  }
  std::string out = ir::spelling(expr.op).str() + "(";
  for (ir::ExprId operand : expr.operands)
    out += text(operand) + ",";
  return representative(out + ")");
}

TripCounts::Sum TripCounts::sumOf(ir::ExprId id) const {
  id = resolve(id);
  if (std::optional<int64_t> value = ir::constantValue(plan.tables, id))
    return {"", id, 1, *value};
  const ir::Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Add || expr.op == ExprOp::Sub) {
    Sum left = sumOf(expr.operands[0]), right = sumOf(expr.operands[1]);
    if (right.base.empty()) {
      left.add += expr.op == ExprOp::Add ? right.add : -right.add;
      return left;
    }
    if (left.base.empty() && expr.op == ExprOp::Add) {
      right.add += left.add;
      return right;
    }
  }
  if (expr.op == ExprOp::Mul) {
    Sum left = sumOf(expr.operands[0]), right = sumOf(expr.operands[1]);
    if (left.base.empty())
      std::swap(left, right);
    if (right.base.empty() && right.add > 0 && right.add < MaxBound) {
      left.scale *= right.add;
      left.add *= right.add;
      return left;
    }
  }
  return {text(id), id, 1, 0};
}

void TripCounts::assume(ir::ExprId id) {
  const ir::Expr &expr = plan.tables.exprs[resolve(id)];
  if (expr.op == ExprOp::And) {
    assume(expr.operands[0]);
    assume(expr.operands[1]);
    return;
  }
  if (expr.operands.size() != 2)
    return;
  Sum left = sumOf(expr.operands[0]), right = sumOf(expr.operands[1]);
  if (expr.op == ExprOp::Eq) {
    const ir::Expr &rest = plan.tables.exprs[resolve(expr.operands[0])];
    if (rest.op == ExprOp::Rem && right.base.empty() && right.add == 0) {
      Sum divisor = sumOf(rest.operands[1]);
      if (divisor.base.empty())
        divisible[{text(rest.operands[0]), divisor.add}] = true;
    } else if (!left.base.empty() && !right.base.empty() && left.base != right.base &&
               left.scale == 1 && right.scale == 1 && left.add == right.add) {
      equal[std::max(left.base, right.base)] = std::min(left.base, right.base);
    }
    return;
  }
  // base >= constant, whichever way it is written
  bool isFlipped = expr.op == ExprOp::Le || expr.op == ExprOp::Lt;
  if (isFlipped)
    std::swap(left, right);
  bool isOrder = isFlipped || expr.op == ExprOp::Ge || expr.op == ExprOp::Gt;
  if (!isOrder || left.base.empty() || !right.base.empty() || left.scale != 1)
    return;
  bool isStrict = expr.op == ExprOp::Gt || expr.op == ExprOp::Lt;
  int64_t &bound = bounds.try_emplace(left.base, INT64_MIN).first->second;
  bound = std::max(bound, right.add - left.add + isStrict);
}

int64_t TripCounts::lowerBound(const Sum &sum) const {
  auto found = bounds.find(sum.base);
  return found == bounds.end() ? 0 : std::max<int64_t>(found->second, 0);
}

int TripCounts::symbol(const std::string &key, int64_t min, bool isCondition) {
  auto [place, isNew] = symbols.try_emplace(key, static_cast<int>(program.symbols.size()));
  if (isNew) {
    protocol::Symbol added;
    added.name = key;
    added.isCondition = isCondition;
    added.max = isCondition ? 1 : INT_MAX;
    added.min = static_cast<int>(std::clamp<int64_t>(min, 0, MaxBound));
    program.symbols.push_back(std::move(added));
  }
  return place->second;
}

int TripCounts::choice(ir::ExprId condition) { return symbol("if " + text(condition), 0, true); }

static int64_t ceilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

// lower .. upper step s: with constant lower and step, the count is that of base / step (rounded
// up), moved by a constant where the constants are multiples of the step.
protocol::Count TripCounts::count(const ir::Loop &loop) {
  Sum lower = sumOf(loop.lower), upper = sumOf(loop.upper), step = sumOf(loop.step);
  protocol::Count count;
  if (lower.base == upper.base && lower.scale == upper.scale && step.base.empty() && step.add > 0) {
    int64_t trips = ceilDiv(upper.add - lower.add, step.add);
    count.add = static_cast<int>(std::clamp<int64_t>(trips, 0, INT_MAX));
    return count;
  }
  bool isPlain = lower.base.empty() && step.base.empty() && step.add > 0;
  int64_t moved = isPlain ? upper.add - lower.add : 0;
  if (!isPlain || moved % step.add != 0 || std::abs(moved / step.add) > MaxBound ||
      (step.add > 1 && upper.scale != 1)) {
    std::string key =
        "trips " + text(loop.lower) + " .. " + text(loop.upper) + " step " + text(loop.step);
    count.symbol = symbol(key, 0, false);
    return count;
  }
  count.scale = static_cast<int>(upper.scale);
  count.add = static_cast<int>(moved / step.add);
  std::string key = upper.base;
  if (step.add > 1) {
    key = "ceil_div(" + upper.base + "," + std::to_string(step.add) + ",)";
  }
  count.symbol = symbol(key, ceilDiv(lowerBound(upper), step.add), false);
  return count;
}

} // namespace tsk::proof
