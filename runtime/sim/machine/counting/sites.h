// What tskc says of a counted program: the places in the source where it touches memory, and how
// much arithmetic each of its basic blocks does. Absent in programs that are not counted.
#pragma once

#include <cstdint>

namespace tsk::sim {

// All accesses that stand at one place of the source and are of one kind share a site.
struct access_site {
  uint32_t file, line, column;
  uint16_t bytes; // 0: known only when it happens
  uint16_t is_store;
};

enum class arithmetic : uint32_t { fma, add, multiply, other };
constexpr unsigned arithmetic_kinds = 4;

// Operations of one kind that a block does at one line, each time that it runs.
struct arithmetic_site {
  uint32_t block, file, line;
  arithmetic kind;
  uint64_t operations;
};

struct program_sites {
  const access_site *accesses;
  uint64_t access_count;
  const arithmetic_site *arithmetic;
  uint64_t arithmetic_count;
  const char *const *files;
  uint64_t *host_blocks; // counters for what runs outside of a kernel
  uint64_t block_count;
};

// Places of accesses that the runtime's headers speak of themselves, found as they come.
constexpr unsigned spare_sites = 256;

// Accesses that belong to no line of the source carry this number: counted, not shown.
constexpr unsigned most_sites = 0xFFFF;

} // namespace tsk::sim

extern "C" {
// Defined by the program.
extern const tsk::sim::program_sites tsk_sim_sites __attribute__((weak));
extern uint64_t *tsk_sim_blocks __attribute__((weak)); // a counter for each block
// Called by it instead of the thread sanitizer's functions.
void tsk_sim_access(uintptr_t address, uint32_t site);
void tsk_sim_access_range(uintptr_t address, uint64_t bytes, uint32_t site);
void *tsk_sim_fill(void *to, int value, uint64_t bytes, uint32_t site);
void *tsk_sim_copy(void *to, const void *from, uint64_t bytes, uint32_t site);
// What distinguishes one passage of the running lane from another: the loops that it is in and
// their iterations, mixed to one number (tsk/sim/loops.h).
extern uint64_t tsk_sim_context;
}
