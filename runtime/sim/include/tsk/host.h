// Host side of the runtime for the simulator: the names of the GPU's host.h. A launch runs the
// kernel to its end and returns what went wrong in it.
#pragma once

#define TSK_SIMULATOR 1

#include <tsk/checks.h>
#include <tsk/sim/machine.h>
#include <tsk/sim/tensor_map.h>
#include <tsk/tensor_map.h>
#include <tsk/types.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <tuple>

namespace tsk {

struct stream {
  void *handle = nullptr;
};

[[nodiscard]] inline status synchronize(stream = {}) { return {}; }

struct target {
  int major;
  int minor;
  bool is_exact;
};

[[nodiscard]] inline status check_device(target) { return {}; } // the simulator is any device

// ---- Tensor maps
// ----------------------------------------------------------------------------------

using tensor_map = sim::tensor_map_data;

// Describes boxes of a tensor to the copy engine. Lists are outermost first, in elements, one entry
// a dimension.
template <typename T, int Rank>
[[nodiscard]] status make_tensor_map(tensor_map &map, const char *tensor, const T *pointer,
                                     const integer (&dims)[Rank], const integer (&strides)[Rank],
                                     const int (&box)[Rank], swizzle mode = swizzle::none) {
  static_assert(Rank >= 1 && Rank <= 5, "TMA moves boxes of 1 to 5 dimensions");
  if (status s = detail::check_map(tensor, pointer, sizeof(T), Rank, dims, strides); !s)
    return s;
  constexpr unsigned swizzle_bytes[] = {0, 32, 64, 128};
  map = {};
  map.base = reinterpret_cast<unsigned char *>(const_cast<std::remove_const_t<T> *>(pointer));
  map.rank = Rank;
  map.element_bytes = sizeof(T);
  map.is_tf32 = std::is_same<std::remove_const_t<T>, tf32>::value;
  map.swizzle_bytes = swizzle_bytes[static_cast<int>(mode)];
  for (int i = 0; i < Rank; ++i) { // the map counts from the innermost dimension
    const int outer = Rank - 1 - i;
    map.extents[i] = static_cast<uint64_t>(dims[outer].value());
    map.strides[i] = static_cast<uint64_t>(detail::pitch_of(strides, outer, sizeof(T)).value());
    map.box[i] = static_cast<uint32_t>(box[outer]);
  }
  const std::string why = sim::tensor_map_fault(map);
  if (why.empty())
    return {};
  return status::invalid_argument("no tensor map of " + std::string(tensor) + ": " + why);
}

// ---- Launches
// -------------------------------------------------------------------------------------

struct launch_config {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned threads = 32;
  unsigned shared_bytes = 0; // dynamic
  unsigned min_ctas = 1;     // that a multiprocessor holds, as the kernel's launch bounds say

  unsigned cluster_x = 1, cluster_y = 1, cluster_z = 1;

  unsigned cluster_ctas() const { return cluster_x * cluster_y * cluster_z; }
  integer ctas() const { return integer(grid_x) * grid_y * grid_z; }
  // A CTA's index in the grid, for all of them.
  range block_x() const { return {0, integer(grid_x) - 1}; }
  range block_y() const { return {0, integer(grid_y) - 1}; }
  range block_z() const { return {0, integer(grid_z) - 1}; }
  // A CTA's place in its cluster; which cluster along x it is of, and how many there are.
  range cta_rank_x() const { return {0, integer(cluster_x) - 1}; }
  range cta_rank_y() const { return {0, integer(cluster_y) - 1}; }
  range cta_rank_z() const { return {0, integer(cluster_z) - 1}; }
  range cta_rank() const { return {0, integer(cluster_ctas()) - 1}; }
  range cluster_index() const { return {0, cluster_count() - 1}; }
  integer cluster_count() const { return integer(grid_x) / cluster_x; }
};

template <typename... Params>
[[nodiscard]] status allow_shared_memory(void (*)(Params...), unsigned bytes) {
  const size_t limit = sim::current_limits().shared_bytes;
  if (bytes <= limit)
    return {};
  return status::unsupported_device("the kernel needs " + std::to_string(bytes) +
                                    " bytes of shared memory a CTA; the device has " +
                                    std::to_string(limit));
}

// The grid of a persistent kernel along x: as many CTAs as the device holds at once, at most
// `ctas_per_sm` on each multiprocessor. One of clusters is as wide and deep as a cluster.
template <typename... Params>
[[nodiscard]] status persistent_grid(unsigned &ctas, void (*)(Params...),
                                     const launch_config &config, int ctas_per_sm) {
  const unsigned most = sim::current_limits().sm_count * static_cast<unsigned>(ctas_per_sm);
  const unsigned clusters = most / config.cluster_ctas();
  ctas = (clusters == 0 ? 1 : clusters) * config.cluster_x;
  return {};
}

namespace detail {
template <typename T> struct same {
  using type = T;
};
} // namespace detail

// Launches; arguments convert to the kernel's parameter types.
template <typename... Params>
[[nodiscard]] status launch(void (*kernel)(Params...), const launch_config &config, stream,
                            typename detail::same<Params>::type... arguments) {
  struct call {
    void (*kernel)(Params...);
    std::tuple<std::remove_cv_t<Params>...> arguments;
  };
  call packed{kernel, {arguments...}};
  sim::launch_shape shape;
  shape.kernel = reinterpret_cast<const void *>(kernel);
  shape.grid = {config.grid_x, config.grid_y, config.grid_z};
  shape.block = {config.threads, 1, 1};
  shape.cluster = {config.cluster_x, config.cluster_y, config.cluster_z};
  shape.shared_bytes = config.shared_bytes;
  shape.min_ctas = config.min_ctas;
  const sim::outcome result = sim::run(
      shape,
      [](void *argument) {
        const call &c = *static_cast<const call *>(argument);
        std::apply(c.kernel, c.arguments);
      },
      &packed);
  return result.ok ? status() : status::runtime_error(result.text);
}

// ---- Memory, for tests and samples
// ----------------------------------------------------------------

template <typename T> class device_buffer {
public:
  device_buffer() = default;
  device_buffer(const device_buffer &) = delete;
  device_buffer &operator=(const device_buffer &) = delete;
  ~device_buffer() { sim::give_back_memory(pointer_); }

  status allocate(std::size_t count) {
    sim::give_back_memory(pointer_);
    pointer_ = static_cast<T *>(sim::take_memory(count * sizeof(T)));
    return pointer_ != nullptr ? status() : status::runtime_error("the host has no memory left");
  }
  status upload(const T *from, std::size_t count) {
    std::memcpy(static_cast<void *>(pointer_), from, count * sizeof(T));
    return {};
  }
  status download(T *to, std::size_t count) const {
    std::memcpy(static_cast<void *>(to), pointer_, count * sizeof(T));
    return {};
  }
  T *data() const { return pointer_; }

private:
  T *pointer_ = nullptr;
};

} // namespace tsk
