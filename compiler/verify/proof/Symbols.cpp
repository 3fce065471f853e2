#include "compiler/verify/proof/Symbols.h"
#include "compiler/ir/Fold.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <climits>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int64_t MaxBound = 1000;     // larger lower bounds say no more than this
static constexpr int64_t MaxFactor = 1 << 20; // beyond, a sum is not taken apart
static constexpr int64_t MaxCoarser = 8;      // iterations for one of another loop
static constexpr int64_t MaxFar = 32;         // between loops that one number counts
static constexpr int MaxQuestion = 32;        // comparisons with larger numbers are mere choices

Symbols::Symbols(const plan::Plan &judged, Translation &target, const Launch *launch,
                 const ir::Kernel *kernel)
    : plan(judged), program(target.program), translation(target), meanings(target.meanings),
      facts(judged, Facts::Learn::Requirements, launch, kernel) {
  for (const plan::Task &task : plan.tasks)
    noteLoops(task.body);
}

void Symbols::setRank(unsigned theRank) {
  rank = theRank;
  facts.setRank(theRank);
  for (const plan::Task &task : plan.tasks)
    noteLoops(task.body);
}

// Whether all CTAs of the cluster agree on them: then one meaning is all that a symbol has.
bool Symbols::isOfCluster(llvm::ArrayRef<ExprId> exprs) const {
  return !rank || llvm::all_of(exprs, [&](ExprId id) {
    return plan.tables.exprs[id].uniformity <= ir::Uniformity::Cluster;
  });
}

// A symbol that a launch leaves open may only be so for what works and functions return.
void Symbols::noteOpen(llvm::ArrayRef<ExprId> exprs) {
  translation.isExact &= llvm::any_of(exprs, [&](ExprId id) { return facts.isOpen(id); });
}

void Symbols::noteLoops(plan::RegionId region) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::For) {
      const Sum sum = sumOf(facts.trips(step.loop));
      loopBases.insert(sum.base);
      const int64_t from = floorDiv(-sum.add, sum.scale);
      auto [known, isNew] = nearest.try_emplace(sum.base, from);
      known->second = std::min(known->second, from);
      const ir::Expr &upper = plan.tables.exprs[step.loop.upper];
      for (ExprId operand : upper.operands) {
        ir::Loop part = step.loop;
        part.upper = operand;
        if (upper.op == ExprOp::Min)
          loopBases.insert(sumOf(facts.trips(part)).base);
      }
    }
    noteLoops(step.body);
    noteLoops(step.elseBody);
  }
}

// Whether other loops of its base run from numbers that are so much less that nobody counts up to
// where it begins: then it is told by a number of its own.
bool Symbols::isFar(const Sum &sum) const {
  auto known = nearest.find(sum.base);
  return known != nearest.end() && floorDiv(-sum.add, sum.scale) - known->second > MaxFar;
}

// ---- sums --------------------------------------------------------------------------------------

static bool isSmall(Wide value) { return value > -MaxFactor && value < MaxFactor; }

// n / 64 is twice n / 128, if loops run so often and 128 divides n: one symbol for both.
Affine Symbols::coarsened(Affine parts, Wide most) const {
  if (!parts.base)
    return parts;
  Terms &terms = facts.all();
  const Term base = terms[parts.base];
  const bool isQuotient = base.kind == TermKind::FloorDiv;
  const TermId whole = isQuotient ? base.operands[0] : parts.base;
  const Wide divisor = isQuotient ? base.constant : 1;
  for (TermId loop : loopBases) {
    if (!loop)
      continue;
    const Term other = terms[loop];
    if (other.kind != TermKind::FloorDiv || other.operands[0] != whole ||
        other.constant % divisor != 0 || other.constant / divisor > most ||
        other.constant == divisor)
      continue;
    const std::optional<Wide> rest = terms.residue(whole, other.constant);
    if (!rest)
      continue;
    parts.add += parts.scale * proof::floorDiv(*rest, divisor);
    parts.scale *= other.constant / divisor;
    parts.base = loop;
    return coarsened(parts, most);
  }
  return parts;
}

Sum Symbols::sumOf(TermId id) const {
  Affine parts = coarsened(facts.all().affine(id), MaxCoarser);
  if (!isSmall(parts.add) || !isSmall(parts.scale))
    return parts.base ? Sum{id, 1, 0} : Sum{{}, 1, INT_MAX};
  return {parts.base, static_cast<int64_t>(parts.base ? parts.scale : 1),
          static_cast<int64_t>(parts.add)};
}

// ---- symbols -----------------------------------------------------------------------------------

int Symbols::add(const std::string &key, protocol::Symbol symbol) {
  auto [place, isNew] = symbols.try_emplace(key, static_cast<int>(program.symbols.size()));
  if (isNew)
    program.symbols.push_back(std::move(symbol));
  return place->second;
}

int Symbols::number(TermId base, const std::string &text, const Dependence &on) {
  protocol::Symbol symbol;
  // What the CTAs of a cluster compute from what they have in common is named after that.
  const bool isShared = !facts.isOfRank(base) && text == facts.all().text(base);
  symbol.name = text + (isShared ? "" : on.ofRank) + on.text;
  symbol.isPerTile = on.isPerTile;
  int index = add(fmt::format("{}{}", base.index, on.suffix), symbol);
  counted[index] = {base, on.suffix};
  Range range = facts.all().range(base);
  Limits &limits = numbers[index];
  limits.low = static_cast<int64_t>(std::max<Wide>(limits.low, range.low));
  limits.high = static_cast<int64_t>(std::min<Wide>(limits.high, range.high));
  return index;
}

// From `value` down a number makes no difference where it is asked for. A loop from 2048 on begins
// to be counted there: its first iterations are the number's 65th and so on.
void Symbols::need(int symbol, int64_t value) {
  Limits &limits = numbers[symbol];
  limits.needed = std::min(limits.needed, value);
  protocol::Symbol &known = program.symbols[symbol];
  known.min = static_cast<int>(std::max(std::min(MaxBound, limits.low), limits.needed));
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
  Range type = rangeOf(plan.tables.values[loop.variable].type.scalar);
  if (lower && upper && step && *step > 0 && type.contains({*lower, *lower}) &&
      type.contains({*upper, *upper}))
    return *upper > *lower ? (*upper - *lower - 1) / *step + 1 : 0;
  TermId count = facts.trips(loop);
  Range range = facts.all().range(count);
  if (range.high <= 0)
    return 0;
  if (range.low == range.high && range.low <= INT64_MAX)
    return static_cast<int64_t>(range.low);
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
  noteOpen({loop.lower, loop.upper, loop.step});
  TermId term = facts.trips(loop);
  Sum sum = sumOf(term);
  std::string text;
  if (!sum.base || sum.scale < 1 || !on.suffix.empty() || on.isPerTile || isFar(sum)) {
    sum = {term, 1, 0};
    text = facts.tripText(loop);
  } else {
    text = facts.all().text(sum.base);
  }
  count.scale = static_cast<int>(sum.scale);
  count.add = static_cast<int>(sum.add);
  count.symbol = number(sum.base, text, on);
  need(count.symbol, floorDiv(-sum.add, sum.scale));
  if (on.suffix.empty() && !on.isPerTile && isOfCluster({loop.lower, loop.upper, loop.step}))
    meanings.push_back({count.symbol, &loop, count.scale, count.add, {}, false});
  return count;
}

std::optional<protocol::Count> Symbols::tileCount(const ir::Loop &loop, const Scope &scope) {
  protocol::Count count;
  std::optional<int64_t> fixed = trips(loop, scope);
  Dependence on = dependence({loop.lower, loop.upper, loop.step}, scope);
  if (!on.isFollowed)
    return std::nullopt;
  if (!fixed)
    noteOpen({loop.lower, loop.upper, loop.step});
  TermId term = facts.trips(loop);
  protocol::Symbol symbol;
  symbol.name = facts.tripText(loop) + on.ofRank + on.text;
  symbol.isPerTile = on.isPerTile;
  count.symbol = add(fmt::format("tiles {}{}", term.index, on.suffix), symbol);
  Range range = facts.all().range(term);
  if (fixed)
    range = {*fixed, *fixed};
  Limits &limits = numbers[count.symbol];
  limits.low = static_cast<int64_t>(std::max<Wide>(limits.low, range.low));
  limits.high = static_cast<int64_t>(std::min<Wide>(limits.high, range.high));
  need(count.symbol, 0);
  if (on.suffix.empty() && !on.isPerTile && isOfCluster({loop.lower, loop.upper, loop.step}))
    meanings.push_back({count.symbol, &loop, 1, 0, {}, false});
  return count;
}

// ---- conditions --------------------------------------------------------------------------------

// A comparison of what a trip count is computed from with a constant.
std::optional<Choice> Symbols::comparison(TermId condition, const Dependence &on) {
  std::optional<Order> order = facts.all().order(condition);
  if (order) { // n > 0 is n / 64 > 0, if loops run so often and 64 divides n
    const Affine by = coarsened({order->base, 1, 0}, INT_MAX);
    order->most = proof::floorDiv(order->most - by.add, by.scale);
    order->base = by.base;
  }
  if (!order || on.isPerTile || !on.suffix.empty() || !loopBases.count(order->base) ||
      order->most > MaxQuestion || order->most < -MaxQuestion)
    return std::nullopt;
  protocol::Count count;
  count.symbol = number(order->base, facts.all().text(order->base), on);
  Choice choice = question(count, static_cast<int64_t>(order->most)); // base > most
  choice.isNegated = !order->isNegated;
  return choice;
}

// A condition in words, or its contrary.
static std::string textOf(const Facts &facts, const plan::Plan &plan, ExprId id, bool isContrary) {
  const ir::Expr &expr = plan.tables.exprs[id];
  if (!isContrary)
    return facts.text(id);
  if (expr.op == ExprOp::Not)
    return facts.text(expr.operands[0]);
  static constexpr std::pair<ExprOp, ExprOp> Contraries[] = {
      {ExprOp::Eq, ExprOp::Ne}, {ExprOp::Lt, ExprOp::Ge}, {ExprOp::Gt, ExprOp::Le}};
  for (auto [one, other] : Contraries)
    if (expr.op == one || expr.op == other)
      return fmt::format("{} {} {}", facts.text(expr.operands[0]),
                         ir::spelling(expr.op == one ? other : one), facts.text(expr.operands[1]));
  return fmt::format("!({})", facts.text(id));
}

// Whether a condition is better called by its contrary: a comparison and its contrary, always by
// the same of both.
static bool isContraryNamed(const plan::Plan &plan, const ir::Expr &expr) {
  auto isReal = [&](ExprId id) {
    return ir::scalarClass(plan.tables.exprs[id].type.scalar) == ir::ScalarClass::Float;
  };
  if (expr.op == ExprOp::Ne)
    return true;
  // Of reals, only equality has a contrary.
  return (expr.op == ExprOp::Ge || expr.op == ExprOp::Le) && !isReal(expr.operands[0]) &&
         !isReal(expr.operands[1]);
}

std::optional<Choice> Symbols::choice(ExprId id, const Scope &scope) {
  Choice choice;
  if (std::optional<int64_t> value = evaluate(id, scope)) {
    choice.constant = *value != 0;
    return choice;
  }
  Dependence on = dependence({id}, scope);
  if (!on.isFollowed)
    return std::nullopt;
  noteOpen(id);
  TermId term = facts.term(id);
  if (std::optional<Choice> question = comparison(term, on))
    return question;
  bool isFalse = facts.all()[term].kind == TermKind::Not;
  if (isFalse)
    term = facts.all()[term].operands[0];
  const Term &positive = facts.all()[term];
  bool contrary = isFalse != isContraryNamed(plan, plan.tables.exprs[id]);
  if (positive.kind == TermKind::AtMost) // so that one says something of another
    contrary = orientations.try_emplace(positive.operands[0], contrary).first->second;
  std::string key = fmt::format("if {}{}", term.index, on.suffix);
  protocol::Symbol symbol;
  symbol.name = textOf(facts, plan, id, contrary != isFalse) + on.ofRank + on.text;
  symbol.isCondition = true;
  symbol.isPerTile = on.isPerTile;
  symbol.max = 1;
  choice.symbol = add(key, symbol);
  chosen[choice.symbol] = {term, on.suffix};
  contrary = isContrary.try_emplace(choice.symbol, contrary).first->second;
  choice.isNegated = contrary != isFalse;
  if (on.suffix.empty() && !on.isPerTile && isOfCluster(id))
    meanings.push_back({choice.symbol, nullptr, 1, 0, id, choice.isNegated});
  return choice;
}

} // namespace tsk::proof
