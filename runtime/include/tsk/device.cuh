// Device side of the runtime: what generated kernels and the bodies of works call. Thin wrappers
// that a debugger steps over; PTX is in ptx.cuh, made from compiler/target/PtxInstructions.def.
// The simulator has its own device.cuh with the same names.
#pragma once

#include <tsk/macros.h>
#include <tsk/ptx.cuh>
#include <tsk/task.h>
#include <tsk/types.h>
#include <tsk/views.h>

#include <cuda.h>

#include <utility>

namespace tsk {

using tensor_map = CUtensorMap;

// ---- Who am I -----------------------------------------------------------------------------------

TSK_DEVICE int block_x() { return blockIdx.x; }
TSK_DEVICE int block_y() { return blockIdx.y; }
TSK_DEVICE int block_z() { return blockIdx.z; }
TSK_DEVICE int grid_x() { return gridDim.x; }
TSK_DEVICE int grid_y() { return gridDim.y; }
TSK_DEVICE int grid_z() { return gridDim.z; }
// CTAs of a grid of several dimensions in one row, and their number.
TSK_DEVICE int linear_block() { return (block_z() * grid_y() + block_y()) * grid_x() + block_x(); }
TSK_DEVICE int linear_grid() { return grid_x() * grid_y() * grid_z(); }
TSK_DEVICE int block_thread() { return threadIdx.x; }
TSK_DEVICE int warp_index() { return threadIdx.x / 32; }
TSK_DEVICE int lane() { return threadIdx.x % 32; }
// Its place in its cluster, and the cluster's along the grid's first axis.
TSK_DEVICE int cta_rank() { return ptx::cluster_ctarank(); }
TSK_DEVICE int cta_rank_x() { return ptx::cluster_ctaid_x(); }
TSK_DEVICE int cta_rank_y() { return ptx::cluster_ctaid_y(); }
TSK_DEVICE int cta_rank_z() { return ptx::cluster_ctaid_z(); }
TSK_DEVICE int cluster_index() { return ptx::clusterid_x(); }
TSK_DEVICE int cluster_count() { return ptx::nclusterid_x(); }

} // namespace tsk

#include <tsk/cluster.h>

namespace tsk {

// One lane of a converged warp, the same one at each call.
TSK_DEVICE bool elect_one() { return ptx::elect_sync(0xffffffff) != 0; }

// ---- Shared memory ------------------------------------------------------------------------------

TSK_DEVICE unsigned char *dynamic_smem() {
  extern __shared__ __align__(1024) unsigned char tsk_dynamic_smem[];
  return tsk_dynamic_smem;
}

TSK_DEVICE u32 smem_address(const void *pointer) {
  return static_cast<u32>(__cvta_generic_to_shared(pointer));
}

// ---- Barriers -----------------------------------------------------------------------------------

// Eight bytes of shared memory that the hardware counts in: pending arrivals, pending bytes, phase.
struct alignas(8) mbarrier {
  u64 state;
};

TSK_DEVICE void mbarrier_init(mbarrier *barrier, unsigned arrivals) {
  ptx::mbarrier_init(smem_address(barrier), arrivals);
}
// Makes initialised barriers visible to the other threads of the cluster and to the copy engine.
TSK_DEVICE void fence_mbarrier_init() { ptx::fence_mbarrier_init(); }

// Returns when the phase of the given parity is over.
TSK_DEVICE void mbarrier_wait(mbarrier *barrier, unsigned parity) {
  ptx::mbarrier_wait_parity(smem_address(barrier), parity);
}
// Whether that phase is over; may suspend the thread for a while before it says no.
TSK_DEVICE bool mbarrier_try_wait(mbarrier *barrier, unsigned parity) {
  return ptx::mbarrier_try_wait_parity(smem_address(barrier), parity) != 0;
}
TSK_DEVICE void mbarrier_arrive(mbarrier *barrier) { ptx::mbarrier_arrive(smem_address(barrier)); }
TSK_DEVICE void mbarrier_arrive_expect_tx(mbarrier *barrier, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(smem_address(barrier), bytes);
}
TSK_DEVICE void mbarrier_expect_tx(mbarrier *barrier, unsigned bytes) {
  ptx::mbarrier_expect_tx(smem_address(barrier), bytes);
}

// On the barriers in the same place of other CTAs of the cluster, a set of ranks. By the lanes of a
// warp together, each of which serves one CTA; or by one thread for all.
TSK_DEVICE void mbarrier_arrive_at(mbarrier *barrier, unsigned ranks) {
  if ((ranks >> lane() & 1) != 0)
    ptx::mbarrier_arrive_cluster(smem_address(barrier), lane());
}
TSK_DEVICE void mbarrier_arrive_at_each(mbarrier *barrier, unsigned ranks) {
  for (int rank = 0; ranks >> rank != 0; ++rank)
    if ((ranks >> rank & 1) != 0)
      ptx::mbarrier_arrive_cluster(smem_address(barrier), rank);
}

// The same for one CTA, which is handed what the warp has written: its wait takes it.
TSK_DEVICE void mbarrier_arrive_cluster(mbarrier *barrier, int rank) {
  ptx::mbarrier_arrive_release_cluster(smem_address(barrier), rank);
}
TSK_DEVICE void mbarrier_wait_cluster(mbarrier *barrier, unsigned parity) {
  ptx::mbarrier_wait_parity_cluster(smem_address(barrier), parity);
}
// The same place of another CTA's shared memory.
template <typename T> TSK_DEVICE T *at_peer(T *pointer, int rank) {
  return static_cast<T *>(__cluster_map_shared_rank(pointer, static_cast<unsigned>(rank)));
}

// All threads of the cluster that have not ended.
TSK_DEVICE void cluster_sync() {
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}
// All threads of the CTA, at one place in the code.
TSK_DEVICE void cta_sync() { __syncthreads(); }
TSK_DEVICE void warp_sync() { __syncwarp(); }
// Named barriers in the unaligned form: the warps may reach them from different places.
TSK_DEVICE void named_barrier_sync(int id, int threads) { ptx::barrier_sync(id, threads); }
TSK_DEVICE void named_barrier_arrive(int id, int threads) { ptx::barrier_arrive(id, threads); }

// Generic-proxy writes to shared memory become visible to the async proxy (TMA, tensor cores).
TSK_DEVICE void fence_proxy_async() { ptx::fence_proxy_async(); }

// `stage` in a body: which stage of the work's resource it is called for.
struct stage_info {
  int index;
  int count;
  mbarrier *barrier; // the one that an asynchronous copy into the stage completes
};

// ---- Registers ----------------------------------------------------------------------------------

template <int Registers> TSK_DEVICE void setmaxnreg_inc() { ptx::setmaxnreg_inc<Registers>(); }
template <int Registers> TSK_DEVICE void setmaxnreg_dec() { ptx::setmaxnreg_dec<Registers>(); }

// ---- Copies -------------------------------------------------------------------------------------

// A stage that TMA fills from a tensor: the tile, the tensor's map, the barrier that counts the
// bytes.
template <typename T, int... Dims> struct tma_tile {
  T *pointer;
  const tensor_map *map;
  mbarrier *barrier;
};

// The same where TMA needs several boxes for a tile, or the tile is swizzled: its view, and the
// extents of a box.
template <typename Tile, int... Box> struct tma_boxes {
  using boxes = box_grid<Tile::size() / Tile::columns, Tile::columns, Box...>;
  decltype(Tile::pointer) pointer;
  const tensor_map *map;
  mbarrier *barrier;
};

namespace detail {
template <typename Tile, int... Box, std::size_t... Dimension>
TSK_DEVICE void tma_load_boxes(tma_boxes<Tile, Box...> tile, const int (&first)[sizeof...(Box)],
                               std::index_sequence<Dimension...>) {
  using boxes = typename tma_boxes<Tile, Box...>::boxes;
#pragma unroll
  for (int i = 0; i < boxes::count; ++i)
    ptx::tma_load(smem_address(tile.pointer + i * boxes::size), tile.map,
                  smem_address(tile.barrier), first[Dimension] + boxes::origin(i, Dimension)...);
}
} // namespace detail

// Starts the copy of the box whose first element stands at these coordinates of the tensor,
// outermost first. What lies outside of the tensor is filled with zeros. One thread calls it.
template <typename T, int... Dims, typename... Coordinates>
TSK_DEVICE void tma_load(tma_tile<T, Dims...> tile, Coordinates... coordinates) {
  static_assert(sizeof...(Coordinates) == sizeof...(Dims), "one coordinate a dimension");
  ptx::tma_load(smem_address(tile.pointer), tile.map, smem_address(tile.barrier),
                static_cast<int>(coordinates)...);
}
template <typename Tile, int... Box, typename... Coordinates>
TSK_DEVICE void tma_load(tma_boxes<Tile, Box...> tile, Coordinates... coordinates) {
  static_assert(sizeof...(Coordinates) == sizeof...(Box), "one coordinate a dimension");
  detail::tma_load_boxes(tile, {static_cast<int>(coordinates)...},
                         std::make_index_sequence<sizeof...(Box)>());
}

template <typename Tile, int Slices, int... Box> struct tma_multicast {
  using boxes = box_grid<Tile::size() / Tile::columns, Tile::columns, Box...>;
  decltype(Tile::pointer) pointer;
  const tensor_map *map;
  mbarrier *barrier;
  int slice; // this CTA's
  unsigned peers;
};

namespace detail {
template <typename Tile, int Slices, int... Box, std::size_t... Dimension>
TSK_DEVICE void tma_load_slice(tma_multicast<Tile, Slices, Box...> tile,
                               const int (&first)[sizeof...(Box)],
                               std::index_sequence<Dimension...>) {
  using boxes = typename tma_multicast<Tile, Slices, Box...>::boxes;
  constexpr int rows = boxes::rows / Slices; // boxes of a slice in one panel
#pragma unroll
  for (int panel = 0; panel < boxes::panels; ++panel)
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      const int box = panel * boxes::rows + tile.slice * rows + row;
      ptx::tma_load_multicast(smem_address(tile.pointer + box * boxes::size), tile.map,
                              smem_address(tile.barrier), static_cast<u16>(tile.peers),
                              first[Dimension] + boxes::origin(box, Dimension)...);
    }
}
} // namespace detail

// The coordinates are the whole tile's; each CTA loads its slice of it.
template <typename Tile, int Slices, int... Box, typename... Coordinates>
TSK_DEVICE void tma_load(tma_multicast<Tile, Slices, Box...> tile, Coordinates... coordinates) {
  static_assert(sizeof...(Coordinates) == sizeof...(Box), "one coordinate a dimension");
  detail::tma_load_slice(tile, {static_cast<int>(coordinates)...},
                         std::make_index_sequence<sizeof...(Box)>());
}

// Starts the copy of a tile to the tensor, where its first element goes to these coordinates; what
// lies outside of the tensor is not written. One thread calls it, and waits for it in groups.
template <typename T, int... Dims, typename... Coordinates>
TSK_DEVICE void tma_store(tma_tile<T, Dims...> tile, Coordinates... coordinates) {
  static_assert(sizeof...(Coordinates) == sizeof...(Dims), "one coordinate a dimension");
  ptx::tma_store(tile.map, smem_address(tile.pointer), static_cast<int>(coordinates)...);
}
namespace detail {
template <typename Tile, int... Box, std::size_t... Dimension>
TSK_DEVICE void tma_store_boxes(tma_boxes<Tile, Box...> tile, const int (&first)[sizeof...(Box)],
                                std::index_sequence<Dimension...>) {
  using boxes = typename tma_boxes<Tile, Box...>::boxes;
#pragma unroll
  for (int i = 0; i < boxes::count; ++i)
    ptx::tma_store(tile.map, smem_address(tile.pointer + i * boxes::size),
                   first[Dimension] + boxes::origin(i, Dimension)...);
}
} // namespace detail
template <typename Tile, int... Box, typename... Coordinates>
TSK_DEVICE void tma_store(tma_boxes<Tile, Box...> tile, Coordinates... coordinates) {
  static_assert(sizeof...(Coordinates) == sizeof...(Box), "one coordinate a dimension");
  detail::tma_store_boxes(tile, {static_cast<int>(coordinates)...},
                          std::make_index_sequence<sizeof...(Box)>());
}

// What this thread has stored since the last commit is a group. A wait returns when all groups but
// the newest are complete, or have been read.
TSK_DEVICE void bulk_commit() { ptx::bulk_commit(); }
template <int Pending> TSK_DEVICE void bulk_wait() { ptx::bulk_wait<Pending>(); }
template <int Pending> TSK_DEVICE void bulk_wait_read() { ptx::bulk_wait_read<Pending>(); }

} // namespace tsk

#include <tsk/mma.cuh>
#include <tsk/tile.h>
