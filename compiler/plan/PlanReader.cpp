#include "compiler/plan/PlanReader.h"
#include "compiler/plan/Text.h"
#include "compiler/target/Target.h"

namespace tsk::plan {

static uint64_t endOf(const auto &item) { return item.offset + totalBytes(item); }

std::unique_ptr<Plan> PlanReader::run() {
  plan->target = target::defaultTarget().name.str();
  plan->warps = plan->minCtasPerSm = 0;
  reader.expect("plan");
  plan->kernel = reader.name("the plan's name");
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}"))
    readItem();
  reader.expect("}");
  if (!reader.failed() && !reader.atEnd())
    reader.unexpected("the end of the text");
  if (reader.failed())
    return nullptr;
  placeUnplaced();
  return std::move(plan);
}

void PlanReader::readItem() {
  SourceLoc begin = reader.peek().range.begin;
  if (reader.accept("target"))
    plan->target = reader.name("a target");
  else if (reader.accept("cluster"))
    readCluster(begin);
  else if (reader.accept("warps"))
    plan->warps = number("the number of warps", 1, 64);
  else if (reader.accept("min_ctas"))
    plan->minCtasPerSm = number("the number of CTAs", 1, 64);
  else if (reader.accept("shared"))
    plan->sharedBytes = number("the size of shared memory", 0, MaxOffset);
  else if (reader.accept("padding"))
    readPadding();
  else if (reader.accept("registers"))
    readRegisters();
  else if (reader.accept("scalar"))
    readScalar();
  else if (reader.accept("function"))
    readFunction();
  else if (reader.accept("param"))
    readNames([&](std::string name) { declare(params, plan->params, std::move(name)); });
  else if (reader.accept("field"))
    readNames([&](std::string name) { declare(fields, plan->fields, std::move(name)); });
  else if (reader.accept("work"))
    readNames([&](std::string name) { declare(works, plan->works, std::move(name)); });
  else if (reader.accept("assume"))
    plan->assumptions.push_back(expr());
  else if (reader.accept("smem"))
    readAllocation();
  else if (reader.accept("mbarrier"))
    readMbarrier(begin);
  else if (reader.accept("named"))
    readNamed(begin);
  else if (reader.accept("tensor_map"))
    readTensorMap();
  else if (reader.accept("task"))
    return readTask(begin);
  else
    reader.unexpected("an item of a plan");
  reader.expect(";");
}

void PlanReader::readCluster(SourceLoc begin) { // cluster 2, 1, 1 [meets start, end]
  size_t axis = 0;
  do { // as many CTAs in all, so that their ranks are a set of bits
    const unsigned before = plan->cluster.size();
    const std::string what =
        before == 1 ? "an extent of the cluster"
                    : fmt::format("an extent of the cluster, which has {} CTAs along the axes "
                                  "before it and at most {} in all,",
                                  before, target::MaxClusterSize);
    plan->cluster.extents[axis] = number(what, 1, target::MaxClusterSize / before);
  } while (++axis < plan->cluster.extents.size() && reader.accept(","));
  plan->cluster.loc = reader.rangeFrom(begin);
  if (!reader.accept("meets"))
    return;
  do
    if (reader.accept("start"))
      plan->meetsAtStart = true;
    else if (reader.accept("end"))
      plan->meetsAtEnd = true;
    else
      reader.unexpected("`start` or `end`");
  while (!reader.failed() && reader.accept(","));
}

void PlanReader::readNames(llvm::function_ref<void(std::string)> add) {
  do
    add(dotted("a name"));
  while (!reader.failed() && reader.accept(","));
}

void PlanReader::readPadding() {
  Padding padding;
  std::tie(padding.firstWarp, padding.warps) = readWarps();
  plan->padding.push_back(padding);
}

void PlanReader::readRegisters() { // registers warps 0 .. 4 inc 160
  Registers item;
  const SourceLoc begin = reader.peek().range.begin;
  std::tie(item.firstWarp, item.warps) = readWarps();
  using Change = Registers::Change;
  for (Change change : {Change::Keep, Change::Raise, Change::Lower})
    if (reader.accept(spelling(change))) {
      item.change = change;
      item.count = number("the number of registers", 1, 256);
      item.loc = reader.rangeFrom(begin);
      plan->registers.push_back(item);
      return;
    }
  reader.unexpected("`keep`, `inc` or `dec`");
}

std::pair<unsigned, unsigned> PlanReader::readWarps() { // warps a .. b
  reader.expect("warps");
  unsigned first = number("the first warp", 0, 63);
  reader.expect("..");
  unsigned end = number("the end of the warps", first + 1, 64);
  return {first, end - first};
}

void PlanReader::readScalar() {
  ir::Scalar scalar;
  scalar.loc = reader.peek().range;
  scalar.name = dotted("the scalar's name");
  if (reader.accept(":"))
    scalar.type = readScalarType();
  scalar.isDimension = reader.accept("dimension");
  if (scope.scalars.count(scalar.name))
    return reader.fail(scalar.loc, ir::TextDuplicateName, scalar.name);
  ir::Type type = ir::Type::ofScalar(scalar.type);
  std::string name = scalar.name;
  scope.scalars[name] = {plan->scalars.add(std::move(scalar)), type};
}

// function steps(i32) -> (i32)
void PlanReader::readFunction() {
  SourceRange place = reader.peek().range;
  std::string name = reader.name("the function's name");
  if (scope.functions.count(name))
    return reader.fail(place, ir::TextDuplicateName, name);
  scope.functions[name] = plan->tables.functions.add(ir::readSignature(reader, name));
}

// smem box.data [stages n] bytes n [align n] [at n]
void PlanReader::readAllocation() {
  Allocation allocation;
  SourceRange place = reader.peek().range;
  allocation.name = dotted("the field's name");
  allocation.field = declareOnUse(fields, plan->fields, allocation.name);
  if (reader.accept("stages"))
    allocation.stages = number("the number of stages", 1, MaxStages);
  reader.expect("bytes");
  allocation.stageBytes = number("the size of a stage", 1, MaxBytes);
  if (reader.accept("align"))
    allocation.align = number("the alignment", 1, target::SharedAlignment);
  if (reader.accept("at")) {
    allocation.offset = number("the offset", 0, MaxOffset);
    placedAllocations.insert(plan->allocations.size());
  }
  if (!allocationOf.try_emplace(allocation.field.index, plan->allocations.size()).second)
    return reader.fail(place, ir::TextDuplicateName, allocation.name);
  plan->allocations.add(std::move(allocation));
}

void PlanReader::addBarrier(SourceLoc begin, Barrier barrier) {
  barrier.loc = reader.rangeFrom(begin);
  std::string name = barrier.name;
  if (!barriers.try_emplace(name, plan->barriers.idAt(plan->barriers.size())).second)
    return reader.fail(barrier.loc, ir::TextDuplicateName, name);
  plan->barriers.add(std::move(barrier));
}

// mbarrier box.full [stages n] arrivals n [at n] [guards box]
void PlanReader::readMbarrier(SourceLoc begin) {
  Barrier barrier;
  barrier.name = dotted("the barrier's name");
  if (reader.accept("stages"))
    barrier.stages = number("the number of stages", 1, MaxStages);
  reader.expect("arrivals");
  barrier.arrivals = number("the number of arrivals", 1, target::MaxMbarrierArrivals);
  if (reader.accept("of")) {
    reader.expect("cluster");
    barrier.isOfCluster = true;
  }
  if (reader.accept("at")) {
    barrier.offset = number("the offset", 0, MaxOffset);
    placedBarriers.insert(plan->barriers.size());
  }
  if (reader.accept("guards"))
    barrier.resource = dotted("the resource's name");
  addBarrier(begin, std::move(barrier));
}

// named turn id 1 threads 256
void PlanReader::readNamed(SourceLoc begin) {
  Barrier barrier;
  barrier.kind = Barrier::Kind::Named;
  barrier.name = dotted("the barrier's name");
  reader.expect("id");
  barrier.namedId = number("the barrier's id", 0, 255);
  reader.expect("threads");
  barrier.arrivals = number("the number of threads", 1, 2048);
  addBarrier(begin, std::move(barrier));
}

// tensor_map box.data.map : src to box.data box [64, 128] swizzle none
void PlanReader::readTensorMap() {
  TensorMap map;
  map.name = dotted("the tensor map's name");
  reader.expect(":");
  map.tensor = find(params, "parameter");
  reader.expect("to");
  map.field = find(fields, "field");
  reader.expect("box");
  reader.list("[", "]", [&] { map.box.push_back(number("an extent of the box", 1, 1 << 20)); });
  reader.expect("swizzle");
  map.swizzle = readSwizzle();
  plan->tensorMaps.add(std::move(map));
}

ir::Swizzle PlanReader::readSwizzle() {
  llvm::StringRef text = reader.peek().text;
  for (ir::Swizzle mode :
       {ir::Swizzle::None, ir::Swizzle::B32, ir::Swizzle::B64, ir::Swizzle::B128})
    if (text == words::spelling(mode)) {
      reader.take();
      return mode;
    }
  reader.unexpected("a swizzle: none, 32B, 64B or 128B");
  return ir::Swizzle::None;
}

// What stands without `at` goes behind what has one, in its order.
void PlanReader::placeUnplaced() {
  uint64_t end = 0;
  for (size_t i = 0; i < plan->allocations.size(); ++i)
    if (placedAllocations.count(i))
      end = std::max(end, endOf(plan->allocations[plan->allocations.idAt(i)]));
  for (size_t i = 0; i < plan->barriers.size(); ++i)
    if (placedBarriers.count(i))
      end = std::max(end, endOf(plan->barriers[plan->barriers.idAt(i)]));
  for (size_t i = 0; i < plan->allocations.size(); ++i)
    if (!placedAllocations.count(i))
      end = placeAt(plan->allocations[plan->allocations.idAt(i)], end);
  for (size_t i = 0; i < plan->barriers.size(); ++i)
    if (!placedBarriers.count(i))
      end = placeAt(plan->barriers[plan->barriers.idAt(i)], end);
  // What is stated counts, and may be too little. Saturates: what is too large is refused by the
  // budgets, not here.
  if (!plan->sharedBytes)
    plan->sharedBytes = static_cast<uint32_t>(std::min<uint64_t>(end, UINT32_MAX));
  for (const Task &task : plan->tasks)
    plan->warps = std::max(plan->warps, task.firstWarp + task.warps);
  plan->warps = std::max(plan->warps, 1u);
}

std::unique_ptr<Plan> parsePlan(SourceManager &sources, SourceLoc begin,
                                DiagnosticEngine &diagnostics) {
  return PlanReader(sources, begin, diagnostics).run();
}

} // namespace tsk::plan
