// Expressions: values of rvalues. Places of lvalues: InterpretPlaces.cpp; what memory holds:
// InterpretMemory.cpp.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

ValueRef Interpreter::eval(ExprId id) {
  if (++steps > MaxSteps) {
    giveUp("it is too long to follow", tree.exprs[id].place);
    return nullptr;
  }
  if (tree.exprs[id].isLValue) {
    locate(id);
    return nullptr;
  }
  return evalKind(id);
}

ValueRef Interpreter::evalShortcut(const Expr &expr) {
  const ValueRef left = eval(expr.operands[0]);
  const bool isAnd = expr.kind == ExprKind::And;
  // Of a known condition only one side is taken.
  ValueRef right = constantValue(isAnd ? 0 : 1);
  auto both = [&] { right = eval(expr.operands[1]); };
  auto leftAlone = [] {};
  const Place place = tree.exprs[expr.operands[0]].place;
  if (isAnd)
    fork(left, place, both, leftAlone);
  else
    fork(left, place, leftAlone, both);
  if (left && left->isConstant())
    return convertedValue(right, tree.types[expr.type]);
  Value result;
  result.low = 0;
  result.high = 1;
  result.level = tsk::body::join(levelOf(left), levelOf(right));
  result.isOwn = isOwn(left) || isOwn(right);
  result.truth =
      isAnd ? bothOf(truthOf(left), truthOf(right)) : eitherOf(truthOf(left), truthOf(right));
  // An election that depends on more may choose nobody: only one that stands alone counts.
  if (isAnd && left && right && right->isConstant() && right->low != 0)
    result.elects = left->elects;
  return std::make_shared<const Value>(std::move(result));
}

ValueRef Interpreter::evalCondition(const Expr &expr) {
  const ValueRef condition = eval(expr.operands[0]);
  ValueRef result;
  auto add = [&](ExprId arm) { result = tsk::body::join(result, eval(arm)); };
  fork(
      condition, tree.exprs[expr.operands[0]].place, [&] { add(expr.operands[1]); },
      [&] { add(expr.operands[2]); });
  const bool isKnown = condition && condition->isConstant();
  return result && !isKnown ? asOwn(atLeast(result, levelOf(condition)), isOwn(condition)) : result;
}

ValueRef Interpreter::evalAggregate(const Expr &expr) {
  const Type &type = tree.types[expr.type];
  Value result;
  result.level = Level::Constant;
  if (type.kind == Type::Kind::Array) {
    ValueRef element;
    for (ExprId operand : expr.operands)
      element = tsk::body::join(element, eval(operand));
    if (static_cast<int64_t>(expr.operands.size()) < type.count)
      element = tsk::body::join(element, constantValue(0));
    result.parts.push_back(element);
    return std::make_shared<const Value>(std::move(result));
  }
  for (ExprId operand : expr.operands) {
    const bool isBound = tree.exprs[operand].isLValue; // a member of reference type
    result.parts.push_back(isBound ? addressOf(locate(operand)) : eval(operand));
  }
  if (type.kind == Type::Kind::Record)
    while (result.parts.size() < tree.records[type.record].members.size())
      result.parts.push_back(constantValue(0));
  return std::make_shared<const Value>(std::move(result));
}

ValueRef Interpreter::evalLoad(const Expr &expr) {
  const Expr &from = tree.exprs[expr.operands[0]];
  const Location location = locate(expr.operands[0]);
  ValueRef value = load(location, from.place, expr.type);
  checkWritten(location, value, expr.type, from.place);
  // A pointer that was found in memory leads nowhere that is known.
  if (tree.types[expr.type].kind == Type::Kind::Pointer && value && value->targets.empty() &&
      !value->isOutside && !(value->isConstant() && value->low == 0)) {
    Value lost = *value;
    lost.isLost = true;
    value = std::make_shared<const Value>(std::move(lost));
  }
  return value;
}

ValueRef Interpreter::evalReinterpret(const Expr &expr) {
  ValueRef value = eval(expr.operands[0]);
  if (!value)
    return value;
  Value result = *blurred(value);
  if (value->parts.empty()) {
    result.offset = value->offset;
    result.isLogical = value->isLogical;
  }
  // Where a thread's own variables stand is its own business.
  if (tree.types[expr.type].kind == Type::Kind::Integer &&
      llvm::any_of(result.targets, [](const Target &target) { return target.isLocal; }))
    result.level = Level::Thread;
  const bool isNull = value->isConstant() && value->low == 0;
  result.isLost |= tree.types[expr.type].kind == Type::Kind::Pointer && result.targets.empty() &&
                   !result.isOutside && !isNull;
  return std::make_shared<const Value>(std::move(result));
}

// Any value: what is known is only where it may lead.
ValueRef Interpreter::evalUnknown(const Expr &expr) {
  Value result;
  result.level = Level::Constant;
  for (ExprId operand : expr.operands) {
    const ValueRef value =
        tree.exprs[operand].isLValue ? addressOf(locate(operand)) : eval(operand);
    const ValueRef given = blurred(value);
    if (!given)
      continue;
    result.level = tsk::body::join(result.level, given->level);
    collectTargets(given, result.targets);
    result.isLost |= given->isLost;
    result.isOutside |= given->isOutside;
  }
  // A name that only nvcc knows is that of a function, which touches what it is given and may find
  // something else in each thread.
  if (expr.value == 1)
    result.level = Level::Thread;
  ValueRef value = std::make_shared<const Value>(result);
  if (expr.value == 1 && leadsToObject(value))
    giveUp("it gives an address to a function that is not known", expr.place);
  else if (expr.value > 1)
    giveUp("it contains an expression of a rare kind", expr.place);
  const Type::Kind kind = tree.types[expr.type].kind;
  if ((kind == Type::Kind::Record || kind == Type::Kind::Array) && expr.operands.empty())
    return nullptr;
  result.isLost |= kind == Type::Kind::Pointer && result.targets.empty();
  return std::make_shared<const Value>(std::move(result));
}

ValueRef Interpreter::evalBinary(const Expr &expr) {
  const ValueRef left = eval(expr.operands[0]);
  const ValueRef right = eval(expr.operands[1]);
  ValueRef value = binaryValue(expr.op, left, right);
  const bool isLeft = left && !left->targets.empty();
  if (tree.types[expr.type].kind == Type::Kind::Pointer) {
    Value pointer = value ? *value : Value();
    const ValueRef &from = isLeft ? left : right;
    pointer.offset = from ? from->offset : nullptr;
    pointer.isLogical = from && from->isLogical;
    return moved(std::make_shared<const Value>(std::move(pointer)), isLeft ? right : left, expr.op,
                 bytesBehind(expr.type));
  }
  // Numbers that are no integers are one sum at most where they are one value.
  const bool isOfFloats = tree.types[tree.exprs[expr.operands[0]].type].kind == Type::Kind::Float;
  if (isOfFloats && value)
    value = withTruth(withSum(value, nullptr), nullptr);
  return isSignedInteger(tree.types[expr.type]) || tree.types[expr.type].kind == Type::Kind::Bool
             ? withSum(convertedValue(value, tree.types[expr.type]), value->sum)
             : convertedValue(value, tree.types[expr.type]);
}

ValueRef Interpreter::evalConvert(const Expr &expr) {
  const ValueRef value = eval(expr.operands[0]);
  const Type &from = tree.types[tree.exprs[expr.operands[0]].type];
  const Type &to = tree.types[expr.type];
  const bool isWider = isSignedInteger(from) && isSignedInteger(to) && from.bits <= to.bits;
  return value && isWider ? withSum(convertedValue(value, to), value->sum)
                          : convertedValue(value, to);
}

ValueRef Interpreter::evalKind(ExprId id) {
  const Expr &expr = tree.exprs[id];
  switch (expr.kind) {
  case ExprKind::Constant:
    return constantValue(expr.value);
  case ExprKind::This:
    return state.variables[tree.functions[frames.back().function].self.index];
  case ExprKind::Member:
    return partOfRecord(eval(expr.operands[0]), tree.exprs[expr.operands[0]].type,
                        static_cast<uint32_t>(expr.value));
  case ExprKind::AddressOf:
    return addressOf(locate(expr.operands[0]));
  case ExprKind::Decay: {
    Location location = locate(expr.operands[0]);
    for (Target &target : location.targets)
      if (target.isLocal)
        target.path.push_back(0);
    return addressOf(location);
  }
  case ExprKind::Load:
    return evalLoad(expr);
  case ExprKind::Unary:
    return convertedValue(unaryValue(expr.op, eval(expr.operands[0])), tree.types[expr.type]);
  case ExprKind::Binary:
    return evalBinary(expr);
  case ExprKind::Step: {
    const Location location = locate(expr.operands[0]);
    const Place place = tree.exprs[expr.operands[0]].place;
    ValueRef before = load(location, place, expr.type);
    step(location, before, expr, place);
    return before;
  }
  case ExprKind::And:
  case ExprKind::Or:
    return evalShortcut(expr);
  case ExprKind::Conditional:
    return evalCondition(expr);
  case ExprKind::Comma:
    eval(expr.operands[0]);
    return eval(expr.operands[1]);
  case ExprKind::Call:
    return call(expr);
  case ExprKind::Construct: {
    state.variables[expr.variable.index] = nullptr;
    std::vector<ValueRef> given = arguments(expr);
    given.insert(given.begin(), addressOf(local(expr.variable)));
    invoke(expr.function, given, expr.place);
    return state.variables[expr.variable.index];
  }
  case ExprKind::Aggregate:
    return evalAggregate(expr);
  case ExprKind::Convert:
    return evalConvert(expr);
  case ExprKind::Reinterpret:
    return evalReinterpret(expr);
  default:
    return evalUnknown(expr);
  }
}

} // namespace tsk::body
