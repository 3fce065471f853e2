#include "compiler/verify/proof/Facts.h"
#include "compiler/ir/ExprText.h"

#include <algorithm>

namespace tsk::proof {

using ir::Expr;
using ir::ExprId;
using ir::ExprOp;

// Chains of `let`s can double an expression with each link; past this a key only names its place.
static constexpr size_t KeyLimit = 2000;

Facts::Facts(const plan::Plan &thePlan) : plan(thePlan) {
  for (const plan::Task &task : plan.tasks)
    collect(task.body);
  // Equalities first: they decide which keys the other facts are about.
  for (ExprId id : plan.assumptions)
    if (plan.tables.exprs[id].op == ExprOp::Eq)
      learn(id);
  keys.clear();
  for (ExprId id : plan.assumptions)
    learn(id);
  keys.clear(); // divisibility changes keys of quotients
}

void Facts::collect(plan::RegionId region) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    bool isLoop = step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor;
    if (step.kind == plan::StepKind::Let)
      definitions[step.results[0].index] = step.args[0];
    if (step.kind == plan::StepKind::Call)
      for (ir::ValueId result : step.results)
        resultsIn[result.index] = around;
    if (isLoop) {
      loops[step.loop.variable.index] = {step.loop, static_cast<unsigned>(around.size())};
      around.push_back(step.loop.variable);
    }
    collect(step.body);
    collect(step.elseBody);
    if (isLoop)
      around.pop_back();
  }
}

// ---- learning from `requires` ------------------------------------------------------------------

// Whether a side that has a sign is compared as an unsigned number: then -1 > 5 holds, and nothing
// follows for the number itself.
bool Facts::comparesConverted(const Expr &expr) const {
  const auto isUnsigned = [&](ExprId id) {
    const ir::Type &type = plan.tables.exprs[id].type;
    return type.isScalar() && ir::scalarClass(type.scalar) == ir::ScalarClass::UInt;
  };
  const auto mayBeNegative = [&](ExprId id) {
    const std::optional<int64_t> constant = ir::constantValue(plan.tables, id);
    return !isUnsigned(id) && (!constant || *constant < 0);
  };
  return expr.operands.size() == 2 &&
         ((isUnsigned(expr.operands[0]) && mayBeNegative(expr.operands[1])) ||
          (isUnsigned(expr.operands[1]) && mayBeNegative(expr.operands[0])));
}

void Facts::learn(ExprId condition) {
  const Expr &expr = plan.tables.exprs[condition];
  if (comparesConverted(expr))
    return;
  switch (expr.op) {
  case ExprOp::And:
    learn(expr.operands[0]);
    return learn(expr.operands[1]);
  case ExprOp::Eq: {
    const Expr &left = plan.tables.exprs[expr.operands[0]];
    if (left.op == ExprOp::Rem && !comparesConverted(left) &&
        ir::constantValue(plan.tables, expr.operands[1]) == 0)
      divisible[{key(left.operands[0]), key(left.operands[1])}] = true;
    for (ExprId side : expr.operands)
      united.try_emplace(key(side), side);
    return unite(key(expr.operands[0]), key(expr.operands[1]));
  }
  case ExprOp::Lt:
    return learnOrder(expr.operands[0], expr.operands[1], true);
  case ExprOp::Le:
    return learnOrder(expr.operands[0], expr.operands[1], false);
  case ExprOp::Gt:
    return learnOrder(expr.operands[1], expr.operands[0], true);
  case ExprOp::Ge:
    return learnOrder(expr.operands[1], expr.operands[0], false);
  default:
    return;
  }
}

void Facts::learnOrder(ExprId smaller, ExprId larger, bool isStrict) {
  if (std::optional<int64_t> low = ir::constantValue(plan.tables, smaller)) {
    Interval &fact = known[key(larger)];
    fact.low = std::max(fact.low.value_or(INT64_MIN), *low + isStrict);
  } else if (std::optional<int64_t> high = ir::constantValue(plan.tables, larger)) {
    Interval &fact = known[key(smaller)];
    fact.high = std::min(fact.high.value_or(INT64_MAX), *high - isStrict);
  }
}

std::string Facts::representative(std::string key) const {
  for (auto it = parents.find(key); it != parents.end(); it = parents.find(key))
    key = it->second;
  return key;
}

// Constants represent their class, then the shortest key.
static bool isSimpler(const std::string &a, const std::string &b) {
  bool isNumberA = a.find_first_not_of("-0123456789") == std::string::npos;
  bool isNumberB = b.find_first_not_of("-0123456789") == std::string::npos;
  if (isNumberA != isNumberB)
    return isNumberA;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

void Facts::unite(const std::string &a, const std::string &b) {
  std::string first = representative(a);
  std::string second = representative(b);
  if (first == second)
    return;
  if (isSimpler(second, first))
    std::swap(first, second);
  parents[second] = first;
}

// ---- keys --------------------------------------------------------------------------------------

const ir::Loop *Facts::loopOf(ir::ValueId variable) const {
  auto it = loops.find(variable.index);
  return it == loops.end() ? nullptr : &it->second.first;
}

ExprId Facts::canonical(ExprId id) const {
  auto it = united.find(key(id));
  return it == united.end() ? id : it->second;
}

ExprId Facts::definition(ir::ValueId value) const {
  auto it = definitions.find(value.index);
  return it == definitions.end() ? ExprId() : it->second;
}

std::string Facts::key(ExprId id) const {
  auto it = keys.find(id.index);
  if (it != keys.end())
    return it->second;
  // Against a value that is defined by itself, which only a faulty text can have.
  keys[id.index] = fmt::format("e{}", id.index);
  std::string key = representative(buildKey(id));
  if (key.size() > KeyLimit)
    key = fmt::format("e{}", id.index);
  return keys[id.index] = key;
}

// (x + c - 1) / c and (x + (c - 1)) / c.
bool Facts::isCeilDivIdiom(const Expr &division, ExprId &dividend) const {
  std::optional<int64_t> divisor = ir::constantValue(plan.tables, division.operands[1]);
  const Expr &sum = plan.tables.exprs[division.operands[0]];
  if (!divisor)
    return false;
  if (sum.op == ExprOp::Add) {
    dividend = sum.operands[0];
    return ir::constantValue(plan.tables, sum.operands[1]) == *divisor - 1;
  }
  const Expr &inner = sum.op == ExprOp::Sub ? plan.tables.exprs[sum.operands[0]] : sum;
  if (inner.op != ExprOp::Add)
    return false;
  dividend = inner.operands[0];
  return ir::constantValue(plan.tables, sum.operands[1]) == 1 &&
         ir::constantValue(plan.tables, inner.operands[1]) == *divisor;
}

std::string Facts::quotient(std::string dividend, std::string divisor, bool roundsUp) const {
  if (divisor == "1")
    return dividend;
  // Where nothing remains, rounding makes no difference.
  if (divisible.count({dividend, divisor}))
    roundsUp = false;
  return fmt::format("({} {} {})", roundsUp ? "ceil_div" : "/", dividend, divisor);
}

std::string Facts::buildKey(ExprId id) const {
  const Expr &expr = plan.tables.exprs[id];
  if (std::optional<int64_t> constant = ir::constantValue(plan.tables, id))
    return fmt::format("{}", *constant);
  switch (expr.op) {
  case ExprOp::Scalar:
    return plan.scalars[expr.scalarRef].name;
  case ExprOp::Builtin:
    return ir::spelling(expr.builtin).str();
  case ExprOp::Value: {
    if (ExprId let = definition(expr.valueRef))
      return key(let);
    auto loop = loops.find(expr.valueRef.index);
    if (loop == loops.end())
      return fmt::format("v{}", expr.valueRef.index);
    const ir::Loop &range = loop->second.first;
    return fmt::format("i{}({} {} {}{})", loop->second.second, key(range.lower), tripKey(range),
                       key(range.step), range.isReversed ? " reversed" : "");
  }
  case ExprOp::Div: {
    ExprId dividend = expr.operands[0];
    bool roundsUp = isCeilDivIdiom(expr, dividend);
    return quotient(key(roundsUp ? dividend : expr.operands[0]), key(expr.operands[1]), roundsUp);
  }
  case ExprOp::CeilDiv:
    return quotient(key(expr.operands[0]), key(expr.operands[1]), true);
  default:
    break;
  }
  std::vector<std::string> operands;
  for (ExprId operand : expr.operands)
    operands.push_back(key(operand));
  bool isCommutative = expr.op == ExprOp::Add || expr.op == ExprOp::Mul || expr.op == ExprOp::Eq ||
                       expr.op == ExprOp::Ne || expr.op == ExprOp::Min || expr.op == ExprOp::Max;
  if (isCommutative)
    std::sort(operands.begin(), operands.end());
  if (expr.op == ExprOp::FloatConst)
    operands.push_back(fmt::format("{}", expr.real));
  return fmt::format("({} {})", ir::callee(plan.tables, expr), fmt::join(operands, " "));
}

std::string Facts::tripKey(const ir::Loop &loop) const {
  std::string lower = key(loop.lower);
  std::string upper = key(loop.upper);
  std::string extent = lower == "0" ? upper : fmt::format("(- {} {})", upper, lower);
  return representative(quotient(representative(extent), key(loop.step), true));
}

// ---- for readers -------------------------------------------------------------------------------

std::string Facts::text(ExprId id) const {
  ir::ExprNames names;
  for (const ir::Scalar &scalar : plan.scalars)
    names.scalars.push_back(scalar.name);
  std::string result;
  llvm::raw_string_ostream stream(result);
  ir::printExpr(stream, plan.tables, names, id);
  return result;
}

std::string Facts::tripText(const ir::Loop &loop) const {
  std::string extent = text(loop.upper);
  bool isPlain = plan.tables.exprs[loop.upper].operands.empty();
  if (ir::constantValue(plan.tables, loop.lower) != 0) {
    extent += " - " + text(loop.lower);
    isPlain = false;
  }
  if (ir::constantValue(plan.tables, loop.step) == 1)
    return extent;
  if (tripKey(loop).starts_with("(ceil_div"))
    return fmt::format("ceil_div({}, {})", extent, text(loop.step));
  return fmt::format("{} / {}", isPlain ? extent : "(" + extent + ")", text(loop.step));
}

void Facts::collectVariables(ExprId id, std::set<uint32_t> &seen, Variables &result) const {
  if (!seen.insert(id.index).second)
    return;
  const Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Value) {
    auto work = resultsIn.find(expr.valueRef.index);
    if (ExprId let = definition(expr.valueRef))
      collectVariables(let, seen, result);
    else if (loops.count(expr.valueRef.index))
      result.loops.insert(expr.valueRef);
    else if (work != resultsIn.end())
      result.loops.insert(work->second.begin(), work->second.end());
    else
      result.hasVars = true;
  }
  for (ExprId operand : expr.operands)
    collectVariables(operand, seen, result);
}

Facts::Variables Facts::variables(ExprId id) const {
  std::set<uint32_t> seen;
  Variables result;
  collectVariables(id, seen, result);
  return result;
}

} // namespace tsk::proof
