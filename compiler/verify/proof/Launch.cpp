#include "compiler/verify/proof/Launch.h"

#include "compiler/verify/proof/Terms.h"

#include <algorithm>
#include <cmath>

namespace tsk::proof {

using ir::Builtin;
using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;
using ir::ScalarClass;
using ir::ScalarType;
using State = Computed::State;

static constexpr int MaxDepth = 1200; // of expressions in each other
static constexpr int DeepChain = 100; // of `let`s, beyond which they are computed in their order

Computer::Computer(const plan::Plan &thePlan, const ir::Kernel *theKernel)
    : plan(thePlan), kernel(theKernel) {
  for (const plan::Task &task : plan.tasks)
    collect(task.body, false);
}

void Computer::collect(plan::RegionId region, bool isInLoop) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::Let) {
      definitions[step.results[0]] = step.args[0];
      inOrder.push_back(step.results[0]);
    }
    if (step.kind == plan::StepKind::Call && !isInLoop)
      outside.insert(step.results.begin(), step.results.end());
    const bool isLoop =
        step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor;
    collect(step.body, isInLoop || isLoop);
    collect(step.elseBody, isInLoop || isLoop);
  }
}

ExprId Computer::definition(ir::ValueId value) const {
  auto it = definitions.find(value);
  return it == definitions.end() ? ExprId() : it->second;
}

static Computed known(ConstantScalar value) {
  Computed result;
  result.state = State::Known;
  result.value = value;
  return result;
}
static Computed none(State state) {
  Computed result;
  result.state = state;
  return result;
}

static Computed integer(Wide value, ScalarType type) {
  if (!rangeOf(type).contains({value, value}))
    return none(State::Undefined);
  return known(ConstantScalar::ofInt(static_cast<int64_t>(value), type));
}

static Wide widen(const ConstantScalar &value) {
  return value.type == ScalarType::U64 ? Wide(static_cast<uint64_t>(value.value)) : value.value;
}

// ---- reals: with infinities, NaN and both zeros, which no constant of a text has ----------------

static double asReal(const ConstantScalar &value, ScalarType type) {
  if (type == ScalarType::F32)
    return value.isReal() ? static_cast<float>(value.real) : static_cast<float>(widen(value));
  return value.isReal() ? value.real : static_cast<double>(widen(value));
}

static std::optional<double> computeReal(ExprOp op, double a, double b) {
  switch (op) {
  case ExprOp::Negate:
    return -a;
  case ExprOp::Add:
    return a + b;
  case ExprOp::Sub:
    return a - b;
  case ExprOp::Mul:
    return a * b;
  case ExprOp::Div:
    return a / b;
  case ExprOp::Min:
    return std::min(a, b);
  case ExprOp::Max:
    return std::max(a, b);
  default:
    return std::nullopt;
  }
}

// The sum as one operation with a product in it, which is rounded once.
static double fuse(ExprOp op, const Computed &a, const Computed &b, ScalarType type) {
  const bool isLeft = a.factors.has_value();
  auto [x, y] = isLeft ? *a.factors : *b.factors;
  double other = asReal(isLeft ? b.value : a.value, type);
  if (op == ExprOp::Sub)
    (isLeft ? other : x) *= -1;
  return type == ScalarType::F32
             ? std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(other))
             : std::fma(x, y, other);
}

// Rounding a double's sum, product or quotient of two floats once more gives the float's.
static std::optional<Computed> ofReals(ExprOp op, llvm::ArrayRef<Computed> operands) {
  const ScalarType first = operands[0].value.type, second = operands.back().value.type;
  const std::optional<ScalarType> type = ir::commonType(first, second);
  if (op == ExprOp::Select || !type || ir::scalarClass(*type) != ScalarClass::Float)
    return std::nullopt;
  const std::optional<double> result =
      computeReal(op, asReal(operands[0].value, *type), asReal(operands.back().value, *type));
  if (!result)
    return std::nullopt;
  Computed computed = known(ConstantScalar::ofReal(*result, *type));
  if (op == ExprOp::Mul)
    computed.factors = {asReal(operands[0].value, *type), asReal(operands[1].value, *type)};
  if (op == ExprOp::Negate && operands[0].factors)
    computed.factors = {-operands[0].factors->first, operands[0].factors->second};
  const bool hasProduct = operands[0].factors || operands.back().factors;
  if ((op == ExprOp::Add || op == ExprOp::Sub) && hasProduct &&
      fuse(op, operands[0], operands.back(), *type) != computed.value.real &&
      !std::isnan(computed.value.real)) {
    computed.state = State::Free; // each place as it likes
    computed.isFused = true;
  }
  return computed;
}

// ---- expressions -------------------------------------------------------------------------------

Computed Computer::gridExtent(unsigned axis, const Launch &launch) const {
  if (kernel && !kernel->grid.isPersistent)
    return axis < kernel->grid.extents.size() ? compute(kernel->grid.extents[axis], launch)
                                              : integer(1, ScalarType::I32);
  auto it =
      launch.builtins.find(static_cast<Builtin>(static_cast<unsigned>(Builtin::GridX) + axis));
  return it == launch.builtins.end() ? Computed{} : integer(it->second, ScalarType::I32);
}

// The place of a CTA in its cluster follows from that in the grid.
Computed Computer::builtin(Builtin which, const Launch &launch) const {
  auto blockAt = [&](unsigned axis) { return builtin(static_cast<Builtin>(axis), launch); };
  auto divided = [&](const Computed &value) {
    return value.isKnown() ? integer(value.value.value / plan.cluster.extents[0], ScalarType::I32)
                           : value;
  };
  if (which >= Builtin::GridX && which <= Builtin::GridZ)
    return gridExtent(static_cast<unsigned>(which) - static_cast<unsigned>(Builtin::GridX), launch);
  if (which >= Builtin::ClusterX && which <= Builtin::ClusterRank) {
    int64_t place = 0, weight = 1;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const bool isAsked =
          which == Builtin::ClusterRank ||
          axis == static_cast<unsigned>(which) - static_cast<unsigned>(Builtin::ClusterX);
      const Computed block = blockAt(axis);
      if (isAsked && plan.cluster.extents[axis] > 1 && !block.isKnown())
        return block;
      if (isAsked && block.isKnown())
        place += weight * (block.value.value % plan.cluster.extents[axis]);
      if (which == Builtin::ClusterRank)
        weight *= plan.cluster.extents[axis];
    }
    return integer(place, ScalarType::I32);
  }
  if (which == Builtin::ClusterIndex)
    return divided(builtin(Builtin::BlockX, launch));
  if (which == Builtin::ClusterCount)
    return divided(gridExtent(0, launch));
  auto it = launch.builtins.find(which);
  return it == launch.builtins.end() ? Computed{} : integer(it->second, ScalarType::I32);
}

Computed Computer::operation(const ir::Expr &expr, const Launch &launch, int depth) const {
  llvm::SmallVector<Computed, 3> operands;
  llvm::SmallVector<ConstantScalar, 3> constants;
  for (ExprId operand : expr.operands) {
    operands.push_back(computeAt(operand, launch, depth + 1));
    if (!operands.back().isKnown())
      return none(operands.back().state);
    constants.push_back(operands.back().value);
    if (ir::decides(expr.op, constants))
      return known(constants.front());
    if (expr.op == ExprOp::Select) // the other one is not computed
      return computeAt(expr.operands[constants[0].value ? 1 : 2], launch, depth + 1);
  }
  if (std::optional<Computed> real = ofReals(expr.op, operands))
    return *real;
  const ir::Folded folded = ir::fold(expr.op, constants);
  if (folded)
    return known(folded.constant);
  const bool isUnknown = folded.error == ir::FoldError::NotConstant;
  return none(isUnknown ? State::Free : State::Undefined);
}

Computed Computer::computeAt(ExprId id, const Launch &launch, int depth) const {
  const ir::Expr &expr = plan.tables.exprs[id];
  if (depth > MaxDepth || !expr.type.isScalar())
    return {};
  switch (expr.op) {
  case ExprOp::IntConst:
  case ExprOp::FloatConst:
  case ExprOp::BoolConst:
    return known({expr.type.scalar, expr.value, expr.real});
  case ExprOp::Scalar: {
    auto it = launch.scalars.find(expr.scalarRef);
    return it == launch.scalars.end() ? Computed{} : known(it->second);
  }
  case ExprOp::Builtin:
    return builtin(expr.builtin, launch);
  case ExprOp::Value: {
    if (definition(expr.valueRef))
      return memoized(id, launch, depth);
    auto it = launch.results.find(expr.valueRef);
    return it == launch.results.end() ? Computed{} : known(it->second);
  }
  case ExprOp::Call:
  case ExprOp::First:
  case ExprOp::Last:
  case ExprOp::Every:
    return {};
  default:
    return memoized(id, launch, depth);
  }
}

// Of a `let` or an operation.
Computed Computer::memoized(ExprId id, const Launch &launch, int depth) const {
  // While it is being computed it is free: what is defined by itself, in a faulty text, stays so.
  const auto [place, isNew] = launch.known.try_emplace(id.index);
  if (!isNew)
    return place->second;
  const ir::Expr &expr = plan.tables.exprs[id];
  Computed result;
  if (expr.op != ExprOp::Value) {
    result = operation(expr, launch, depth);
  } else {
    const ExprId let = definition(expr.valueRef);
    if (depth > DeepChain && !launch.known.count(let.index))
      computeBefore(expr.valueRef, launch, depth);
    result = computeAt(let, launch, depth + 1);
  }
  launch.known[id.index] = result;
  return result;
}

// So that no chain of `let`s is followed at once.
void Computer::computeBefore(ir::ValueId let, const Launch &launch, int depth) const {
  for (ir::ValueId each : inOrder) {
    if (each == let)
      return;
    computeAt(definition(each), launch, depth + 1);
  }
}

Computed Computer::compute(ExprId id, const Launch &launch) const {
  return computeAt(id, launch, 0);
}

// ---- loops -------------------------------------------------------------------------------------

Computed Computer::inTypeOf(const ir::Loop &loop, ExprId bound, const Launch &launch) const {
  Computed value = compute(bound, launch);
  if (!value.isKnown())
    return value;
  return integer(widen(value.value), plan.tables.values[loop.variable].type.scalar);
}

Computed Computer::trips(const ir::Loop &loop, const Launch &launch) const {
  const Computed lower = inTypeOf(loop, loop.lower, launch);
  const Computed upper = inTypeOf(loop, loop.upper, launch);
  const Computed step = inTypeOf(loop, loop.step, launch);
  for (const Computed *bound : {&lower, &upper, &step})
    if (!bound->isKnown())
      return *bound;
  const Wide extent = widen(upper.value) - widen(lower.value), by = widen(step.value);
  if (by < 1)
    return none(State::Undefined);
  return integer(extent > 0 ? (extent - 1) / by + 1 : 0, ScalarType::I64);
}

} // namespace tsk::proof
