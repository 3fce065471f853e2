// Cooperative groups as far as bodies use them: tiles of a warp. Whole blocks, clusters and grids
// are the schedule's to synchronise; what says so is in Primitives.def. What needs no knowledge of
// its own is written down as it is. Its parameters have reserved names: a macro of a `cpp` block
// that stands before the include leaves them alone.
#pragma once

#include "cuda_runtime.h"

#include <tsk/device.cuh>

namespace cooperative_groups {

// A group whose size is not known while compiling.
struct thread_group {
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
  __device__ void sync() const;
};

struct thread_block {
  struct arrival_token {};
  __device__ static unsigned thread_rank();
  __device__ static unsigned size();
  __device__ static unsigned num_threads();
  __device__ static dim3 dim_threads();
  __device__ static dim3 group_dim();
  __device__ static dim3 thread_index();
  __device__ static dim3 group_index() {
    return dim3(tsk::block_x(), tsk::block_y(), tsk::block_z());
  }
  __device__ static void sync();
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait(arrival_token &&);
  // Of a tile that is cut out of it.
  __device__ static unsigned meta_group_rank();
  __device__ static unsigned meta_group_size();
  __device__ operator thread_group() const;
};

struct cluster_group {
  struct arrival_token {};
  __device__ static void sync();
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait();
  __device__ static void barrier_wait(arrival_token &&);
  __device__ static unsigned block_rank() { return tsk::cta_rank(); }
  __device__ static unsigned num_blocks();
  __device__ static unsigned thread_rank();
  __device__ static unsigned num_threads();
  template <typename _T> __device__ static _T *map_shared_rank(_T *, int);
  __device__ static unsigned query_shared_rank(const void *);
};

struct grid_group {
  struct arrival_token {};
  __device__ static void sync();
  __device__ static arrival_token barrier_arrive();
  __device__ static void barrier_wait(arrival_token &&);
  __device__ static bool is_valid();
  __device__ static unsigned long long block_rank() { return tsk::linear_block(); }
  __device__ static unsigned long long num_blocks() { return tsk::linear_grid(); }
  __device__ static unsigned long long thread_rank();
  __device__ static unsigned long long size();
  __device__ static unsigned long long num_threads();
  __device__ static dim3 block_index() { return thread_block::group_index(); }
  __device__ static dim3 group_dim() { return dim3(tsk::grid_x(), tsk::grid_y(), tsk::grid_z()); }
};

#define TSK_SHIM_EXCHANGES                                                                         \
  __device__ void sync() const;                                                                    \
  template <typename _T> __device__ _T shfl(_T, int) const;                                        \
  template <typename _T> __device__ _T shfl_up(_T, unsigned) const;                                \
  template <typename _T> __device__ _T shfl_down(_T, unsigned) const;                              \
  __device__ int any(int) const;                                                                   \
  __device__ int all(int) const;                                                                   \
  __device__ unsigned ballot(int) const;                                                           \
  template <typename _T> __device__ unsigned match_any(_T) const;                                  \
  template <typename _T> __device__ unsigned match_all(_T, int &) const;

// The threads of a warp that arrive together.
struct coalesced_group {
  __device__ unsigned size() const;
  __device__ unsigned num_threads() const;
  __device__ unsigned thread_rank() const;
  __device__ unsigned meta_group_rank() const;
  __device__ unsigned meta_group_size() const;
  TSK_SHIM_EXCHANGES
};

template <unsigned _Size, typename _Parent = void> struct thread_block_tile {
  static constexpr unsigned tile_size = _Size;
  __device__ static constexpr unsigned size() { return _Size; }
  __device__ static constexpr unsigned num_threads() { return _Size; }
  __device__ unsigned thread_rank() const;
  __device__ unsigned meta_group_rank() const { return _Parent::meta_group_rank(); }
  __device__ unsigned meta_group_size() const { return _Parent::meta_group_size(); }
  template <typename _T> __device__ _T shfl_xor(_T, unsigned) const;
  TSK_SHIM_EXCHANGES
  __device__ operator thread_group() const;
};
template <unsigned _Size, unsigned _Outer, typename _Parent>
struct thread_block_tile<_Size, thread_block_tile<_Outer, _Parent>> {
  static constexpr unsigned tile_size = _Size;
  __device__ static constexpr unsigned size() { return _Size; }
  __device__ static constexpr unsigned num_threads() { return _Size; }
  __device__ unsigned thread_rank() const;
  __device__ unsigned meta_group_rank() const { return tsk::lane() % _Outer / _Size; }
  __device__ unsigned meta_group_size() const { return _Outer / _Size; }
  template <typename _T> __device__ _T shfl_xor(_T, unsigned) const;
  TSK_SHIM_EXCHANGES
  __device__ operator thread_group() const;
};
#undef TSK_SHIM_EXCHANGES

__device__ thread_block this_thread_block();
__device__ grid_group this_grid();
__device__ cluster_group this_cluster();
__device__ coalesced_group coalesced_threads();
template <unsigned _Size, typename _Parent>
__device__ thread_block_tile<_Size, _Parent> tiled_partition(const _Parent &);
template <typename _Parent> __device__ thread_group tiled_partition(const _Parent &, unsigned);
template <typename _Group> __device__ coalesced_group binary_partition(const _Group &, bool);
template <typename _Group, typename _T>
__device__ coalesced_group labeled_partition(const _Group &, _T);

template <typename _Group> __device__ void sync(const _Group &_group) { _group.sync(); }
template <typename _Group> __device__ unsigned thread_rank(const _Group &_group) {
  return _group.thread_rank();
}
template <typename _Group> __device__ unsigned group_size(const _Group &_group) {
  return _group.num_threads();
}

template <typename _T> struct plus {
  __device__ _T operator()(_T _a, _T _b) const { return _a + _b; }
};
template <typename _T> struct less {
  __device__ _T operator()(_T _a, _T _b) const { return _b < _a ? _b : _a; }
};
template <typename _T> struct greater {
  __device__ _T operator()(_T _a, _T _b) const { return _a < _b ? _b : _a; }
};
template <typename _T> struct bit_and {
  __device__ _T operator()(_T _a, _T _b) const { return _a & _b; }
};
template <typename _T> struct bit_or {
  __device__ _T operator()(_T _a, _T _b) const { return _a | _b; }
};
template <typename _T> struct bit_xor {
  __device__ _T operator()(_T _a, _T _b) const { return _a ^ _b; }
};

template <typename _Group, typename _T, typename _Op> __device__ _T reduce(const _Group &, _T, _Op);
template <typename _Group, typename _T, typename _Op>
__device__ _T inclusive_scan(const _Group &, _T, _Op);
template <typename _Group, typename _T> __device__ _T inclusive_scan(const _Group &, _T);
template <typename _Group, typename _T, typename _Op>
__device__ _T exclusive_scan(const _Group &, _T, _Op);
template <typename _Group, typename _T> __device__ _T exclusive_scan(const _Group &, _T);

template <typename _Group, typename _F, typename... _Args>
__device__ void invoke_one(const _Group &_group, _F &&_f, _Args &&..._given) {
  if (_group.thread_rank() == 0)
    _f(_given...);
}

// Asynchronous copies by threads, which no pipeline waits for.
template <typename _Group, typename _To, typename _From, typename _Size>
__device__ void memcpy_async(const _Group &, _To *, const _From *, _Size);
template <typename _Group, typename _To, typename _ToSize, typename _From, typename _FromSize>
__device__ void memcpy_async(const _Group &, _To *, _ToSize, const _From *, _FromSize);
template <typename _Group> __device__ void wait(const _Group &);
template <unsigned _Count, typename _Group> __device__ void wait_prior(const _Group &);

} // namespace cooperative_groups
