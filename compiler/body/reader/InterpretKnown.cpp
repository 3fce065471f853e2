// Calls of functions that are known by name: who a thread is, collectives, the device library's
// primitives. Views: InterpretViews.cpp.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- Tables -------------------------------------------------------------------------------------

namespace {

struct Collective {
  llvm::StringRef name;
  Level level;
};
constexpr Collective Collectives[] = {
#define TSK_COLLECTIVE(Name, ItsLevel) {Name, Level::ItsLevel},
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr llvm::StringRef Together[] = {
#define TSK_TOGETHER(Name) Name,
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr Collective Results[] = {
#define TSK_RESULT(Name, ItsLevel) {Name, Level::ItsLevel},
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr llvm::StringRef Addresses[] = {
#define TSK_ADDRESS(Name) Name,
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr llvm::StringRef Nothings[] = {
#define TSK_NOTHING(Name) Name,
#include "compiler/body/reader/KnownFunctions.def"
};

enum class Issue : uint8_t { Single, All };
enum class Effect : uint8_t { Load, Store, Multiply };
struct Primitive {
  llvm::StringRef name;
  ast::Mechanism mechanism;
  Issue issue;
  Effect effect;
};
constexpr Primitive Primitives[] = {
#define TSK_PRIMITIVE(Name, ItsMechanism, ItsIssue, ItsEffect)                                     \
  {"tsk::" #Name, ast::Mechanism::ItsMechanism, Issue::ItsIssue, Effect::ItsEffect},
#include "compiler/body/Primitives.def"
};
constexpr llvm::StringRef Later[] = {
#define TSK_PRIMITIVE(Name, Mechanism, ItsIssue, ItsEffect)
#define TSK_PRIMITIVE_LATER(Name, What) "tsk::" #Name,
#include "compiler/body/Primitives.def"
};
// After these, what other lanes have stored before can be read.
constexpr llvm::StringRef Barriers[] = {"__syncwarp", "tsk::warp_sync"};
constexpr llvm::StringRef Protocol[] = {
#define TSK_PRIMITIVE(Name, Mechanism, ItsIssue, ItsEffect)
#define TSK_BODY_PROTOCOL(Name, Instead) #Name,
#include "compiler/body/Primitives.def"
};

} // namespace

// ---- Known by name ------------------------------------------------------------------------------

static bool isFullMask(const ValueRef &mask) {
  return mask && mask->isConstant() && static_cast<uint32_t>(mask->low) == 0xffffffff;
}

// All threads that a collective brings together must come at once: all lanes of a warp that the
// mask names, or a warpgroup. A mask that is computed says which lanes do.
void Interpreter::collective(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                             Level together, Place place) {
  const bool hasMask = llvm::StringRef(callee.name).starts_with("__") && !given.empty();
  if (hasMask && !isFullMask(given[0]))
    return checkMask(callee, given[0], place);
  Place cause;
  if (controlLevel(&cause) <= together || comeTogether(together == Level::Group ? 128 : 32))
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::Divergent;
  fact.text = callee.name;
  fact.numbers = {together == Level::Group ? 128 : 32};
  note(std::move(fact), place, cause);
}

// Who comes is named by the mask.
void Interpreter::checkMask(const tree::Function &callee, const ValueRef &mask, Place place) {
  const std::vector<bool> active = activeThreads();
  const bool isKnown = active.size() == function.threads ||
                       (active.empty() && controlLevel() <= Level::Warp && !function.isOneLane);
  if (!mask || !mask->isConstant() || !isKnown || !isCertain())
    return;
  for (unsigned thread = 0; thread < function.threads; ++thread)
    if ((active.empty() || active[thread]) && !(mask->low >> (thread % 32) & 1)) {
      EventFact fact;
      fact.kind = EventFact::Kind::Divergent;
      fact.text = callee.name;
      fact.numbers = {32, thread % 32};
      return note(std::move(fact), place);
    }
}

std::optional<ValueRef> Interpreter::callKnown(const tree::Function &callee,
                                               llvm::ArrayRef<ValueRef> given, Place place) {
  const llvm::StringRef name = callee.name;
  auto isNamed = [&](const Collective &known) { return known.name == name; };
  const llvm::StringRef last = name.rsplit("::").second.empty() ? name : name.rsplit("::").second;
  const bool isOurs = name == last || name == ("tsk::" + last).str();
  if ((isOurs && llvm::is_contained(Protocol, last)) || llvm::is_contained(Protocol, name)) {
    EventFact fact;
    fact.kind = EventFact::Kind::Protocol;
    fact.text = llvm::is_contained(Protocol, name) ? name.str() : last.str();
    note(std::move(fact), place);
    return anyValue(Level::Task);
  }
  if (const auto *known = llvm::find_if(Collectives, isNamed); known != std::end(Collectives)) {
    collective(callee, given, Level::Warp, place);
    Value result;
    result.level = known->level;
    if (name == "tsk::elect_one")
      result.elects = Value::Elects::OneOfWarp;
    if (name == "__shfl_sync" && given.size() > 2 && levelOf(given[2]) <= Level::Warp)
      result.level = Level::Warp;
    const bool isOfAll = given.empty() || isFullMask(given[0]);
    if (llvm::is_contained(Barriers, name) && isOfAll && comeTogether(32))
      state.open.reset();
    for (const ValueRef &value : given) // an address may be what the lanes exchange
      collectTargets(value, result.targets);
    return std::make_shared<const Value>(std::move(result));
  }
  if (llvm::is_contained(Together, name)) {
    collective(callee, given, Level::Warp, place);
    return std::nullopt;
  }
  if (const auto *known = llvm::find_if(Results, isNamed); known != std::end(Results)) {
    facts.isPure &= llvm::StringRef(name).starts_with("tsk::");
    facts.isClosed &= name.contains("grid") || name == "tsk::warp_index";
    if (name == "tsk::warp_index")
      return rangeValue(0, 31, known->level);
    return known->level == Level::Task ? withSum(anyValue(known->level), namedSum(name.str()))
                                       : anyValue(known->level);
  }
  if (llvm::is_contained(Addresses, name) && !given.empty())
    return given[0];
  if (llvm::is_contained(Nothings, name))
    return anyValue(Level::Task);
  if (name == "tsk::reading::claim") {
    claim(given);
    return ValueRef();
  }
  if (name == "tsk::fence_proxy_async") {
    state.unfenced.reset();
    return ValueRef();
  }
  return threadNumber(name, place);
}

// Who a thread is.
std::optional<ValueRef> Interpreter::threadNumber(llvm::StringRef name, Place place) {
  if (name == "tsk::lane")
    return laneOf(32, name.str(), place);
  if (function.isOneLane && name == "tsk::task_thread") {
    EventFact fact;
    fact.kind = EventFact::Kind::LaneOfOne;
    fact.text = name.str();
    note(std::move(fact), place);
  }
  const int64_t threads = function.threads;
  Value number;
  number.low = 0;
  number.isOwn = true;
  number.isTaken = threads != 0 && !function.isOneLane;
  number.sources = {Value::ThreadSource};
  if (name == "tsk::task_thread") {
    number.high = threads ? threads - 1 : Value::Max;
    number.form = Value::Form::ThreadNumber;
    number.sum = threadSum(function.threads, 1, INT64_MAX);
  } else if (name == "tsk::block_thread") {
    number.form = Value::Form::ThreadNumber;
    number.isTaken = false;
  } else if (name == "tsk::task_warp" || name == "tsk::task_warpgroup") {
    const bool isWarp = name == "tsk::task_warp";
    number.level = isWarp ? Level::Warp : Level::Group;
    if (isWarp)
      number.form = Value::Form::WarpNumber;
    const int64_t each = isWarp ? 32 : 128;
    number.high = threads ? (threads - 1) / each : Value::Max;
    number.sum = threadSum(function.threads, each, INT64_MAX);
  } else {
    return std::nullopt;
  }
  return std::make_shared<const Value>(std::move(number));
}

std::optional<ValueRef> Interpreter::callPrimitive(const tree::Function &callee,
                                                   llvm::ArrayRef<ValueRef> given, Place place) {
  const llvm::StringRef name = callee.name;
  if (name == "tsk::stmatrix" || name == "tsk::stmatrix_transposed") {
    noteMatrix(callee, given, place);
    return ValueRef();
  }
  const bool isLater = llvm::is_contained(Later, name);
  if (isLater) {
    EventFact fact;
    fact.kind = EventFact::Kind::NotCompiled;
    fact.text = name.drop_front(5).str();
    note(std::move(fact), place);
  }
  const auto *primitive =
      llvm::find_if(Primitives, [&](const Primitive &known) { return known.name == name; });
  if (primitive == std::end(Primitives))
    return isLater ? std::optional(anyValue(Level::Thread)) : std::nullopt;
  const std::vector<Target> objects = fieldsIn(given.empty() ? ValueRef() : given[0], place);
  if (objects.empty()) {
    EventFact fact;
    fact.kind = EventFact::Kind::NotAField;
    fact.text = name.drop_front(5).str();
    note(std::move(fact), place);
  }
  if (primitive->effect == Effect::Multiply) {
    collective(callee, given, Level::Group, place);
    checkOperands(callee, given, place);
    noteMultiply(name, primitive->mechanism, given, place);
    return anyValue(Level::Task);
  }
  const bool isStore = primitive->effect == Effect::Store;
  checkBegin(given[0], place);
  for (const Target &object : objects) {
    AccessFact access = accessHere();
    access.role = object.id;
    access.isWrite = !isStore;
    access.isStore = isStore;
    access.mechanism = primitive->mechanism;
    access.isInFlight = true;
    access.completes = isStore ? AccessFact::Completes::Group : AccessFact::Completes::Stage;
    access.primitive = name.drop_front(5).str();
    if (const tree::Record *tile = callee.params.empty() ? nullptr : recordOf(callee)) {
      const Type &pointer = tree.types[tile->members.front().type];
      int64_t bytes = pointer.element ? tree.types[pointer.element].bytes : 0;
      for (int64_t extent : tile->extents)
        bytes *= extent;
      if (bytes > 0)
        access.bytes = bytes;
    }
    access.elements = coordinatesOf(given);
    access.elements.isCertain = isCertainOf(access.elements);
    note(std::move(access), place);
    noteWhole(object, !isStore, place);
    if (isStore)
      checkFenced(object, name, place);
  }
  return anyValue(Level::Task);
}

// Where in the tensor a copy begins.
ir::Elements Interpreter::coordinatesOf(llvm::ArrayRef<ValueRef> given) const {
  std::vector<SumRef> coordinates;
  for (const ValueRef &coordinate : given.drop_front())
    coordinates.push_back(sumOf(byValue(coordinate)));
  if (coordinates.empty())
    return {};
  ir::Elements elements = elementsAt(coordinates, 1, function.threads, {});
  // One thread starts it, whichever.
  for (const SumRef &coordinate : coordinates)
    if (!coordinate || coordinate->own.size() > 1)
      elements.forms.clear();
  for (ir::ElementForm &form : elements.forms) {
    form.isOwn = false;
    for (ir::ElementIndex &index : form.dims)
      index.isOwn = false;
  }
  return elements;
}

// What stands where an argument by reference leads to.
ValueRef Interpreter::byValue(const ValueRef &argument) const {
  if (!argument || argument->targets.size() != 1 || !argument->targets[0].isLocal)
    return argument;
  ValueRef value = state.variables[argument->targets[0].id];
  for (uint32_t part : argument->targets[0].path)
    value = part == Target::Anywhere ? nullptr : partOf(value, part);
  return value;
}

// The fields that an argument leads to.
std::vector<Target> Interpreter::fieldsIn(const ValueRef &argument, Place place) {
  std::vector<Target> objects;
  if (argument)
    collectTargets(argument, objects);
  // Given by reference: what it refers to counts.
  for (size_t i = 0; i < objects.size(); ++i)
    if (objects[i].isLocal) {
      collectTargets(loadFrom(objects[i], place, {}, Location()), objects);
      break;
    }
  llvm::erase_if(objects, [](const Target &target) { return target.isLocal; });
  return objects;
}

// What holds where a condition does, and those around it. Rounds are the first ones: what comes
// later finds what they have done.
TruthRef Interpreter::truthHere(const ValueRef &condition) const {
  TruthRef truth = truthOf(condition);
  bool isRepeated = false, isSome = false;
  for (const Control &control : controls) {
    isSome |= isRepeated && control.isConditional;
    isRepeated |= control.kind == Control::Kind::Loop && !control.isFollowed;
    if (control.truth || control.isConditional)
      truth = bothOf(truth, control.truth);
  }
  if (!truth)
    return truth;
  Truth first = *truth;
  for (std::vector<Comparison> &all : first.ways)
    for (Comparison &each : all) {
      if (each.sum->rounds.empty())
        continue;
      if (isSome)
        return nullptr;
      Sum sum = *each.sum;
      sum.rounds.clear();
      each.sum = std::make_shared<const Sum>(std::move(sum));
    }
  return std::make_shared<const Truth>(std::move(first));
}

// As numbers that a schedule can compute. What is not of arguments alone may hold.
static std::optional<ConditionFact> conditionOf(const TruthRef &truth) {
  if (!truth)
    return std::nullopt;
  static constexpr std::pair<Op, ir::ExprOp> Ops[] = {
      {Op::Equal, ir::ExprOp::Eq},   {Op::NotEqual, ir::ExprOp::Ne},
      {Op::Less, ir::ExprOp::Lt},    {Op::LessEqual, ir::ExprOp::Le},
      {Op::Greater, ir::ExprOp::Gt}, {Op::GreaterEqual, ir::ExprOp::Ge}};
  ConditionFact condition;
  condition.isExact = truth->isExact;
  for (const std::vector<Comparison> &way : truth->ways) {
    std::vector<ComparisonFact> &into = condition.ways.emplace_back();
    for (const Comparison &each : way) {
      const auto *op =
          llvm::find_if(Ops, [&](const auto &known) { return known.first == each.op; });
      if (!each.sum->shared.others.empty() || each.sum->own.size() != 1) {
        condition.isExact = false;
        continue;
      }
      ComparisonFact fact{op->second, {}, each.sum->own[0]};
      for (const auto &[role, weight] : each.sum->shared.roles)
        fact.args[role] = weight;
      into.push_back(std::move(fact));
    }
  }
  return condition;
}

// wgmma(c, a, b, …): the accumulator is read and written, the operands are read, all of it until
// the group is awaited.
void Interpreter::noteMultiply(llvm::StringRef name, ast::Mechanism mechanism,
                               llvm::ArrayRef<ValueRef> given, Place place) {
  for (size_t i = 0; i < given.size(); ++i) {
    checkBegin(given[i], place);
    for (const Target &object : fieldsIn(given[i], place)) {
      checkFenced(object, name, place);
      for (bool isWrite : {false, true}) {
        if (isWrite && i > 0)
          continue;
        AccessFact access = accessHere();
        access.role = object.id;
        access.isWrite = isWrite;
        access.mechanism = mechanism;
        access.isInFlight = true;
        access.completes = AccessFact::Completes::Group;
        access.primitive = name.drop_front(5).str();
        if (i == 0 && given.size() > 3)
          access.when = conditionOf(truthHere(isWrite ? constantValue(1) : given[3]));
        note(std::move(access), place);
        noteWhole(object, isWrite, place);
      }
    }
  }
}

// What the copy engine or the tensor cores read, this body's threads may not have stored just now.
void Interpreter::checkFenced(const Target &object, llvm::StringRef name, Place place) {
  if (!state.unfenced.test(object.id) || function.roles[object.id].bytes == 0)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::Unfenced;
  fact.role = object.id;
  fact.text = name.drop_front(5).str();
  note(std::move(fact), place, state.stores[object.id]);
}

// The record of a method, or of a function's first parameter.
const tree::Record *Interpreter::recordOf(const tree::Function &callee) const {
  TypeId id;
  if (callee.self)
    id = tree.types[tree.variables[callee.self].type].element;
  else if (!callee.params.empty())
    id = tree.variables[callee.params[0]].type;
  if (!id)
    return nullptr;
  const Type *type = &tree.types[id];
  if (type->kind == Type::Kind::Reference && type->element)
    type = &tree.types[type->element];
  if (type->kind != Type::Kind::Record || tree.records[type->record].members.empty())
    return nullptr;
  return &tree.records[type->record];
}

} // namespace tsk::body
