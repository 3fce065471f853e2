// Expressions: values of rvalues, places of lvalues. What memory holds: InterpretMemory.cpp.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- Lvalues ------------------------------------------------------------------------------------

// Of a `cpp` block or of a header that it includes, and not constant.
bool Interpreter::isShared(const Variable &variable) const {
  const Type *type = &tree.types[variable.type];
  while (type->kind == Type::Kind::Array && type->element)
    type = &tree.types[type->element];
  return variable.isUsers && !type->isConst && !tree.types[variable.type].isConst;
}

Location Interpreter::globalLocation(const Variable &variable, Place place) {
  Location location;
  location.isOutside = true;
  location.level = variable.name == "threadIdx" ? Level::Thread : Level::Task;
  facts.isPure &= tree.types[variable.type].isConst || !variable.isUsers;
  if (isShared(variable) && comes && isRecording)
    sharedVariables.insert(variable.name);
  if (variable.isShared) {
    EventFact fact;
    fact.kind = EventFact::Kind::Protocol;
    fact.text = "__shared__";
    note(std::move(fact), place);
  }
  const bool isNamed = tree.functions[frames.back().function].home == tree::Function::Home::User;
  if (isNamed && !variable.isUsers &&
      llvm::is_contained({"threadIdx", "blockDim", "blockIdx", "gridDim"}, variable.name)) {
    EventFact fact;
    fact.kind = EventFact::Kind::ThreadIndex;
    fact.text = variable.name;
    note(std::move(fact), place);
  }
  return location;
}

Location Interpreter::variableLocation(const Expr &expr) {
  const Variable &variable = tree.variables[expr.variable];
  if (isReference(variable.type))
    return follow(state.variables[expr.variable.index]);
  return variable.isGlobal ? globalLocation(variable, expr.place) : local(expr.variable);
}

Location Interpreter::memberLocation(const Expr &expr) {
  const Expr &base = tree.exprs[expr.operands[0]];
  const Type &type = tree.types[base.type];
  const auto number = static_cast<uint32_t>(expr.value);
  const bool isKnown =
      type.kind == Type::Kind::Record && number < tree.records[type.record].members.size();
  const bool isBound = isKnown && isReference(tree.records[type.record].members[number].type);
  if (!base.isLValue)
    return follow(partOf(eval(expr.operands[0]), number));
  Location location = locate(expr.operands[0]);
  for (Target &target : location.targets)
    if (target.isLocal)
      target.path.push_back(isSeenAs(target, base.type) ? number : Target::Anywhere);
  if (isKnown && location.offset)
    location.offset = binaryValue(Op::Add, location.offset,
                                  constantValue(tree.records[type.record].members[number].offset));
  // Members of a union are one another.
  if (isKnown && tree.records[type.record].isUnion)
    for (Target &target : location.targets)
      if (target.isLocal && target.path.back() != Target::Anywhere)
        target.path.back() = 0;
  return isBound ? follow(load(location, expr.place)) : location;
}

Location Interpreter::locateElement(const Expr &expr) {
  const Expr &base = tree.exprs[expr.operands[0]];
  Location location = base.isLValue ? locate(expr.operands[0]) : follow(eval(expr.operands[0]));
  if (base.isLValue)
    for (Target &target : location.targets)
      if (target.isLocal)
        target.path.push_back(0);
  const ValueRef index = eval(expr.operands[1]);
  const Level level = levelOf(index);
  const int64_t count =
      tree.types[base.type].kind == Type::Kind::Array ? tree.types[base.type].count : 0;
  const int64_t bytes = tree.types[expr.type].bytes;
  if (!base.isLValue) {
    location = follow(moved(addressOf(location), index, Op::Add, bytes));
    location.elements = nullptr;
  } else if (location.offset) {
    // What lies inside of a swizzled element stays together.
    const bool isInside = index && index->low >= 0 && index->high < count;
    moveOffset(location.offset, location.isLogical && !isInside, index, Op::Add, bytes);
  }
  location.level = tsk::body::join(location.level, level);
  for (const Target &target : location.targets) {
    if (!target.isLocal || level == Level::Constant || count == 1)
      continue;
    const Variable &variable = tree.variables[VariableId{target.id}];
    EventFact fact;
    fact.kind = EventFact::Kind::LocalIndexed;
    fact.text = variable.name;
    fact.numbers = {tree.types[variable.type].bytes};
    note(std::move(fact), expr.place);
  }
  return location;
}

// A reference is bound when its object is made: the only assignment of an lvalue.
Location Interpreter::assignment(const Expr &expr) {
  const Expr &source = tree.exprs[expr.operands[1]];
  if (source.isLValue) {
    const Expr &target = tree.exprs[expr.operands[0]];
    Location whole = locate(target.operands[0]);
    for (Target &part : whole.targets)
      part.path.push_back(static_cast<uint32_t>(target.value));
    store(whole, addressOf(locate(expr.operands[1])), expr.place);
    return whole;
  }
  const ValueRef value = eval(expr.operands[1]);
  Location location = locate(expr.operands[0]);
  const Expr &target = tree.exprs[expr.operands[0]];
  store(location, value, target.place ? target.place : expr.place, expr.type);
  return location;
}

void Interpreter::step(const Location &location, const ValueRef &before, const Expr &expr,
                       Place place) {
  const ValueRef by = constantValue(expr.value);
  ValueRef after = binaryValue(Op::Add, before, by);
  const bool isPointer = tree.types[expr.type].kind == Type::Kind::Pointer;
  if (after && !after->isBounded() && !tree.types[expr.type].isSigned) // it may wrap
    after = withSum(after, nullptr);
  store(location, isPointer ? moved(before, by, Op::Add, bytesBehind(expr.type)) : after, place,
        expr.type);
}

// What does not fit it is undefined behaviour, not another number.
static bool isSignedInteger(const Type &type) {
  return type.kind == Type::Kind::Integer && type.isSigned && type.bits >= 32;
}

Location Interpreter::compound(const Expr &expr) {
  const ValueRef right = eval(expr.operands[1]);
  const Location location = locate(expr.operands[0]);
  const Place place = tree.exprs[expr.operands[0]].place;
  const ValueRef left = load(location, place, expr.type);
  checkWritten(location, left, expr.type, place);
  const ValueRef value = binaryValue(expr.op, left, right);
  const bool isPointer = tree.types[expr.type].kind == Type::Kind::Pointer;
  const Type &type = tree.types[expr.type];
  const Type &other = tree.types[tree.exprs[expr.operands[1]].type];
  const bool isExact = isSignedInteger(type) && isSignedInteger(other) && other.bits <= type.bits;
  const ValueRef number = convertedValue(value, type);
  store(location,
        isPointer ? moved(left, right, expr.op, bytesBehind(expr.type))
        : isExact ? withSum(number, value->sum)
                  : number,
        place, expr.type);
  return location;
}

Location Interpreter::locate(ExprId id) {
  const Expr &expr = tree.exprs[id];
  if (++steps > MaxSteps) {
    giveUp("it is too long to follow", expr.place);
    return {};
  }
  switch (expr.kind) {
  case ExprKind::Variable:
    return variableLocation(expr);
  case ExprKind::Member:
    return memberLocation(expr);
  case ExprKind::Element:
    return locateElement(expr);
  case ExprKind::Deref:
    return follow(eval(expr.operands[0]));
  case ExprKind::Reinterpret: {
    Location location = locate(expr.operands[0]);
    location.elements = nullptr; // more or less than what was named
    return location;
  }
  case ExprKind::Bind:
    state.variables[expr.variable.index] = eval(expr.operands[0]);
    return local(expr.variable);
  case ExprKind::Assign:
    return assignment(expr);
  case ExprKind::Compound:
    return compound(expr);
  case ExprKind::Step: {
    const Location location = locate(expr.operands[0]);
    const Place place = tree.exprs[expr.operands[0]].place;
    step(location, load(location, place, expr.type), expr, place);
    return location;
  }
  case ExprKind::Conditional:
    return locateCondition(expr);
  case ExprKind::Comma:
    eval(expr.operands[0]);
    return locate(expr.operands[1]);
  case ExprKind::Call:
    return follow(call(expr));
  default: {
    // The value of a temporary that Clang names without storing it.
    return follow(evalKind(id));
  }
  }
}

// ---- Rvalues ------------------------------------------------------------------------------------

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
  // An election that depends on more may choose nobody: only one that stands alone counts.
  if (isAnd && left && right && right->isConstant() && right->low != 0)
    result.elects = left->elects;
  return std::make_shared<const Value>(std::move(result));
}

// Of two places the one that a condition chooses.
Location Interpreter::locateCondition(const Expr &expr) {
  const ValueRef condition = eval(expr.operands[0]);
  Location location;
  location.level = condition && condition->isConstant() ? Level::Constant : levelOf(condition);
  bool isFirst = true;
  auto add = [&](ExprId arm) {
    const Location chosen = locate(arm);
    const bool isKnown =
        chosen.offset && (isFirst || (location.offset && location.isLogical == chosen.isLogical));
    location.offset = !isKnown  ? nullptr
                      : isFirst ? chosen.offset
                                : tsk::body::join(location.offset, chosen.offset);
    location.isLogical = chosen.isLogical;
    isFirst = false;
    llvm::append_range(location.targets, chosen.targets);
    location.isLost |= chosen.isLost;
    location.isOutside |= chosen.isOutside;
    location.level = tsk::body::join(location.level, chosen.level);
  };
  fork(
      condition, tree.exprs[expr.operands[0]].place, [&] { add(expr.operands[1]); },
      [&] { add(expr.operands[2]); });
  return location;
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
  ValueRef value = std::make_shared<const Value>(result);
  // A name that only nvcc knows is that of a function, which touches what it is given.
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

ValueRef Interpreter::evalKind(ExprId id) {
  const Expr &expr = tree.exprs[id];
  switch (expr.kind) {
  case ExprKind::Constant:
    return constantValue(expr.value);
  case ExprKind::This:
    return state.variables[tree.functions[frames.back().function].self.index];
  case ExprKind::Member:
    return partOf(eval(expr.operands[0]), static_cast<size_t>(expr.value));
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
  case ExprKind::Binary: {
    const ValueRef left = eval(expr.operands[0]);
    const ValueRef right = eval(expr.operands[1]);
    ValueRef value = binaryValue(expr.op, left, right);
    const bool isLeft = left && !left->targets.empty();
    if (tree.types[expr.type].kind == Type::Kind::Pointer) {
      Value pointer = value ? *value : Value();
      const ValueRef &from = isLeft ? left : right;
      pointer.offset = from ? from->offset : nullptr;
      pointer.isLogical = from && from->isLogical;
      return moved(std::make_shared<const Value>(std::move(pointer)), isLeft ? right : left,
                   expr.op, bytesBehind(expr.type));
    }
    return isSignedInteger(tree.types[expr.type]) || tree.types[expr.type].kind == Type::Kind::Bool
               ? withSum(convertedValue(value, tree.types[expr.type]), value->sum)
               : convertedValue(value, tree.types[expr.type]);
  }
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
  case ExprKind::Convert: {
    const ValueRef value = eval(expr.operands[0]);
    const Type &from = tree.types[tree.exprs[expr.operands[0]].type];
    const Type &to = tree.types[expr.type];
    const bool isWider = isSignedInteger(from) && isSignedInteger(to) && from.bits <= to.bits;
    return value && isWider ? withSum(convertedValue(value, to), value->sum)
                            : convertedValue(value, to);
  }
  case ExprKind::Reinterpret:
    return evalReinterpret(expr);
  default:
    return evalUnknown(expr);
  }
}

} // namespace tsk::body
