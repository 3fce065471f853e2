// Finds accesses of two warps to one place in shared memory that no barrier orders, whatever order
// they came in: each warp has a vector clock, barriers pass them on, and each word remembers who
// wrote it last and who read it since. Lanes of one warp count as ordered, as do the copy engine
// and the tensor cores, which are not seen here.
#pragma once

#include "access_log.h"
#include "sites.h"

#include <map>
#include <optional>
#include <vector>

namespace tsk::sim {

class race_checker {
public:
  explicit race_checker(const program_sites &its_sites) : sites(its_sites) {}

  // A thread has arrived at a barrier; all have, and a phase of it is over; a thread has seen that.
  void on_arrival(const thread &t, const void *barrier);
  void on_completion(const thread &of_its_cta, const void *barrier);
  void on_pass(const thread &t, const void *barrier);

  // An instruction on shared memory. The text of a report if it races.
  std::optional<std::string> on_access(const warp &w, const access_row &row, uint32_t mask);

private:
  using clock = std::vector<uint32_t>; // by warp
  struct access {
    uint32_t when = 0; // on the clock of `who`; 0: there was none
    uint16_t site = 0;
    uint8_t who = 0;
    uint8_t bytes = 0; // of the word, a bit each
  };
  struct word {
    access write, read, older_read; // reads: since the write, of different warps
  };
  struct barrier_clocks {
    clock arrived, over; // of this phase; of those that have ended
  };
  struct cta_state {
    bool is_begun = false;
    index3 index;
    std::vector<clock> warps;
    std::vector<word> words;
    std::map<const void *, barrier_clocks> barriers;
  };

  cta_state &state_of(const cta &block);
  static void join(clock &into, const clock &from);
  static bool is_ordered(const clock &now, unsigned warp, const access &earlier, uint8_t bytes);
  const access *conflict(const clock &now, unsigned warp, const word &w, uint8_t bytes,
                         bool is_store) const;
  std::string report(const warp &w, const void *address, unsigned site, const access &other) const;

  const program_sites &sites;
  std::map<const cta *, cta_state> ctas;
};

} // namespace tsk::sim
