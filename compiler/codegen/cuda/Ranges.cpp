#include "compiler/codegen/cuda/Ranges.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <limits>

namespace tsk::codegen {

using ir::ExprId;
using ir::ExprOp;

Range rangeOf(ir::ScalarType type) {
  const unsigned bits = ir::bitWidth(type);
  const __int128 one = 1;
  if (ir::scalarClass(type) == ir::ScalarClass::UInt)
    return {0, (one << bits) - 1};
  return {-(one << (bits - 1)), (one << (bits - 1)) - 1};
}

bool isIntegerType(const ir::ValueTables &tables, ExprId id) {
  const ir::Type &type = tables.exprs[id].type;
  return type.isScalar() && ir::isInteger(type.scalar);
}

static Range hull(std::initializer_list<__int128> values) {
  const auto [low, high] = std::minmax(values);
  return {low, high};
}

static Range clamped(const Range &range, const Range &limits) {
  return {std::clamp(range.low, limits.low, limits.high),
          std::clamp(range.high, limits.low, limits.high)};
}

// Largest distance from zero.
static __int128 magnitude(const Range &range) { return std::max(-range.low, range.high); }

// `a` over a positive `b`; each quotient is monotone in both.
static Range divided(const Range &a, const Range &b, bool upwards) {
  if (b.low < 1) {
    const __int128 most = magnitude(a) + 1;
    return {-most, most};
  }
  const auto quotient = [&](__int128 x, __int128 y) {
    return x / y + (upwards && x % y > 0 ? 1 : 0);
  };
  return hull({quotient(a.low, b.low), quotient(a.low, b.high), quotient(a.high, b.low),
               quotient(a.high, b.high)});
}

static Range remainder(const Range &a, const Range &b) {
  const __int128 most = std::min(std::max<__int128>(magnitude(b) - 1, 0), magnitude(a));
  return {a.low < 0 ? -most : 0, a.high > 0 ? most : 0};
}

Range Ranges::leaf(const ir::Expr &expr) {
  const Range type = rangeOf(expr.type.scalar);
  constexpr auto Most = std::numeric_limits<int32_t>::max();
  switch (expr.op) {
  case ExprOp::IntConst:
    if (expr.type.scalar == ir::ScalarType::U64)
      return {static_cast<uint64_t>(expr.value), static_cast<uint64_t>(expr.value)};
    return {expr.value, expr.value};
  case ExprOp::Scalar:
    return kernel.scalars[expr.scalarRef].isDimension ? Range{0, Most} : type;
  case ExprOp::Builtin:
    return builtin(expr.builtin);
  case ExprOp::Value: {
    if (loops)
      if (const auto loop = loops->find(expr.valueRef); loop != loops->end())
        return loopVariable(*loop->second, type);
    const auto definition = definitions.find(expr.valueRef);
    if (definition == definitions.end() || !isIntegerType(tables, definition->second))
      return type;
    const auto known = lets.find(expr.valueRef);
    if (known != lets.end())
      return known->second;
    const Range found = clamped(valueOf(definition->second), type);
    lets[expr.valueRef] = found;
    return found;
  }
  default:
    return type;
  }
}

// Whichever way it goes, it begins at the lower bound and stays below the upper one.
Range Ranges::loopVariable(const ir::Loop &loop, const Range &type) {
  const Range lower = valueOf(loop.lower), upper = valueOf(loop.upper);
  return clamped({lower.low, std::max(upper.high - 1, lower.low)}, type);
}

// A grid whose extents are constant has known indices.
Range Ranges::builtin(ir::Builtin which) const {
  const ir::Cluster &cluster = kernel.cluster;
  switch (which) {
  case ir::Builtin::ClusterX:
  case ir::Builtin::ClusterY:
  case ir::Builtin::ClusterZ:
    return {
        0,
        cluster.extents[static_cast<size_t>(which) - static_cast<size_t>(ir::Builtin::ClusterX)] -
            1};
  case ir::Builtin::ClusterRank:
    return {0, cluster.size() - 1};
  case ir::Builtin::ClusterIndex: {
    const Range blocks = builtin(ir::Builtin::BlockX);
    return {0, blocks.high / cluster.extents[0]};
  }
  case ir::Builtin::ClusterCount: {
    const Range ctas = builtin(ir::Builtin::GridX);
    return {1, std::max<__int128>(1, ctas.high / cluster.extents[0])};
  }
  default:
    break;
  }
  const bool isIndex = which <= ir::Builtin::BlockZ;
  const auto axis = static_cast<size_t>(which) -
                    static_cast<size_t>(isIndex ? ir::Builtin::BlockX : ir::Builtin::GridX);
  static_assert(static_cast<int>(ir::Builtin::BlockX) == 0);
  const ir::Grid &grid = kernel.grid;
  __int128 least = 1, most = axis == 0 ? std::numeric_limits<int32_t>::max() : target::MaxGridYZ;
  if (axis > 2)
    return {0, most};
  if (grid.isPersistent && axis > 0)
    least = most = cluster.extents[axis];
  else if (axis >= grid.extents.size() && !grid.isPersistent)
    most = 1;
  else if (axis < grid.extents.size())
    if (const auto extent = ir::constantValue(tables, grid.extents[axis]))
      least = most = std::clamp<__int128>(*extent, 1, most);
  return isIndex ? Range{0, most - 1} : Range{least, most};
}

Range Ranges::binary(const ir::Expr &expr) {
  const Range type = rangeOf(expr.type.scalar);
  if (expr.type.scalar == ir::ScalarType::U64) // products would not fit a Range
    return {type.low - 1, type.high + 1};
  const Range a = valueOf(expr.operands[0]), b = valueOf(expr.operands[1]);
  switch (expr.op) {
  case ExprOp::Add:
    return {a.low + b.low, a.high + b.high};
  case ExprOp::Sub:
    return {a.low - b.high, a.high - b.low};
  case ExprOp::Mul:
    return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  case ExprOp::Div:
    return divided(a, b, false);
  case ExprOp::CeilDiv:
    return divided(a, b, true);
  case ExprOp::Rem:
    return remainder(a, b);
  case ExprOp::Min:
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  case ExprOp::Max:
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  default:
    return type;
  }
}

Range Ranges::resultOf(ExprId id) {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op == ExprOp::Negate) {
    const Range operand = valueOf(expr.operands[0]);
    return {-operand.high, -operand.low};
  }
  if (expr.op == ExprOp::Select) {
    const Range a = valueOf(expr.operands[1]), b = valueOf(expr.operands[2]);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  return expr.operands.size() == 2 ? binary(expr) : leaf(expr);
}

Range Ranges::valueOf(ExprId id) {
  const ir::ScalarType type = tables.exprs[id].type.scalar;
  const Range result = resultOf(id), limits = rangeOf(type);
  // Unsigned arithmetic wraps, to any value.
  if (ir::scalarClass(type) == ir::ScalarClass::UInt && !result.isWithin(limits))
    return limits;
  return clamped(result, limits);
}

} // namespace tsk::codegen
