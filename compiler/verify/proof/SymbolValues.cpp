// What values are: numbers where a copy of an iteration makes them such, and what else they change
// with.
#include "compiler/ir/Fold.h"
#include "compiler/verify/proof/Symbols.h"

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int MaxEvaluation = 200; // depth

namespace {

// Of one expression in the iterations of a scope. A `let` that is used twice is computed once.
class Evaluator {
public:
  Evaluator(const Symbols &theSymbols, const plan::Plan &thePlan, const Scope &theScope)
      : symbols(theSymbols), plan(thePlan), scope(theScope) {}

  std::optional<int64_t> value(ExprId id, int depth = 0) {
    // While it is being computed it is not known: a `let` may not be defined by itself.
    const auto [place, isNew] = known.try_emplace(id);
    if (!isNew)
      return place->second;
    std::optional<int64_t> result;
    if (depth <= MaxEvaluation)
      result = symbols.constant(id);
    if (depth <= MaxEvaluation && !result)
      result = compute(plan.tables.exprs[id], depth + 1);
    known[id] = result;
    return result;
  }

private:
  std::optional<int64_t> compute(const ir::Expr &expr, int depth) {
    if (expr.op == ExprOp::Value) {
      if (ExprId let = symbols.knowledge().definition(expr.valueRef))
        return value(let, depth);
      const Frame *frame = scope.find(expr.valueRef);
      return frame ? variable(*frame, rangeOf(expr.type.scalar), depth) : std::nullopt;
    }
    if (expr.operands.empty() || expr.op == ExprOp::First || expr.op == ExprOp::Last ||
        expr.op == ExprOp::Every)
      return std::nullopt;
    llvm::SmallVector<ir::ConstantScalar, 3> operands;
    for (ExprId operand : expr.operands) {
      std::optional<int64_t> number = value(operand, depth);
      if (!number)
        return std::nullopt;
      operands.push_back({plan.tables.exprs[operand].type.scalar, *number, 0});
    }
    ir::Folded folded = ir::fold(expr.op, operands);
    return folded ? std::optional(folded.constant.value) : std::nullopt;
  }

  // Of a loop.
  std::optional<int64_t> variable(const Frame &frame, const Range &type, int depth) {
    const ir::Loop &loop = frame.loop->loop;
    std::optional<int64_t> lower = value(loop.lower, depth), step = value(loop.step, depth);
    std::optional<int64_t> ordinal = frame.ordinal;
    if (loop.isReversed)
      ordinal = frame.ordinal && frame.trips ? std::optional(*frame.trips - 1 - *frame.ordinal)
                                             : frame.fromEnd;
    if (!lower || !step || !ordinal || !type.contains({*lower, *lower}))
      return std::nullopt;
    return *lower + *ordinal * *step;
  }

  const Symbols &symbols;
  const plan::Plan &plan;
  const Scope &scope;
  std::map<ExprId, std::optional<int64_t>> known;
};

} // namespace

std::optional<int64_t> Symbols::constant(ExprId id) const {
  TermId term = facts.term(id);
  if (std::optional<bool> truth = facts.all().truthValue(term))
    return *truth;
  std::optional<Wide> number = facts.all().integerValue(term);
  return number && *number <= INT64_MAX && *number >= INT64_MIN
             ? std::optional(static_cast<int64_t>(*number))
             : std::nullopt;
}

std::optional<int64_t> Symbols::evaluate(ExprId id, const Scope &scope) const {
  std::optional<int64_t> value = Evaluator(*this, plan, scope).value(id);
  bool isBits = value && *value < 0 && plan.tables.exprs[id].type.scalar == ir::ScalarType::U64;
  return isBits ? std::nullopt : value;
}

bool Symbols::changesIn(ExprId id, const Frame &frame) const {
  Facts::Variables on = facts.variables(id);
  return !on.changing.empty() || on.loops.count(frame.loop->loop.variable);
}

Symbols::Dependence Symbols::dependence(llvm::ArrayRef<ExprId> exprs, const Scope &scope) const {
  Dependence result;
  Facts::Variables on;
  for (ExprId id : exprs) {
    Facts::Variables more = facts.variables(id);
    on.loops.insert(more.loops.begin(), more.loops.end());
    result.isFollowed &= more.changing.empty();
  }
  if (!isOfCluster(exprs))
    result.ofRank = fmt::format("@{}", *rank);
  for (const Frame &frame : scope.frames) {
    if (!on.loops.count(frame.loop->loop.variable))
      continue;
    if (frame.isTiles) {
      result.isPerTile = true;
      continue;
    }
    const std::optional<int64_t> &known = frame.ordinal ? frame.ordinal : frame.fromEnd;
    result.isFollowed &= known.has_value();
    if (!known)
      continue;
    result.suffix += fmt::format(" {}{}{}", facts.trips(frame.loop->loop).index,
                                 frame.ordinal ? " at " : " before end ", *known);
    result.text += fmt::format(" at {} = {}{}", plan.tables.values[frame.loop->loop.variable].name,
                               frame.ordinal ? "" : "last - ", *known);
  }
  return result;
}

} // namespace tsk::proof
