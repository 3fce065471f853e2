// Views of fields and tensors: which of their elements an access names.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// An index that is certainly wrong: every value of it, or one that certainly occurs here.
void Interpreter::checkIndices(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                               Place place) {
  const tree::Record &record = *recordOf(callee);
  std::vector<int64_t> extents = tileExtents(record);
  if (extents.empty())
    return;
  const llvm::StringRef method = llvm::StringRef(callee.name).rsplit("::").second;
  int64_t width = 1; // elements of a vector
  const Type &result = tree.types[callee.result];
  if (method.ends_with("vec") && result.element &&
      tree.types[result.element].kind == Type::Kind::Record)
    for (int64_t extent : tree.records[tree.types[result.element].record].extents)
      width = extent;
  const bool isFlat = method.starts_with("flat");
  if (isFlat) {
    int64_t all = 1;
    for (int64_t extent : extents)
      all *= extent;
    extents = {method == "flat_vec" ? all / width : all};
  }
  std::vector<Target> objects;
  collectTargets(load(follow(given[0]), place), objects);
  for (size_t i = 1; i < given.size() && i <= extents.size(); ++i) {
    const ValueRef &index = given[i];
    if (!index || !index->isBounded())
      continue;
    const bool isLast = i == extents.size() && !isFlat;
    const int64_t most = extents[i - 1] - (isLast ? width : 1);
    const bool isAlways = index->low > most || index->high < 0;
    const bool isSometimes =
        index->isTaken && isUnconditional() && (index->high > most || index->low < 0);
    if (!isAlways && !isSometimes)
      continue;
    EventFact fact;
    fact.kind = EventFact::Kind::OutOfRange;
    if (objects.size() == 1 && !objects[0].isLocal)
      fact.role = objects[0].id;
    fact.numbers = {static_cast<int64_t>(i - 1), index->low, index->high + (isLast ? width - 1 : 0),
                    extents[i - 1], isAlways};
    note(std::move(fact), place);
  }
}

std::optional<ValueRef> Interpreter::callView(const tree::Function &callee,
                                              llvm::ArrayRef<ValueRef> given, Place place) {
  const auto [record, method] = llvm::StringRef(callee.name).rsplit("::");
  if (!llvm::is_contained(
          {"tsk::smem_tile", "tsk::swizzled_tile", "tsk::tensor", "tsk::strided_tensor"}, record) ||
      !callee.self || given.empty())
    return std::nullopt;
  if (method == "rows")
    return callRows(callee, given, place);
  if (method == "dim" || method == "size")
    return anyValue(Level::Task);
  if (!llvm::is_contained({"operator()", "vec", "flat", "flat_vec", "data"}, method))
    return std::nullopt;
  checkIndices(callee, given, place);
  const bool wasRecording = std::exchange(isRecording, false);
  const ValueRef view = load(follow(given[0]), place);
  isRecording = wasRecording;
  Value result;
  collectTargets(view, result.targets);
  result.isLost = view && view->isLost;
  result.level = levelOf(view);
  for (const ValueRef &index : given.drop_front())
    result.level = tsk::body::join(result.level, levelOf(index));
  result.elements = elementsOf(callee, given);
  result.offset = offsetInTile(callee, given, view, result.isLogical);
  return std::make_shared<const Value>(std::move(result));
}

// By thread: whether it comes by all conditions that are on its number alone.
std::vector<bool> Interpreter::activeThreads() const {
  std::vector<bool> active;
  for (const Control &control : controls) {
    if (control.active.empty())
      continue;
    active.resize(control.active.size(), true);
    for (size_t i = 0; i < active.size(); ++i)
      active[i] = active[i] && control.active[i];
  }
  return active;
}

// Of a tensor or a field. By position, in a name of its own: it is no index of any dimension.
std::shared_ptr<const Places> Interpreter::elementsOf(const tree::Function &callee,
                                                      llvm::ArrayRef<ValueRef> given) const {
  const llvm::StringRef method = llvm::StringRef(callee.name).rsplit("::").second;
  const std::vector<bool> active = activeThreads();
  const bool isKnown = active.empty() || active.size() == function.threads;
  // A part of a field counts from where it begins.
  const bool isPart =
      !tileExtents(*recordOf(callee)).empty() && recordOf(callee)->name != "tsk::smem_tile";
  if (isPart || method == "data" || given.size() < 2 || !isKnown)
    return nullptr;
  std::vector<SumRef> indices;
  for (const ValueRef &index : given.drop_front())
    indices.push_back(sumOf(index));
  int64_t width = 1;
  const Type &result = tree.types[callee.result];
  if (method.ends_with("vec")) {
    width = 0;
    if (result.element && tree.types[result.element].kind == Type::Kind::Record)
      for (int64_t extent : tree.records[tree.types[result.element].record].extents)
        width = extent;
    if (width == 0)
      return nullptr;
  }
  if (method == "flat_vec")
    indices[0] = combined(Op::Mul, indices[0], constantSum(width));
  if (method.starts_with("flat"))
    indices[0] = combined(Op::Add, indices[0], namedSum("position"));
  Places places;
  static_cast<ir::Elements &>(places) = elementsAt(indices, width, function.threads, active);
  places.indices = std::move(indices);
  places.width = width;
  places.bytes = result.element ? tree.types[result.element].bytes : 0;
  places.isFlat = method.starts_with("flat");
  return std::make_shared<const Places>(std::move(places));
}

} // namespace tsk::body
