// Places in tiles of shared memory: what views of them, rows and whole matrices reach.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

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

// The tile's record of a tile, of rows of one, or of a field that is moved too.
const tree::Record *Interpreter::tileOf(TypeId id) const {
  const Type *type = &tree.types[id];
  if (type->kind == Type::Kind::Reference && type->element)
    type = &tree.types[type->element];
  if (type->kind != Type::Kind::Record)
    return nullptr;
  const tree::Record &record = tree.records[type->record];
  if ((record.name == "tsk::tile_rows" || record.name == "tsk::reading::field") &&
      !record.members.empty())
    return tileOf(record.members[0].type);
  return record.members.empty() ? nullptr : &record;
}

// ---- Matrices -----------------------------------------------------------------------------------

// stmatrix(to.rows(first, 64), from): each warp of a warpgroup stores 16 rows, and all columns of
// them; transposed, 16 columns of as many rows as the fragment has columns.
SumRef Interpreter::matrixPlaces(const SumRef &first, int64_t rows, int64_t rowBytes,
                                 bool isTransposed) {
  const SumRef warp = threadSum(function.threads, 32, 4);
  const SumRef row =
      isTransposed ? first : combined(Op::Add, first, combined(Op::Mul, warp, constantSum(16)));
  const SumRef begin = combined(Op::Mul, row, constantSum(rowBytes));
  if (!isTransposed)
    return begin;
  return plusRounds(combined(Op::Add, begin, combined(Op::Mul, warp, constantSum(rowBytes / 4))),
                    nextRound++, rowBytes, rows - 1);
}

void Interpreter::noteMatrix(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                             Place place) {
  if (given.size() < 2 || callee.params.size() < 2)
    return;
  collective(callee, given, Level::Group, place);
  const TypeId to = tree.variables[callee.params[0]].type;
  const tree::Record *tile = tileOf(to), *fragment = tileOf(tree.variables[callee.params[1]].type);
  const std::vector<int64_t> extents = tile ? tileExtents(*tile) : std::vector<int64_t>();
  const bool isTransposed = llvm::StringRef(callee.name).ends_with("_transposed");
  if (!tile || extents.empty() || !fragment || fragment->extents.size() != 2)
    return giveUp("it stores a matrix into something else than a tile", place);
  const int64_t rows = fragment->extents[isTransposed ? 1 : 0];
  const int64_t rowBytes = extents.back() * bytesBehind(tile->members.front().type);
  const std::vector<Target> objects = fieldsIn(given[0], place);
  checkBegin(given[0], place);
  const bool isPart = given[0] && given[0]->parts.size() == 3;
  const ValueRef count = isPart ? given[0]->parts[2] : nullptr;
  if (isPart && (!count || count->low < rows)) // else `rows` has looked at them
    checkRows(given[0]->parts[1], rows, extents[0], given[0]->parts[0], place);
  checkMatrix(callee, given[0], rows, place);
  const SumRef places = matrixPlaces(isPart ? sumOf(given[0]->parts[1]) : constantSum(0), rows,
                                     rowBytes, isTransposed);
  for (const Target &object : objects) {
    storedLevel = Level::Thread;
    Location all;
    all.bytes = 0;
    noteAccess(object, true, place, all);
    std::optional<Touch> touch = startTouch(object, true);
    if (!touch)
      continue;
    touch->isCollective = true;
    touch->isLogical = tile->name == "tsk::swizzled_tile";
    touch->low = 0;
    touch->high = function.roles[object.id].bytes;
    touch->bytes = isTransposed ? rowBytes / 4 : 16 * rowBytes;
    touch->sum = places;
    addTouch(std::move(*touch), place);
  }
}

} // namespace tsk::body
