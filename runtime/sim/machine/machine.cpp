#include "machine.h"

#include "counting/counters.h"
#include "launch.h"
#include "text.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace tsk::sim {

TSK_SIM_CONSTINIT thread_local thread_view *current_thread = nullptr;

namespace {

index3 unravel(uint64_t number, index3 extent) {
  return {static_cast<unsigned>(number % extent.x),
          static_cast<unsigned>(number / extent.x % extent.y),
          static_cast<unsigned>(number / extent.x / extent.y)};
}

index3 quotient(index3 a, index3 b) { return {a.x / b.x, a.y / b.y, a.z / b.z}; }

uint64_t volume(index3 extent) { return uint64_t{extent.x} * extent.y * extent.z; }

// Registers a thread has at its start when ptxas is told __launch_bounds__(threads, ctas).
unsigned first_registers(unsigned threads, unsigned ctas) {
  const limits &limit = current_limits();
  const unsigned share = limit.registers / (threads * ctas) / 8 * 8;
  const unsigned most = (limit.registers_per_thread + 7) / 8 * 8;
  return share < most ? share : most;
}

// Of dynamic shared memory, as on a GPU (device.cuh).
constexpr size_t shared_alignment = 1024;

} // namespace

machine::machine(const launch_shape &launched, void (*function)(void *), void *its_argument)
    : shape(launched), names(names_of(launched.kernel)), random(current_settings().seed),
      order(current_settings()), counters(make_counters(*this)), entry(function),
      argument(its_argument) {
  // Seed 0 is the plain order; each other seed picks a way of ordering and how late copies come.
  if (order.seed != 0) {
    how = random.one_in(2) ? policy::random : policy::priorities;
    constexpr unsigned delays[] = {0, 2, 8, 64};
    copy_delay = delays[random.below(4)];
    resident_limit = 1 + static_cast<unsigned>(random.below(3));
  }
  if (order.resident_ctas != 0)
    resident_limit = order.resident_ctas;
  remaining.resize(volume(quotient(shape.grid, shape.cluster)));
  for (uint64_t i = 0; i < remaining.size(); ++i)
    remaining[remaining.size() - 1 - i] = i;
  if (order.seed != 0)
    random.shuffle(remaining);
}

machine::~machine() {
  for (auto *list : {&resident, &idle})
    for (auto &block : *list) {
      for (thread &t : block->threads)
        if (t.memory.bottom != nullptr)
          fiber_stacks().give_back(t.memory);
    }
}

outcome machine::run() {
  while (!stopped) {
    admit();
    if (stopped)
      break;
    if (transfers.any() && (runnable.empty() || should_transfer())) {
      transfers.step(*this, order.seed == 0);
      progress();
    } else if (!runnable.empty()) {
      run_warp(pick());
    } else if (!resident.empty()) {
      stop(deadlock_report(*this));
    } else {
      break;
    }
    if (++idle_steps > order.livelock_steps)
      stop(livelock_report(*this));
  }
  current_thread = nullptr;
  if (!stopped)
    if (const std::string why = tensor_memory_fault(); !why.empty())
      stop(why);
  if (counters != nullptr)
    write_profile(*counters, !stopped, order.profile);
  return {!stopped, report};
}

bool machine::should_transfer() { return copy_delay != 0 && random.one_in(copy_delay); }

// Makes CTAs resident while there is room, those of a cluster together.
void machine::admit() {
  while (!stopped && resident.size() < resident_limit && !remaining.empty()) {
    const uint64_t number = remaining.back();
    remaining.pop_back();
    start_cluster(number);
  }
}

void machine::start_cluster(uint64_t number) {
  const index3 place = unravel(number, quotient(shape.grid, shape.cluster));
  const auto peers = std::make_shared<cluster>();
  const auto size = static_cast<unsigned>(volume(shape.cluster));
  peers->live = size * static_cast<unsigned>(volume(shape.block));
  for (unsigned rank = 0; rank < size && !stopped; ++rank) {
    std::unique_ptr<cta> block;
    if (idle.empty()) {
      block = std::make_unique<cta>();
    } else {
      block = std::move(idle.back());
      idle.pop_back();
    }
    const index3 inner = unravel(rank, shape.cluster);
    block->index = {place.x * shape.cluster.x + inner.x, place.y * shape.cluster.y + inner.y,
                    place.z * shape.cluster.z + inner.z};
    block->peers = peers;
    block->rank = rank;
    peers->members.push_back(block.get());
    resident.push_back(std::move(block));
    start(*resident.back());
  }
}

void machine::start(cta &block) {
  const unsigned threads = static_cast<unsigned>(volume(shape.block));
  block.owner = this;
  block.live = threads;
  if (block.shared == nullptr && shape.shared_bytes != 0) {
    block.shared_memory = guarded_memory(shape.shared_bytes, shared_alignment);
    block.shared = block.shared_memory.begin();
    block.shared_bytes = shape.shared_bytes;
    if (block.shared == nullptr)
      return stop("the host has no memory left for the CTA's shared memory");
  }
  poison(block.shared, block.shared_bytes);
  block.slots.assign(block.shared_bytes / 8, 0);
  block.mbarriers.clear();
  for (named_barrier &b : block.named)
    b = {};
  block.at_cta_barrier.clear();
  block.all_must_come = false;
  const unsigned registers = first_registers(threads, shape.min_ctas);
  block.free_registers = 0; // its threads have all that the launch gave it

  block.threads.resize(threads);
  block.warps.assign((threads + 31) / 32, {});
  for (unsigned w = 0; w < block.warps.size(); ++w) {
    warp &group = block.warps[w];
    group.block = &block;
    group.index = w;
    group.lanes = &block.threads[w * 32];
    group.lane_count = threads - w * 32 < 32 ? threads - w * 32 : 32;
    group.live = group.lane_count == 32 ? full_mask : (1u << group.lane_count) - 1;
    group.ready = group.live;
    group.registers = registers;
    group.priority = random.next();
    group.queued = true;
    runnable.push_back(&group);
  }
  for (unsigned i = 0; i < threads; ++i) {
    thread &t = block.threads[i];
    const stack memory = t.memory.bottom != nullptr ? t.memory : fiber_stacks().take();
    t = thread{};
    t.memory = memory;
    if (memory.bottom == nullptr)
      return stop("the host has no memory left for the stacks of GPU threads");
    t.thread_index = unravel(i, shape.block);
    t.block_index = block.index;
    t.block_extent = shape.block;
    t.grid_extent = shape.grid;
    t.cluster_index = quotient(block.index, shape.cluster);
    t.cluster_extent = shape.cluster;
    t.in_cluster = unravel(block.rank, shape.cluster);
    t.rank = block.rank;
    t.lane = i % 32;
    t.warp = i / 32;
    t.shared = block.shared;
    t.shared_bytes = block.shared_bytes;
    t.block = &block;
    t.group = &block.warps[i / 32];
    t.where.start(memory, i, &machine::thread_main, &t);
  }
}

void machine::thread_main(void *self_pointer) {
  thread &t = *static_cast<thread *>(self_pointer);
  machine &m = *t.block->owner;
  m.entry(m.argument);
  t.done = true;
  m.leave(t, true);
}

void machine::leave(thread &t, bool for_good) {
  if (for_good)
    host.resume_for_good(t.where);
  else
    host.resume(t.where);
}

// The warp that runs next; it leaves the list.
warp &machine::pick() {
  size_t chosen = 0;
  if (how == policy::random) {
    chosen = random.below(runnable.size());
  } else if (how == policy::priorities) {
    // Always the highest priority, which changes now and then: finds faults that need one task to
    // run far ahead of another.
    for (size_t i = 1; i < runnable.size(); ++i)
      if (runnable[i]->priority > runnable[chosen]->priority)
        chosen = i;
    if (random.one_in(32))
      runnable[chosen]->priority = random.next() >> 1;
  }
  warp &w = *runnable[chosen];
  runnable.erase(runnable.begin() + static_cast<ptrdiff_t>(chosen));
  w.queued = false;
  return w;
}

void machine::run_warp(warp &w) {
  uint32_t lanes = w.ready;
  // Lanes are threads of their own: sometimes only a few of them move on.
  if (order.seed != 0 && random.one_in(8))
    lanes &= static_cast<uint32_t>(random.next());
  cta &block = *w.block;
  if (counters == nullptr) {
    run_lanes(w, lanes);
  } else {
    counters->begin(w);
    for (; lanes != 0 && !stopped; lanes = counters->take_rows())
      run_lanes(w, lanes);
    counters->end();
  }
  if (block.live == 0 && !stopped)
    return finish(block);
  if (w.ready != 0 && !w.queued) {
    w.queued = true;
    runnable.push_back(&w);
  }
}

void machine::run_lanes(warp &w, uint32_t lanes) {
  while (lanes != 0 && !stopped) {
    const int lane = std::countr_zero(lanes);
    lanes &= lanes - 1;
    w.ready &= ~(1u << lane);
    thread &t = w.lanes[lane];
    resume(t);
    if (t.done && !stopped)
      finish(t);
  }
}

void machine::resume(thread &t) {
  current_thread = &t;
  if (counters == nullptr)
    return t.where.resume(host);
  counters->lane_begins(t);
  t.where.resume(host);
  counters->lane_ends(t);
}

void machine::block(thread &t, const waiting &wait) {
  t.wait = wait;
  t.last = wait.at;
  leave(t, false);
  t.wait = {};
}

void machine::wake(thread &sleeper) {
  warp &w = *sleeper.group;
  w.ready |= 1u << sleeper.lane;
  if (!w.queued) {
    w.queued = true;
    runnable.push_back(&w);
  }
}

void machine::yield(thread &t) {
  wake(t);
  leave(t, false);
}

void machine::maybe_yield(thread &t, bool always_in_order_zero) {
  if (order.seed == 0 ? always_in_order_zero : random.one_in(2))
    yield(t);
}

void machine::stop(std::string text) {
  if (!stopped)
    report = std::move(text);
  stopped = true;
}

void machine::fault(thread &t, const std::string &text, place at) {
  t.last = at;
  stop(cat(text, "\n  by ", describe(t), describe(*this, at)));
  abandon(t);
}

void machine::abandon(thread &t) {
  leave(t, true);
  std::abort(); // an abandoned fiber is never resumed
}

// A thread has reached its end: what waits for "all threads" may now be complete.
void machine::finish(thread &t) {
  check_multiplications_at_end(t);
  progress();
  cta &block = *t.block;
  warp &w = *t.group;
  w.live &= ~(1u << t.lane);
  --block.live;
  --block.peers->live;
  recheck_collectives(w);
  recheck_cta_barrier(block);
  recheck_cluster_barrier(*block.peers);
}

void machine::finish(cta &block) {
  check_mbarriers_at_end(block);
  check_registers_at_end(block);
  check_shared_at_end(block);
  if (stopped)
    return;
  transfers.forget_issuers(block);
  block.peers->members[block.rank] = nullptr;
  for (warp &w : block.warps)
    if (w.queued)
      std::erase(runnable, &w);
  for (size_t i = 0; i < resident.size(); ++i)
    if (resident[i].get() == &block) {
      idle.push_back(std::move(resident[i]));
      resident.erase(resident.begin() + static_cast<ptrdiff_t>(i));
      return;
    }
}

} // namespace tsk::sim
