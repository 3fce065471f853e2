// Calls: functions that are entered, functions that nobody can see into. Those that are known by
// name: InterpretKnown.cpp.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

namespace {

// The functions that a body calls.
class Callees {
public:
  Callees(const Tree &t, llvm::function_ref<void(FunctionId)> f) : tree(t), found(f) {}

  void visit(StmtId id) {
    const Stmt &stmt = tree.stmts[id];
    for (ExprId expr : stmt.exprs)
      if (expr)
        visit(expr);
    for (StmtId inner : stmt.statements)
      visit(inner);
  }
  void visit(ExprId id) {
    const Expr &expr = tree.exprs[id];
    if (expr.function)
      found(expr.function);
    for (ExprId operand : expr.operands)
      visit(operand);
  }

private:
  const Tree &tree;
  llvm::function_ref<void(FunctionId)> found;
};

} // namespace

// ---- Entering -----------------------------------------------------------------------------------

std::vector<ValueRef> Interpreter::arguments(const Expr &expr) {
  std::vector<ValueRef> given;
  for (ExprId operand : expr.operands)
    given.push_back(tree.exprs[operand].isLValue ? addressOf(locate(operand)) : eval(operand));
  return given;
}

ValueRef Interpreter::call(const Expr &expr) {
  std::vector<ValueRef> given = arguments(expr);
  if (expr.function)
    return invoke(expr.function, given, expr.place);
  tree::Function pointer;
  pointer.name = "a function chosen at run time";
  return callUnseen(pointer, given, expr.place);
}

ValueRef Interpreter::invoke(FunctionId id, const std::vector<ValueRef> &given, Place place) {
  const tree::Function &callee = tree.functions[id];
  if (callee.home != tree::Function::Home::User) {
    if (std::optional<ValueRef> result = callPrimitive(callee, given, place))
      return *result;
    if (std::optional<ValueRef> result = callView(callee, given, place))
      return *result;
    if (std::optional<ValueRef> result = callGroup(callee, given, place))
      return *result;
    if (std::optional<ValueRef> result = callKnown(callee, given, place))
      return *result;
  }
  return callee.body ? enter(id, given, place) : callUnseen(callee, given, place);
}

// Whether a function may call itself, through whichever others.
bool Interpreter::isRecursive(FunctionId id) {
  const auto [known, isNew] = recursive.try_emplace(id.index, false);
  if (isNew) {
    std::set<uint32_t> seen;
    std::vector<StmtId> open;
    auto reach = [&](FunctionId callee) {
      if (tree.functions[callee].body && seen.insert(callee.index).second)
        open.push_back(tree.functions[callee].body);
    };
    Callees callees(tree, reach);
    callees.visit(tree.functions[id].body);
    while (!open.empty()) {
      const StmtId body = open.back();
      open.pop_back();
      callees.visit(body);
    }
    known->second = seen.count(id.index) != 0;
  }
  return recursive[id.index];
}

// The call inside a function that the same function is being followed for: the first time around
// stood for all of them.
ValueRef Interpreter::callAgain(FunctionId id, llvm::ArrayRef<ValueRef> given, Place place) {
  const tree::Function &callee = tree.functions[id];
  const auto around =
      llvm::find_if(frames, [&](const Frame &frame) { return frame.function == id; });
  const Level expected = around == frames.end() ? Level::Constant : around->inputs;
  for (const ValueRef &value : given) {
    const ValueRef all = reachable(value);
    // What it does to memory, it does through what it is given.
    if (leadsToObject(value) || (all && (all->isLost || all->level > expected)))
      giveUp("`" + callee.name + "` calls itself", place);
    for (const Target &target : all ? all->targets : std::vector<Target>())
      if (target.isLocal)
        store(spread({{target}, false, false, Level::Thread}), anyValue(Level::Thread), place);
  }
  return anyValue(Level::Thread);
}

ValueRef Interpreter::enter(FunctionId id, llvm::ArrayRef<ValueRef> given, Place place) {
  const tree::Function &callee = tree.functions[id];
  const bool isInside =
      llvm::any_of(frames, [&](const Frame &frame) { return frame.function == id; });
  if (isInside || frames.size() > MaxDepth)
    return callAgain(id, given, place);
  Frame frame;
  frame.function = id;
  frame.control = controls.size();
  frame.place = place;
  std::vector<ValueRef> all(given.begin(), given.end());
  if (isRecursive(id)) {
    // Of later calls nobody knows the numbers.
    frame.inputs = Level::Task;
    for (const ValueRef &value : given)
      frame.inputs = tsk::body::join(frame.inputs, levelOf(value));
    for (ValueRef &value : all)
      value = withoutOffsets(generalized(value, frame.inputs));
  }
  frames.push_back(std::move(frame));
  controls.emplace_back().kind = Control::Kind::Call;
  size_t next = 0;
  if (callee.self && next < all.size())
    state.variables[callee.self.index] = all[next++];
  for (VariableId param : callee.params)
    state.variables[param.index] = next < all.size() ? all[next++] : nullptr;
  exec(callee.body);
  const Level level = controls.back().level;
  const ValueRef result = frames.back().result;
  const std::optional<State> returned = std::move(frames.back().returned);
  frames.pop_back();
  controls.pop_back();
  if (returned)
    meet(*returned, true, level);
  return result;
}

// ---- Not seen -----------------------------------------------------------------------------------

namespace {

bool isAddress(const Type &type) {
  return type.kind == Type::Kind::Pointer || type.kind == Type::Kind::Reference;
}

// What a call may hand on: all that its arguments hold.
struct Payload {
  Value value;

  void add(const ValueRef &part) {
    if (!part)
      return;
    collectTargets(part, value.targets);
    value.isOwn |= isOwn(part);
    const ValueRef whole = blurred(part);
    value.isLost |= whole->isLost;
    value.isOutside |= whole->isOutside;
  }
  ValueRef at(Level level) const {
    Value result = value;
    result.level = level;
    return std::make_shared<const Value>(std::move(result));
  }
};

} // namespace

constexpr llvm::StringRef Stores[] = {
#define TSK_STORES(Name) Name,
#include "compiler/body/reader/KnownFunctions.def"
};

static std::vector<TypeId> parameterTypes(const Tree &tree, const tree::Function &callee) {
  std::vector<TypeId> types;
  if (callee.self)
    types.push_back(tree.variables[callee.self].type);
  for (VariableId param : callee.params)
    types.push_back(tree.variables[param].type);
  return types;
}

// A callee may write more than the part that it is given the address of.
Location Interpreter::spread(Location location) {
  for (Target &target : location.targets)
    if (target.isLocal && !target.path.empty())
      target.path.push_back(Target::Anywhere);
  location.isLost = false;
  return location;
}

ValueRef Interpreter::callUnseen(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                 Place place) {
  return callee.home == tree::Function::Home::User ? callOpaque(callee, given, place)
                                                   : callTrusted(callee, given, place);
}

// As many bytes as the function says, or what the pointer or reference leads to; 0: nobody can
// tell.
int64_t Interpreter::bytesTouched(llvm::StringRef name, TypeId pointer,
                                  llvm::ArrayRef<ValueRef> given) const {
  const bool isCounted = name.ends_with("memcpy") || name.ends_with("memmove") ||
                         name.ends_with("memset") || name.ends_with("memcmp");
  if (isCounted)
    return given.size() > 2 && given[2] && given[2]->isConstant() ? given[2]->low : 0;
  const Type &type = tree.types[pointer];
  return type.element ? tree.types[type.element].bytes : 0;
}

static bool isOfProtocol(llvm::StringRef name) {
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"bar", "setmaxnreg", "exit"},
                      [&](llvm::StringRef part) { return name.contains(part); });
}

// CUDA's own functions do to memory what their parameters' types say.
ValueRef Interpreter::callTrusted(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                  Place place) {
  const llvm::StringRef name = callee.name;
  const bool isStore = llvm::is_contained(Stores, name) || name.rsplit("::").second == "operator=";
  const std::vector<TypeId> types = parameterTypes(tree, callee);
  // LLVM's names of instructions: what they do besides, or find in each thread, no type says.
  const bool isInstruction = name.starts_with("__nvvm_") || name.contains("cycle");
  if (isInstruction && isOfProtocol(name)) {
    EventFact fact;
    fact.kind = EventFact::Kind::AsmProtocol;
    fact.text = callee.name;
    note(std::move(fact), place);
  }
  facts.isPure &= !isInstruction;
  Level level = isInstruction ? Level::Thread : Level::Constant;
  Payload payload;
  std::vector<Location> written;
  const bool wasAtomic = std::exchange(isAtomic, name.starts_with("atomic"));
  facts.spins |=
      isAtomic && llvm::any_of(controls, [](const Control &control) { return !control.trips; });
  for (size_t i = 0; i < given.size(); ++i) {
    if (!isStore || i > 0) // where it goes does not tell what it is
      level = tsk::body::join(level, levelOf(given[i]));
    const Type *type = i < types.size() ? &tree.types[types[i]] : nullptr;
    if (!type || !isAddress(*type)) {
      payload.add(given[i]);
      continue;
    }
    Location location = follow(given[i]);
    location.bytes = bytesTouched(name, types[i], given);
    if (type->kind == Type::Kind::Pointer && !isAtomic)
      location.elements = nullptr; // as much as it likes
    const bool isConst = type->element && tree.types[type->element].isConst;
    if (isConst || !(isStore && i == 0)) {
      const ValueRef content = load(location, place);
      level = tsk::body::join(level, levelOf(content));
      payload.add(content);
    }
    if (!isConst)
      written.push_back(spread(location));
  }
  for (const Location &location : written)
    store(location, payload.at(level), place);
  isAtomic = wasAtomic;
  // `x += y` of a class returns its left side.
  if (callee.result && isReference(callee.result) && !given.empty() && given[0])
    return given[0];
  if (!callee.result)
    return payload.at(level);
  const Type::Kind kind = tree.types[callee.result].kind;
  if (kind == Type::Kind::Float || kind == Type::Kind::Bool)
    return anyValue(level);
  if (kind != Type::Kind::Pointer)
    return payload.at(level);
  for (size_t i = 0; i < given.size(); ++i)
    payload.add(given[i]);
  payload.value.isLost |= payload.value.targets.empty();
  return payload.at(level);
}

// Others may do anything with what they are given, and with all that it leads to.
ValueRef Interpreter::callOpaque(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                 Place place) {
  facts.isPure = false;
  const std::vector<TypeId> types = parameterTypes(tree, callee);
  EventFact fact;
  fact.kind = EventFact::Kind::OpaqueCall;
  fact.text = callee.name;
  Payload payload;
  std::vector<Target> written;
  for (size_t i = 0; i < given.size(); ++i) {
    const Type *type = i < types.size() ? &tree.types[types[i]] : nullptr;
    const bool isConst =
        type && isAddress(*type) && type->element && tree.types[type->element].isConst;
    const ValueRef all = reachable(given[i]);
    payload.add(all);
    for (const Target &target : all ? all->targets : std::vector<Target>()) {
      if (!target.isLocal) {
        fact.roles.push_back(target.id);
        fact.numbers.push_back(isConst ? 0 : 1);
      } else if (!isConst) {
        written.push_back(target);
      }
    }
  }
  if (!fact.roles.empty())
    note(std::move(fact), place);
  payload.value.isLost = true;
  for (const Target &target : written)
    store(spread({{target}, false, false, Level::Thread}), payload.at(Level::Thread), place);
  if (callee.result && isReference(callee.result) && !given.empty() && given[0])
    return given[0];
  Value result;
  result.isLost = callee.result && tree.types[callee.result].kind == Type::Kind::Pointer;
  return std::make_shared<const Value>(std::move(result));
}

} // namespace tsk::body
