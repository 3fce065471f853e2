// The state of one CTA: its threads, warps, barriers, shared memory and registers.
#pragma once

#include "context.h"
#include "guarded.h"
#include "tsk/sim/machine.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tsk::sim {

class machine;
struct cta;
struct warp;
struct thread;
struct bulk_group;

struct mbarrier_state {
  unsigned offset = 0;   // of its word in shared memory
  unsigned expected = 0; // arrivals a phase
  unsigned pending = 0;  // arrivals still missing in this phase
  int64_t bytes = 0; // transaction bytes still missing; negative: came before they were expected
  uint64_t phase = 0;
  // Woken by the end of the phase before and not yet run: the next phase must not end meanwhile,
  // since they know only its parity.
  std::vector<thread *> looking;
  std::vector<thread *> waiters;
  place made_at;
};

struct waiting {
  enum class kind : uint8_t {
    none,
    mbarrier,
    cluster_barrier,
    cta_barrier,
    named_barrier,
    collective,
    bulk,
    registers
  };
  kind what = kind::none;
  place at;
  const mbarrier_state *barrier = nullptr;
  unsigned parity = 0;
  unsigned number = 0;        // id of the named barrier, register count, groups allowed in flight
  const char *name = nullptr; // of the collective
  uint32_t mask = 0;          // of the collective
};

struct bulk_group {
  unsigned unread = 0;    // copies whose source is still being read
  unsigned unwritten = 0; // copies that have not reached memory
};

// A thread's part of a multiplication that has begun.
struct multiplication {
  std::function<void()> compute;
  place at;
  const void *target; // its registers; null once it has taken place
};
using multiplication_group = std::vector<multiplication>;

struct meeting_result { // of a warp's collective
  uint32_t lanes = 0;   // that took part
  uint32_t votes = 0;   // those that gave a value other than 0
  uint64_t value = 0;   // what the asked lane gave
};

struct thread : thread_view {
  cta *block = nullptr;
  struct warp *group = nullptr;
  context where;
  stack memory;
  bool done = false;
  waiting wait;
  uint64_t loops = 0; // tsk_sim_context, while others run
  place last;         // where it was last seen by the machine
  meeting_result met;
  std::shared_ptr<bulk_group> open_group;
  std::deque<std::shared_ptr<bulk_group>> groups; // committed, oldest first
  multiplication_group open_multiplications;
  std::deque<multiplication_group> multiplications; // likewise
};

// Lanes of a warp that meet: a shuffle, a vote, warp_sync, elect_one.
struct collective {
  const char *name = nullptr;
  uint32_t mask = 0;
  uint32_t arrived = 0;
  place at;
  uint64_t values[32] = {};
  unsigned from[32] = {};
  // Called once when all have come, before anybody goes on.
  void (*finish)(const collective &) = nullptr;
};

struct warp {
  cta *block = nullptr;
  unsigned index = 0;
  thread *lanes = nullptr;
  unsigned lane_count = 0;
  uint32_t ready = 0;
  uint32_t live = 0;
  bool queued = false; // in the machine's list of warps that can run
  uint64_t priority = 0;
  unsigned registers = 0; // a thread
  std::vector<collective> open;
};

struct named_barrier {
  unsigned threads = 0; // expected; 0: nobody is at it
  unsigned arrived = 0;
  std::vector<thread *> waiters;
  place first_at;
};

// CTAs that are resident together.
struct cluster {
  std::vector<cta *> members; // by rank; null: has ended
  unsigned live = 0;          // threads
  std::vector<thread *> at_barrier;
};

struct cta {
  machine *owner = nullptr;
  index3 index;
  std::shared_ptr<cluster> peers; // this one among them
  unsigned rank = 0;
  std::vector<thread> threads;
  std::vector<warp> warps;
  unsigned live = 0;
  guarded_memory shared_memory;
  unsigned char *shared = nullptr;
  size_t shared_bytes = 0;
  std::vector<uint16_t> slots; // word of shared memory -> 1 + index into mbarriers
  std::vector<std::unique_ptr<mbarrier_state>> mbarriers;
  std::vector<thread *> at_cta_barrier;
  bool all_must_come = false; // to it; else only those that have not ended
  size_t wanted_at_cta_barrier() const { return all_must_come ? threads.size() : live; }
  named_barrier named[16];
  unsigned free_registers = 0;
};

} // namespace tsk::sim
