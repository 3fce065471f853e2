// The two copy kernels as tskc writes them, with switches that plant one fault each. What the
// simulator must see of each fault is in PipelineTest.cpp.
#pragma once

#include "tsk/device.cuh"
#include "tsk/host.h"
#include "tsk/sim/names.h"

namespace kernels {

enum class fault {
  none,
  no_full_wait,       // the consumer reads without waiting
  no_empty_wait,      // the producer refills without waiting
  wrong_full_parity,  // the consumer starts with the producer's parity
  wrong_empty_parity, // the producer starts with the consumer's parity
  parity_never_flips,
  count_too_small, // the empty barrier is initialised for one warp
  count_too_large,
  bytes_too_few,
  bytes_too_many,
  release_before_read,
  release_by_one_lane, // 128 arrivals expected, four come
  no_init_sync         // nothing orders the initialisation before the first use
};

constexpr int BOX = 64, COLS = 128;

template <typename T> struct tma_copy_args {
  const T *src;
  T *dst;
  int rows, cols;
};

namespace tma_copy_impl {

namespace Store {
TSK_TASK(0, 4)
template <typename T>
__device__ __forceinline__ tsk::array<T, BOX> box_column(tsk::smem_tile<const T, BOX, COLS> data) {
  tsk::array<T, BOX> v;
  for (int i = 0; i < BOX; ++i)
    v[i] = data(i, tsk::task_thread());
  return v;
}
template <typename T>
__device__ __forceinline__ void output_store(tsk::tensor<T, 2> dst, int row, int col,
                                             tsk::array<T, BOX> v) {
  for (int i = 0; i < BOX; ++i)
    dst(row + i, col + tsk::task_thread()) = v[i];
}
} // namespace Store

namespace Load {
TSK_TASK(4, 1)
template <typename T>
__device__ __forceinline__ void box_load(tsk::tma_tile<T, BOX, COLS> data, int row, int col) {
  tsk::tma_load(data, row, col);
}
} // namespace Load

template <typename T, int Stages, fault Planted>
__global__ void __launch_bounds__(256, 1)
    tma_copy_kernel(const __grid_constant__ tsk::tensor_map box_data_map, T *dst_ptr, int rows,
                    int cols) {
  constexpr int bytes = BOX * COLS * sizeof(T);
  unsigned char *const smem = tsk::dynamic_smem();
  T *const box_data = reinterpret_cast<T *>(smem);
  tsk::mbarrier *const box_full = reinterpret_cast<tsk::mbarrier *>(smem + Stages * bytes);
  tsk::mbarrier *const box_empty = box_full + Stages;
  const tsk::tensor<T, 2> dst{dst_ptr, {rows, cols}};
  const int warp = tsk::warp_index();

  if (warp == 0 && tsk::elect_one()) {
    for (int i = 0; i < Stages; ++i) {
      tsk::mbarrier_init(box_full + i, 1);
      tsk::mbarrier_init(box_empty + i, Planted == fault::count_too_small   ? 32
                                        : Planted == fault::count_too_large ? 129
                                                                            : 128);
    }
    tsk::fence_mbarrier_init();
  }
  if (Planted != fault::no_init_sync)
    tsk::cta_sync();

  if (warp < 4) { // Store
    tsk::setmaxnreg_dec<160>();
    int box_stage = 0;
    unsigned box_parity = Planted == fault::wrong_full_parity ? 1 : 0;
    for (int r = 0; r < rows; r += BOX) {
      if (Planted != fault::no_full_wait)
        tsk::mbarrier_wait(box_full + box_stage, box_parity);
      if (Planted == fault::release_before_read)
        tsk::mbarrier_arrive(box_empty + box_stage);
      const tsk::array<T, BOX> v = Store::box_column<T>({box_data + box_stage * BOX * COLS});
      if (Planted == fault::release_by_one_lane ? tsk::elect_one()
                                                : Planted != fault::release_before_read)
        tsk::mbarrier_arrive(box_empty + box_stage);
      if (++box_stage == Stages) {
        box_stage = 0;
        if (Planted != fault::parity_never_flips)
          box_parity ^= 1;
      }
      Store::output_store<T>(dst, r, tsk::block_x() * COLS, v);
    }
  } else {
    tsk::setmaxnreg_dec<40>();
    if (warp == 4 && tsk::elect_one()) { // Load
      int box_stage = 0;
      unsigned box_parity = Planted == fault::wrong_empty_parity ? 0 : 1;
      for (int r = 0; r < rows; r += BOX) {
        if (Planted != fault::no_empty_wait)
          tsk::mbarrier_wait(box_empty + box_stage, box_parity);
        tsk::mbarrier_arrive_expect_tx(box_full + box_stage,
                                       Planted == fault::bytes_too_few    ? bytes / 2
                                       : Planted == fault::bytes_too_many ? bytes + 16
                                                                          : bytes);
        Load::box_load<T>({box_data + box_stage * BOX * COLS, &box_data_map, box_full + box_stage},
                          r, tsk::block_x() * COLS);
        if (++box_stage == Stages) {
          box_stage = 0;
          box_parity ^= 1;
        }
      }
    }
  }
}

} // namespace tma_copy_impl

template <typename T, int Stages, fault Planted>
tsk::status tma_copy(const tma_copy_args<T> &args, tsk::stream stream = {}) {
  using tsk::integer;
  constexpr unsigned bytes = BOX * COLS * sizeof(T);
  const auto kernel = tma_copy_impl::tma_copy_kernel<T, Stages, Planted>;
  static const tsk::sim::task_name tasks[] = {{"Store", 0, 4}, {"Load", 4, 1}};
  static const tsk::sim::barrier_name barriers[] = {
      {"box.full", Stages * bytes, Stages, false},
      {"box.empty", Stages * bytes + Stages * 8, Stages, false}};
  static const tsk::sim::memory_name memory[] = {{"box.data", 0, bytes, Stages}};
  tsk::sim::describe(reinterpret_cast<const void *>(kernel),
                     {"tma_copy", tasks, 2, barriers, 2, memory, 1});

  tsk::launch_checks checks("tma_copy");
  checks.dimension("rows", args.rows);
  checks.dimension("cols", args.cols);
  checks.requirement(integer(args.cols) % COLS == 0, "cols % COLS == 0",
                     {{"cols", args.cols}, {"COLS", COLS}});
  if (checks.is_decided())
    return checks.result();
  tsk::tensor_map map;
  const integer dims[] = {args.rows, args.cols}, strides[] = {args.cols, 1};
  const int box[] = {BOX, COLS};
  checks.require(tsk::make_tensor_map(map, "src", args.src, dims, strides, box));
  if (checks.is_decided())
    return checks.result();
  tsk::launch_config config;
  config.grid_x = static_cast<unsigned>(args.cols / COLS);
  config.threads = 256;
  config.shared_bytes = Stages * bytes + Stages * 16;
  return tsk::launch(kernel, config, stream, map, args.dst, args.rows, args.cols);
}

namespace grid_stride_impl::Copy {
TSK_TASK(0, 8)
}

template <typename T, int Unroll>
__global__ void __launch_bounds__(256)
    grid_stride_kernel(const T *src_ptr, T *dst_ptr, int rows, int cols) {
  const tsk::tensor<const T, 2> src{src_ptr, {rows, cols}};
  const tsk::tensor<T, 2> dst{dst_ptr, {rows, cols}};
  const tsk::i64 step = tsk::i64(tsk::grid_x()) * 256;
  for (tsk::i64 i = tsk::i64(tsk::block_x()) * 256 + grid_stride_impl::Copy::tsk::task_thread();
       i < src.size(); i += step)
    dst.flat(i) = src.flat(i);
}

template <typename T, int Unroll>
tsk::status grid_stride(const T *src, T *dst, int rows, int cols) {
  tsk::launch_config config;
  config.threads = 256;
  if (tsk::status s = tsk::persistent_grid(config.grid_x, grid_stride_kernel<T, Unroll>, config, 2);
      !s)
    return s;
  return tsk::launch(grid_stride_kernel<T, Unroll>, config, {}, src, dst, rows, cols);
}

} // namespace kernels
