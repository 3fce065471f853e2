// What the simulator's device and host headers call: the machine that stands in for a GPU.
//
// A launch runs each GPU thread as a fiber on the calling thread of the host. A fault (misuse of a
// barrier, an index outside a view, a deadlock …) ends the launch: nothing is unwound, the fibers
// are abandoned, and `run` returns the text of a report. No exception is thrown anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tsk::sim {

struct tensor_map_data;

// A place in the source, as a default argument of what bodies call: #line makes it the .tsk's.
struct place {
  const char *file = "";
  unsigned line = 0;

  // As a default argument this is the caller's place. Not a braced list: GCC takes that one's
  // built-ins where they are written.
  static constexpr place here(const char *file = __builtin_FILE(),
                              unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};
#define TSK_SIM_HERE ::tsk::sim::place::here()

struct index3 {
  unsigned x = 1, y = 1, z = 1;
};

// The GPU thread that runs now; null on the host.
struct thread_view {
  index3 thread_index, block_index, block_extent, grid_extent;
  index3 cluster_index, cluster_extent, in_cluster; // the CTA's cluster, and its place in it
  unsigned rank = 0;                                // the same as one number
  unsigned lane = 0;
  unsigned warp = 0;
  unsigned char *shared = nullptr; // the CTA's dynamic shared memory
  size_t shared_bytes = 0;
};
#if defined(__clang__)
#define TSK_SIM_CONSTINIT [[clang::require_constant_initialization]]
#else
#define TSK_SIM_CONSTINIT __constinit
#endif
TSK_SIM_CONSTINIT extern thread_local thread_view *current_thread;

// -- Launching ------------------------------------------------------------------------------------

struct launch_shape {
  const void *kernel = nullptr; // for its names, see names.h
  index3 grid, block;
  index3 cluster;
  size_t shared_bytes = 0;
  unsigned min_ctas = 1; // that a multiprocessor holds, by the kernel's launch bounds
};

struct outcome {
  bool ok = true;
  std::string text; // several lines: what, who, where
};

// Runs `entry(argument)` on every thread of the grid.
outcome run(const launch_shape &shape, void (*entry)(void *), void *argument);

// How a run orders what the hardware leaves open. Seed 0: warps in turn, copies as late as
// possible.
struct settings {
  uint64_t seed = 0;
  unsigned resident_ctas = 0; // 0: chosen from the seed
  uint64_t livelock_steps = 4'000'000;
  std::string profile = {}; // the file to which counted programs write what they did; empty: none
  std::string profile_label = {}; // of what is run
};
settings &current_settings();

struct limits {
  unsigned threads_per_cta = 1024;
  unsigned ctas_per_cluster = 8;
  unsigned registers = 65536;
  unsigned registers_per_thread = 255;
  size_t shared_bytes = 232448; // opt-in maximum a CTA
  unsigned sm_count = 8;        // small, so that persistent kernels take several tiles a CTA
};
limits &current_limits();

// Writes the pattern that stands for "not written": a NaN in each floating-point type that has
// one, an unlikely number in the others.
inline constexpr uint16_t poison_pattern = 0xFFF5;
void poison(void *begin, size_t bytes);

// Memory for tensors, aligned as cudaMalloc's, between pages that cannot be touched. Null when the
// host has none left.
void *take_memory(size_t bytes);
void give_back_memory(void *begin);
// The name of the tensor that starts there, for reports.
void name_memory(void *begin, const char *name);

// Runs a function in a process of its own. A crash there (a wild pointer, a division by zero, a
// stack overflow) or running longer than `seconds` is a text that names the GPU thread; it takes
// nobody along.
struct isolated_result {
  bool ended_normally = true;
  int status = 0; // what the function returned
  std::string text;
  uint64_t noted = 0; // what the function noted last, however it ended
};
isolated_result run_isolated(int (*function)(void *), void *argument, unsigned seconds);
// How far it has come, in a process of its own: a number that outlives it.
void note(uint64_t number);

// -- Called by GPU threads ------------------------------------------------------------------------

[[noreturn]] void fault(const std::string &text, place at);
[[noreturn]] void index_fault(const void *base, size_t element_bytes, const int64_t *indices,
                              const int64_t *extents, unsigned rank, unsigned wrong, unsigned width,
                              place at);
[[noreturn]] void alignment_fault(const void *address, size_t needed, place at);
// A tile and the box that a map moves have the same size.
void check_box(const tensor_map_data &map, size_t tile_bytes, place at);

// Multiplications of the tensor cores, a thread's part of each: `compute` runs at some time until
// the wait that covers it, in order; `spoil` at once, where it runs later. `operations`: the
// thread's share of them, for the counters.
void wgmma_begin(std::function<void()> compute, const std::function<void()> &spoil,
                 uint64_t operations, const void *target, place at);
// Whether an earlier one of this thread has still to write there.
bool wgmma_is_pending(const void *target);
void wgmma_commit(place at);
void wgmma_wait(unsigned pending);

// Matrices that a warp has in its registers. Each lane brings the address of a row of eight 16-bit
// elements (of `count` matrices: lanes 0 .. 8 count; the others null) and takes a pair of each
// matrix, or of each transposed one.
void load_matrices(const void *row, unsigned count, bool is_transposed, uint32_t *pairs, place at);
// A lane's part of c += a b, for a of 16 x 16, b of 16 x 8, as mma.m16n8k16 deals them out.
struct multiplication_part {
  const float *a; // 8
  const float *b; // 4
  float *c;       // 4
};
void multiply_in_warp(const multiplication_part &mine, place at);

// mbarriers: 8 bytes in shared memory; their state lives in the machine.
void mbarrier_init(void *barrier, unsigned arrivals, place at);
void mbarrier_invalidate(void *barrier, place at);
void mbarrier_arrive(void *barrier, unsigned count, place at);
void mbarrier_expect_tx(void *barrier, unsigned bytes, place at);
void mbarrier_arrive_expect_tx(void *barrier, unsigned bytes, place at);
bool mbarrier_try_wait(void *barrier, unsigned parity, place at);
void mbarrier_wait(void *barrier, unsigned parity, place at);

// On the barrier in the same place of another CTA of the cluster.
void mbarrier_arrive_remote(void *barrier, unsigned rank, place at);

// The same place of that CTA's shared memory.
void *at_peer(void *shared, unsigned rank, place at);

// All threads of the cluster that have not ended.
void cluster_sync(place at);

// Barriers of the CTA.
void cta_sync(place at);
void named_sync(unsigned id, unsigned threads, place at);
void named_arrive(unsigned id, unsigned threads, place at);

// A warp's collectives: every live lane of `mask` calls the same one.
constexpr uint32_t full_mask = 0xFFFFFFFFu;
void warp_sync(uint32_t mask, place at);
bool elect_one(place at);
uint32_t ballot(uint32_t mask, bool predicate, place at);
// Returns what lane `from` gave; the caller's own value where that lane takes no part.
uint64_t exchange(uint32_t mask, uint64_t value, unsigned from, const char *what, place at);

// Registers: `raise` waits until the CTA's pool has enough.
void set_registers(unsigned count, bool raise, place at);

// Asynchronous copies. Coordinates are innermost first, as in the PTX instruction.
void tma_load(const tensor_map_data &map, void *shared, void *barrier, const int32_t *coordinates,
              unsigned rank, place at);
// Into the same place of each CTA of the cluster in `ranks`, whose barriers there count the bytes.
void tma_load_multicast(const tensor_map_data &map, void *shared, void *barrier, unsigned ranks,
                        const int32_t *coordinates, unsigned rank, place at);
void tma_store(const tensor_map_data &map, const void *shared, const int32_t *coordinates,
               unsigned rank, place at);
void bulk_commit(place at);
void bulk_wait(unsigned newest, bool read_only, place at);

// For the counters: something other than an access that the thread does, with what it moves.
void count_event(const char *what, place at, uint64_t bytes = 0, bool has_waited = false);

// The same for an access, or arithmetic, of the runtime's own headers, whose lines are nobody's:
// they count at the place of the caller.
void count_access(const void *address, unsigned bytes, bool is_store, place at);
// Of a kind: "fma", "add", "multiply", "other".
void count_operations(const char *kind, uint64_t count, place at);

// Remembers the place, and lets others run first where the order says so. Costs a switch at most.
void pause(place at);

} // namespace tsk::sim
