// What one memory instruction of a warp costs: the 128-byte lines and 32-byte sectors of global
// memory that it touches, or the wavefronts that the 32 banks of shared memory need for it.
#pragma once

#include <cstdint>

namespace tsk::sim {

struct warp_access {
  uint32_t mask = 0;  // lanes that take part
  unsigned bytes = 0; // that each of them asks for
  bool is_store = false;
  uint64_t addresses[32] = {}; // by lane
};

struct global_cost {
  unsigned lines = 0, sectors = 0;
};
global_cost cost_of_global(const warp_access &access);

// Accesses of 8 bytes a lane go in two phases of 16 lanes, of 16 bytes in four of 8. The two phases
// of a warp, or of half a warp, are one if each lane's neighbour (its number with the lowest bit,
// or the second, turned over) asks for the same place or for nothing; of a store, with one of the
// two bits only. A phase takes as many wavefronts as the most different words that fall into one
// bank; equal words are one. As measured on an H200 (bench/ladder/patterns.cu).
struct shared_cost {
  unsigned wavefronts = 0;
  unsigned without_conflicts = 0; // what as many different words need at least
};
shared_cost cost_of_shared(const warp_access &access);

} // namespace tsk::sim
