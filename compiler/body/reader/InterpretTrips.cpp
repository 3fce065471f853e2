// What a loop changes, and how often it runs. Where the number of rounds follows from constants,
// they are counted by going through them with nothing but the counter.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

namespace {

constexpr int64_t MaxCounted = 4096;  // rounds
constexpr int64_t MaxUnrolled = 1024; // what nvcc may unroll

// Variables that statements and expressions may change by name, or hand out to be changed: an
// address that is taken here may be stored through here.
class Modifications {
public:
  explicit Modifications(const Tree &t) : tree(t) {}

  void visit(StmtId id) {
    const Stmt &stmt = tree.stmts[id];
    if (stmt.variable)
      variables.insert(stmt.variable);
    for (size_t i = 0; i < stmt.exprs.size(); ++i) {
      if (!stmt.exprs[i])
        continue;
      visit(stmt.exprs[i]);
      const bool isBound = stmt.kind == StmtKind::Declare && mayChangeThrough(stmt.variable);
      if (stmt.kind == StmtKind::Asm || isBound)
        hand(stmt.exprs[i]);
    }
    for (StmtId inner : stmt.statements)
      visit(inner);
  }

  void visit(ExprId id) {
    const Expr &expr = tree.exprs[id];
    if (expr.variable && expr.kind != ExprKind::Variable)
      variables.insert(expr.variable);
    switch (expr.kind) {
    case ExprKind::Load:
      read(expr.operands[0]);
      break;
    case ExprKind::Assign:
      hand(expr.operands[1]); // a reference that is bound
      change(expr.operands[0]);
      break;
    case ExprKind::Compound:
    case ExprKind::Step:
      change(expr.operands[0]);
      break;
    case ExprKind::AddressOf:
    case ExprKind::Decay:
      if (!leadsToConst(expr.type))
        change(expr.operands[0]);
      break;
    case ExprKind::Aggregate:
      for (ExprId operand : expr.operands)
        hand(operand);
      break;
    case ExprKind::Call:
    case ExprKind::Construct:
      return visitCall(expr);
    default:
      break;
    }
    for (ExprId operand : expr.operands)
      visit(operand);
  }

  std::set<VariableId> variables, readVariables;
  bool isReadUnclear = false; // something is read besides variables by their names

private:
  bool leadsToConst(TypeId id) const {
    const Type &type = tree.types[id];
    return type.element && tree.types[type.element].isConst;
  }
  bool mayChangeThrough(VariableId id) const {
    const TypeId type = tree.variables[id].type;
    return tree.types[type].kind == Type::Kind::Reference && !leadsToConst(type);
  }

  void read(ExprId lvalue) {
    const Expr &expr = tree.exprs[lvalue];
    if (expr.kind == ExprKind::Variable) {
      readVariables.insert(expr.variable);
      isReadUnclear |= tree.types[tree.variables[expr.variable].type].kind == Type::Kind::Reference;
    } else {
      isReadUnclear = true;
    }
  }

  // An lvalue that stands where a value is wanted: its address is.
  void hand(ExprId id) {
    if (tree.exprs[id].isLValue)
      change(id);
  }

  void change(ExprId lvalue) {
    const Expr &expr = tree.exprs[lvalue];
    switch (expr.kind) {
    case ExprKind::Variable:
    case ExprKind::Bind:
      variables.insert(expr.variable);
      break;
    case ExprKind::Member:
    case ExprKind::Element:
    case ExprKind::Reinterpret:
    case ExprKind::AddressOf:
    case ExprKind::Decay:
    case ExprKind::Assign:
    case ExprKind::Compound:
    case ExprKind::Step:
      change(expr.operands[0]);
      break;
    case ExprKind::Comma:
      change(expr.operands[1]);
      break;
    case ExprKind::Conditional:
      change(expr.operands[1]);
      change(expr.operands[2]);
      break;
    default:
      break; // through a pointer, whose address was taken somewhere
    }
  }

  // Arguments that the callee may change: by pointer or reference to what is not const.
  void visitCall(const Expr &expr) {
    std::vector<TypeId> types;
    if (expr.function) {
      const tree::Function &callee = tree.functions[expr.function];
      if (callee.self && expr.kind == ExprKind::Call)
        types.push_back(tree.variables[callee.self].type);
      for (VariableId param : callee.params)
        types.push_back(tree.variables[param].type);
    }
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      const Expr &operand = tree.exprs[expr.operands[i]];
      const bool isAddress = operand.kind == ExprKind::AddressOf || operand.kind == ExprKind::Decay;
      const bool isSafe = i < types.size() && leadsToConst(types[i]);
      const Type::Kind kind = tree.types[operand.type].kind;
      isReadUnclear |=
          operand.isLValue || kind == Type::Kind::Pointer || kind == Type::Kind::Record;
      if (!isSafe && (operand.isLValue || isAddress))
        change(expr.operands[i]);
      visit(isSafe && isAddress ? operand.operands[0] : expr.operands[i]);
    }
  }

  const Tree &tree;
};

// Variables that some pointer or reference leads to through which they may be changed.
void collectExposed(const Tree &tree, TypeId id, const ValueRef &value,
                    std::set<VariableId> &exposed, unsigned depth = 0) {
  if (!value || depth > 8)
    return;
  const Type &type = tree.types[id];
  const bool isPointer = type.kind == Type::Kind::Pointer || type.kind == Type::Kind::Reference;
  if (isPointer && type.element && !tree.types[type.element].isConst)
    for (const Target &target : value->targets)
      if (target.isLocal)
        exposed.insert(VariableId{target.id});
  if (type.kind == Type::Kind::Array && !value->parts.empty())
    collectExposed(tree, type.element, value->parts[0], exposed, depth + 1);
  if (type.kind == Type::Kind::Record) {
    const std::vector<Member> &members = tree.records[type.record].members;
    for (size_t i = 0; i < members.size() && i < value->parts.size(); ++i)
      collectExposed(tree, members[i].type, value->parts[i], exposed, depth + 1);
  }
}

} // namespace

std::set<VariableId> Interpreter::modifiedBy(const LoopParts &parts) const {
  Modifications found(tree);
  found.visit(parts.body);
  if (parts.condition)
    found.visit(parts.condition);
  if (parts.increment)
    found.visit(parts.increment);
  for (size_t i = 0; i < state.variables.size(); ++i) {
    const VariableId id{static_cast<uint32_t>(i)};
    if (state.variables[i] && !tree.variables[id].isGlobal)
      collectExposed(tree, tree.variables[id].type, state.variables[i], found.variables);
  }
  return std::move(found.variables);
}

// Whether the loop's head alone decides how often it runs: what it reads, the body leaves alone.
bool Interpreter::hasOwnCounter(const LoopParts &parts, VariableId counter) const {
  Modifications head(tree), rest(tree);
  head.visit(parts.condition);
  head.visit(parts.increment);
  LoopParts body = parts;
  body.condition = body.increment = {};
  rest.variables = modifiedBy(body);
  if (rest.variables.count(counter) || tree.variables[counter].isGlobal || head.isReadUnclear)
    return false;
  return llvm::none_of(head.readVariables, [&](VariableId variable) {
    return variable != counter && rest.variables.count(variable);
  });
}

std::optional<Interpreter::Trips> Interpreter::countFrom(const LoopParts &parts, VariableId counter,
                                                         int64_t start) {
  const State before = state;
  const bool wasRecording = std::exchange(isRecording, false);
  const bool wasFirst = std::exchange(isFirstRound, false);
  Trips trips;
  trips.counter = counter;
  Value range;
  range.low = range.high = start;
  int64_t count = 0;
  bool isCounted = false;
  state.variables[counter.index] = constantValue(start);
  for (; count <= MaxCounted; ++count) {
    const ValueRef condition = eval(parts.condition);
    const ValueRef value = state.variables[counter.index];
    if (!condition || !condition->isConstant() || !value || !value->isConstant())
      break;
    if (condition->low == 0) {
      isCounted = true;
      trips.after = value;
      break;
    }
    range.low = std::min(range.low, value->low);
    range.high = std::max(range.high, value->low);
    eval(parts.increment);
  }
  state = before;
  isRecording = wasRecording;
  isFirstRound = wasFirst;
  if (!isCounted)
    return std::nullopt;
  range.isTaken = true;
  range.level = Level::Constant;
  if (!range.isConstant())
    range.sources = {counter.index};
  trips.count = count;
  trips.during = std::make_shared<const Value>(std::move(range));
  return trips;
}

// `v < limit; v += step`: the higher the start, the fewer the rounds.
bool Interpreter::isGrowing(const LoopParts &parts, VariableId counter) const {
  auto isCounter = [&](ExprId id) {
    const Expr &expr = tree.exprs[id];
    if (expr.kind == ExprKind::Load)
      return tree.exprs[expr.operands[0]].variable == counter;
    return expr.kind == ExprKind::Variable && expr.variable == counter;
  };
  const Expr &condition = tree.exprs[parts.condition];
  const Expr &increment = tree.exprs[parts.increment];
  const bool isBelow = condition.kind == ExprKind::Binary &&
                       (condition.op == Op::Less || condition.op == Op::LessEqual) &&
                       isCounter(condition.operands[0]);
  const bool isStep = increment.kind == ExprKind::Step && increment.value > 0;
  const bool isSum = increment.kind == ExprKind::Compound && increment.op == Op::Add;
  return isBelow && (isStep || isSum) && isCounter(increment.operands[0]);
}

Interpreter::Trips Interpreter::countTrips(const LoopParts &parts) {
  if (!parts.testsFirst || !parts.condition || !parts.increment)
    return {};
  Modifications increment(tree);
  increment.visit(parts.increment);
  if (increment.variables.size() != 1)
    return {};
  const VariableId counter = *increment.variables.begin();
  const ValueRef start = state.variables[counter.index];
  if (!start || !start->isBounded() || !hasOwnCounter(parts, counter))
    return {};
  std::optional<Trips> first = countFrom(parts, counter, start->low);
  if (!first)
    return {};
  if (start->isConstant()) {
    // A counter that is not unrolled is a number like any other.
    if (!parts.mayUnroll || *first->count > MaxUnrolled) {
      first->during = atLeast(first->during, Level::Task);
      first->after = atLeast(first->after, Level::Task);
    }
    return *first;
  }
  std::optional<Trips> last = countFrom(parts, counter, start->high);
  if (!last || first->count != last->count || !isGrowing(parts, counter))
    return {};
  Value range = *start;
  range.low = first->during->low;
  range.high = last->during->high;
  range.sources.push_back(counter.index);
  llvm::sort(range.sources);
  first->during = std::make_shared<const Value>(std::move(range));
  first->after = anyValue(start->level);
  return *first;
}

// `i += step` at the end of each round, and nowhere else.
SumRef Interpreter::roundsOf(const LoopParts &parts, Trips &trips) {
  if (!parts.testsFirst || !parts.condition || !parts.increment)
    return nullptr;
  const Expr &increment = tree.exprs[parts.increment];
  if (increment.kind != ExprKind::Step &&
      !(increment.kind == ExprKind::Compound && increment.op == Op::Add))
    return nullptr;
  const Expr &counted = tree.exprs[increment.operands[0]];
  if (counted.kind != ExprKind::Variable || (trips.counter && trips.counter != counted.variable))
    return nullptr;
  const ValueRef start = state.variables[counted.variable.index];
  const Type &type = tree.types[tree.variables[counted.variable].type];
  if (!sumOf(start) || type.kind != Type::Kind::Integer || !hasOwnCounter(parts, counted.variable))
    return nullptr;
  int64_t step = increment.value;
  if (increment.kind == ExprKind::Compound) {
    const State before = state;
    const bool wasRecording = std::exchange(isRecording, false);
    const ValueRef by = eval(increment.operands[1]);
    isRecording = wasRecording;
    state = before;
    if (!by || !by->isConstant())
      return nullptr;
    step = by->low;
  }
  trips.counter = counted.variable;
  int64_t last = trips.count ? *trips.count - 1 : -1;
  const std::vector<int64_t> own =
      trips.count ? std::vector<int64_t>() : ownTrips(parts, trips, *sumOf(start), step);
  trips.isExact = !own.empty();
  if (trips.isExact)
    last = *std::max_element(own.begin(), own.end()) - 1;
  else if (!type.isSigned && !trips.count) // it may wrap
    return nullptr;
  if (!trips.count && step > 0 && start->low != Value::Min)
    trips.low = start->low;
  if (trips.isExact && last >= 0)
    touches.trips[nextRound] = own;
  return plusRounds(sumOf(start), nextRound++, step,
                    std::max<int64_t>(last, trips.isExact ? 0 : -1));
}

// `v < limit; v += step` from where each thread begins to a limit that is known: how often.
std::vector<int64_t> Interpreter::ownTrips(const LoopParts &parts, const Trips &trips,
                                           const Sum &start, int64_t step) {
  if (step <= 0 || !start.isOwn() || !isGrowing(parts, trips.counter))
    return {};
  const Expr &condition = tree.exprs[parts.condition];
  const State before = state;
  const bool wasRecording = std::exchange(isRecording, false);
  const ValueRef limit = eval(condition.operands[1]);
  isRecording = wasRecording;
  state = before;
  constexpr int64_t Most = int64_t{1} << 30;
  if (!limit || !limit->isConstant() || limit->low < -Most || limit->low > Most || step > Most)
    return {};
  std::vector<int64_t> own;
  for (int64_t each : start.own)
    own.push_back(std::max<int64_t>(
        0, (limit->low + (condition.op == Op::LessEqual ? 1 : 0) - each + step - 1) / step));
  return own;
}

} // namespace tsk::body
