#include "compiler/body/ScheduleValues.h"

#include "compiler/ir/Passing.h"

#include <fmt/format.h>

namespace tsk::body {

using ir::ExprId;
using ir::ExprOp;

bool Linear::add(const Linear &other, int64_t weight) {
  constexpr int64_t Most = int64_t{1} << 40;
  const auto isSmall = [](int64_t number) { return number > -Most && number < Most; };
  int64_t product = 0;
  bool isFine = !__builtin_mul_overflow(other.constant, weight, &product) && isSmall(product);
  constant += isFine ? product : 0;
  for (const auto &[symbol, count] : other.parts) {
    isFine &= !__builtin_mul_overflow(count, weight, &product) && isSmall(product);
    int64_t &into = parts[symbol];
    into += isFine ? product : 0;
    isFine &= isSmall(into);
    if (into == 0)
      parts.erase(symbol);
  }
  return isFine && isSmall(constant) && parts.size() <= 64;
}

Linear ScheduleValues::of(ExprId id) {
  const ir::Expr &expr = tables->exprs[id];
  if (++steps > MaxSteps)
    return fresh();
  if (const ir::Folded folded = ir::foldExpr(*tables, id); folded && !folded.constant.isReal()) {
    const bool isTooLarge = ir::numbersOf(folded.constant).low > INT64_MAX;
    return isTooLarge ? symbol(expr, id) : Linear{{}, folded.constant.value};
  }
  if (expr.op == ExprOp::Value) {
    if (const auto known = bound.find(expr.valueRef); known != bound.end() && known->second)
      return *known->second;
    if (tables->values[expr.valueRef].kind == ir::Value::Kind::Var)
      return fresh();
  }
  if (const std::optional<Linear> result = computed(expr))
    return *result;
  if (const std::optional<bool> truth = holds(id))
    return {{}, *truth};
  return symbol(expr, id);
}

std::optional<Linear> ScheduleValues::as(ExprId id, const ir::Type &type) {
  const ir::Type &from = tables->exprs[id].type;
  Linear result = of(id);
  const std::optional<int64_t> number = result.number();
  const ir::Numbers known = number ? ir::Numbers{*number, *number} : ir::Numbers();
  const bool isSame =
      from.isScalar() && type.isScalar() && ir::keepsNumber(from.scalar, type.scalar, known);
  return isSame ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<bool> ScheduleValues::holds(ExprId id) {
  const ir::Expr &expr = tables->exprs[id];
  if (++steps > MaxSteps)
    return std::nullopt;
  switch (expr.op) {
  case ExprOp::BoolConst:
    return expr.value != 0;
  case ExprOp::Value: {
    const auto known = bound.find(expr.valueRef);
    return known == bound.end() || !known->second ? std::nullopt
                                                  : compare(ExprOp::Ne, *known->second);
  }
  case ExprOp::Not: {
    const std::optional<bool> inner = holds(expr.operands[0]);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  case ExprOp::And:
  case ExprOp::Or: {
    const bool settles = expr.op == ExprOp::Or;
    const std::optional<bool> left = holds(expr.operands[0]), right = holds(expr.operands[1]);
    if (left == settles || right == settles)
      return settles;
    return left && right ? std::optional(!settles) : std::nullopt;
  }
  case ExprOp::First:
    return isFirst(tables->exprs[expr.operands[0]].valueRef) ? std::optional(true) : std::nullopt;
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return compared(expr);
  default:
    return std::nullopt;
  }
}

std::optional<bool> ScheduleValues::compare(ExprOp op, const Linear &with0) {
  const std::optional<int64_t> number = with0.number();
  if (!number)
    return std::nullopt;
  switch (op) {
  case ExprOp::Eq:
    return *number == 0;
  case ExprOp::Ne:
    return *number != 0;
  case ExprOp::Lt:
    return *number < 0;
  case ExprOp::Le:
    return *number <= 0;
  case ExprOp::Gt:
    return *number > 0;
  default:
    return *number >= 0;
  }
}

std::optional<Linear> ScheduleValues::computed(const ir::Expr &expr) {
  const bool isSum = expr.op == ExprOp::Add || expr.op == ExprOp::Sub;
  if (!isSum && expr.op != ExprOp::Mul && expr.op != ExprOp::Negate)
    return std::nullopt;
  llvm::SmallVector<Linear, 2> sides;
  for (ExprId operand : expr.operands) {
    std::optional<Linear> side = as(operand, expr.type);
    if (!side)
      return std::nullopt;
    sides.push_back(std::move(*side));
  }
  Linear result;
  bool isFine = false;
  if (isSum)
    isFine = result.add(sides[0], 1) && result.add(sides[1], expr.op == ExprOp::Add ? 1 : -1);
  else if (expr.op == ExprOp::Negate)
    isFine = result.add(sides[0], -1);
  else if (const std::optional<int64_t> factor = sides[0].number())
    isFine = result.add(sides[1], *factor);
  else if (const std::optional<int64_t> other = sides[1].number())
    isFine = result.add(sides[0], *other);
  const std::optional<int64_t> number = result.number();
  isFine &= number ? ir::keepsNumber(ir::ScalarType::I64, expr.type.scalar, {*number, *number})
                   : ir::scalarClass(expr.type.scalar) == ir::ScalarClass::Int;
  return isFine ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<bool> ScheduleValues::compared(const ir::Expr &expr) {
  const ir::Type &left = tables->exprs[expr.operands[0]].type,
                 &right = tables->exprs[expr.operands[1]].type;
  if (!left.isScalar() || !right.isScalar())
    return std::nullopt;
  const std::optional<ir::ScalarType> common =
      left == right ? left.scalar : ir::commonType(left.scalar, right.scalar);
  if (!common)
    return std::nullopt;
  std::optional<Linear> a = as(expr.operands[0], ir::Type::ofScalar(*common));
  const std::optional<Linear> b = as(expr.operands[1], ir::Type::ofScalar(*common));
  return a && b && a->add(*b, -1) ? compare(expr.op, *a) : std::nullopt;
}

Linear ScheduleValues::scalar(uint32_t number) {
  return interned(fmt::format("scalar {}", number));
}

Linear ScheduleValues::interned(const std::string &text) {
  const auto [known, isNew] = symbols.try_emplace(text, next);
  next += isNew;
  return {{{known->second, 1}}, 0};
}

Linear ScheduleValues::symbol(const ir::Expr &expr, ExprId id) {
  if (expr.op == ExprOp::Scalar)
    return scalar(expr.scalarRef.index);
  if (expr.op == ExprOp::Value)
    return interned(fmt::format("value {}", expr.valueRef.index));
  // Of a loop, not of its variable's value.
  if (expr.op == ExprOp::First || expr.op == ExprOp::Last || expr.op == ExprOp::Every)
    return fresh();
  if (expr.operands.empty() || expr.op == ExprOp::Call)
    return expr.op == ExprOp::Builtin ? interned(ir::spelling(expr.builtin).str())
                                      : interned(fmt::format("expression {}", id.index));
  std::string text = ir::spelling(expr.op).str();
  for (ExprId operand : expr.operands) {
    const Linear inner = of(operand);
    const ir::Type &type = tables->exprs[operand].type; // `a / 2` and `a / 2u` differ
    text += fmt::format(" ({} {}", type.isScalar() ? ir::spelling(type.scalar).str() : type.cpp,
                        inner.constant);
    for (const auto &[number, weight] : inner.parts)
      text += fmt::format(" + {} of {}", weight, number);
    text += ")";
  }
  return interned(text);
}

} // namespace tsk::body
