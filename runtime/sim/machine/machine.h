// The machine: one launch. It holds the resident CTAs, decides who runs next and what arrives when.
#pragma once

#include "cta.h"
#include "random.h"
#include "transfers.h"
#include "tsk/sim/names.h"

#include <memory>

namespace tsk::sim {

class launch_counters;

class machine {
public:
  machine(const launch_shape &shape, void (*entry)(void *), void *argument);
  ~machine();
  outcome run();

  // Called by the thread that runs. `block` returns when somebody has called `wake` for it.
  void block(thread &self, const waiting &wait);
  void wake(thread &sleeper);
  void yield(thread &self);
  // A point where others may run first.
  void maybe_yield(thread &self, bool always_in_order_zero = false);
  // Ends the launch; returns only when called by the machine itself and not by a thread.
  void stop(std::string text);
  [[noreturn]] void fault(thread &self, const std::string &text, place at);
  bool is_stopped() const { return stopped; }
  // Leaves a thread that will not run again.
  [[noreturn]] void abandon(thread &self);
  // The thread that runs lets the warp's other lanes go on and comes back to this point.
  void step_aside(thread &self) { leave(self, false); }
  // Something happened that others may wait for.
  void progress() { idle_steps = 0; }

  const launch_shape shape;
  const kernel_names &names;
  random_source random;
  const settings order;
  transfer_list transfers;
  const std::unique_ptr<launch_counters> counters; // of a program that is counted

private:
  friend std::string deadlock_report(const machine &m);
  friend std::string livelock_report(const machine &m);
  enum class policy : uint8_t { turns, random, priorities };

  void admit();
  void start_cluster(uint64_t number);
  void start(cta &block);
  void finish(thread &self);
  void finish(cta &block);
  void run_warp(warp &w);
  void run_lanes(warp &w, uint32_t lanes);
  void resume(thread &t);
  warp &pick();
  bool should_transfer();
  static void thread_main(void *self);
  void leave(thread &self, bool for_good);

  void (*const entry)(void *);
  void *const argument;
  policy how = policy::turns;
  unsigned copy_delay = 0; // one in so many steps completes a copy; 0: only when nobody can run
  unsigned resident_limit = 1;
  std::vector<uint64_t> remaining; // clusters to come, last first
  std::vector<std::unique_ptr<cta>> resident;
  std::vector<std::unique_ptr<cta>> idle; // their memory is used again
  std::vector<warp *> runnable;
  context host;
  bool stopped = false;
  std::string report;
  uint64_t idle_steps = 0;
};

// The thread that runs now, and its machine.
inline thread &self() { return *static_cast<thread *>(current_thread); }

// report.cpp
std::string describe(const thread &t);
std::string describe(const cta &block);
// "\n  at FILE:LINE": of the .tsk where the generated line is known to come from there.
std::string describe(const machine &m, place at);
// "warp 3 of task Load"
std::string describe_warp(const cta &block, unsigned warp);
place source_place(const kernel_names &names, place at);
// `where`: offset of an mbarrier in shared memory, or the id of a named barrier.
std::string barrier_label(const cta &block, unsigned where, bool is_named = false);
std::string memory_label(const cta &block, const void *address);
std::string deadlock_report(const machine &m);
std::string livelock_report(const machine &m);

// For the race checker: a thread arrives at a barrier, a phase of it is over, a thread has seen it.
void race_arrival(const thread &t, const void *barrier);
void race_completion(const thread &of_its_cta, const void *barrier);
void race_pass(const thread &t, const void *barrier);

// barriers.cpp, mbarrier.cpp, warps.cpp: what the end of a thread means to those that wait.
void recheck_cta_barrier(cta &block);
void recheck_cluster_barrier(cluster &peers);
// The CTA of that rank; null with an explanation where there is none any more.
cta *find_peer(cta &block, unsigned rank, const char *operation, std::string &why);
void recheck_collectives(warp &w);
// Waits for the other lanes of the warp; `name` as in reports, always the same one.
void meet_in_warp(const char *name, place at);
// The same for an instruction of the whole warp: `finish` sees what each lane has brought.
void meet_in_warp(const char *name, const void *brought, void (*finish)(const collective &),
                  place at);
void check_mbarriers_at_end(cta &block);
void check_multiplications_at_end(thread &t);
void check_registers_at_end(cta &block);
void check_shared_at_end(cta &block);
// Of a tensor around which something was written; empty if there is none.
std::string tensor_memory_fault();
void complete_bytes(machine &m, cta &block, mbarrier_state &barrier, uint32_t bytes);
mbarrier_state *find_mbarrier(cta &block, void *barrier, const char *operation, std::string &why);
void recheck_bulk_wait(thread &t);

} // namespace tsk::sim
