// Loops. A closer look follows the rounds that can be counted (InterpretTrips.cpp) one after the
// other; else the loop is repeated until the values no longer change.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

namespace {

constexpr int64_t MaxFollowed = 256; // one by one
constexpr int MaxPasses = 32;

} // namespace

// One round from the state at the loop's head; leaves the state before the next.
void Interpreter::runOnce(const LoopParts &parts, const Trips &trips) {
  Control &entry = controls[loops.back().control];
  if (parts.testsFirst && parts.condition) {
    const ValueRef condition = eval(parts.condition);
    if (!trips.count && condition && condition->isConstant() && condition->low == 0) {
      comes = false;
      return;
    }
    loops.back().condition = tsk::body::join(loops.back().condition, levelOf(condition));
    entry.isOwn |= isOwn(condition);
    assume(parts.condition, true);
    if (!trips.count && entry.level < levelOf(condition)) {
      entry.level = levelOf(condition);
      entry.place = tree.exprs[parts.condition].place;
    }
  }
  exec(parts.body);
  if (loops.back().continued)
    meet(*loops.back().continued, true, controls[loops.back().control + 1].level);
  if (!comes)
    return;
  if (parts.increment)
    eval(parts.increment);
  if (!parts.testsFirst && parts.condition) {
    const ValueRef condition = eval(parts.condition);
    entry.level = tsk::body::join(entry.level, levelOf(condition));
    entry.isOwn |= isOwn(condition);
    loops.back().condition = tsk::body::join(loops.back().condition, levelOf(condition));
  }
}

// What is known of variables that a loop changes, of any of its rounds.
void Interpreter::forget(State &at, const Trips &trips, const std::set<VariableId> &modified,
                         bool isUnrolled) {
  for (VariableId id : modified)
    at.variables[id.index] =
        generalized(at.variables[id.index], isUnrolled ? Level::Constant : Level::Task);
  if (!trips.counter)
    return;
  ValueRef &counter = at.variables[trips.counter.index];
  if (!trips.count && trips.low && counter) {
    Value grown = *counter;
    grown.low = *trips.low;
    counter = std::make_shared<const Value>(std::move(grown));
  }
  counter = trips.count ? trips.during : withSum(counter, trips.sum);
}

void Interpreter::beginRound(const State &head) {
  state = head;
  comes = true;
  loops.back().broken.reset();
  loops.back().continued.reset();
}

static bool isSettled(const State &a, const State &b) {
  return std::equal(a.variables.begin(), a.variables.end(), b.variables.begin(),
                    [](const ValueRef &x, const ValueRef &y) { return equal(x, y); }) &&
         a.unfenced == b.unfenced && a.written == b.written && a.open == b.open;
}

// The state at the head of a loop that holds in all rounds: goes through them until it does.
State Interpreter::settledHead(const LoopParts &parts, const Trips &trips,
                               const std::set<VariableId> &modified) {
  // Where the condition is known while compiling, the loop is unrolled, and so is what it counts.
  bool isUnrolled = parts.mayUnroll;
  const State before = state;
  State head = state;
  forget(head, trips, modified, isUnrolled);
  for (int pass = 0; pass < MaxPasses; ++pass) {
    beginRound(head);
    runOnce(parts, trips);
    isFirstRound = false;
    if (isUnrolled && loops.back().condition > Level::Constant) {
      isUnrolled = false;
      head = before;
      forget(head, trips, modified, isUnrolled);
      continue;
    }
    if (!comes)
      return head;
    forget(state, trips, modified, isUnrolled);
    State merged = head;
    joinInto(merged, state, Level::Constant);
    for (VariableId id : modified)
      if (ValueRef &value = merged.variables[id.index];
          !haveEqualOffsets(value, head.variables[id.index]))
        value = withoutOffsets(value);
    const bool isStable = isSettled(merged, head);
    head = std::move(merged);
    if (isStable)
      return head;
  }
  giveUp("what a loop changes does not settle", controls[loops.back().control].place);
  return head;
}

void Interpreter::repeat(const LoopParts &parts) {
  const std::set<VariableId> modified = modifiedBy(parts);
  Trips trips = countTrips(parts);
  if (trips.count && *trips.count == 0)
    return endLoop(modified);
  const uint32_t number = nextRound;
  trips.sum = roundsOf(parts, trips);
  trips.during = withSum(trips.during, trips.sum);
  Control &entry = controls[loops.back().control];
  entry.isConditional |= parts.testsFirst && parts.condition && !trips.count;
  entry.isExact = trips.isExact;
  entry.trips = trips.count;
  if (nextRound != number)
    entry.round = number;
  const std::optional<State> left = loops.back().broken; // in rounds that were followed before
  const bool wasRecording = std::exchange(isRecording, false);
  const bool wasFirst = std::exchange(isFirstRound, wasRecording || isFirstRound);
  const State head = settledHead(parts, trips, modified);
  isRecording = wasRecording;
  beginRound(head);
  runOnce(parts, trips);
  isFirstRound = wasFirst;
  // What follows the loop: after its last round, at its head, or where it was left.
  const bool isEndless = !parts.condition && !loops.back().broken;
  if (!(trips.count && *trips.count > 0) && parts.testsFirst && !isEndless && parts.condition)
    meet(head, true, Level::Constant);
  if (!parts.condition)
    comes = false;
  if (comes && trips.counter && trips.count)
    state.variables[trips.counter.index] = trips.after;
  if (left)
    joinInto(loops.back().broken, *left, controls[loops.back().control].level);
  endLoop(modified);
}

// Joins those who have left the loop with those who have come to its end.
void Interpreter::endLoop(const std::set<VariableId> &modified) {
  const Control &entry = controls[loops.back().control];
  if (loops.back().broken)
    meet(*loops.back().broken, true, entry.level);
  for (VariableId id : modified)
    if (ValueRef &value = state.variables[id.index])
      value = asOwn(atLeast(value, entry.level), entry.isOwn);
}

// Whether a condition holds here, where that is known; else nothing has happened.
std::optional<bool> Interpreter::knownCondition(ExprId condition) {
  if (!condition)
    return true;
  const State before = state;
  const ValueRef value = eval(condition);
  if (value && value->isConstant())
    return value->low != 0;
  state = before;
  return std::nullopt;
}

// As nvcc unrolls it: each round is text of its own, for as long as it is known that there is one.
// False: more may come.
bool Interpreter::unroll(const LoopParts &parts) {
  const size_t round = loops.back().control + 1;
  const Control fresh = controls[round];
  std::optional<bool> isGoing = parts.testsFirst ? knownCondition(parts.condition) : true;
  rounds.push_back(0);
  for (; isGoing == true && rounds.back() < MaxFollowed; ++rounds.back()) {
    controls[round] = fresh;
    loops.back().continued.reset();
    exec(parts.body);
    if (loops.back().continued)
      meet(*loops.back().continued, true, controls[round].level);
    if (comes && parts.increment)
      eval(parts.increment);
    isGoing = comes ? knownCondition(parts.condition) : false;
  }
  controls[round] = fresh;
  rounds.pop_back();
  return isGoing == false;
}

void Interpreter::loop(const Stmt &stmt) {
  LoopParts parts;
  if (stmt.kind == StmtKind::For) {
    exec(stmt.statements[0]);
    parts = {stmt.exprs[0], stmt.exprs[1], stmt.statements[1], true, !stmt.isNotUnrolled};
  } else {
    parts = {
        stmt.exprs[0], {}, stmt.statements[0], stmt.kind == StmtKind::While, !stmt.isNotUnrolled};
  }
  isCoarse = true;
  Control entry;
  entry.kind = Control::Kind::Loop;
  entry.place = stmt.place;
  Control round;
  round.kind = Control::Kind::Round;
  entry.isFollowed = round.isFollowed = way == Way::Closely;
  Loop region;
  region.control = controls.size();
  loops.push_back(region);
  controls.push_back(entry);
  controls.push_back(round);
  const bool isOver = way == Way::Closely && unroll(parts);
  for (size_t i : {region.control, region.control + 1})
    controls[i].isFollowed = false;
  if (isOver)
    endLoop(modifiedBy(parts));
  else if (comes)
    repeat(parts);
  controls.resize(loops.back().control);
  loops.pop_back();
}

} // namespace tsk::body
