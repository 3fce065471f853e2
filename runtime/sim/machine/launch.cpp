// Checks of a launch, settings, and names.
#include "launch.h"

#include "machine.h"
#include "text.h"

#include <map>

namespace tsk::sim {

stack_pool &fiber_stacks() {
  static stack_pool pool;
  return pool;
}

settings &current_settings() {
  static settings value;
  return value;
}

limits &current_limits() {
  static limits value;
  return value;
}

namespace {

std::map<const void *, kernel_names> &described() {
  static std::map<const void *, kernel_names> all;
  return all;
}

std::string shape_fault(const launch_shape &shape) {
  const limits &limit = current_limits();
  const auto threads = uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0)
    return cat("the grid is empty: ", shape.grid.x, " x ", shape.grid.y, " x ", shape.grid.z);
  if (shape.grid.x > 0x7FFFFFFF || shape.grid.y > 65535 || shape.grid.z > 65535)
    return cat("the grid is too large: ", shape.grid.x, " x ", shape.grid.y, " x ", shape.grid.z,
               ", the limits are 2147483647 x 65535 x 65535");
  if (threads == 0 || threads > limit.threads_per_cta)
    return cat(threads, " threads a CTA, the limit is ", limit.threads_per_cta);
  if (shape.shared_bytes > limit.shared_bytes)
    return cat(shape.shared_bytes, " bytes of shared memory a CTA, the limit is ",
               limit.shared_bytes);
  const index3 cluster = shape.cluster;
  if (cluster.x == 0 || cluster.y == 0 || cluster.z == 0 || shape.grid.x % cluster.x != 0 ||
      shape.grid.y % cluster.y != 0 || shape.grid.z % cluster.z != 0)
    return cat("a grid of ", shape.grid.x, " x ", shape.grid.y, " x ", shape.grid.z,
               " CTAs is not made of clusters of ", cluster.x, " x ", cluster.y, " x ", cluster.z);
  if (cluster.x * cluster.y * cluster.z > limit.ctas_per_cluster)
    return cat(cluster.x * cluster.y * cluster.z, " CTAs a cluster, the limit is ",
               limit.ctas_per_cluster);
  if (current_thread != nullptr)
    return "a kernel cannot launch another one";
  return {};
}

} // namespace

void describe(const void *kernel, const kernel_names &names) { described()[kernel] = names; }

const kernel_names &names_of(const void *kernel) {
  static const kernel_names none;
  const auto it = described().find(kernel);
  return it == described().end() ? none : it->second;
}

outcome run(const launch_shape &shape, void (*entry)(void *), void *argument) {
  if (std::string why = shape_fault(shape); !why.empty())
    return {false, "launch refused: " + why};
  return machine(shape, entry, argument).run();
}

} // namespace tsk::sim
