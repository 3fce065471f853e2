// Statements and how their paths part and meet.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- The whole body -----------------------------------------------------------------------------

// What a parameter holds when the body begins. A view leads to its object by its `pointer`.
ValueRef Interpreter::parameterValue(TypeId id, const Role &role, uint32_t number) const {
  const Type &type = tree.types[id];
  const bool isObject = role.kind == Role::Kind::Field || role.kind == Role::Kind::Tensor ||
                        role.kind == Role::Kind::Pointer;
  if (!isObject) {
    const Level level = role.isUniform ? Level::Task : Level::Thread;
    const bool isInteger = type.kind == Type::Kind::Integer;
    Value passed;
    passed.level = level;
    if (isInteger && (role.low != Value::Min || role.high != Value::Max)) {
      passed.low = role.low;
      passed.high = role.high;
      passed.isGiven = true;
    }
    const ValueRef any = std::make_shared<const Value>(std::move(passed));
    const bool isPassed = role.kind == Role::Kind::Param || role.kind == Role::Kind::Scalar;
    return isPassed && role.isUniform ? withSum(any, roleSum(number)) : any;
  }
  if (type.kind == Type::Kind::Pointer || type.kind == Type::Kind::Reference) {
    Value pointer = *pointerTo({false, number, {}}, Level::Task);
    pointer.offset = constantValue(0);
    return std::make_shared<const Value>(std::move(pointer));
  }
  Value view;
  view.level = Level::Task;
  if (type.kind == Type::Kind::Record)
    for (const Member &member : tree.records[type.record].members) {
      const bool leads = member.name == "pointer" || member.name.empty();
      view.parts.push_back(leads ? parameterValue(member.type, role, number)
                                 : anyValue(Level::Task));
    }
  return std::make_shared<const Value>(std::move(view));
}

WorkFacts Interpreter::run(const Tree::Root &root) {
  facts.function = root.number;
  facts.named = root.named;
  const tree::Function &entry = tree.functions[root.function];
  state.variables.resize(tree.variables.size());
  state.unfenced.resize(function.roles.size());
  state.written.resize(function.roles.size());
  state.stores.resize(function.roles.size());
  state.open.resize(2 * MaxTouches);
  for (size_t i = 0; i < entry.params.size() && i < function.roles.size(); ++i)
    state.variables[entry.params[i].index] = parameterValue(
        tree.variables[entry.params[i]].type, function.roles[i], static_cast<uint32_t>(i));
  Frame frame;
  frame.function = root.function;
  frames.push_back(std::move(frame));
  Control &whole = controls.emplace_back();
  whole.kind = Control::Kind::Call;
  if (function.isOneLane)
    whole.level = Level::Thread;
  // In the kernel, a work's parameters and its body's locals stand in one scope.
  for (const Tree::Root::Hidden &hidden : root.hidden) {
    if (function.roles[hidden.param].kind != Role::Kind::Param)
      continue;
    EventFact fact;
    fact.kind = EventFact::Kind::HiddenName;
    fact.text = hidden.name;
    note(std::move(fact), hidden.place);
  }
  if (entry.body)
    exec(entry.body);
  else
    giveUp("its definition has errors", {});
  checkUniform();
  judgeTouches();
  writeClaims();
  facts.isClosed &= facts.isPure;
  facts.isPure &= !hasEffects;
  return std::move(facts);
}

// ---- Statements ---------------------------------------------------------------------------------

void Interpreter::exec(StmtId id) {
  const Stmt &stmt = tree.stmts[id];
  if (!comes)
    return;
  if (++steps > MaxSteps)
    return giveUp("it is too long to follow", stmt.place);
  switch (stmt.kind) {
  case StmtKind::Block:
    for (StmtId inner : stmt.statements)
      exec(inner);
    return;
  case StmtKind::Expr:
    eval(stmt.exprs[0]);
    return;
  case StmtKind::Declare:
    return declare(stmt);
  case StmtKind::If:
    return branch(stmt);
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::Do:
    return loop(stmt);
  case StmtKind::Switch:
    return choose(stmt);
  case StmtKind::Return:
  case StmtKind::Break:
  case StmtKind::Continue:
    return leave(stmt);
  case StmtKind::Asm:
    return assembly(stmt);
  case StmtKind::Strange:
    return giveUp("it contains " + stmt.text, stmt.place);
  }
}

void Interpreter::declare(const Stmt &stmt) {
  const Variable &variable = tree.variables[stmt.variable];
  if (variable.isShared) {
    EventFact fact;
    fact.kind = EventFact::Kind::Protocol;
    fact.text = "__shared__";
    note(std::move(fact), stmt.place);
  }
  ValueRef value;
  if (!stmt.exprs.empty()) {
    const bool isBound = isReference(variable.type) && tree.exprs[stmt.exprs[0]].isLValue;
    value = isBound ? addressOf(locate(stmt.exprs[0])) : eval(stmt.exprs[0]);
  }
  state.variables[stmt.variable.index] = std::move(value);
}

// ---- Paths --------------------------------------------------------------------------------------

// The value of a variable where paths meet that threads chose between up to a level.
static ValueRef met(const ValueRef &a, const ValueRef &b, Level level, bool isOwn) {
  if (isSame(a, b))
    return a;
  if (!a || !b || a->parts.empty() || a->parts.size() != b->parts.size())
    return asOwn(atLeast(join(a, b), level), isOwn);
  Value result = *join(a, b);
  for (size_t i = 0; i < result.parts.size(); ++i)
    result.parts[i] = met(a->parts[i], b->parts[i], level, isOwn);
  return std::make_shared<const Value>(std::move(result));
}

void Interpreter::joinInto(State &into, const State &from, Level level, bool isOwn) {
  for (size_t i = 0; i < into.variables.size(); ++i) {
    ValueRef &value = into.variables[i];
    value = met(value, from.variables[i], level, isOwn);
  }
  into.open |= from.open;
  into.written |= from.written;
  into.unfenced |= from.unfenced;
  for (size_t i = 0; i < into.stores.size(); ++i)
    into.stores[i] = std::max(into.stores[i], from.stores[i]);
}

void Interpreter::joinInto(std::optional<State> &into, const State &from, Level level) {
  if (into)
    joinInto(*into, from, level);
  else
    into = from;
}

void Interpreter::meet(const State &other, bool otherComes, Level level, bool isOwn) {
  if (!otherComes)
    return;
  if (comes)
    joinInto(state, other, level, isOwn);
  else
    state = other;
  comes = true;
}

void Interpreter::fork(const ValueRef &condition, Place place, Arm first, Arm second) {
  if (condition && condition->isConstant())
    return condition->low ? first() : second();
  Control control;
  control.level = levelOf(condition);
  control.isConditional = true;
  control.place = place;
  control.elects = condition ? condition->elects : Value::Elects::Nobody;
  control.isOwn = isOwn(condition);
  control.branch = ++nextBranch;
  control.truth = truthOf(condition);
  const bool isByThread =
      condition && condition->sum && condition->sum->isOwn() && condition->sum->own.size() > 1;
  for (size_t i = 0; isByThread && i < condition->sum->own.size(); ++i)
    control.active.push_back(condition->sum->own[i] != 0);
  const State before = state;
  controls.push_back(control);
  first();
  const State taken = std::exchange(state, before);
  const bool takenComes = std::exchange(comes, true);
  // What the election leaves over are many.
  controls.back() = control;
  controls.back().elects = Value::Elects::Nobody;
  controls.back().active.flip();
  controls.back().isElse = true;
  controls.back().truth = negated(control.truth);
  second();
  controls.pop_back();
  meet(taken, takenComes, control.level, isOwn(condition));
}

void Interpreter::branch(const Stmt &stmt) {
  const ValueRef condition = eval(stmt.exprs[0]);
  const Place own = tree.exprs[stmt.exprs[0]].place;
  auto take = [&](size_t which) {
    assume(stmt.exprs[0], which == 0);
    if (which < stmt.statements.size())
      exec(stmt.statements[which]);
  };
  fork(condition, own ? own : stmt.place, [&] { take(0); }, [&] { take(1); });
}

void Interpreter::choose(const Stmt &stmt) {
  const ValueRef value = eval(stmt.exprs[0]);
  const bool isKnown = value && value->isConstant();
  auto holds = [&](const Stmt::Label &label) {
    return !isKnown || llvm::is_contained(label.values, value->low);
  };
  auto names = [&](const std::optional<Stmt::Label> &label) {
    return label && llvm::is_contained(label->values, value->low);
  };
  const bool isNamed = isKnown && llvm::any_of(stmt.labels, names);
  const State before = state;
  Control control;
  control.level = levelOf(value);
  control.isConditional = !isKnown;
  control.place = stmt.place;
  Loop region;
  region.isSwitch = true;
  region.control = controls.size();
  loops.push_back(std::move(region));
  controls.push_back(control);
  comes = false;
  bool hasDefault = false;
  for (size_t i = 0; i < stmt.statements.size(); ++i) {
    if (const std::optional<Stmt::Label> &label = stmt.labels[i]) {
      hasDefault |= label->isDefault;
      if (holds(*label) || (label->isDefault && !isNamed))
        meet(before, true, control.level);
    }
    exec(stmt.statements[i]);
  }
  controls.pop_back();
  const std::optional<State> broken = std::move(loops.back().broken);
  loops.pop_back();
  if (broken)
    meet(*broken, true, control.level);
  if (!hasDefault && !isNamed)
    meet(before, true, control.level);
}

// ---- Leaving ------------------------------------------------------------------------------------

// What returns from a work may not lead back into a field, and has a value for each result.
void Interpreter::checkResult(const Stmt &stmt, const ValueRef &value) {
  std::vector<Target> targets;
  collectTargets(value, targets);
  for (const Target &target : targets) {
    if (target.isLocal)
      continue;
    EventFact fact;
    fact.kind = EventFact::Kind::Escapes;
    fact.role = target.id;
    fact.text = "returned";
    note(std::move(fact), stmt.place);
  }
  const Expr &expr = tree.exprs[stmt.exprs[0]];
  const Type &type = tree.types[expr.type];
  if (expr.kind != ExprKind::Aggregate || type.kind != Type::Kind::Record ||
      !tree.records[type.record].isResults)
    return;
  const auto wanted = static_cast<int64_t>(tree.records[type.record].members.size());
  if (expr.value == 0 || expr.value >= wanted)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::MissingResult;
  fact.numbers = {expr.value, wanted};
  note(std::move(fact), stmt.place);
}

// What is declared to be the same in all threads is not, where it follows from the thread's number;
// and nobody can tell, where threads read it at different places, or exchange it.
void Interpreter::checkUniform() {
  const std::vector<bool> &uniform = function.uniformResults;
  const ValueRef all = frames.back().result;
  for (size_t i = 0; i < uniform.size() && !function.isOneLane; ++i) {
    const ValueRef value = uniform.size() == 1 ? all : partOf(all, i);
    // One warp, or one warpgroup, may be all of the task.
    const Level most = function.threads == 0     ? Level::Task
                       : function.threads <= 32  ? Level::Warp
                       : function.threads <= 128 ? Level::Group
                                                 : Level::Task;
    const bool isCertain = isOwn(value) && levelOf(value) > Level::Task;
    if (!uniform[i] || !value || value->isConstant() || (!isCertain && levelOf(value) <= most))
      continue;
    EventFact fact;
    fact.kind = isCertain ? EventFact::Kind::NotUniform : EventFact::Kind::UniformNotShown;
    fact.numbers = {static_cast<int64_t>(i)};
    comes = true;
    note(std::move(fact), frames.back().returnedAt);
  }
}

void Interpreter::leave(const Stmt &stmt) {
  size_t target = frames.back().control;
  Loop *region = nullptr;
  if (stmt.kind != StmtKind::Return)
    for (Loop &candidate : llvm::reverse(loops))
      if (stmt.kind == StmtKind::Break || !candidate.isSwitch) {
        region = &candidate;
        break;
      }
  if (stmt.kind == StmtKind::Return && !stmt.exprs.empty()) {
    const tree::Function &callee = tree.functions[frames.back().function];
    const bool isBound = isReference(callee.result) && tree.exprs[stmt.exprs[0]].isLValue;
    ValueRef value = isBound ? addressOf(locate(stmt.exprs[0])) : eval(stmt.exprs[0]);
    if (frames.size() == 1)
      checkResult(stmt, value);
    frames.back().returnedAt = stmt.place;
    Frame &frame = frames.back();
    frame.result = frame.result ? join(frame.result, value) : value;
  }
  for (StmtId ending : stmt.statements)
    exec(ending);
  if (region)
    target = region->control + (stmt.kind == StmtKind::Continue ? 1 : 0);
  // Those who leave part from those who stay: until the target ends, only the latter come here.
  Control parted;
  for (size_t i = target + 1; i < controls.size(); ++i) {
    if (parted.level < controls[i].level || !parted.isConditional) {
      parted.level = tsk::body::join(parted.level, controls[i].level);
      parted.place = controls[i].place;
    }
    parted.isConditional |= controls[i].isConditional;
    parted.isOwn |= controls[i].isOwn;
  }
  if (parted.isConditional) {
    controls[target].isVague |= !partFrom(target);
    controls[target].isConditional = true;
    controls[target].isParted = true;
    if (controls[target].level < parted.level) {
      controls[target].level = parted.level;
      controls[target].place = parted.place;
    }
  }
  Frame &frame = frames.back();
  if (stmt.kind == StmtKind::Return) {
    if (frame.result && parted.isConditional)
      frame.result = asOwn(atLeast(frame.result, parted.level), parted.isOwn);
    joinInto(frame.returned, state, parted.level);
  } else if (region) {
    joinInto(stmt.kind == StmtKind::Break ? region->broken : region->continued, state,
             parted.level);
  }
  comes = false;
}

} // namespace tsk::body
