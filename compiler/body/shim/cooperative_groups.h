// Cooperative groups as far as bodies use them: tiles of a warp. Whole blocks and grids are the
// schedule's to synchronise.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

struct thread_group {
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
  __device__ void sync() const;
};
struct thread_block : thread_group {
  __device__ static unsigned thread_rank();
  __device__ static unsigned size();
  __device__ static void sync();
  __device__ static dim3 group_index();
  __device__ static dim3 thread_index();
};
struct grid_group : thread_group {
  __device__ static dim3 block_index();
};
struct cluster_group : thread_group {
  __device__ static unsigned block_rank();
};

// The threads of a warp that arrive together.
struct coalesced_group : thread_group {
  template <typename T> __device__ T shfl(T, int) const;
  template <typename T> __device__ T shfl_up(T, unsigned) const;
  template <typename T> __device__ T shfl_down(T, unsigned) const;
  __device__ int any(int) const;
  __device__ int all(int) const;
  __device__ unsigned ballot(int) const;
};

template <unsigned Size, typename Parent = void> struct thread_block_tile {
  static constexpr unsigned tile_size = Size;
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned thread_rank() const;
  __device__ unsigned meta_group_rank() const;
  __device__ unsigned meta_group_size() const;
  __device__ void sync() const;
  template <typename T> __device__ T shfl(T, int) const;
  template <typename T> __device__ T shfl_up(T, unsigned) const;
  template <typename T> __device__ T shfl_down(T, unsigned) const;
  template <typename T> __device__ T shfl_xor(T, unsigned) const;
  __device__ int any(int) const;
  __device__ int all(int) const;
  __device__ unsigned ballot(int) const;
};

__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
template <unsigned Size, typename Parent>
__device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &);
template <typename Group> __device__ void sync(const Group &);

template <typename T> struct plus {
  __device__ T operator()(T, T) const;
};
template <typename T> struct less {
  __device__ T operator()(T, T) const;
};
template <typename T> struct greater {
  __device__ T operator()(T, T) const;
};
template <typename Group, typename T, typename Op> __device__ T reduce(const Group &, T, Op);

} // namespace cooperative_groups
