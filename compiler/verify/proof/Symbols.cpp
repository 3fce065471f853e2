#include "compiler/verify/proof/Symbols.h"
#include "compiler/ir/Fold.h"

#include <algorithm>
#include <climits>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int64_t MaxBound = 1000;     // larger lower bounds say no more than this
static constexpr int64_t MaxFactor = 1 << 20; // beyond, a sum is not taken apart
static constexpr int MaxQuestion = 32;        // comparisons with larger numbers are mere choices
static constexpr int MaxEvaluation = 64;      // depth: a `let` may not be defined by itself

Symbols::Symbols(const plan::Plan &judged, protocol::Program &target)
    : plan(judged), program(target), facts(judged) {
  for (const plan::Task &task : plan.tasks)
    noteLoops(task.body);
}

void Symbols::noteLoops(plan::RegionId region) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::For) {
      loopBases.insert(tripsOf(step.loop).base);
      const ir::Expr &upper = plan.tables.exprs[step.loop.upper];
      for (ExprId operand : upper.operands) {
        ir::Loop part = step.loop;
        part.upper = operand;
        if (upper.op == ExprOp::Min)
          loopBases.insert(tripsOf(part).base);
      }
    }
    noteLoops(step.body);
    noteLoops(step.elseBody);
  }
}

// ---- values ------------------------------------------------------------------------------------

static std::optional<int64_t> evaluateIn(const Symbols &symbols, const plan::Plan &plan, ExprId id,
                                         const Scope &scope, int depth) {
  if (depth > MaxEvaluation)
    return std::nullopt;
  if (std::optional<int64_t> constant = ir::constantValue(plan.tables, id))
    return constant;
  const ir::Expr &expr = plan.tables.exprs[id];
  auto inner = [&](ExprId operand) { return evaluateIn(symbols, plan, operand, scope, depth + 1); };
  if (expr.op == ExprOp::Value) {
    if (ExprId let = symbols.knowledge().definition(expr.valueRef))
      return inner(let);
    const Frame *frame = scope.find(expr.valueRef);
    if (!frame)
      return std::nullopt;
    const ir::Loop &loop = frame->loop->loop;
    std::optional<int64_t> lower = inner(loop.lower), step = inner(loop.step);
    std::optional<int64_t> ordinal = frame->ordinal;
    if (loop.isReversed)
      ordinal = frame->ordinal && frame->trips ? std::optional(*frame->trips - 1 - *frame->ordinal)
                                               : frame->fromEnd;
    if (!lower || !step || !ordinal)
      return std::nullopt;
    return *lower + *ordinal * *step;
  }
  if (expr.operands.empty() || expr.op == ExprOp::First || expr.op == ExprOp::Last ||
      expr.op == ExprOp::Every)
    return std::nullopt;
  llvm::SmallVector<ir::ConstantScalar, 3> operands;
  for (ExprId operand : expr.operands) {
    std::optional<int64_t> value = inner(operand);
    if (!value)
      return std::nullopt;
    operands.push_back({plan.tables.exprs[operand].type.scalar, *value, 0});
  }
  ir::Folded folded = ir::fold(expr.op, operands);
  return folded ? std::optional(folded.constant.value) : std::nullopt;
}

std::optional<int64_t> Symbols::evaluate(ExprId id, const Scope &scope) const {
  int64_t constant = 0;
  if (!llvm::StringRef(facts.key(id)).getAsInteger(10, constant))
    return constant;
  return evaluateIn(*this, plan, id, scope, 0);
}

bool Symbols::changesIn(ExprId id, const Frame &frame) const {
  Facts::Variables on = facts.variables(id);
  return on.hasVars || on.loops.count(frame.loop->loop.variable);
}

Symbols::Dependence Symbols::dependence(llvm::ArrayRef<ExprId> exprs, const Scope &scope) const {
  Dependence result;
  Facts::Variables on;
  for (ExprId id : exprs) {
    Facts::Variables more = facts.variables(id);
    on.loops.insert(more.loops.begin(), more.loops.end());
    on.hasVars |= more.hasVars;
  }
  result.isFollowed = !on.hasVars;
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
    result.suffix += fmt::format(" {}{}{}", facts.tripKey(frame.loop->loop),
                                 frame.ordinal ? " at " : " before end ", *known);
    result.text += fmt::format(" at {} = {}{}", plan.tables.values[frame.loop->loop.variable].name,
                               frame.ordinal ? "" : "last - ", *known);
  }
  return result;
}

// ---- sums --------------------------------------------------------------------------------------

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static bool isSmall(int64_t value) { return value > -MaxFactor && value < MaxFactor; }

Sum Symbols::sumOf(ExprId id) const {
  auto [known, isNew] = sums.try_emplace(id.index);
  if (!isNew)
    return known->second;
  std::string key = facts.key(id);
  Sum whole{key, facts.text(id), facts.bounds(id), 1, 0};
  known->second = whole; // against an expression that is defined by itself
  Sum result = whole;
  int64_t constant = 0;
  id = facts.canonical(id);
  const ir::Expr &expr = plan.tables.exprs[id];
  if (!llvm::StringRef(key).getAsInteger(10, constant)) {
    result = {"", "", {constant, constant}, 1, constant};
  } else if (ExprId let = expr.op == ExprOp::Value ? facts.definition(expr.valueRef) : ExprId()) {
    result = sumOf(let);
  } else if (expr.op == ExprOp::Add || expr.op == ExprOp::Sub) {
    Sum left = sumOf(expr.operands[0]), right = sumOf(expr.operands[1]);
    bool isAdd = expr.op == ExprOp::Add;
    if (left.base.empty() && isAdd)
      std::swap(left, right);
    if (right.base.empty() && isSmall(left.add) && isSmall(right.add)) {
      left.add += isAdd ? right.add : -right.add;
      result = left;
    }
  } else if (expr.op == ExprOp::Mul) {
    Sum left = sumOf(expr.operands[0]), right = sumOf(expr.operands[1]);
    if (left.base.empty())
      std::swap(left, right);
    if (right.base.empty() && right.add > 0 && isSmall(right.add) && isSmall(left.add) &&
        isSmall(left.scale * right.add) && isSmall(left.add * right.add)) {
      left.scale *= right.add;
      left.add *= right.add;
      result = left;
    }
  }
  return sums[id.index] = sums[known->first] = result;
}

std::optional<Sum> Symbols::difference(ExprId left, ExprId right) const {
  Sum a = sumOf(left), b = sumOf(right);
  if (!isSmall(a.add) || !isSmall(b.add))
    return std::nullopt;
  if (a.base == b.base && a.scale == b.scale)
    return Sum{"", "", {}, 1, a.add - b.add};
  if (b.base.empty()) {
    a.add -= b.add;
    return a;
  }
  if (!a.base.empty())
    return std::nullopt;
  b.scale = -b.scale;
  b.add = a.add - b.add;
  return b;
}

// dividend / divisor, rounded up.
Sum Symbols::quotient(const Sum &dividend, int64_t divisor, ExprId expr) const {
  if (divisor == 1)
    return dividend;
  if (dividend.scale % divisor == 0 && dividend.add % divisor == 0)
    return {dividend.base, dividend.text, dividend.range, dividend.scale / divisor,
            dividend.add / divisor};
  Sum result;
  result.base = facts.quotient(dividend.base, std::to_string(divisor), true);
  bool roundsUp = llvm::StringRef(result.base).starts_with("(ceil_div");
  bool isPlain = plan.tables.exprs[expr].operands.empty();
  std::string plainText = isPlain ? dividend.text : "(" + dividend.text + ")";
  result.text = roundsUp ? fmt::format("ceil_div({}, {})", dividend.text, divisor)
                         : fmt::format("{} / {}", plainText, divisor);
  auto ceilDiv = [&](int64_t a) { return a >= 0 ? (a + divisor - 1) / divisor : -(-a / divisor); };
  if (dividend.range.low)
    result.range.low = ceilDiv(*dividend.range.low);
  if (dividend.range.high)
    result.range.high = ceilDiv(*dividend.range.high);
  result.add = dividend.add / divisor;
  return result;
}

// `max(n, 0)` from 0 is n: no loop runs less than no times.
ExprId Symbols::plainUpper(const ir::Loop &loop) const {
  const ir::Expr &upper = plan.tables.exprs[loop.upper];
  for (size_t i : {0, 1}) {
    if (upper.op != ExprOp::Max)
      break;
    std::optional<Sum> extent = difference(upper.operands[i], loop.lower);
    if (extent && extent->base.empty() && extent->add <= 0)
      return upper.operands[1 - i];
  }
  return loop.upper;
}

// How often a loop runs, if that is more than nothing.
Sum Symbols::tripsOf(const ir::Loop &loop) const {
  std::optional<int64_t> step = ir::constantValue(plan.tables, loop.step);
  std::optional<Sum> extent = difference(plainUpper(loop), loop.lower);
  if (step && *step > 0 && extent) {
    if (extent->base.empty())
      return {"", "", {}, 1, extent->add > 0 ? (extent->add + *step - 1) / *step : 0};
    bool divides = extent->scale % *step == 0 || extent->scale == 1;
    if (extent->scale > 0 && divides && extent->add % *step == 0)
      return quotient(*extent, *step, loop.upper);
  }
  return {facts.tripKey(loop), facts.tripText(loop), facts.tripBounds(loop), 1, 0};
}

// ---- symbols -----------------------------------------------------------------------------------

int Symbols::add(const std::string &key, protocol::Symbol symbol) {
  auto [place, isNew] = symbols.try_emplace(key, static_cast<int>(program.symbols.size()));
  if (isNew)
    program.symbols.push_back(std::move(symbol));
  return place->second;
}

// The symbol of a sum's base.
int Symbols::number(const Sum &sum, const Dependence &on) {
  std::string key = sum.base + on.suffix;
  protocol::Symbol symbol;
  symbol.name = sum.text + on.text;
  symbol.isPerTile = on.isPerTile;
  int index = add(key, symbol);
  Limits &limits = numbers[index];
  limits.low = std::max(limits.low, sum.range.low.value_or(limits.low));
  limits.high = std::min(limits.high, sum.range.high.value_or(limits.high));
  return index;
}

// From `value` down a number makes no difference where it is asked for.
void Symbols::need(int symbol, int64_t value) {
  Limits &limits = numbers[symbol];
  limits.needed = std::min(limits.needed, value);
  protocol::Symbol &known = program.symbols[symbol];
  known.min = static_cast<int>(std::min(MaxBound, std::max(limits.low, limits.needed)));
  if (limits.high < MaxBound)
    known.max = static_cast<int>(std::max<int64_t>(limits.high, known.min));
}

// scale * s + add > trips
Choice Symbols::question(const protocol::Count &count, int64_t trips) {
  Choice choice;
  choice.symbol = count.symbol;
  choice.bound = static_cast<int>(floorDiv(trips - count.add, count.scale));
  need(choice.symbol, choice.bound);
  return choice;
}

std::optional<int64_t> Symbols::trips(const ir::Loop &loop, const Scope &scope) const {
  std::optional<int64_t> lower = evaluate(loop.lower, scope), upper = evaluate(loop.upper, scope),
                         step = evaluate(loop.step, scope);
  if (lower && upper && step && *step > 0)
    return *upper > *lower ? (*upper - *lower + *step - 1) / *step : 0;
  Interval range = facts.tripBounds(loop);
  if (range.high && *range.high <= *range.low)
    return *range.low;
  return std::nullopt;
}

std::optional<protocol::Count> Symbols::count(const ir::Loop &loop, const Scope &scope) {
  protocol::Count count;
  if (std::optional<int64_t> fixed = trips(loop, scope)) {
    count.add = static_cast<int>(std::min<int64_t>(*fixed, INT_MAX));
    return count;
  }
  Dependence on = dependence({loop.lower, loop.upper, loop.step}, scope);
  if (!on.isFollowed)
    return std::nullopt;
  Sum sum = tripsOf(loop);
  if (sum.base.empty() || !on.suffix.empty() || on.isPerTile)
    sum = {facts.tripKey(loop), facts.tripText(loop), facts.tripBounds(loop), 1, 0};
  count.scale = static_cast<int>(sum.scale);
  count.add = static_cast<int>(sum.add);
  count.symbol = number(sum, on);
  need(count.symbol, floorDiv(-sum.add, sum.scale));
  return count;
}

std::optional<protocol::Count> Symbols::tileCount(const ir::Loop &loop, const Scope &scope) {
  protocol::Count count;
  std::optional<int64_t> fixed = trips(loop, scope);
  Dependence on = dependence({loop.lower, loop.upper, loop.step}, scope);
  if (!on.isFollowed)
    return std::nullopt;
  std::string text = facts.tripText(loop);
  Sum sum{"tiles " + facts.tripKey(loop), text, facts.tripBounds(loop), 1, 0};
  if (fixed)
    sum.range = {fixed, fixed};
  count.symbol = number(sum, on);
  need(count.symbol, 0);
  return count;
}

// ---- conditions --------------------------------------------------------------------------------

// A comparison of what a trip count is computed from with a constant.
std::optional<Choice> Symbols::comparison(const ir::Expr &expr, const Dependence &on) {
  if (expr.operands.size() != 2 || on.isPerTile || !on.suffix.empty())
    return std::nullopt;
  std::optional<Sum> sum = difference(expr.operands[0], expr.operands[1]);
  if (!sum || sum->base.empty() || !loopBases.count(sum->base) || sum->scale == 0)
    return std::nullopt;
  // scale * s + add > 0, or the contrary.
  bool isNegated = false;
  switch (expr.op) {
  case ExprOp::Gt:
    break;
  case ExprOp::Le:
    isNegated = true;
    break;
  case ExprOp::Ge:
    ++sum->add;
    break;
  case ExprOp::Lt:
    ++sum->add;
    isNegated = true;
    break;
  default:
    return std::nullopt;
  }
  if (sum->scale < 0) { // -(scale * s + add) < 0
    sum->scale = -sum->scale;
    sum->add = 1 - sum->add;
    isNegated = !isNegated;
  }
  protocol::Count count{-1, static_cast<int>(sum->scale), static_cast<int>(sum->add)};
  if (std::abs(floorDiv(-sum->add, sum->scale)) > MaxQuestion)
    return std::nullopt;
  count.symbol = number({sum->base, sum->text, sum->range, 1, 0}, on);
  Choice choice = question(count, 0);
  choice.isNegated = isNegated;
  return choice;
}

std::optional<Choice> Symbols::choice(ExprId id, const Scope &scope) {
  Choice choice;
  if (std::optional<int64_t> value = evaluate(id, scope)) {
    choice.constant = *value != 0;
    return choice;
  }
  if (std::optional<bool> decided = facts.decide(id)) {
    choice.constant = *decided;
    return choice;
  }
  Dependence on = dependence({id}, scope);
  if (!on.isFollowed)
    return std::nullopt;
  const ir::Expr &expr = plan.tables.exprs[id];
  if (std::optional<Choice> question = comparison(expr, on))
    return question;
  std::string key = facts.key(id);
  protocol::Symbol symbol;
  symbol.name = facts.text(id);
  if (expr.operands.size() == 2) {
    std::string left = facts.key(expr.operands[0]), right = facts.key(expr.operands[1]);
    auto name = [&](const char *op) {
      return fmt::format("{} {} {}", facts.text(expr.operands[0]), op,
                         facts.text(expr.operands[1]));
    };
    // A comparison and its contrary are one choice; of reals, only equality has a contrary.
    bool isReal =
        ir::scalarClass(plan.tables.exprs[expr.operands[0]].type.scalar) == ir::ScalarClass::Float;
    if (expr.op == ExprOp::Eq || expr.op == ExprOp::Ne) {
      key = fmt::format("(== {} {})", std::min(left, right), std::max(left, right));
      choice.isNegated = expr.op == ExprOp::Ne;
      symbol.name = name("==");
    } else if (!isReal && (expr.op == ExprOp::Lt || expr.op == ExprOp::Ge)) {
      key = fmt::format("(< {} {})", left, right);
      choice.isNegated = expr.op == ExprOp::Ge;
      symbol.name = name("<");
    } else if (!isReal && (expr.op == ExprOp::Gt || expr.op == ExprOp::Le)) {
      key = fmt::format("(< {} {})", right, left);
      choice.isNegated = expr.op == ExprOp::Le;
      symbol.name = name(">");
    }
  }
  symbol.name += on.text;
  symbol.isCondition = true;
  symbol.isPerTile = on.isPerTile;
  symbol.max = 1;
  choice.symbol = add("if " + key + on.suffix, symbol);
  return choice;
}

} // namespace tsk::proof
