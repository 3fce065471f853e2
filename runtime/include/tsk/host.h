// Host side of the runtime: streams, tensor maps, device properties, launches. Usable from a plain
// .cpp file; needs the CUDA runtime (cudart) and no -lcuda: the one driver function that is used
// comes through the runtime. The simulator has its own host.h with the same names.
#pragma once

#include <tsk/checks.h>
#include <tsk/tensor_map.h>
#include <tsk/types.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <string>

namespace tsk {

// A CUDA stream; the default stream if nothing is said.
struct stream {
  cudaStream_t handle = nullptr;

  stream() = default;
  stream(cudaStream_t s) : handle(s) {}
};

inline status check_cuda(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return {};
  return status::runtime_error(std::string(what) + ": " + cudaGetErrorString(error) + " (" +
                               cudaGetErrorName(error) + ")");
}

[[nodiscard]] inline status synchronize(stream s = {}) {
  return check_cuda(cudaStreamSynchronize(s.handle), "cudaStreamSynchronize");
}

// ---- The device ---------------------------------------------------------------------------------

namespace detail {

// An attribute of the current device.
inline status device_attribute(int &value, cudaDeviceAttr attribute) {
  int device = 0;
  if (status s = check_cuda(cudaGetDevice(&device), "cudaGetDevice"); !s)
    return s;
  return check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
}

} // namespace detail

// What a target such as sm_90a asks of the device: its code runs on that capability alone (`a`) or
// on it and all later ones.
struct target {
  int major;
  int minor;
  bool is_exact;
};

[[nodiscard]] inline status check_device(target wanted) {
  int major = 0, minor = 0;
  if (status s = detail::device_attribute(major, cudaDevAttrComputeCapabilityMajor); !s)
    return s;
  if (status s = detail::device_attribute(minor, cudaDevAttrComputeCapabilityMinor); !s)
    return s;
  const bool is_same = major == wanted.major && minor == wanted.minor;
  const bool is_later = major > wanted.major || (major == wanted.major && minor > wanted.minor);
  if (is_same || (is_later && !wanted.is_exact))
    return {};
  const auto name = [](int a, int b) { return std::to_string(a) + "." + std::to_string(b); };
  return status::unsupported_device(
      "the kernel is made for compute capability " + name(wanted.major, wanted.minor) +
      (wanted.is_exact ? "" : " or later") + "; the device has " + name(major, minor));
}

// ---- Tensor maps --------------------------------------------------------------------------------

using tensor_map = CUtensorMap;

namespace detail {

template <typename T> struct map_type;
#define TSK_MAP_TYPE(Type, Name)                                                                   \
  template <> struct map_type<Type> {                                                              \
    static constexpr CUtensorMapDataType value = CU_TENSOR_MAP_DATA_TYPE_##Name;                   \
  };
TSK_MAP_TYPE(f64, FLOAT64)
TSK_MAP_TYPE(f32, FLOAT32)
TSK_MAP_TYPE(tf32, TFLOAT32)
TSK_MAP_TYPE(f16, FLOAT16)
TSK_MAP_TYPE(bf16, BFLOAT16)
TSK_MAP_TYPE(f8e4m3, UINT8)
TSK_MAP_TYPE(f8e5m2, UINT8)
TSK_MAP_TYPE(ue8m0, UINT8)
TSK_MAP_TYPE(ue4m3, UINT8)
TSK_MAP_TYPE(i8, UINT8)
TSK_MAP_TYPE(u8, UINT8)
TSK_MAP_TYPE(bool, UINT8)
TSK_MAP_TYPE(i16, UINT16) // moved, not computed with: the sign does not matter
TSK_MAP_TYPE(u16, UINT16)
TSK_MAP_TYPE(i32, INT32)
TSK_MAP_TYPE(u32, UINT32)
TSK_MAP_TYPE(i64, INT64)
TSK_MAP_TYPE(u64, UINT64)
#undef TSK_MAP_TYPE

using encode_tiled = decltype(&cuTensorMapEncodeTiled);

inline status find_encode_tiled(encode_tiled &function) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult answer = cudaDriverEntryPointSymbolNotFound;
  if (status s = check_cuda(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                             12000, cudaEnableDefault, &answer),
                            "cudaGetDriverEntryPointByVersion");
      !s)
    return s;
  if (answer != cudaDriverEntryPointSuccess || !found)
    return status::unsupported_device(
        "the driver has no cuTensorMapEncodeTiled; TMA needs a driver for CUDA 12.0 or later");
  function = reinterpret_cast<encode_tiled>(found);
  return {};
}

// All lists outermost first, strides and extents in elements.
inline status encode_map(tensor_map &map, const char *tensor, CUtensorMapDataType type,
                         unsigned element_bytes, const void *pointer, int rank, const integer *dims,
                         const integer *strides, const int *box, swizzle mode) {
  if (status s = check_map(tensor, pointer, element_bytes, rank, dims, strides); !s)
    return s;
  // Several threads may look it up; they find the same.
  static std::atomic<encode_tiled> known{nullptr};
  encode_tiled encode = known.load(std::memory_order_relaxed);
  if (!encode) {
    if (status s = find_encode_tiled(encode); !s)
      return s;
    known.store(encode, std::memory_order_relaxed);
  }

  cuuint64_t sizes[5], pitches[4];
  cuuint32_t extents[5], steps[5] = {1, 1, 1, 1, 1};
  for (int i = 0; i < rank; ++i) { // the hardware counts from the innermost dimension
    const int outer = rank - 1 - i;
    sizes[i] = static_cast<cuuint64_t>(dims[outer].value());
    extents[i] = static_cast<cuuint32_t>(box[outer]);
    if (i != 0)
      pitches[i - 1] = static_cast<cuuint64_t>(pitch_of(strides, outer, element_bytes).value());
  }
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                         CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  const CUresult result =
      encode(&map, type, static_cast<cuuint32_t>(rank), const_cast<void *>(pointer), sizes, pitches,
             extents, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzles[static_cast<int>(mode)],
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS)
    return {};
  return status::runtime_error("cuTensorMapEncodeTiled refused the tensor map of " +
                               std::string(tensor) + " (CUresult " + std::to_string(result) + ")");
}

} // namespace detail

// Describes boxes of a tensor to the TMA unit. Lists are outermost first, in elements, one entry a
// dimension.
template <typename T, int Rank>
[[nodiscard]] status make_tensor_map(tensor_map &map, const char *tensor, const T *pointer,
                                     const integer (&dims)[Rank], const integer (&strides)[Rank],
                                     const int (&box)[Rank], swizzle mode = swizzle::none) {
  static_assert(Rank >= 1 && Rank <= 5, "TMA moves boxes of 1 to 5 dimensions");
  return detail::encode_map(map, tensor, detail::map_type<T>::value, sizeof(T), pointer, Rank, dims,
                            strides, box, mode);
}

// ---- Launches -----------------------------------------------------------------------------------

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

// Lets a kernel have its dynamic shared memory; says so in words if the device has less.
template <typename... Params>
[[nodiscard]] status allow_shared_memory(void (*kernel)(Params...), unsigned bytes) {
  int limit = 0;
  if (status s = detail::device_attribute(limit, cudaDevAttrMaxSharedMemoryPerBlockOptin); !s)
    return s;
  if (bytes > static_cast<unsigned>(limit))
    return status::unsupported_device("the kernel needs " + std::to_string(bytes) +
                                      " bytes of shared memory a CTA; the device has " +
                                      std::to_string(limit));
  if (bytes <= 48 * 1024) // what every kernel may have without asking
    return {};
  return check_cuda(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(bytes)),
                    "cudaFuncSetAttribute");
}

namespace detail {

// The configuration as the CUDA runtime takes it. It points into itself: not to be copied.
struct cuda_config {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute cluster = {};

  cuda_config(const launch_config &from, cudaStream_t stream) {
    config.gridDim = dim3(from.grid_x, from.grid_y, from.grid_z);
    config.blockDim = dim3(from.threads);
    config.dynamicSmemBytes = from.shared_bytes;
    config.stream = stream;
    if (from.cluster_ctas() == 1)
      return;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = from.cluster_x;
    cluster.val.clusterDim.y = from.cluster_y;
    cluster.val.clusterDim.z = from.cluster_z;
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  cuda_config(const cuda_config &) = delete;
  cuda_config &operator=(const cuda_config &) = delete;
};

inline status cluster_does_not_fit(const launch_config &config) {
  return status::unsupported_device(
      "a cluster of " + std::to_string(config.cluster_ctas()) +
      " CTAs of the kernel does not fit on the device: it has no group of multiprocessors with so "
      "much room");
}

// The largest grid of clusters that are all resident at once.
inline status resident_clusters(int &clusters, const void *kernel, launch_config config) {
  config.grid_x = config.cluster_x;
  config.grid_y = config.cluster_y;
  config.grid_z = config.cluster_z;
  const cuda_config query(config, nullptr);
  if (status s = check_cuda(cudaOccupancyMaxActiveClusters(&clusters, kernel, &query.config),
                            "cudaOccupancyMaxActiveClusters");
      !s)
    return s;
  return clusters > 0 ? status() : cluster_does_not_fit(config);
}

} // namespace detail

// The grid of a persistent kernel along x: as many CTAs as the device holds at once, at most
// `ctas_per_sm` on each multiprocessor. One of clusters is as wide and deep as a cluster.
template <typename... Params>
[[nodiscard]] status persistent_grid(unsigned &ctas, void (*kernel)(Params...),
                                     const launch_config &config, int ctas_per_sm) {
  int multiprocessors = 0, resident = 0;
  if (status s = detail::device_attribute(multiprocessors, cudaDevAttrMultiProcessorCount); !s)
    return s;
  if (config.cluster_ctas() > 1) {
    if (status s =
            detail::resident_clusters(resident, reinterpret_cast<const void *>(kernel), config);
        !s)
      return s;
    const int most = multiprocessors * ctas_per_sm / static_cast<int>(config.cluster_ctas());
    const int clusters = resident < most || most == 0 ? resident : most;
    ctas = static_cast<unsigned>(clusters) * config.cluster_x;
    return {};
  }
  if (status s = check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                &resident, reinterpret_cast<const void *>(kernel),
                                static_cast<int>(config.threads), config.shared_bytes),
                            "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
      !s)
    return s;
  if (resident == 0)
    return status::unsupported_device("a CTA of the kernel does not fit on a multiprocessor");
  ctas = static_cast<unsigned>(multiprocessors * (resident < ctas_per_sm ? resident : ctas_per_sm));
  return {};
}

namespace detail {
template <typename T> struct same {
  using type = T;
};
} // namespace detail

// Launches; arguments convert to the kernel's parameter types.
template <typename... Params>
[[nodiscard]] status launch(void (*kernel)(Params...), const launch_config &config, stream s,
                            typename detail::same<Params>::type... arguments) {
  const detail::cuda_config launch(config, s.handle);
  void *pointers[] = {const_cast<void *>(static_cast<const void *>(&arguments))..., nullptr};
  const cudaError_t error =
      cudaLaunchKernelExC(&launch.config, reinterpret_cast<const void *>(kernel), pointers);
  if (error == cudaErrorInvalidClusterSize)
    return detail::cluster_does_not_fit(config);
  return check_cuda(error, "the launch failed");
}

// ---- Memory, for tests and samples --------------------------------------------------------------

template <typename T> class device_buffer {
public:
  device_buffer() = default;
  device_buffer(const device_buffer &) = delete;
  device_buffer &operator=(const device_buffer &) = delete;
  ~device_buffer() { cudaFree(pointer_); }

  status allocate(std::size_t count) {
    cudaFree(pointer_);
    pointer_ = nullptr;
    return check_cuda(cudaMalloc(reinterpret_cast<void **>(&pointer_), count * sizeof(T)),
                      "cudaMalloc");
  }
  status upload(const T *from, std::size_t count) {
    return check_cuda(cudaMemcpy(pointer_, from, count * sizeof(T), cudaMemcpyHostToDevice),
                      "cudaMemcpy");
  }
  status download(T *to, std::size_t count) const {
    return check_cuda(cudaMemcpy(to, pointer_, count * sizeof(T), cudaMemcpyDeviceToHost),
                      "cudaMemcpy");
  }
  T *data() const { return pointer_; }

private:
  T *pointer_ = nullptr;
};

} // namespace tsk
