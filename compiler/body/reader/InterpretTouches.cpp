// Where in a field the threads of a call read and write: whether they stay inside of it, and
// whether they meet there.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- Conditions ---------------------------------------------------------------------------------

// A number that a condition names, in the bounds that it sets.
void Interpreter::narrow(ExprId number, int64_t low, int64_t high) {
  const Expr &expr = tree.exprs[number];
  if (expr.kind == ExprKind::Convert) {
    const Expr &inner = tree.exprs[expr.operands[0]];
    const Type &from = tree.types[inner.type], &to = tree.types[expr.type];
    if (from.kind != Type::Kind::Integer || to.kind != Type::Kind::Integer)
      return;
    // To a wider type, or one without a sign: what fits there is the same number here.
    const bool isKept = to.isSigned ? to.bits > from.bits || from.isSigned
                                    : to.bits >= from.bits && low >= 0 && high < Value::Max;
    const int64_t most =
        from.bits >= 64 ? Value::Max : (int64_t{1} << (from.bits - (from.isSigned ? 1 : 0))) - 1;
    if (isKept && (to.bits >= from.bits) && (!from.isSigned || to.isSigned || high <= most))
      narrow(expr.operands[0], low, high);
    return;
  }
  if (expr.kind != ExprKind::Load)
    return;
  const Expr &from = tree.exprs[expr.operands[0]];
  if (from.kind != ExprKind::Variable || tree.types[from.type].kind != Type::Kind::Integer)
    return;
  const Variable &variable = tree.variables[from.variable];
  if (isReference(variable.type) || variable.isGlobal)
    return;
  ValueRef &value = state.variables[from.variable.index];
  if (!value || !value->parts.empty() || (low <= value->low && high >= value->high))
    return;
  Value result = *value;
  result.low = std::max(result.low, low);
  result.high = std::min(result.high, high);
  result.isTaken = false;
  if (result.low > result.high) // nobody comes here; what is known is not wrong
    return;
  value = std::make_shared<const Value>(std::move(result));
}

// Whether evaluating it may change a variable: what a comparison says of one then need not hold any
// more when the condition is known, and evaluating it again would change it again.
bool Interpreter::mayWrite(ExprId id) const {
  const Expr &expr = tree.exprs[id];
  switch (expr.kind) {
  case ExprKind::Step:
  case ExprKind::Assign:
  case ExprKind::Compound:
  case ExprKind::Construct:
  case ExprKind::Bind:
  case ExprKind::Unknown:
    return true;
  case ExprKind::Call:
    if (!expr.function || tree.functions[expr.function].home == tree::Function::Home::User)
      return true;
    break;
  default:
    break;
  }
  return llvm::any_of(expr.operands, [&](ExprId operand) { return operand && mayWrite(operand); });
}

void Interpreter::assume(ExprId id, bool holds) {
  if (mayWrite(id))
    return;
  const Expr &expr = tree.exprs[id];
  if (expr.kind == ExprKind::Unary && expr.op == Op::Not)
    return assume(expr.operands[0], !holds);
  if ((expr.kind == ExprKind::And && holds) || (expr.kind == ExprKind::Or && !holds)) {
    assume(expr.operands[0], holds);
    return assume(expr.operands[1], holds);
  }
  if (expr.kind == ExprKind::Convert)
    return tree.types[expr.type].kind == Type::Kind::Bool ? assume(expr.operands[0], holds)
                                                          : void();
  if (expr.kind != ExprKind::Binary)
    return;
  Op op = expr.op;
  if (!holds) {
    constexpr std::pair<Op, Op> Contraries[] = {
        {Op::Less, Op::GreaterEqual}, {Op::GreaterEqual, Op::Less}, {Op::LessEqual, Op::Greater},
        {Op::Greater, Op::LessEqual}, {Op::NotEqual, Op::Equal},    {Op::Equal, Op::NotEqual}};
    const auto *found = llvm::find_if(Contraries, [&](const auto &one) { return one.first == op; });
    if (found == std::end(Contraries))
      return;
    op = found->second;
  }
  if (tree.types[tree.exprs[expr.operands[0]].type].kind != Type::Kind::Integer)
    return;
  const State before = state;
  const bool wasRecording = std::exchange(isRecording, false);
  const bool wasFirst = std::exchange(isFirstRound, false);
  const bool wasComing = comes;
  const ValueRef values[] = {eval(expr.operands[0]), eval(expr.operands[1])};
  isRecording = wasRecording;
  isFirstRound = wasFirst;
  comes = wasComing;
  state = before;
  for (size_t side : {0, 1}) {
    const ValueRef &other = values[1 - side];
    if (!other)
      continue;
    const bool isUpper = side == 0 ? op == Op::Less || op == Op::LessEqual
                                   : op == Op::Greater || op == Op::GreaterEqual;
    const bool isLower = side == 0 ? op == Op::Greater || op == Op::GreaterEqual
                                   : op == Op::Less || op == Op::LessEqual;
    const bool isStrict = op == Op::Less || op == Op::Greater;
    int64_t low = Value::Min, high = Value::Max;
    if ((isUpper || op == Op::Equal) && other->high != Value::Max)
      high = other->high - (isStrict ? 1 : 0);
    if ((isLower || op == Op::Equal) && other->low != Value::Min)
      low = other->low + (isStrict ? 1 : 0);
    // What is compared without a sign is not negative.
    const Type &type = tree.types[tree.exprs[expr.operands[side]].type];
    if (!type.isSigned && high != Value::Max)
      low = std::max<int64_t>(low, 0);
    if (low != Value::Min || high != Value::Max)
      narrow(expr.operands[side], low, high);
  }
}

// ---- Places in tiles ----------------------------------------------------------------------------

// Of a view of shared memory, outermost first; none: it is another record.
std::vector<int64_t> Interpreter::tileExtents(const tree::Record &record) {
  std::vector<int64_t> extents = record.extents;
  if (record.name == "tsk::swizzled_tile" && !extents.empty())
    extents.erase(extents.begin()); // the swizzle's span
  else if (record.name != "tsk::smem_tile")
    extents.clear();
  return extents;
}

ValueRef Interpreter::offsetInTile(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                   const ValueRef &view, bool &isLogical) const {
  const tree::Record &record = *recordOf(callee);
  const std::vector<int64_t> extents = tileExtents(record);
  const ValueRef pointer = view && !view->parts.empty() ? view->parts[0] : view;
  if (!pointer || !pointer->offset || pointer->isLogical)
    return nullptr;
  const llvm::StringRef method = llvm::StringRef(callee.name).rsplit("::").second;
  if (method == "data")
    return pointer->offset;
  const int64_t bytes = bytesBehind(record.members.front().type);
  const bool isBegin = pointer->offset->isConstant() && pointer->offset->low == 0;
  isLogical = record.name == "tsk::swizzled_tile";
  if (extents.empty() || bytes <= 0 || (isLogical && !isBegin))
    return nullptr;
  ValueRef position = constantValue(0);
  const size_t count = given.size() - 1;
  if (method.starts_with("flat")) {
    int64_t width = 1;
    const Type &result = tree.types[callee.result];
    if (method == "flat_vec" && result.element)
      width = tree.types[result.element].bytes / bytes;
    position = binaryValue(Op::Mul, given[1], constantValue(width));
  } else if (count != extents.size()) {
    return nullptr;
  } else {
    for (size_t i = 0; i < count; ++i) {
      ValueRef next = binaryValue(
          Op::Add, binaryValue(Op::Mul, position, constantValue(extents[i])), given[i + 1]);
      if (i > 0 && i + 1 == count && count == 2)
        if (const SumRef whole = reunited(given[i], given[i + 1], extents[i]))
          next = withSum(next, whole);
      position = next;
    }
  }
  if (!position || !position->targets.empty())
    return nullptr;
  return binaryValue(Op::Add, pointer->offset,
                     binaryValue(Op::Mul, position, constantValue(bytes)));
}

static void addBegins(const ValueRef &value, std::vector<const Value *> &begins) {
  if (!value)
    return;
  if (llvm::any_of(value->targets, [](const Target &target) { return !target.isLocal; }))
    begins.push_back(value.get());
  for (const ValueRef &part : value->parts)
    addBegins(part, begins);
}

// What takes a tile as a whole takes it from its beginning on.
void Interpreter::checkBegin(const ValueRef &argument, Place place) {
  std::vector<const Value *> begins;
  addBegins(argument, begins);
  for (const Value *begin : begins) {
    if (begin->offset && begin->offset->isConstant() && begin->offset->low == 0)
      continue;
    for (const Target &target : begin->targets)
      if (!target.isLocal && function.roles[target.id].bytes > 0) {
        EventFact fact;
        fact.kind = EventFact::Kind::NotShownInside;
        fact.role = target.id;
        fact.numbers = {function.roles[target.id].bytes};
        note(std::move(fact), place);
      }
  }
}

// Rows first .. first + count of a tile that has so many.
void Interpreter::checkRows(const ValueRef &first, int64_t count, int64_t rows,
                            const ValueRef &view, Place place) {
  if (first && first->low >= 0 && first->high <= rows - count)
    return;
  std::vector<Target> objects;
  collectTargets(view, objects);
  EventFact fact;
  const bool isKnown = first && first->isBounded();
  const bool isAlways = isKnown && (first->low > rows - count || first->high < 0);
  const bool isSometimes = isKnown && first->isTaken && isUnconditional();
  fact.kind =
      isAlways || isSometimes ? EventFact::Kind::OutOfRange : EventFact::Kind::NotShownInside;
  for (const Target &object : objects)
    if (!object.isLocal)
      fact.role = object.id;
  fact.numbers = isAlways || isSometimes
                     ? std::vector<int64_t>{0, first->low, first->high + count - 1, rows, isAlways}
                     : std::vector<int64_t>{fact.role ? function.roles[*fact.role].bytes : 0};
  note(std::move(fact), place);
}

// `tile.rows(first, count)`: a record of the three.
ValueRef Interpreter::callRows(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                               Place place) {
  const bool wasRecording = std::exchange(isRecording, false);
  const ValueRef view = load(follow(given[0]), place);
  isRecording = wasRecording;
  const std::vector<int64_t> extents = tileExtents(*recordOf(callee));
  const ValueRef count = given.size() > 2 ? given[2] : nullptr;
  if (!extents.empty() && given.size() > 2)
    checkRows(given[1], count && count->isBounded() ? count->high : Value::Max / 2, extents[0],
              view, place);
  Value result;
  result.level = Level::Constant;
  result.parts = {view, given.size() > 1 ? given[1] : nullptr, count};
  return std::make_shared<const Value>(std::move(result));
}

// The tile's record of a tile, or of rows of one.
const tree::Record *Interpreter::tileOf(TypeId id) const {
  const Type *type = &tree.types[id];
  if (type->kind == Type::Kind::Reference && type->element)
    type = &tree.types[type->element];
  if (type->kind != Type::Kind::Record)
    return nullptr;
  const tree::Record &record = tree.records[type->record];
  if (record.name == "tsk::tile_rows" && !record.members.empty())
    return tileOf(record.members[0].type);
  return record.members.empty() ? nullptr : &record;
}

// wgmma(c, a, b, …) takes 64 rows of `a` and as many of `b` as `c` has columns, whatever count is
// said.
void Interpreter::checkOperands(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                Place place) {
  const tree::Record *accumulator = recordOf(callee);
  if (!accumulator || accumulator->extents.size() < 2)
    return;
  for (size_t i = 1; i < 3 && i < given.size() && i < callee.params.size(); ++i) {
    const TypeId type = tree.variables[callee.params[i]].type;
    const tree::Record *tile = tileOf(type);
    if (!tile || tree.records[tree.types[type].record].name != "tsk::tile_rows")
      continue;
    const std::vector<int64_t> extents = tileExtents(*tile);
    if (!extents.empty())
      checkRows(partOf(given[i], 1), accumulator->extents[i - 1], extents[0], partOf(given[i], 0),
                place);
  }
}

// ---- Touches ------------------------------------------------------------------------------------

std::optional<size_t> Interpreter::touchNumber(unsigned role, bool isWrite, Place place) {
  const auto [known, isNew] =
      touchNumbers.try_emplace({role, isWrite, isAtomic, chainTo(place)}, touchNumbers.size());
  if (known->second < MaxTouches)
    return known->second;
  giveUp("it touches shared memory in too many places", place);
  return std::nullopt;
}

// Whether all threads come here, or all of which it is known.
bool Interpreter::isCertain() const {
  return llvm::all_of(controls, [](const Control &control) {
    const bool isKnown =
        !control.active.empty() || control.isExact ||
        (control.kind == Control::Kind::Branch && control.elects != Value::Elects::Nobody);
    return (!control.isConditional || isKnown) && (!control.isParted || !control.active.empty());
  });
}

void Interpreter::addTouch(Touch touch, size_t number, Place place) {
  for (size_t other : state.open.set_bits())
    touches.addPair(other, number);
  bool isInLoop = false;
  for (const Control &control : controls) {
    isInLoop |= control.kind == Control::Kind::Loop;
    if (control.kind == Control::Kind::Branch && control.branch && control.level <= Level::Task &&
        !isInLoop)
      touch.arms[control.branch] = control.isElse;
    touch.isElected |= control.elects == Value::Elects::OneOfWarp && control.active.empty();
  }
  touch.isAtomic = isAtomic;
  touch.isCertain = isCertain();
  const Chain chain = chainTo(place);
  touch.place = chain.empty() ? Place{} : chain.front();
  if (isRecording && comes)
    touches.add(number, std::move(touch));
  state.open.set(static_cast<unsigned>(number));
}

void Interpreter::noteTouch(const Target &target, bool isWrite, Place place, const Location &at) {
  const Role &role = function.roles[target.id];
  if (role.bytes == 0 || function.threads == 0)
    return;
  const std::optional<size_t> number = touchNumber(target.id, isWrite, place);
  if (!number)
    return;
  Touch touch;
  touch.role = target.id;
  touch.isWrite = isWrite;
  touch.isLogical = at.isLogical;
  touch.bytes = at.bytes;
  touch.stored = isWrite ? storedLevel : Level::Thread;
  touch.active = activeThreads();
  if (touch.active.size() != function.threads)
    touch.active.clear();
  touch.sum = sumOf(at.offset);
  if (touch.sum && touch.sum->own.size() > 1 && touch.sum->own.size() != function.threads)
    touch.sum = nullptr;
  if (at.offset) {
    touch.low = at.offset->low;
    touch.high = at.offset->high;
  }
  checkInside(touch, at, place);
  // Which lane of its warp it is, nobody knows.
  if (function.isOneLane && touch.sum)
    for (size_t i = 0; touch.sum && i < touch.sum->own.size(); ++i)
      if (touch.sum->own[i] != touch.sum->own[function.isByWarp ? i / 32 * 32 : 0])
        touch.sum = nullptr;
  addTouch(std::move(touch), *number, place);
}

void Interpreter::noteWhole(const Target &target, bool isWrite, Place place) {
  const Role &role = function.roles[target.id];
  if (role.bytes == 0)
    return;
  const std::optional<size_t> number = touchNumber(target.id, isWrite, place);
  if (!number)
    return;
  Touch touch;
  touch.role = target.id;
  touch.isWrite = isWrite;
  touch.isWhole = true;
  touch.low = touch.high = 0;
  touch.bytes = role.bytes;
  addTouch(std::move(touch), *number, place);
}

// stmatrix(to.rows(first, 64), from): each warp of a warpgroup stores 16 rows.
void Interpreter::noteMatrix(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                             Place place) {
  if (given.empty() || callee.params.empty())
    return;
  collective(callee, given, Level::Group, place);
  const tree::Record *tile = tileOf(tree.variables[callee.params[0]].type);
  const std::vector<int64_t> extents = tile ? tileExtents(*tile) : std::vector<int64_t>();
  const int64_t rowBytes =
      extents.empty() ? 0 : extents.back() * bytesBehind(tile->members.front().type);
  const std::vector<Target> objects = fieldsIn(given[0], place);
  checkBegin(given[0], place);
  const bool isPart = given[0] && given[0]->parts.size() == 3;
  const SumRef first = isPart ? sumOf(given[0]->parts[1]) : constantSum(0);
  for (const Target &object : objects) {
    storedLevel = Level::Thread;
    Location all;
    all.bytes = 0;
    noteAccess(object, true, place, all);
    const Role &role = function.roles[object.id];
    const std::optional<size_t> number =
        role.bytes ? touchNumber(object.id, true, place) : std::nullopt;
    if (!number)
      continue;
    Touch touch;
    touch.role = object.id;
    touch.isWrite = touch.isCollective = true;
    touch.isLogical = tile && tile->name == "tsk::swizzled_tile";
    touch.low = 0;
    touch.high = role.bytes;
    touch.bytes = 16 * rowBytes;
    const SumRef warp = threadSum(function.threads, 32, 4);
    touch.sum =
        combined(Op::Mul, combined(Op::Add, first, combined(Op::Mul, warp, constantSum(16))),
                 constantSum(rowBytes));
    addTouch(std::move(touch), *number, place);
  }
}

// ---- Judged -------------------------------------------------------------------------------------

void Interpreter::checkInside(const Touch &touch, const Location &at, Place place) {
  const int64_t most = function.roles[touch.role].bytes - touch.bytes;
  int64_t low = touch.low, high = touch.high, least = 0, last = 0;
  const bool isExact = touches.range(touch, function.threads, least, last);
  if (isExact && least > last)
    return; // nobody comes
  if (isExact) {
    low = std::max(low, least);
    high = std::min(high, last);
  }
  if (touch.bytes > 0 && low >= 0 && high <= most)
    return;
  const bool isKnown = low != Value::Min && high != Value::Max && touch.bytes > 0;
  const bool isAlways = isKnown && (low > most || high < 0);
  const bool isTaken = isKnown && ((at.offset->isTaken && isUnconditional()) ||
                                   (isExact && least == low && last == high && isCertain()));
  EventFact fact;
  fact.kind = isAlways || isTaken ? EventFact::Kind::Outside : EventFact::Kind::NotShownInside;
  fact.role = touch.role;
  fact.numbers = {function.roles[touch.role].bytes};
  if (isKnown)
    fact.numbers.insert(fact.numbers.begin(), {low, high + touch.bytes - 1});
  note(std::move(fact), place);
}

// Who has left does not come here any more. In a loop this would hold for later rounds only.
void Interpreter::partFrom(size_t target) {
  const size_t threads = function.threads;
  if (threads == 0 || controls[target].kind != Control::Kind::Call)
    return;
  std::vector<bool> leaving(threads, true);
  for (size_t i = target + 1; i < controls.size(); ++i) {
    const Control &control = controls[i];
    if (control.kind == Control::Kind::Loop || control.isParted ||
        (control.isConditional && control.active.size() != threads))
      return;
    for (size_t t = 0; t < threads && !control.active.empty(); ++t)
      leaving[t] = leaving[t] && control.active[t];
  }
  std::vector<bool> &active = controls[target].active;
  if (controls[target].isParted && active.empty())
    return; // some have left before, nobody knows who
  active.resize(threads, true);
  for (size_t t = 0; t < threads; ++t)
    active[t] = active[t] && !leaving[t];
}

void Interpreter::judgeTouches() {
  if (!facts.notFollowed.empty())
    return;
  const unsigned threads = function.threads;
  comes = true;
  const bool isOneOfTask = function.isOneLane && !function.isByWarp;
  if (threads > 0 && !isOneOfTask)
    for (const Touches::Found &found : touches.meetings(threads, function.isOneLane)) {
      EventFact fact;
      fact.kind = EventFact::Kind::Meet;
      fact.role = found.first->role;
      fact.numbers = {found.meeting == Meeting::Certainly, found.first->isWrite,
                      found.second->isWrite};
      note(std::move(fact), found.second->place, found.first->place);
    }
  for (AccessFact &fact : facts.accesses)
    if (threads > 0 && !function.isOneLane && fact.isWrite && function.roles[fact.role].bytes > 0 &&
        fact.mechanism == ast::Mechanism::Async)
      fact.elements.mayMeet = touches.mayMeetLater(fact.role, threads);
  std::vector<int64_t> bytes;
  for (const Role &role : function.roles)
    bytes.push_back(role.bytes);
  facts.covers = touches.covers(isOneOfTask ? std::min(threads, 1U) : threads, bytes);
}

} // namespace tsk::body
