// Conditions that ask for a place in a loop: for the number of an iteration, or how far it is from
// the last one.
#include "compiler/verify/proof/Translator.h"

#include <algorithm>
#include <numeric>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int64_t MaxModulus = 64;

// The loop around whose variable this is.
const Frame *Translator::frameOf(TermId variable) const {
  for (size_t i = scope.frames.size(); i-- > 0;)
    if (symbols.knowledge().variable(scope.frames[i].loop->loop) == variable)
      return &scope.frames[i];
  return nullptr;
}

// With the variables that have a value here as numbers.
TermId Translator::settled(TermId id) const {
  Terms &terms = symbols.knowledge().all();
  const Term term = terms[id];
  if (term.kind != TermKind::Sum) {
    std::optional<int64_t> value = valueOf(frameOf(id));
    return value ? terms.integer(*value) : id;
  }
  TermId sum = terms.integer(term.constant);
  for (size_t i = 0; i < term.operands.size(); ++i) {
    std::optional<int64_t> value = valueOf(frameOf(term.operands[i]));
    sum = terms.sum(sum, value ? terms.integer(*value) : term.operands[i], term.weights[i]);
  }
  return sum;
}

// Of a loop's variable, in the iteration that a copy is.
std::optional<int64_t> Translator::valueOf(const Frame *frame) const {
  if (!frame)
    return std::nullopt;
  const ir::Loop &loop = frame->loop->loop;
  std::optional<int64_t> lower = symbols.evaluate(loop.lower, scope),
                         step = symbols.evaluate(loop.step, scope), ordinal = frame->ordinal;
  if (loop.isReversed)
    ordinal = frame->ordinal && frame->trips ? std::optional(*frame->trips - 1 - *frame->ordinal)
                                             : frame->fromEnd;
  constexpr int64_t Limit = int64_t(1) << 40;
  if (!lower || !step || !ordinal || std::abs(*lower) > Limit || std::abs(*step) > Limit)
    return std::nullopt;
  return *lower + *ordinal * *step;
}

std::optional<Translator::Linear> Translator::linear(TermId id) const {
  constexpr Wide Limit = Wide(1) << 30;
  auto isSmall = [](Wide value) { return value <= Limit && value >= -Limit; };
  const Term term = symbols.knowledge().all()[settled(id)];
  bool isSum = term.kind == TermKind::Sum;
  size_t count = isSum ? term.operands.size() : 1;
  if (count == 0)
    return isSmall(term.constant)
               ? std::optional(Linear{nullptr, 0, static_cast<int64_t>(term.constant)})
               : std::nullopt;
  TermId atom = isSum ? term.operands[0] : settled(id);
  Wide times = isSum ? term.weights[0] : 1, plus = isSum ? term.constant : 0;
  if (const Term part = symbols.knowledge().all()[atom];
      count == 1 && part.kind == TermKind::FloorDiv && isSmall(times) && isSmall(plus)) {
    std::optional<Linear> inner = linear(part.operands[0]);
    if (!inner || !inner->frame || inner->factor % part.constant != 0)
      return std::nullopt;
    Wide factor = times * (inner->factor / part.constant);
    Wide offset = times * proof::floorDiv(inner->offset, part.constant) + plus;
    return isSmall(factor) && isSmall(offset)
               ? std::optional(Linear{inner->frame, static_cast<int64_t>(factor),
                                      static_cast<int64_t>(offset), inner->isReversed})
               : std::nullopt;
  }
  const Frame *frame = frameOf(atom);
  if (count != 1 || !frame)
    return std::nullopt;
  std::optional<int64_t> lower = symbols.evaluate(frame->loop->loop.lower, scope);
  std::optional<int64_t> step = symbols.evaluate(frame->loop->loop.step, scope);
  if (!lower || !step || *step < 1 || !isSmall(*lower) || !isSmall(*step) || !isSmall(times) ||
      !isSmall(plus) || !isSmall(times * *step) || !isSmall(times * *lower + plus))
    return std::nullopt;
  return Linear{frame, static_cast<int64_t>(times * *step),
                static_cast<int64_t>(times * *lower + plus), frame->loop->loop.isReversed};
}

static ExprOp flipped(ExprOp op) {
  switch (op) {
  case ExprOp::Lt:
    return ExprOp::Gt;
  case ExprOp::Le:
    return ExprOp::Ge;
  case ExprOp::Gt:
    return ExprOp::Lt;
  case ExprOp::Ge:
    return ExprOp::Le;
  default:
    return op;
  }
}

// factor * ordinal + offset OP 0
static std::optional<OrdinalTest> within(const Frame *frame, int64_t factor, int64_t offset,
                                         ExprOp op) {
  if (factor < 0) {
    factor = -factor;
    offset = -offset;
    op = flipped(op);
  }
  OrdinalTest test;
  test.frame = frame;
  // The last ordinal at which the sum is not positive.
  const int64_t atMost = floorDiv(-offset, factor);
  bool isExact = atMost * factor + offset == 0;
  int64_t below = isExact ? atMost : atMost + 1; // the first at which it is not negative
  switch (op) {
  case ExprOp::Lt:
  case ExprOp::Ge:
    test.high = std::max<int64_t>(below, 0);
    test.isNegated = op == ExprOp::Ge;
    break;
  case ExprOp::Le:
  case ExprOp::Gt:
    test.high = std::max<int64_t>(atMost + 1, 0);
    test.isNegated = op == ExprOp::Gt;
    break;
  case ExprOp::Eq:
  case ExprOp::Ne:
    test.low = std::max<int64_t>(atMost, 0);
    test.high = isExact && atMost >= 0 ? atMost + 1 : test.low;
    test.isNegated = op == ExprOp::Ne;
    break;
  default:
    return std::nullopt;
  }
  return test;
}

// The same in a loop that runs backwards, where its last iteration has number 0.
static std::optional<OrdinalTest> fromEnd(OrdinalTest test) {
  if (test.low >= test.high)
    return test;       // never
  if (test.low == 0) { // among the last `high`
    test.kind = OrdinalTest::Kind::BeforeEnd;
    test.low = std::exchange(test.high, OrdinalTest::NoLimit);
    test.isNegated = !test.isNegated;
    return test;
  }
  if (test.high != test.low + 1)
    return std::nullopt;
  test.kind = OrdinalTest::Kind::AtEnd;
  test.low = std::exchange(test.high, OrdinalTest::NoLimit);
  return test;
}

// Whether the variable is less than, or is, something that has a fixed distance to its loop's end.
std::optional<OrdinalTest> Translator::endTest(const Frame &frame, TermId right,
                                               bool isEquality) const {
  const ir::Loop &loop = frame.loop->loop;
  Terms &terms = symbols.knowledge().all();
  std::optional<int64_t> step = symbols.evaluate(loop.step, scope);
  std::optional<Wide> beyond =
      terms.integerValue(terms.sum(settled(symbols.knowledge().end(loop)), settled(right), -1));
  constexpr Wide Limit = Wide(1) << 30;
  if (!step || *step < 1 || loop.isReversed || !beyond || *beyond > Limit || *beyond < -Limit)
    return std::nullopt;
  int64_t distance = static_cast<int64_t>(*beyond);
  OrdinalTest test;
  test.frame = &frame;
  test.kind = OrdinalTest::Kind::BeforeEnd;
  if (isEquality) {
    const TermId lower = symbols.knowledge().begin(loop);
    const TermId extent = terms.sum(symbols.knowledge().end(loop), lower, -1);
    if ((*step != 1 && terms.residue(extent, *step) != 0) || distance <= 0)
      return std::nullopt;
    test.kind = OrdinalTest::Kind::AtEnd;
  }
  if (distance % *step != 0)
    return std::nullopt;
  test.low = distance / *step;
  return test;
}

std::optional<OrdinalTest> Translator::everyTest(const ir::Expr &expr) const {
  OrdinalTest test;
  test.kind = OrdinalTest::Kind::Modulo;
  test.frame = scope.find(plan.tables.exprs[expr.operands[0]].valueRef);
  std::optional<int64_t> period = symbols.evaluate(expr.operands[1], scope);
  if (!test.frame || !period || *period < 1 || *period > MaxModulus)
    return std::nullopt;
  test.low = *period;
  test.high = 0;
  return test;
}

// x % period == remainder, for an x that is linear in an ordinal.
std::optional<OrdinalTest> Translator::remainderTest(const Term &rest, Wide remainder) const {
  std::optional<Linear> place = linear(rest.operands[0]);
  constexpr Wide Limit = Wide(1) << 30;
  if (!place || !place->frame || place->isReversed || rest.constant > Limit)
    return std::nullopt;
  int64_t period = static_cast<int64_t>(rest.constant);
  int64_t repeats = period / std::gcd(place->factor, period); // of ordinals
  if (repeats > MaxModulus)
    return std::nullopt;
  OrdinalTest test;
  test.frame = place->frame;
  test.high = 0; // never
  for (int64_t ordinal = 0; ordinal < repeats; ++ordinal)
    if (remainderOf(place->factor * ordinal + place->offset, period) == remainder) {
      test.kind = OrdinalTest::Kind::Modulo;
      test.low = repeats;
      test.high = ordinal;
    }
  return test;
}

std::optional<OrdinalTest> Translator::comparison(TermId condition) const {
  Terms &terms = symbols.knowledge().all();
  Term term = terms[condition];
  if (term.kind == TermKind::Not) {
    std::optional<OrdinalTest> test = comparison(term.operands[0]);
    if (test)
      test->isNegated = !test->isNegated;
    return test;
  }
  bool isEquality = term.kind == TermKind::Equal;
  if (!isEquality && term.kind != TermKind::AtMost)
    return std::nullopt;
  TermId left = settled(term.operands[0]);
  const Term base = terms[left];
  if (isEquality && base.kind == TermKind::FloorMod)
    return remainderTest(base, term.constant);
  if (std::optional<Linear> place = linear(left)) {
    if (!place->frame)
      return std::nullopt; // a number: nothing to ask
    constexpr Wide Limit = Wide(1) << 30;
    if (term.constant > Limit || term.constant < -Limit)
      return std::nullopt;
    std::optional<OrdinalTest> test =
        within(place->frame, place->factor, place->offset - static_cast<int64_t>(term.constant),
               isEquality ? ExprOp::Eq : ExprOp::Le);
    return test && place->isReversed ? fromEnd(*test) : test;
  }
  // variable - rest, or the reverse
  for (size_t i = 0; base.kind == TermKind::Sum && i < base.operands.size(); ++i) {
    const Frame *frame = frameOf(base.operands[i]);
    Wide weight = base.weights[i];
    if (!frame || (weight != 1 && weight != -1))
      continue;
    TermId rest = terms.sum(left, base.operands[i], -weight);
    bool isLess = weight == 1 && !isEquality; // variable < constant + 1 - rest
    TermId right = weight == 1 ? terms.sum(terms.integer(term.constant + isLess), rest, -1)
                               : terms.sum(rest, terms.integer(-term.constant));
    std::optional<OrdinalTest> test = endTest(*frame, right, isEquality);
    if (test)
      test->isNegated = !isEquality && weight != 1;
    return test;
  }
  return std::nullopt;
}

// Nothing: the condition is not about the place in one loop.
std::optional<OrdinalTest> Translator::ordinalTest(ExprId id) const {
  const ir::Expr &expr = plan.tables.exprs[id];
  OrdinalTest test;
  switch (expr.op) {
  case ExprOp::First:
    test.high = 1;
    break;
  case ExprOp::Last:
    test.kind = OrdinalTest::Kind::AtEnd;
    test.low = 1;
    break;
  case ExprOp::Every:
    return everyTest(expr);
  default:
    return comparison(symbols.knowledge().term(id));
  }
  test.frame = scope.find(plan.tables.exprs[expr.operands[0]].valueRef);
  return test.frame ? std::optional(test) : std::nullopt;
}

} // namespace tsk::proof
