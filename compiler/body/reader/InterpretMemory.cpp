// What variables and memory hold: loads, stores, where pointers lead.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

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
  value.isOutside = location.isOutside;
  value.elements = location.elements;
  value.offset = location.offset;
  value.isLogical = location.isLogical;
  return std::make_shared<const Value>(std::move(value));
}

Location Interpreter::follow(const ValueRef &pointer) const {
  Location location;
  if (!pointer) {
    location.isLost = true;
    return location;
  }
  location.targets = pointer->targets;
  location.isLost = pointer->isLost;
  location.isOutside = pointer->isOutside;
  location.level = levelOf(pointer);
  location.elements = pointer->elements;
  location.offset = pointer->offset;
  location.isLogical = pointer->isLogical;
  return location;
}

// The type of the part that a path leads to; none if it is not one.
TypeId Interpreter::typeAt(const Target &target) const {
  TypeId id = tree.variables[VariableId{target.id}].type;
  for (uint32_t number : target.path) {
    const Type &type = tree.types[id];
    if (number == Target::Anywhere)
      return {};
    if (type.kind == Type::Kind::Array)
      id = type.element;
    else if (type.kind == Type::Kind::Record && number < tree.records[type.record].members.size())
      id = tree.records[type.record].members[number].type;
    else
      return {};
  }
  return id;
}

// What is read from a bit-field is what fits into it.
ValueRef Interpreter::partOfRecord(const ValueRef &whole, TypeId id, uint32_t number) const {
  ValueRef part = partOf(whole, number);
  const Type *type = id ? &tree.types[id] : nullptr;
  if (!type || type->kind != Type::Kind::Record)
    return part;
  const std::vector<Member> &members = tree.records[type->record].members;
  const TypeId bits = number < members.size() ? members[number].bitField : TypeId();
  return bits ? convertedValue(part, tree.types[bits]) : part;
}

// Whether a part of a local variable is looked at by its own type, so that nothing but that part is
// seen.
bool Interpreter::isSeenAs(const Target &target, TypeId as) const {
  const TypeId own = typeAt(target);
  if (!own)
    return false;
  const Type &is = tree.types[own];
  const Type &seen = tree.types[as];
  if (is.kind != seen.kind)
    return is.bytes == seen.bytes && is.bytes != 0 && is.kind != Type::Kind::Record &&
           seen.kind != Type::Kind::Record && is.kind != Type::Kind::Array &&
           seen.kind != Type::Kind::Array;
  return is.kind == Type::Kind::Record ? is.record == seen.record : is.bytes == seen.bytes;
}

// A pointer to a variable or member, moved: elsewhere, unless to another element of an array.
ValueRef Interpreter::moved(const ValueRef &pointer, const ValueRef &by, Op op,
                            int64_t bytes) const {
  if (!pointer || (by && by->isConstant() && by->low == 0))
    return pointer;
  Value result = *pointer;
  result.elements = nullptr;
  moveOffset(result.offset, result.isLogical, by, op, bytes);
  for (Target &target : result.targets) {
    if (!target.isLocal || llvm::is_contained(target.path, Target::Anywhere))
      continue;
    Target outer = target;
    if (!outer.path.empty())
      outer.path.pop_back();
    const TypeId around = target.path.empty() ? TypeId{} : typeAt(outer);
    if (!around || tree.types[around].kind != Type::Kind::Array)
      target.path.push_back(Target::Anywhere);
  }
  llvm::sort(result.targets);
  return std::make_shared<const Value>(std::move(result));
}

// Behind a swizzled element lies anything.
void Interpreter::moveOffset(ValueRef &offset, bool isLogical, const ValueRef &by, Op op,
                             int64_t bytes) {
  const bool isKnown = offset && by && by->targets.empty() && bytes > 0 && !isLogical;
  offset =
      isKnown ? binaryValue(op, offset, binaryValue(Op::Mul, by, constantValue(bytes))) : nullptr;
}

int64_t Interpreter::bytesBehind(TypeId pointer) const {
  const Type &type = tree.types[pointer];
  if (!type.element)
    return 0;
  const Type &element = tree.types[type.element];
  return element.kind == Type::Kind::Void ? 1 : element.bytes;
}

ValueRef Interpreter::reachable(const ValueRef &value) const {
  if (!value)
    return value;
  Value all = *blurred(value);
  std::set<uint32_t> seen;
  for (size_t i = 0; i < all.targets.size(); ++i) {
    const Target target = all.targets[i];
    if (!target.isLocal || !seen.insert(target.id).second)
      continue;
    const ValueRef inner = blurred(state.variables[target.id]);
    if (!inner)
      continue;
    for (const Target &further : inner->targets)
      if (!llvm::is_contained(all.targets, further))
        all.targets.push_back(further);
    all.isLost |= inner->isLost;
    all.isOutside |= inner->isOutside;
    all.level = tsk::body::join(all.level, inner->level);
  }
  llvm::sort(all.targets);
  return std::make_shared<const Value>(std::move(all));
}

bool Interpreter::leadsToObject(const ValueRef &value) const {
  const ValueRef all = reachable(value);
  return all && llvm::any_of(all->targets, [](const Target &target) { return !target.isLocal; });
}

ValueRef Interpreter::loadFrom(const Target &target, Place place, TypeId as, const Location &from) {
  if (!target.isLocal) {
    noteAccess(target, false, place, from);
    noteTouch(target, false, place, from);
    return anyValue(Level::Task);
  }
  ValueRef value = state.variables[target.id];
  if (llvm::is_contained(target.path, Target::Anywhere) || (as && !isSeenAs(target, as)))
    return blurred(value);
  Target whole{true, target.id, {}};
  for (uint32_t part : target.path) {
    value = partOfRecord(value, typeAt(whole), part);
    whole.path.push_back(part);
  }
  return value;
}

void Interpreter::among(const Location &location, Arm access) {
  const size_t places = location.targets.size() + location.isLost + location.isOutside;
  if (places < 2)
    return access();
  Control control;
  control.level = location.level;
  control.isConditional = true;
  controls.push_back(control);
  access();
  controls.pop_back();
}

ValueRef Interpreter::load(const Location &from, Place place, TypeId as) {
  facts.isPure &= !from.isLost;
  if (from.isOutside)
    noteShared(false, place);
  if (from.targets.empty())
    return anyValue(tsk::body::join(from.level, Level::Task));
  ValueRef value;
  Location sized = from;
  if (sized.bytes == 0 && as)
    sized.bytes = tree.types[as].bytes;
  among(from, [&] {
    for (const Target &target : from.targets)
      value = tsk::body::join(value, loadFrom(target, place, as, sized));
  });
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

void Interpreter::storeLocally(const Target &target, const ValueRef &value, TypeId as,
                               bool isSure) {
  ValueRef &whole = state.variables[target.id];
  if (llvm::is_contained(target.path, Target::Anywhere) || (as && !isSeenAs(target, as))) {
    whole = tsk::body::join(blurred(whole), blurred(value));
    return;
  }
  ValueRef changed =
      assigned(whole, target.path, tree.variables[VariableId{target.id}].type, value);
  whole = isSure ? changed : tsk::body::join(whole, changed);
}

// Variables that outlive the body, each by its name as far as one was named.
void Interpreter::noteShared(bool isWrite, Place place) {
  for (const std::string &name : sharedVariables) {
    EventFact fact;
    fact.kind = EventFact::Kind::SharedVariable;
    fact.text = name;
    fact.numbers = {isWrite, isAtomic};
    if (!isRecording || !comes || !seenShared.insert({name, isWrite, isAtomic}).second)
      continue;
    const Chain chain = chainTo(place);
    fact.place = described(chain.empty() ? Place{} : chain.front());
    if (chain.size() > 1)
      fact.via = described(chain.back());
    facts.events.push_back(std::move(fact));
  }
}

// Addresses that stand in memory when the body has ended.
void Interpreter::noteKept(const ValueRef &value, Place place) {
  const ValueRef all = reachable(value);
  if (!all)
    return;
  for (const Target &object : all->targets) {
    if (object.isLocal)
      continue;
    EventFact fact;
    fact.kind = EventFact::Kind::Escapes;
    fact.role = object.id;
    fact.text = "stored";
    note(std::move(fact), place);
  }
}

void Interpreter::store(const Location &to, ValueRef value, Place place, TypeId as) {
  const bool isSure = to.targets.size() == 1 && !to.isLost && !to.isOutside;
  Location sized = to;
  if (sized.bytes == 0 && as)
    sized.bytes = tree.types[as].bytes;
  storedLevel = levelOf(value);
  isStoredOwn = isOwn(value);
  storedSum = sumOf(value);
  // Threads that end a loop in different rounds store what it had in different ones.
  if (!value || !value->isConstant())
    for (const Control &control : controls)
      if (control.kind != Control::Kind::Branch || control.isParted)
        storedLevel = std::max(storedLevel, control.level);
  // Where threads store in places of their own, what a place holds is theirs too.
  if (value)
    value = atLeast(value, to.level);
  among(to, [&] {
    for (const Target &target : to.targets) {
      if (target.isLocal) {
        storeLocally(target, value, as, isSure);
        continue;
      }
      noteAccess(target, true, place, sized);
      noteTouch(target, true, place, sized);
      noteKept(value, place);
    }
  });
  if (to.isOutside || to.isLost)
    noteKept(value, place);
  if (to.isOutside) {
    facts.isPure = false;
    noteShared(true, place);
  }
  if (to.isLost) {
    EventFact fact;
    fact.kind = EventFact::Kind::OpaqueCall;
    note(std::move(fact), place);
  }
}

} // namespace tsk::body
