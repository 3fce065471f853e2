// Places of lvalues, and what assigns to them.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

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
        target.path.back() =
            tree.records[type.record].members[number].bitField ? Target::Anywhere : 0;
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
  if (!isPointer && !isSignedInteger(tree.types[expr.type])) // it may wrap
    after = convertedValue(after, tree.types[expr.type]);
  store(location, isPointer ? moved(before, by, Op::Add, bytesBehind(expr.type)) : after, place,
        expr.type);
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

} // namespace tsk::body
