// Expressions: values of rvalues, places of lvalues.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- Memory -------------------------------------------------------------------------------------

Location Interpreter::local(VariableId id) {
  Location location;
  location.targets.push_back({true, id.index, {}});
  return location;
}

ValueRef Interpreter::addressOf(const Location &location) const {
  Value value;
  value.level = location.level;
  value.targets = location.targets;
  llvm::sort(value.targets);
  value.isLost = location.isLost;
  return std::make_shared<const Value>(std::move(value));
}

Location Interpreter::follow(const ValueRef &pointer) const {
  Location location;
  if (!pointer)
    return location;
  location.targets = pointer->targets;
  location.isLost = pointer->isLost;
  location.level = levelOf(pointer);
  return location;
}

ValueRef Interpreter::loadFrom(const Target &target, Place place) {
  if (!target.isLocal) {
    noteAccess(target, false, place);
    return anyValue(Level::Task);
  }
  ValueRef value = state.variables[target.id];
  for (uint32_t part : target.path)
    value = partOf(value, part);
  return value;
}

ValueRef Interpreter::load(const Location &from, Place place) {
  if (from.targets.empty())
    return anyValue(tsk::body::join(from.level, Level::Task));
  ValueRef value;
  for (const Target &target : from.targets)
    value = tsk::body::join(value, loadFrom(target, place));
  if (value && from.level > Level::Constant)
    value = atLeast(value, from.level);
  return value;
}

// What the first round reads, later rounds may have written: Clang's own warning looks at no round
// in particular.
void Interpreter::checkWritten(const Location &from, const ValueRef &value, TypeId id,
                               Place place) {
  const Type::Kind kind = tree.types[id].kind;
  const bool isNumber = kind == Type::Kind::Bool || kind == Type::Kind::Integer ||
                        kind == Type::Kind::Float || kind == Type::Kind::Pointer;
  if (!isFirstRound || value || !isNumber || from.targets.size() != 1 || !comes)
    return;
  const Variable &variable = tree.variables[VariableId{from.targets[0].id}];
  const bool isCertain = llvm::none_of(controls, [](const Control &control) {
    return control.kind == Control::Kind::Branch || control.isParted;
  });
  if (!isCertain || variable.name.empty() || variable.isParam || variable.isGlobal)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::Unwritten;
  fact.text = variable.name;
  const bool wasRecording = std::exchange(isRecording, true);
  note(std::move(fact), place);
  isRecording = wasRecording;
}

// `whole` with the part that the path leads to joined with a value, or replaced by it.
ValueRef Interpreter::assigned(const ValueRef &whole, llvm::ArrayRef<uint32_t> path, TypeId id,
                               const ValueRef &value) const {
  if (path.empty())
    return value;
  const Type &type = tree.types[id];
  size_t count = path[0] + 1;
  TypeId inner = id;
  if (type.kind == Type::Kind::Array) {
    count = 1;
    inner = type.element;
  } else if (type.kind == Type::Kind::Record) {
    count = std::max(count, tree.records[type.record].members.size());
    if (path[0] < tree.records[type.record].members.size())
      inner = tree.records[type.record].members[path[0]].type;
  }
  ValueRef part = assigned(partOf(whole, path[0]), path.drop_front(), inner, value);
  if (type.kind == Type::Kind::Array) // one of its elements, nobody knows which
    part = tsk::body::join(part, partOf(whole, path[0]));
  return withPart(whole, path[0], count, std::move(part));
}

void Interpreter::store(const Location &to, ValueRef value, Place place) {
  const bool isSure = to.targets.size() == 1 && !to.isLost;
  for (const Target &target : to.targets) {
    if (target.isLocal) {
      ValueRef &whole = state.variables[target.id];
      ValueRef changed =
          assigned(whole, target.path, tree.variables[VariableId{target.id}].type, value);
      whole = isSure ? changed : tsk::body::join(whole, changed);
      continue;
    }
    noteAccess(target, true, place);
    std::vector<Target> kept;
    collectTargets(value, kept);
    for (const Target &object : kept) {
      if (object.isLocal)
        continue;
      EventFact fact;
      fact.kind = EventFact::Kind::Escapes;
      fact.role = object.id;
      fact.text = "stored";
      note(std::move(fact), place);
    }
  }
  if (to.isLost) {
    EventFact fact;
    fact.kind = EventFact::Kind::OpaqueCall;
    note(std::move(fact), place);
  }
}

// ---- Lvalues ------------------------------------------------------------------------------------

Location Interpreter::globalLocation(const Variable &variable, Place place) {
  Location location;
  location.level = variable.name == "threadIdx" ? Level::Thread : Level::Task;
  if (variable.isShared) {
    EventFact fact;
    fact.kind = EventFact::Kind::Protocol;
    fact.text = "__shared__";
    note(std::move(fact), place);
  }
  const bool isCudas = !variable.place && place;
  if (isCudas && (variable.name == "threadIdx" || variable.name == "blockDim")) {
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
      target.path.push_back(number);
  // Members of a union are one another.
  if (isKnown && tree.records[type.record].isUnion)
    for (Target &target : location.targets)
      if (target.isLocal)
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
  store(location, value, target.place ? target.place : expr.place);
  return location;
}

Location Interpreter::locate(ExprId id) {
  const Expr &expr = tree.exprs[id];
  if (++steps > MaxSteps)
    return {};
  switch (expr.kind) {
  case ExprKind::Variable:
    return variableLocation(expr);
  case ExprKind::Member:
    return memberLocation(expr);
  case ExprKind::Element:
    return locateElement(expr);
  case ExprKind::Deref:
    return follow(eval(expr.operands[0]));
  case ExprKind::Reinterpret:
    return locate(expr.operands[0]);
  case ExprKind::Bind:
    state.variables[expr.variable.index] = eval(expr.operands[0]);
    return local(expr.variable);
  case ExprKind::Assign:
    return assignment(expr);
  case ExprKind::Compound: {
    const ValueRef right = eval(expr.operands[1]);
    const Location location = locate(expr.operands[0]);
    const Place place = tree.exprs[expr.operands[0]].place;
    const ValueRef left = load(location, place);
    checkWritten(location, left, expr.type, place);
    const ValueRef value = binaryValue(expr.op, left, right);
    store(location, convertedValue(value, tree.types[expr.type]), place);
    return location;
  }
  case ExprKind::Step: {
    const Location location = locate(expr.operands[0]);
    const Place place = tree.exprs[expr.operands[0]].place;
    store(location, binaryValue(Op::Add, load(location, place), constantValue(expr.value)), place);
    return location;
  }
  case ExprKind::Conditional: {
    eval(expr.operands[0]);
    Location location = locate(expr.operands[1]);
    const Location other = locate(expr.operands[2]);
    llvm::append_range(location.targets, other.targets);
    location.isLost |= other.isLost;
    return location;
  }
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
  if (left && left->isConstant()) {
    if ((left->low != 0) != isAnd)
      return constantValue(isAnd ? 0 : 1);
    return convertedValue(eval(expr.operands[1]), tree.types[expr.type]);
  }
  const State before = state;
  Control control;
  control.level = levelOf(left);
  control.isConditional = true;
  control.place = tree.exprs[expr.operands[0]].place;
  controls.push_back(control);
  const ValueRef right = eval(expr.operands[1]);
  controls.pop_back();
  meet(before, true, control.level);
  Value result;
  result.low = 0;
  result.high = 1;
  result.level = tsk::body::join(levelOf(left), levelOf(right));
  // One thread of those for which both hold.
  if (isAnd)
    result.elects = std::max(left ? left->elects : Value::Elects::Nobody,
                             right ? right->elects : Value::Elects::Nobody);
  return std::make_shared<const Value>(std::move(result));
}

ValueRef Interpreter::evalCondition(const Expr &expr) {
  const ValueRef condition = eval(expr.operands[0]);
  if (condition && condition->isConstant())
    return eval(expr.operands[condition->low ? 1 : 2]);
  const State before = state;
  Control control;
  control.level = levelOf(condition);
  control.isConditional = true;
  control.place = tree.exprs[expr.operands[0]].place;
  control.elects = condition ? condition->elects : Value::Elects::Nobody;
  controls.push_back(control);
  const ValueRef yes = eval(expr.operands[1]);
  const State taken = std::move(state);
  state = before;
  controls.back().elects = Value::Elects::Nobody;
  const ValueRef no = eval(expr.operands[2]);
  controls.pop_back();
  meet(taken, true, control.level);
  const ValueRef result = tsk::body::join(yes, no);
  return result ? atLeast(result, control.level) : result;
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
  case ExprKind::Load: {
    const Expr &from = tree.exprs[expr.operands[0]];
    const Location location = locate(expr.operands[0]);
    ValueRef value = load(location, from.place);
    checkWritten(location, value, expr.type, from.place);
    // A pointer that was found in memory leads nowhere that is known.
    if (tree.types[expr.type].kind == Type::Kind::Pointer && value && value->targets.empty()) {
      Value lost = *value;
      lost.isLost = true;
      value = std::make_shared<const Value>(std::move(lost));
    }
    return value;
  }
  case ExprKind::Unary:
    return convertedValue(unaryValue(expr.op, eval(expr.operands[0])), tree.types[expr.type]);
  case ExprKind::Binary: {
    const ValueRef left = eval(expr.operands[0]);
    ValueRef value = binaryValue(expr.op, left, eval(expr.operands[1]));
    return tree.types[expr.type].kind == Type::Kind::Pointer
               ? value
               : convertedValue(value, tree.types[expr.type]);
  }
  case ExprKind::Step: {
    const Location location = locate(expr.operands[0]);
    const Place place = tree.exprs[expr.operands[0]].place;
    const ValueRef before = load(location, place);
    store(location, binaryValue(Op::Add, before, constantValue(expr.value)), place);
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
    invoke(expr.function, std::move(given), expr.place);
    return state.variables[expr.variable.index];
  }
  case ExprKind::Aggregate:
    return evalAggregate(expr);
  case ExprKind::Convert:
    return convertedValue(eval(expr.operands[0]), tree.types[expr.type]);
  case ExprKind::Reinterpret: {
    const ValueRef value = eval(expr.operands[0]);
    if (!value)
      return value;
    Value result;
    result.level = levelOf(value);
    collectTargets(value, result.targets);
    const bool isNull = value->isConstant() && value->low == 0;
    result.isLost = value->isLost || (tree.types[expr.type].kind == Type::Kind::Pointer &&
                                      result.targets.empty() && !isNull);
    return std::make_shared<const Value>(std::move(result));
  }
  default: {
    Level level = Level::Constant;
    for (ExprId operand : expr.operands)
      level = tsk::body::join(level, levelOf(eval(operand)));
    if (expr.value)
      giveUp("it contains a name that is not known", expr.place);
    const bool isRecord = tree.types[expr.type].kind == Type::Kind::Record ||
                          tree.types[expr.type].kind == Type::Kind::Array;
    return isRecord && expr.operands.empty() ? nullptr : anyValue(level);
  }
  }
}

} // namespace tsk::body
