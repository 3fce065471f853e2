// Cooperative groups: which lanes a group has, and which must come together for what it does. What
// they are as C++ is in shim/cooperative_groups.h.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

namespace {

struct Operation {
  llvm::StringRef name;
  Level ofWarp; // of what it returns, if the group is a warp
};
constexpr Operation Operations[] = {
#define TSK_GROUP_COLLECTIVE(Name, ItsLevel) {Name, Level::ItsLevel},
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr llvm::StringRef Protocol[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_GROUP_PROTOCOL(Name, Instead) Name,
#include "compiler/body/Primitives.def"
};
constexpr llvm::StringRef Numbers[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_CTA_NUMBER(Name, Instead) Name,
#include "compiler/body/Primitives.def"
};
constexpr llvm::StringLiteral Tile = "thread_block_tile";

// What a method belongs to, or a function's first parameter.
const Record *groupOf(const Tree &tree, const tree::Function &callee) {
  VariableId object = callee.self;
  if (!object && !callee.params.empty())
    object = callee.params[0];
  if (!object)
    return nullptr;
  const Type *type = &tree.types[tree.variables[object].type];
  if (type->element)
    type = &tree.types[type->element];
  return type->kind == Type::Kind::Record ? &tree.records[type->record] : nullptr;
}

} // namespace

// Whether of each so many threads all come here, or none.
bool Interpreter::comeTogether(int64_t size) const {
  const Level level = size > 32 ? Level::Group : Level::Warp;
  const bool isKnown = llvm::all_of(controls, [&](const Control &control) {
    return control.level <= level || (control.active.size() == function.threads &&
                                      !control.active.empty() && !control.isVague);
  });
  const std::vector<bool> active = activeThreads();
  for (size_t i = 0; isKnown && i < active.size(); ++i)
    if (active[i] != active[i - i % static_cast<size_t>(size)])
      return false;
  return isKnown;
}

// The number of a thread among each so many.
ValueRef Interpreter::laneOf(int64_t size, const std::string &name, Place place) {
  if (function.isOneLane) {
    EventFact fact;
    fact.kind = EventFact::Kind::LaneOfOne;
    fact.text = name;
    note(std::move(fact), place);
  }
  Value number;
  number.low = 0;
  number.high = size - 1;
  number.isOwn = true;
  number.isTaken = function.threads != 0 && !function.isOneLane;
  number.sources = {Value::ThreadSource};
  if (size == 32)
    number.form = Value::Form::Lane;
  number.sum = threadSum(function.threads, 1, size);
  return std::make_shared<const Value>(std::move(number));
}

std::optional<ValueRef> Interpreter::callGroup(const tree::Function &callee,
                                               llvm::ArrayRef<ValueRef> given, Place place) {
  llvm::StringRef name = callee.name;
  if (callee.home != tree::Function::Home::Shim || !name.consume_front("cooperative_groups::"))
    return std::nullopt;
  auto say = [&](EventFact::Kind kind, llvm::StringRef what, std::vector<int64_t> numbers = {}) {
    EventFact fact;
    fact.kind = kind;
    fact.text = "cooperative_groups::" + what.str();
    fact.numbers = std::move(numbers);
    return fact;
  };
  const Record *group = groupOf(tree, callee);
  const bool isTile = group && llvm::StringRef(group->name).ends_with(Tile);
  const int64_t size = isTile && !group->extents.empty() ? group->extents[0] : 0;
  if (size > 32 || llvm::is_contained(Protocol, name)) {
    note(say(EventFact::Kind::Protocol, size > 32 ? llvm::StringRef(Tile) : name), place);
    return anyValue(Level::Task);
  }
  if (llvm::is_contained(Numbers, name)) {
    note(say(EventFact::Kind::ThreadIndex, name), place);
    facts.isPure = false;
    return anyValue(Level::Thread);
  }
  if (isTile && name.ends_with("::thread_rank"))
    return laneOf(size, callee.name, place);
  const auto *operation =
      llvm::find_if(Operations, [&](const Operation &known) { return known.name == name; });
  const bool isOfSome = group && llvm::StringRef(group->name).ends_with("::coalesced_group");
  if (operation == std::end(Operations) && !isOfSome)
    return std::nullopt;
  if (isTile && !comeTogether(size)) {
    Place cause;
    controlLevel(&cause);
    note(say(EventFact::Kind::Divergent, name, {size}), place, cause);
  }
  if (name == "thread_block_tile::sync" && size == 32 && comeTogether(size))
    state.open.reset();
  Value result;
  result.level =
      size == 32 && operation != std::end(Operations) ? operation->ofWarp : Level::Thread;
  for (const ValueRef &value : given) // an address may be what the lanes exchange
    collectTargets(value, result.targets);
  return std::make_shared<const Value>(std::move(result));
}

} // namespace tsk::body
