// Device side of the runtime for the simulator: the names of the GPU's device.cuh, each a call of
// the machine. Where a call can go wrong it carries the place of its caller as a default argument.
#pragma once

#include <tsk/macros.h>
#include <tsk/sim/cuda.h>
#include <tsk/sim/tensor_map.h>
#include <tsk/task.h>
#include <tsk/types.h>
#include <tsk/views.h>

namespace tsk {

using tensor_map = sim::tensor_map_data;

// ---- Who am I
// -------------------------------------------------------------------------------------

inline int block_x() { return static_cast<int>(sim::current_thread->block_index.x); }
inline int block_y() { return static_cast<int>(sim::current_thread->block_index.y); }
inline int block_z() { return static_cast<int>(sim::current_thread->block_index.z); }
inline int grid_x() { return static_cast<int>(sim::current_thread->grid_extent.x); }
inline int grid_y() { return static_cast<int>(sim::current_thread->grid_extent.y); }
inline int grid_z() { return static_cast<int>(sim::current_thread->grid_extent.z); }
inline int linear_block() { return (block_z() * grid_y() + block_y()) * grid_x() + block_x(); }
inline int linear_grid() { return grid_x() * grid_y() * grid_z(); }
inline int block_thread() { return static_cast<int>(sim::current_thread->thread_index.x); }
inline int warp_index() { return static_cast<int>(sim::current_thread->warp); }
inline int lane() { return static_cast<int>(sim::current_thread->lane); }
inline int cta_rank() { return static_cast<int>(sim::current_thread->rank); }
inline int cta_rank_x() { return static_cast<int>(sim::current_thread->in_cluster.x); }
inline int cta_rank_y() { return static_cast<int>(sim::current_thread->in_cluster.y); }
inline int cta_rank_z() { return static_cast<int>(sim::current_thread->in_cluster.z); }
inline int cluster_index() { return static_cast<int>(sim::current_thread->cluster_index.x); }
inline int cluster_count() {
  return grid_x() / static_cast<int>(sim::current_thread->cluster_extent.x);
}

} // namespace tsk

#include <tsk/cluster.h>

namespace tsk {

// One lane of a converged warp, the same one at each call.
inline bool elect_one(sim::place at = TSK_SIM_HERE) { return sim::elect_one(at); }

// ---- Shared memory
// --------------------------------------------------------------------------------

inline unsigned char *dynamic_smem() { return sim::current_thread->shared; }
inline u32 smem_address(const void *pointer) {
  return static_cast<u32>(static_cast<const unsigned char *>(pointer) -
                          sim::current_thread->shared);
}

// ---- Barriers
// -------------------------------------------------------------------------------------

struct alignas(8) mbarrier {
  u64 state;
};

inline void mbarrier_init(mbarrier *barrier, unsigned arrivals, sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_init(barrier, arrivals, at);
}
inline void fence_mbarrier_init() {}
inline void mbarrier_wait(mbarrier *barrier, unsigned parity, sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_wait(barrier, parity, at);
}
inline bool mbarrier_try_wait(mbarrier *barrier, unsigned parity, sim::place at = TSK_SIM_HERE) {
  return sim::mbarrier_try_wait(barrier, parity, at);
}
inline void mbarrier_arrive(mbarrier *barrier, sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_arrive(barrier, 1, at);
}
inline void mbarrier_arrive_expect_tx(mbarrier *barrier, unsigned bytes,
                                      sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_arrive_expect_tx(barrier, bytes, at);
}
inline void mbarrier_expect_tx(mbarrier *barrier, unsigned bytes, sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_expect_tx(barrier, bytes, at);
}

inline void mbarrier_arrive_at(mbarrier *barrier, unsigned ranks, sim::place at = TSK_SIM_HERE) {
  if ((ranks >> lane() & 1) != 0)
    sim::mbarrier_arrive_remote(barrier, static_cast<unsigned>(lane()), at);
}
inline void mbarrier_arrive_at_each(mbarrier *barrier, unsigned ranks,
                                    sim::place at = TSK_SIM_HERE) {
  for (unsigned rank = 0; ranks >> rank != 0; ++rank)
    if ((ranks >> rank & 1) != 0)
      sim::mbarrier_arrive_remote(barrier, rank, at);
}

inline void mbarrier_arrive_cluster(mbarrier *barrier, int rank, sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_arrive_remote(barrier, static_cast<unsigned>(rank), at);
}
inline void mbarrier_wait_cluster(mbarrier *barrier, unsigned parity,
                                  sim::place at = TSK_SIM_HERE) {
  sim::mbarrier_wait(barrier, parity, at);
}
template <typename T> T *at_peer(T *pointer, int rank, sim::place at = TSK_SIM_HERE) {
  using bytes = std::remove_const_t<T>;
  return static_cast<T *>(
      sim::at_peer(const_cast<bytes *>(pointer), static_cast<unsigned>(rank), at));
}

inline void cluster_sync(sim::place at = TSK_SIM_HERE) { sim::cluster_sync(at); }
inline void cta_sync(sim::place at = TSK_SIM_HERE) { sim::cta_sync(at); }
inline void warp_sync(sim::place at = TSK_SIM_HERE) { sim::warp_sync(sim::full_mask, at); }
inline void named_barrier_sync(int id, int threads, sim::place at = TSK_SIM_HERE) {
  sim::named_sync(static_cast<unsigned>(id), static_cast<unsigned>(threads), at);
}
inline void named_barrier_arrive(int id, int threads, sim::place at = TSK_SIM_HERE) {
  sim::named_arrive(static_cast<unsigned>(id), static_cast<unsigned>(threads), at);
}
inline void fence_proxy_async() {}

struct stage_info {
  int index;
  int count;
  mbarrier *barrier;
};

// ---- Registers
// ------------------------------------------------------------------------------------

template <int Registers> void setmaxnreg_inc(sim::place at = TSK_SIM_HERE) {
  sim::set_registers(Registers, true, at);
}
template <int Registers> void setmaxnreg_dec(sim::place at = TSK_SIM_HERE) {
  sim::set_registers(Registers, false, at);
}

// ---- Copies
// ---------------------------------------------------------------------------------------

// A stage that TMA fills from a tensor: the tile, the tensor's map, the barrier that counts the
// bytes.
template <typename T, int... Dims> struct tma_tile {
  T *pointer;
  const tensor_map *map;
  mbarrier *barrier;
};

// The same where TMA needs several boxes for a tile, or the tile is swizzled.
template <typename Tile, int... Box> struct tma_boxes {
  using boxes = box_grid<Tile::size() / Tile::columns, Tile::columns, Box...>;
  decltype(Tile::pointer) pointer;
  const tensor_map *map;
  mbarrier *barrier;
};

namespace sim {
// A coordinate that knows where it was written.
struct coordinate {
  int32_t value;
  place at;
  template <typename Number>
  constexpr coordinate(Number number, place where = TSK_SIM_HERE)
      : value(static_cast<int32_t>(number)), at(where) {}
};
template <int> using coordinate_for = coordinate;
} // namespace sim

// Starts the copy of the box whose first element stands at these coordinates of the tensor,
// outermost first. What lies outside of the tensor is filled with zeros. One thread calls it.
template <typename T, int... Dims>
void tma_load(tma_tile<T, Dims...> tile, sim::coordinate_for<Dims>... coordinates) {
  constexpr unsigned rank = sizeof...(Dims);
  const sim::coordinate given[] = {coordinates...};
  int32_t inner_first[rank];
  for (unsigned d = 0; d < rank; ++d)
    inner_first[d] = given[rank - 1 - d].value;
  constexpr size_t bytes = (Dims * ... * sizeof(T));
  sim::check_box(*tile.map, bytes, given[0].at);
  sim::tma_load(*tile.map, tile.pointer, tile.barrier, inner_first, rank, given[0].at);
}
// Box after box: those of a panel of a swizzled tile, then the next panel.
template <typename Tile, int... Box>
void tma_load(tma_boxes<Tile, Box...> tile, sim::coordinate_for<Box>... coordinates) {
  using boxes = typename tma_boxes<Tile, Box...>::boxes;
  constexpr unsigned rank = sizeof...(Box);
  const sim::coordinate given[] = {coordinates...};
  sim::check_box(*tile.map, boxes::size * sizeof(*tile.pointer), given[0].at);
  for (int i = 0; i < boxes::count; ++i) {
    int32_t inner_first[rank];
    for (unsigned d = 0; d < rank; ++d)
      inner_first[rank - 1 - d] = given[d].value + boxes::origin(i, static_cast<int>(d));
    sim::tma_load(*tile.map, tile.pointer + i * boxes::size, tile.barrier, inner_first, rank,
                  given[0].at);
  }
}

template <typename Tile, int Slices, int... Box> struct tma_multicast {
  using boxes = box_grid<Tile::size() / Tile::columns, Tile::columns, Box...>;
  decltype(Tile::pointer) pointer;
  const tensor_map *map;
  mbarrier *barrier;
  int slice; // this CTA's
  unsigned peers;
};

// The coordinates are the whole tile's; each CTA loads its slice of it.
template <typename Tile, int Slices, int... Box>
void tma_load(tma_multicast<Tile, Slices, Box...> tile, sim::coordinate_for<Box>... coordinates) {
  using boxes = typename tma_multicast<Tile, Slices, Box...>::boxes;
  constexpr unsigned rank = sizeof...(Box);
  constexpr int rows = boxes::rows / Slices; // boxes of a slice in one panel
  const sim::coordinate given[] = {coordinates...};
  sim::check_box(*tile.map, boxes::size * sizeof(*tile.pointer), given[0].at);
  for (int i = 0; i < boxes::panels * rows; ++i) {
    const int box = i / rows * boxes::rows + tile.slice * rows + i % rows;
    int32_t inner_first[rank];
    for (unsigned d = 0; d < rank; ++d)
      inner_first[rank - 1 - d] = given[d].value + boxes::origin(box, static_cast<int>(d));
    sim::tma_load_multicast(*tile.map, tile.pointer + box * boxes::size, tile.barrier, tile.peers,
                            inner_first, rank, given[0].at);
  }
}

// Starts the copy of a tile to the tensor, where its first element goes to these coordinates; what
// lies outside of the tensor is not written. One thread calls it, and waits for it in groups.
template <typename T, int... Dims>
void tma_store(tma_tile<T, Dims...> tile, sim::coordinate_for<Dims>... coordinates) {
  constexpr unsigned rank = sizeof...(Dims);
  const sim::coordinate given[] = {coordinates...};
  int32_t inner_first[rank];
  for (unsigned d = 0; d < rank; ++d)
    inner_first[d] = given[rank - 1 - d].value;
  sim::check_box(*tile.map, (Dims * ... * sizeof(T)), given[0].at);
  sim::tma_store(*tile.map, tile.pointer, inner_first, rank, given[0].at);
}
template <typename Tile, int... Box>
void tma_store(tma_boxes<Tile, Box...> tile, sim::coordinate_for<Box>... coordinates) {
  using boxes = typename tma_boxes<Tile, Box...>::boxes;
  constexpr unsigned rank = sizeof...(Box);
  const sim::coordinate given[] = {coordinates...};
  sim::check_box(*tile.map, boxes::size * sizeof(*tile.pointer), given[0].at);
  for (int i = 0; i < boxes::count; ++i) {
    int32_t inner_first[rank];
    for (unsigned d = 0; d < rank; ++d)
      inner_first[rank - 1 - d] = given[d].value + boxes::origin(i, static_cast<int>(d));
    sim::tma_store(*tile.map, tile.pointer + i * boxes::size, inner_first, rank, given[0].at);
  }
}

inline void bulk_commit(sim::place at = TSK_SIM_HERE) { sim::bulk_commit(at); }
template <int Pending> void bulk_wait(sim::place at = TSK_SIM_HERE) {
  sim::bulk_wait(Pending, /*read_only=*/false, at);
}
template <int Pending> void bulk_wait_read(sim::place at = TSK_SIM_HERE) {
  sim::bulk_wait(Pending, /*read_only=*/true, at);
}

} // namespace tsk

#include <tsk/mma.cuh>
#include <tsk/tile.h>
