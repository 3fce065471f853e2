// Loops: plain ones, copies of the iterations that conditions ask for by number, and outer loops
// whose iterations differ, which become the engine's tile loops.
#include "compiler/verify/proof/Translator.h"

#include <algorithm>

namespace tsk::proof {

using ir::ExprId;
using ir::ExprOp;

static constexpr int64_t MaxCopies = 32; // of a body
static constexpr int64_t MaxFree = 4;    // … where each copy brings choices of its own

// ---- what the body asks for --------------------------------------------------------------------

void Translator::collectNeeds(ExprId id, Needs &needs) {
  if (!needs.asked.insert(id).second)
    return;
  const Frame &frame = scope.frames.back();
  const ir::Expr &expr = plan.tables.exprs[id];
  ExprId let = expr.op == ExprOp::Value ? symbols.knowledge().definition(expr.valueRef) : ExprId();
  bool comparesTruths = (expr.op == ExprOp::Eq || expr.op == ExprOp::Ne) &&
                        plan.tables.exprs[expr.operands[0]].type.scalar == ir::ScalarType::Bool;
  if (expr.op == ExprOp::Not || expr.op == ExprOp::And || expr.op == ExprOp::Or ||
      expr.op == ExprOp::Select || comparesTruths || let) {
    if (let)
      return collectNeeds(let, needs);
    for (ExprId operand : expr.operands)
      collectNeeds(operand, needs);
    return;
  }
  if (symbols.evaluate(id, scope))
    return;
  if (std::optional<OrdinalTest> test = ordinalTest(id)) {
    if (test->frame != &frame || test->isFirst() || test->isLater())
      return;
    if (test->kind == OrdinalTest::Kind::BeforeEnd || test->kind == OrdinalTest::Kind::AtEnd) {
      needs.last = std::max(needs.last, test->low);
    } else if (test->kind == OrdinalTest::Kind::Within) {
      needs.first = std::max(needs.first, test->low);
      if (test->high != OrdinalTest::NoLimit)
        needs.first = std::max(needs.first, test->high);
    }
    return;
  }
  // Another loop's ordinal is its own.
  bool isOthers = (expr.op == ExprOp::First || expr.op == ExprOp::Last) &&
                  plan.tables.exprs[expr.operands[0]].valueRef != frame.loop->loop.variable;
  if (isOthers || !symbols.changesIn(id, frame))
    return;
  needs.changes = true;
  needs.isComputable &= isComputable(id);
}

void Translator::collectNeeds(plan::RegionId id, Needs &needs) {
  if (!id)
    return;
  for (const plan::Step &step : plan.regions[id].steps) {
    if (!matters(step))
      continue;
    if (step.kind == plan::StepKind::If)
      collectNeeds(step.args[0], needs);
    if (step.kind == plan::StepKind::For && !varying(step))
      for (ExprId bound : {step.loop.lower, step.loop.upper, step.loop.step})
        if (symbols.changesIn(bound, scope.frames.back())) {
          needs.changes = true;
          needs.isComputable &= isComputable(bound);
        }
    collectNeeds(step.body, needs);
    collectNeeds(step.elseBody, needs);
  }
}

Translator::Needs Translator::needsOf(const plan::Step &loop) {
  Needs needs;
  Frame frame;
  frame.loop = &loop;
  scope.frames.push_back(frame);
  collectNeeds(loop.body, needs);
  scope.frames.pop_back();
  return needs;
}

// Made of numbers and of the loop's variable alone.
bool Translator::isComputable(ExprId id) {
  Frame &frame = scope.frames.back();
  frame.ordinal = 0;
  frame.trips = 1;
  bool isKnown = symbols.evaluate(id, scope).has_value();
  frame.ordinal.reset();
  frame.trips.reset();
  return isKnown;
}

// ---- tile loops --------------------------------------------------------------------------------

// Outer loops of which something changes with each iteration, and all others that run as often.
void Translator::findTileLoops() {
  for (const plan::Task &each : plan.tasks) {
    if (!each.body)
      continue;
    for (const plan::Step &step : plan.regions[each.body].steps) {
      if (step.kind != plan::StepKind::For || !matters(step))
        continue;
      Needs needs = needsOf(step);
      std::optional<int64_t> trips = symbols.trips(step.loop, scope);
      bool isUnrolled = trips && needs.isComputable && *trips <= MaxCopies;
      if (needs.changes && !isUnrolled)
        tileKeys.insert(symbols.knowledge().trips(step.loop));
    }
  }
}

void Translator::tileLoop(const plan::Step &step, Region &into) {
  std::optional<protocol::Count> count = symbols.tileCount(step.loop, scope);
  if (!count)
    return fail(step, "a loop whose bounds change while the task runs",
                "compute them with a `let` before the loop");
  Frame frame;
  frame.loop = &step;
  frame.isTiles = true;
  Node node = iterations(step, frame, *count);
  node.kind = NodeKind::Tiles;
  into.push_back(std::move(node));
}

// ---- loops -------------------------------------------------------------------------------------

Region Translator::body(const plan::Step &step, Frame frame) {
  Region inner;
  bool wasAtTop = isAtTop;
  isAtTop = false;
  scope.frames.push_back(frame);
  region(step.body, inner);
  scope.frames.pop_back();
  isAtTop = wasAtTop;
  return inner;
}

Node Translator::iterations(const plan::Step &step, Frame frame, protocol::Count count) {
  Node node;
  node.kind = NodeKind::Loop;
  if (isTooLarge(step))
    return node;
  node.count = count;
  node.provenance =
      provenance(step, frame.ordinal.value_or(frame.base), /*isFromEnd=*/frame.fromEnd.has_value());
  node.body = body(step, frame);
  return node;
}

// A loop in which nothing happens is none.
static void addLoop(Node node, Region &into) {
  const Region &inside = node.body;
  bool isEmpty = inside.empty() || (inside.size() == 1 && inside[0].kind == NodeKind::First &&
                                    inside[0].body.empty() && inside[0].elseBody.empty());
  if (!isEmpty)
    into.push_back(std::move(node));
}

// Each iteration is a loop that runs once, so that it has its place among the loops around.
void Translator::unroll(const plan::Step &step, int64_t trips, Region &into) {
  for (int64_t i = 0; i < trips; ++i) {
    Frame frame;
    frame.loop = &step;
    frame.ordinal = i;
    frame.trips = trips;
    addLoop(iterations(step, frame, {-1, 1, 1}), into);
  }
}

// One iteration, which takes place if there are more than `frame` counts before or behind it: in a
// loop of as many trips as there are beyond those, in its first round.
Node Translator::once(const plan::Step &step, Frame frame) {
  protocol::Count rest = frame.count;
  rest.add -= static_cast<int>(frame.fromEnd ? frame.base + *frame.fromEnd : *frame.ordinal);
  Node node = iterations(step, frame, rest);
  Node first;
  first.kind = NodeKind::First;
  first.provenance = node.provenance;
  first.body = std::move(node.body);
  node.body.clear();
  node.body.push_back(std::move(first));
  return node;
}

// The first iterations, those in between as a loop, the last ones.
void Translator::peel(const plan::Step &step, const protocol::Count &count, const Needs &needs,
                      Region &into) {
  Frame frame;
  frame.loop = &step;
  frame.count = count;
  if (count.symbol < 0 && count.outer == 0)
    frame.trips = count.add;
  // Asking for the first iteration alone needs no copy.
  int64_t first = needs.first > 1 ? needs.first : 0, last = needs.last > 1 ? needs.last : 0;
  for (int64_t i = 0; i < first; ++i) {
    Frame head = frame;
    head.ordinal = i;
    addLoop(once(step, head), into);
  }
  frame.base = first;
  frame.cut = last;
  protocol::Count rest = count;
  rest.add -= static_cast<int>(first + last);
  addLoop(iterations(step, frame, rest), into);
  frame.cut = 0;
  for (int64_t left = last; left-- > 0;) {
    Frame tail = frame;
    tail.fromEnd = left;
    addLoop(once(step, tail), into);
  }
}

// `lower .. min(n, 4)`: the first iterations of `lower .. n`, each if there are so many. Nothing:
// the loop is not such a one, or asks for its end.
std::optional<Translator::Limited> Translator::limited(const plan::Step &step) {
  const ir::Expr &upper = plan.tables.exprs[step.loop.upper];
  std::optional<int64_t> lower = symbols.evaluate(step.loop.lower, scope);
  if (upper.op != ExprOp::Min || !lower || symbols.evaluate(step.loop.step, scope) != 1)
    return std::nullopt;
  for (size_t i : {0, 1}) {
    std::optional<int64_t> most = symbols.evaluate(upper.operands[i], scope);
    if (!most || *most - *lower > MaxCopies)
      continue;
    ir::Loop whole = step.loop;
    whole.upper = upper.operands[1 - i];
    std::optional<protocol::Count> count = symbols.count(whole, scope);
    if (count && count->symbol >= 0)
      return Limited{*count, std::max<int64_t>(*most - *lower, 0)};
  }
  return std::nullopt;
}

// A count that goes with the number of an iteration around it: `for j in 0 .. i + 1`.
std::optional<protocol::Count> Translator::varying(const plan::Step &step) const {
  std::optional<Linear> count = linear(symbols.knowledge().trips(step.loop));
  if (!count || !count->frame || count->isReversed || count->frame->fromEnd ||
      count->frame->loop == &step)
    return std::nullopt;
  constexpr int64_t Limit = 1 << 20;
  int64_t first = count->factor * count->frame->base + count->offset;
  if (std::abs(count->factor) > Limit || std::abs(first) > Limit)
    return std::nullopt;
  protocol::Count trips;
  trips.scale = static_cast<int>(count->factor);
  trips.add = static_cast<int>(first);
  trips.outer = scope.level(*count->frame) + 1;
  return trips;
}

void Translator::loop(const plan::Step &step, Region &into) {
  if (!matters(step))
    return;
  // Threads disagree on how often: nothing inside synchronises (checks/Uniformity), so one
  // iteration shows all accesses.
  auto isThread = [&](ExprId id) {
    return plan.tables.exprs[id].uniformity == ir::Uniformity::Thread;
  };
  if (!isSingleLane &&
      (isThread(step.loop.lower) || isThread(step.loop.upper) || isThread(step.loop.step)))
    return parallelLoop(step, into);
  if (isAtTop && tileKeys.count(symbols.knowledge().trips(step.loop)))
    return tileLoop(step, into);
  Needs needs = needsOf(step);
  if (std::optional<Limited> few = needs.last ? std::nullopt : limited(step)) {
    for (int64_t i = 0; i < few->most; ++i) {
      Frame frame;
      frame.loop = &step;
      frame.count = few->count;
      frame.ordinal = i;
      addLoop(once(step, frame), into);
    }
    return;
  }
  std::optional<protocol::Count> count = varying(step);
  if (!count)
    count = symbols.count(step.loop, scope);
  if (!count)
    if (std::string var =
            symbols.knowledge().changing({step.loop.lower, step.loop.upper, step.loop.step});
        !var.empty())
      return fail(step, fmt::format("a loop whose bounds depend on {}, which may change", var),
                  "compute them with a `let`, or from the loops' variables");
  if (!count)
    return fail(step, "a loop whose bounds change with a loop around it that is not the outermost",
                "let its bounds depend on the outermost loop only");
  bool isConstant = count->symbol < 0 && count->outer == 0;
  if (isConstant && count->add == 0)
    return;
  bool isFew = isConstant && count->add <= (needs.isComputable ? MaxCopies : MaxFree);
  if (isFew && (needs.changes || needs.first > 1 || needs.last > 1))
    return unroll(step, count->add, into);
  if (needs.first > MaxCopies || needs.last > MaxCopies)
    return fail(step, "a loop in which a condition asks for an iteration with a large number",
                "ask for one of the first or last 32, or make two loops of it");
  peel(step, *count, needs, into);
}

void Translator::parallelLoop(const plan::Step &step, Region &into) {
  if (!matters(step))
    return;
  Frame frame;
  frame.loop = &step;
  addLoop(iterations(step, frame, {-1, 1, 1}), into);
}

} // namespace tsk::proof
