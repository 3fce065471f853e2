// What steps stand under: which conditions ask for a place in a loop, which are choices.
#include "compiler/verify/proof/Translator.h"

#include <algorithm>
#include <numeric>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int64_t MaxModulus = 64;
static constexpr int MaxDepth = 64; // of expressions: a `let` may not be defined by itself

// ---- questions about ordinals ------------------------------------------------------------------

std::optional<Translator::Linear> Translator::linear(ExprId id, int depth) const {
  if (depth > MaxDepth)
    return std::nullopt;
  if (std::optional<int64_t> value = symbols.evaluate(id, scope))
    return Linear{nullptr, 0, *value};
  const ir::Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Value) {
    if (ExprId let = symbols.knowledge().definition(expr.valueRef))
      return linear(let, depth + 1);
    const Frame *frame = scope.find(expr.valueRef);
    if (!frame || frame->loop->loop.isReversed)
      return std::nullopt;
    std::optional<int64_t> lower = symbols.evaluate(frame->loop->loop.lower, scope);
    std::optional<int64_t> step = symbols.evaluate(frame->loop->loop.step, scope);
    if (!lower || !step || *step < 1)
      return std::nullopt;
    return Linear{frame, *step, *lower};
  }
  if (expr.op != ExprOp::Add && expr.op != ExprOp::Sub && expr.op != ExprOp::Mul)
    return std::nullopt;
  std::optional<Linear> left = linear(expr.operands[0], depth + 1);
  std::optional<Linear> right = linear(expr.operands[1], depth + 1);
  if (!left || !right || (left->frame && right->frame && left->frame != right->frame))
    return std::nullopt;
  constexpr int64_t Limit = int64_t(1) << 30;
  for (int64_t each : {left->factor, left->offset, right->factor, right->offset})
    if (std::abs(each) > Limit)
      return std::nullopt;
  const Frame *frame = left->frame ? left->frame : right->frame;
  if (expr.op == ExprOp::Mul) {
    if (left->frame && right->frame)
      return std::nullopt;
    return Linear{frame, left->factor * right->offset + right->factor * left->offset,
                  left->offset * right->offset};
  }
  int sign = expr.op == ExprOp::Add ? 1 : -1;
  return Linear{frame, left->factor + sign * right->factor, left->offset + sign * right->offset};
}

static int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

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
  int64_t atMost = floorDiv(-offset, factor); // the last ordinal at which the sum is not positive
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

// variable + c OP right, where the loop ends at right + d.
std::optional<OrdinalTest> Translator::endTest(ExprOp op, ExprId left, ExprId right) const {
  std::optional<Linear> place = linear(left);
  if (!place || !place->frame)
    return std::nullopt;
  const ir::Loop &loop = place->frame->loop->loop;
  std::optional<int64_t> lower = symbols.evaluate(loop.lower, scope);
  std::optional<int64_t> step = symbols.evaluate(loop.step, scope);
  std::optional<Sum> beyond = symbols.difference(loop.upper, right);
  if (!lower || !step || place->factor != *step || !beyond || !beyond->base.empty())
    return std::nullopt;
  int64_t distance = place->offset - *lower + beyond->add;
  OrdinalTest test;
  test.kind = OrdinalTest::Kind::BeforeEnd;
  test.frame = place->frame;
  test.isNegated = op == ExprOp::Ge || op == ExprOp::Gt || op == ExprOp::Ne;
  bool isEquality = op == ExprOp::Eq || op == ExprOp::Ne;
  if (isEquality && *step == 1 && distance > 0)
    test.kind = OrdinalTest::Kind::AtEnd;
  else if (op == ExprOp::Le || op == ExprOp::Gt)
    --distance; // a <= b is a - 1 < b
  else if (op != ExprOp::Lt && op != ExprOp::Ge)
    return std::nullopt;
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

std::optional<OrdinalTest> Translator::comparison(const ir::Expr &expr) const {
  ExprId left = expr.operands[0], right = expr.operands[1];
  const ir::Expr &rest = plan.tables.exprs[left];
  bool isEquality = expr.op == ExprOp::Eq || expr.op == ExprOp::Ne;
  if (isEquality && rest.op == ExprOp::Rem) {
    std::optional<Linear> place = linear(rest.operands[0]);
    std::optional<int64_t> period = symbols.evaluate(rest.operands[1], scope);
    std::optional<int64_t> remainder = symbols.evaluate(right, scope);
    if (!place || !place->frame || !period || !remainder || *period < 1 || *period > MaxModulus ||
        place->factor != 1 || place->offset < 0)
      return std::nullopt;
    OrdinalTest test;
    test.frame = place->frame;
    test.isNegated = expr.op == ExprOp::Ne;
    if (*remainder < 0 || *remainder >= *period) {
      test.high = 0; // never
      return test;
    }
    test.kind = OrdinalTest::Kind::Modulo;
    test.low = *period;
    test.high = ((*remainder - place->offset) % *period + *period) % *period;
    return test;
  }
  std::optional<Linear> a = linear(left), b = linear(right);
  if (a && b && (!a->frame || !b->frame || a->frame == b->frame)) {
    const Frame *frame = a->frame ? a->frame : b->frame;
    int64_t factor = a->factor - b->factor;
    if (!frame || factor == 0)
      return std::nullopt;
    return within(frame, factor, a->offset - b->offset, expr.op);
  }
  if (std::optional<OrdinalTest> test = endTest(expr.op, left, right))
    return test;
  return endTest(flipped(expr.op), right, left);
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
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return comparison(expr);
  default:
    return std::nullopt;
  }
  test.frame = scope.find(plan.tables.exprs[expr.operands[0]].valueRef);
  return test.frame ? std::optional(test) : std::nullopt;
}

// ---- translation -------------------------------------------------------------------------------

static void append(Region &from, Region &into) {
  std::move(from.begin(), from.end(), std::back_inserter(into));
}

static int64_t remainderOf(int64_t value, int64_t period) {
  return (value % period + period) % period;
}

// The answer where the iteration is known well enough.
static std::optional<bool> answer(const OrdinalTest &test) {
  const Frame &frame = *test.frame;
  switch (test.kind) {
  case OrdinalTest::Kind::Within:
    if (test.low >= test.high)
      return false;
    if (frame.ordinal)
      return *frame.ordinal >= test.low && *frame.ordinal < test.high;
    if (test.low == 0 && test.high == OrdinalTest::NoLimit)
      return true;
    if (frame.base >= test.high)
      return false;
    if (frame.base >= test.low && test.high == OrdinalTest::NoLimit)
      return true;
    return std::nullopt;
  case OrdinalTest::Kind::Modulo:
    if (frame.ordinal)
      return *frame.ordinal % test.low == test.high;
    return std::nullopt;
  case OrdinalTest::Kind::BeforeEnd:
    if (test.low <= 0 || frame.cut >= test.low)
      return true;
    if (frame.ordinal && frame.trips)
      return *frame.ordinal < *frame.trips - test.low;
    if (frame.fromEnd)
      return *frame.fromEnd >= test.low;
    return std::nullopt;
  case OrdinalTest::Kind::AtEnd:
    if (frame.cut >= test.low)
      return false;
    if (frame.ordinal && frame.trips)
      return *frame.ordinal == *frame.trips - test.low;
    if (frame.fromEnd)
      return *frame.fromEnd == test.low - 1;
    return std::nullopt;
  }
  return std::nullopt;
}

// False: the loop cannot be asked that.
bool Translator::ordinal(const OrdinalTest &test, const plan::Step &step, Region &body,
                         Region &other, Region &into) {
  bool isSwapped = test.isNegated;
  if (std::optional<bool> known = answer(test)) {
    append(*known != isSwapped ? body : other, into);
    return true;
  }
  const Frame &frame = *test.frame;
  Node node;
  node.level = scope.level(frame);
  node.provenance = provenance(step);
  bool isOnly = frame.ordinal || frame.fromEnd; // the program's loop is at this one iteration
  if (test.isFirst() || test.isLater()) {
    // At the last iteration but n: it is the first one if the loop of what is left runs once.
    node.kind = isOnly ? NodeKind::Last : NodeKind::First;
    isSwapped ^= test.isLater();
  } else if (test.kind == OrdinalTest::Kind::Modulo && !isOnly && !frame.isTiles) {
    node.kind = NodeKind::Every;
    node.modulus = static_cast<int>(test.low);
    node.remainder = static_cast<int>(remainderOf(test.high - frame.base, test.low));
  } else if (test.asksForLast()) {
    node.kind = NodeKind::Last;
    isSwapped ^= test.kind == OrdinalTest::Kind::BeforeEnd;
  } else if (test.kind == OrdinalTest::Kind::BeforeEnd && frame.ordinal) {
    // ordinal + low < trips
    Choice choice = symbols.question(frame.count, *frame.ordinal + test.low);
    node.kind = NodeKind::If;
    node.symbol = choice.symbol;
    node.bound = choice.bound;
  } else {
    return false;
  }
  if (isSwapped)
    std::swap(body, other);
  node.body = std::move(body);
  node.elseBody = std::move(other);
  into.push_back(std::move(node));
  return true;
}

void Translator::choose(ExprId id, const plan::Step &step, Region body, Region other,
                        Region &into) {
  std::optional<Choice> choice = symbols.choice(id, scope);
  if (!choice)
    return fail(step,
                fmt::format("the condition `{}`, which changes from one iteration to the "
                            "next of a loop that is not the outermost one",
                            symbols.knowledge().text(id)),
                "ask for the loop's `first`, `last` or `every`, or for something that does not "
                "change in it");
  if (choice->isNegated)
    std::swap(body, other);
  if (choice->constant)
    return append(*choice->constant ? body : other, into);
  Node node;
  node.kind = NodeKind::If;
  node.provenance = provenance(step);
  node.symbol = choice->symbol;
  node.bound = choice->bound;
  node.body = std::move(body);
  node.elseBody = std::move(other);
  into.push_back(std::move(node));
}

void Translator::condition(ExprId id, const plan::Step &step, Region body, Region other,
                           Region &into) {
  if (body.empty() && other.empty())
    return;
  if (std::optional<int64_t> value = symbols.evaluate(id, scope))
    return append(*value ? body : other, into);
  const ir::Expr &expr = plan.tables.exprs[id];
  switch (expr.op) {
  case ExprOp::Not:
    return condition(expr.operands[0], step, std::move(other), std::move(body), into);
  case ExprOp::And: {
    Region inner;
    condition(expr.operands[1], step, std::move(body), other, inner);
    return condition(expr.operands[0], step, std::move(inner), std::move(other), into);
  }
  case ExprOp::Or: {
    Region inner;
    condition(expr.operands[1], step, body, std::move(other), inner);
    return condition(expr.operands[0], step, std::move(body), std::move(inner), into);
  }
  case ExprOp::Value:
    if (ExprId let = symbols.knowledge().definition(expr.valueRef))
      return condition(let, step, std::move(body), std::move(other), into);
    break;
  default:
    break;
  }
  std::optional<OrdinalTest> test = ordinalTest(id);
  if (test && ordinal(*test, step, body, other, into))
    return;
  choose(id, step, std::move(body), std::move(other), into);
}

void Translator::branch(const plan::Step &step, Region &into) {
  if (!matters(step))
    return;
  bool wasAtTop = isAtTop;
  isAtTop = false;
  Region body, other;
  region(step.body, body);
  region(step.elseBody, other);
  isAtTop = wasAtTop;
  // Some threads go one way and some the other: both happen, and nothing in them synchronises
  // (checks/Uniformity).
  if (!isSingleLane && plan.tables.exprs[step.args[0]].uniformity == ir::Uniformity::Thread) {
    append(body, into);
    return append(other, into);
  }
  condition(step.args[0], step, std::move(body), std::move(other), into);
}

} // namespace tsk::proof
