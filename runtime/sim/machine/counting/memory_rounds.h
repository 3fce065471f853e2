// How often a CTA has to wait for device memory, one time after the other: what its loads cannot
// hide behind is their latency, not their number.
//
// A warp issues loads until it needs what they bring. Its next round begins where it comes to one
// place for the fifth time since the round began, as compilers unroll loops of unknown length by
// four, or behind a barrier. The last one counts by how full it is: in a larger launch more would
// follow. Only loads of lines that the CTA has not touched before wait for memory; all warps that
// want such a line at about the same time wait alike, so the CTA has as many rounds as the warp
// that has the most.
//
// What a round brings and the warp stores in shared memory before the CTA's barrier, the others
// wait for: nothing of this CTA happens meanwhile. Loads for a loop's next iteration are stored
// behind the barrier.
#pragma once

#include "access_log.h"

#include <map>
#include <unordered_set>
#include <vector>

namespace tsk::sim {

class memory_rounds {
public:
  struct totals {
    double rounds = 0; // of all CTAs
    double serial = 0; // of these, for what the warp stores in shared memory before a barrier
  };

  // A load from global memory, by the addresses of its first and last lane.
  void on_load(const warp &w, unsigned site, uint64_t first, uint64_t last);
  void on_shared_store(const warp &w);
  // The warp has come to a barrier: of the CTA, a named one, or one in shared memory.
  void on_barrier(const warp &w, bool is_of_cta);
  totals total();

private:
  static constexpr unsigned unrolled = 4;
  struct warp_state {
    totals count;
    bool is_open = false;
    bool has_stored = false;                          // in this round
    std::vector<std::pair<unsigned, unsigned>> times; // by site, in this round
  };
  struct cta_state {
    bool is_begun = false;
    index3 index;
    std::unordered_set<uint64_t> lines;
    std::vector<warp_state> warps;
  };

  warp_state &state_of(const warp &w, cta_state *&block);
  static void close(warp_state &state, bool is_whole);
  void fold(cta_state &block);

  std::map<const cta *, cta_state> ctas;
  totals folded;
};

} // namespace tsk::sim
