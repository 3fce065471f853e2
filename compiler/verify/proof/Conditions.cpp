// What steps stand under: conditions that ask for a place in a loop, and choices.
#include "compiler/verify/proof/Translator.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static void append(Region &from, Region &into) {
  std::move(from.begin(), from.end(), std::back_inserter(into));
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
  } else if (test.kind == OrdinalTest::Kind::BeforeEnd && frame.ordinal &&
             frame.count.symbol >= 0) {
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
    if (std::string var = symbols.knowledge().changing(id); !var.empty())
      return fail(step,
                  fmt::format("the condition `{}`, in which {} may change",
                              symbols.knowledge().text(id), var),
                  "compute it with a `let`, or from the loops' variables");
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

// A copy counts like what it is a copy of: conditions of many parts have many.
Region Translator::copied(const Region &from, const plan::Step &step) {
  size_t count = 0;
  std::vector<const Region *> open{&from};
  while (!open.empty()) {
    const Region &next = *open.back();
    open.pop_back();
    count += next.size();
    for (const Node &node : next) {
      open.push_back(&node.body);
      open.push_back(&node.elseBody);
    }
  }
  return isTooLarge(step, count) ? Region() : from;
}

// Without `let`s and negations around it, for which the two arms change places.
ExprId Translator::plain(ExprId id, Region &body, Region &other) const {
  size_t left = plan.tables.exprs.size(); // of one that is defined by itself, in a faulty text
  while (left-- > 0) {
    const ir::Expr &expr = plan.tables.exprs[id];
    const ExprId let =
        expr.op == ExprOp::Value ? symbols.knowledge().definition(expr.valueRef) : ExprId();
    if (expr.op != ExprOp::Not && !let)
      break;
    if (expr.op == ExprOp::Not)
      std::swap(body, other);
    id = let ? let : expr.operands[0];
  }
  return id;
}

void Translator::condition(ExprId id, const plan::Step &step, Region body, Region other,
                           Region &into) {
  if ((body.empty() && other.empty()) || isTooLarge(step))
    return;
  constexpr unsigned MaxDepth = 1000; // of the stack
  if (depth >= MaxDepth)
    return fail(step, "a condition of so many parts in each other", "compute it from fewer `let`s");
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  id = plain(id, body, other);
  if (std::optional<int64_t> value = symbols.evaluate(id, scope))
    return append(*value ? body : other, into);
  const ir::Expr &expr = plan.tables.exprs[id];
  switch (expr.op) {
  case ExprOp::And: {
    Region inner;
    condition(expr.operands[1], step, std::move(body), copied(other, step), inner);
    return condition(expr.operands[0], step, std::move(inner), std::move(other), into);
  }
  case ExprOp::Or: {
    Region inner;
    condition(expr.operands[1], step, copied(body, step), std::move(other), inner);
    return condition(expr.operands[0], step, std::move(body), std::move(inner), into);
  }
  case ExprOp::Eq:
  case ExprOp::Ne: {
    if (plan.tables.exprs[expr.operands[0]].type.scalar != ir::ScalarType::Bool)
      break;
    if (expr.op == ExprOp::Ne)
      std::swap(body, other);
    Region same, contrary;
    condition(expr.operands[1], step, copied(body, step), copied(other, step), same);
    condition(expr.operands[1], step, std::move(other), std::move(body), contrary);
    return condition(expr.operands[0], step, std::move(same), std::move(contrary), into);
  }
  case ExprOp::Select: {
    Region yes, no;
    condition(expr.operands[1], step, copied(body, step), copied(other, step), yes);
    condition(expr.operands[2], step, std::move(body), std::move(other), no);
    return condition(expr.operands[0], step, std::move(yes), std::move(no), into);
  }
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
  // What a rank does not do need not make sense there: `at (cluster.rank - 1)` of rank 0.
  const std::optional<int64_t> known = symbols.evaluate(step.args[0], scope);
  if (!known || *known)
    region(step.body, body);
  if (!known || !*known)
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
