#include "compiler/plan/StageBytes.h"

#include "compiler/target/Target.h"

namespace tsk::plan {

namespace {

class Counter {
public:
  Counter(const ir::Kernel &theKernel, ir::ResourceId theResource)
      : kernel(theKernel), resource(theResource) {}

  bool isHandOver(const ir::Op &op) const {
    return op.resource == resource &&
           (op.kind == ir::OpKind::Acquire || op.kind == ir::OpKind::Commit);
  }

  // The bytes of one operation, its blocks included.
  std::optional<int64_t> bytes(const ir::Op &op) const {
    switch (op.kind) {
    case ir::OpKind::Call:
      return loadedBytes(kernel, kernel.works[op.work], resource);
    case ir::OpKind::If: {
      std::optional<int64_t> taken = bytes(op.body);
      std::optional<int64_t> other = op.elseBody ? bytes(op.elseBody) : 0;
      return taken == other ? taken : std::nullopt;
    }
    case ir::OpKind::For:
    case ir::OpKind::ParallelFor: {
      std::optional<int64_t> once = bytes(op.body);
      if (!once || *once == 0)
        return once;
      std::optional<int64_t> trips = constantTrips(op.loop);
      return trips ? bounded(*trips > Most / *once ? Most + 1 : *once * *trips) : std::nullopt;
    }
    default:
      return isHandOver(op) ? std::nullopt : std::optional<int64_t>(0);
    }
  }

private:
  std::optional<int64_t> bytes(ir::RegionId region) const {
    int64_t sum = 0;
    for (const ir::Op &op : kernel.regions[region].ops) {
      std::optional<int64_t> more = bytes(op);
      if (!more)
        return std::nullopt;
      sum += *more;
    }
    return bounded(sum);
  }

  // No barrier counts so many at once.
  static constexpr int64_t Most = target::MaxMbarrierBytes;
  static std::optional<int64_t> bounded(int64_t bytes) {
    return bytes <= Most ? std::optional(bytes) : std::nullopt;
  }

  std::optional<int64_t> constantTrips(const ir::Loop &loop) const {
    std::optional<int64_t> lower = ir::constantValue(kernel.tables, loop.lower);
    std::optional<int64_t> upper = ir::constantValue(kernel.tables, loop.upper);
    std::optional<int64_t> step = ir::constantValue(kernel.tables, loop.step);
    if (!lower || !upper || !step || *step <= 0)
      return std::nullopt;
    return *upper <= *lower ? 0 : (*upper - *lower + *step - 1) / *step;
  }

  const ir::Kernel &kernel;
  ir::ResourceId resource;
};

} // namespace

int64_t loadedBytes(const ir::Kernel &kernel, const ir::Work &work, ir::ResourceId resource) {
  int64_t sum = 0;
  for (const ir::Access &access : work.accesses)
    if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Tma &&
        kernel.fields[access.field].resource == resource)
      sum += kernel.fields[access.field].stageBytes();
  return sum;
}

std::optional<int64_t> stageBytes(const ir::Kernel &kernel, ir::RegionId region, size_t acquire,
                                  ir::ResourceId resource) {
  Counter counter(kernel, resource);
  int64_t sum = 0;
  llvm::ArrayRef<ir::Op> ops = kernel.regions[region].ops;
  for (const ir::Op &op : ops.drop_front(acquire + 1)) {
    if (counter.isHandOver(op))
      return sum;
    std::optional<int64_t> more = counter.bytes(op);
    if (!more)
      return std::nullopt;
    sum += *more;
  }
  return std::nullopt;
}

} // namespace tsk::plan
