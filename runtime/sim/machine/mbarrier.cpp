// mbarriers, as PTX describes them: a phase ends when no arrival and no transaction byte is
// missing; the next one starts with the full count. What PTX calls undefined is a fault here.
#include "machine.h"
#include "text.h"

#include <cstring>

namespace tsk::sim {

namespace {

constexpr unsigned most_arrivals = (1u << 20) - 1;
constexpr int64_t most_bytes = (1 << 20) - 1;

// What an initialised barrier's word holds, so that data written over it is noticed.
uint64_t word_of(unsigned offset) { return 0x7A5B'0000'B4AA'0000u ^ (uint64_t{offset} << 16); }

unsigned char *bytes_of(void *p) { return static_cast<unsigned char *>(p); }

// The barrier's place in shared memory; an explanation in `why` where it cannot be one.
bool locate(const cta &block, void *barrier, unsigned &offset, std::string &why) {
  unsigned char *at = bytes_of(barrier);
  if (block.shared == nullptr || at < block.shared || at + 8 > block.shared + block.shared_bytes) {
    why = "an mbarrier outside the CTA's dynamic shared memory";
    return false;
  }
  offset = static_cast<unsigned>(at - block.shared);
  if (offset % 8 != 0) {
    why = cat("a misaligned mbarrier at offset ", offset, " of shared memory, not a multiple of 8");
    return false;
  }
  return true;
}

mbarrier_state &use(thread &t, void *barrier, const char *operation, place at) {
  std::string why;
  mbarrier_state *state = find_mbarrier(*t.block, barrier, operation, why);
  if (state == nullptr)
    t.block->owner->fault(t, why, at);
  return *state;
}

bool is_over(const mbarrier_state &state, unsigned parity) { return (state.phase & 1) != parity; }

// Ends the phase if nothing is missing any more.
void settle(machine &m, cta &block, mbarrier_state &state) {
  m.progress();
  if (state.pending != 0 || state.bytes != 0)
    return;
  if (!state.looking.empty())
    return m.stop(cat("a phase of ", barrier_label(block, state.offset),
                      " ended while threads that wait for the phase before had not looked yet: "
                      "they can miss it\n  first of them: ",
                      describe(*state.looking.front()),
                      describe(m, state.looking.front()->wait.at)));
  ++state.phase;
  state.pending = state.expected;
  race_completion(block.threads.front(), &state);
  for (thread *waiter : state.waiters) {
    race_pass(*waiter, &state);
    state.looking.push_back(waiter);
    m.wake(*waiter);
  }
  state.waiters.clear();
}

void arrive(thread &t, cta &block, mbarrier_state &state, unsigned count, place at) {
  machine &m = *t.block->owner;
  if (count == 0 || count > state.pending)
    m.fault(t,
            cat("too many arrivals on ", barrier_label(block, state.offset), ": ", count,
                " more when this phase misses ", state.pending, " of ", state.expected),
            at);
  state.pending -= count;
  if (t.block == &block) // those of a cluster's other CTAs are on clocks of their own
    race_arrival(t, &state);
  settle(m, block, state);
  t.last = at;
}

void expect(thread &t, mbarrier_state &state, unsigned bytes, place at) {
  state.bytes += bytes;
  if (state.bytes > most_bytes)
    t.block->owner->fault(t,
                          cat("too many transaction bytes on ",
                              barrier_label(*t.block, state.offset), ": ", state.bytes,
                              " expected, the hardware counts to ", most_bytes),
                          at);
}

// After an operation that may have ended the launch from inside.
void leave_if_stopped(thread &t) {
  if (t.block->owner->is_stopped())
    t.block->owner->abandon(t);
}

} // namespace

mbarrier_state *find_mbarrier(cta &block, void *barrier, const char *operation, std::string &why) {
  unsigned offset = 0;
  if (!locate(block, barrier, offset, why)) {
    why = cat(operation, " on ", why);
    return nullptr;
  }
  const uint16_t slot = block.slots[offset / 8];
  if (slot == 0) {
    why = cat(operation, " on ", barrier_label(block, offset), ", which is not initialised");
    return nullptr;
  }
  uint64_t word = 0;
  std::memcpy(&word, barrier, sizeof word);
  if (word != word_of(offset)) {
    why = cat(operation, " on ", barrier_label(block, offset),
              ", whose 8 bytes have been overwritten with data");
    return nullptr;
  }
  return block.mbarriers[slot - 1u].get();
}

void mbarrier_init(void *barrier, unsigned arrivals, place at) {
  thread &t = self();
  cta &block = *t.block;
  machine &m = *block.owner;
  unsigned offset = 0;
  std::string why;
  if (!locate(block, barrier, offset, why))
    m.fault(t, cat("initialisation of ", why), at);
  if (block.slots[offset / 8] != 0)
    m.fault(t, cat("second initialisation of ", barrier_label(block, offset), ", which is in use"),
            at);
  if (arrivals == 0 || arrivals > most_arrivals)
    m.fault(t,
            cat(barrier_label(block, offset), " initialised for ", arrivals,
                " arrivals; the count is 1 .. ", most_arrivals),
            at);
  auto state = std::make_unique<mbarrier_state>();
  state->offset = offset;
  state->expected = state->pending = arrivals;
  state->made_at = at;
  block.mbarriers.push_back(std::move(state));
  block.slots[offset / 8] = static_cast<uint16_t>(block.mbarriers.size());
  const uint64_t word = word_of(offset);
  std::memcpy(barrier, &word, sizeof word);
  m.progress();
}

void mbarrier_invalidate(void *barrier, place at) {
  thread &t = self();
  mbarrier_state &state = use(t, barrier, "mbarrier_invalidate", at);
  if (!state.waiters.empty() || !state.looking.empty() || state.bytes != 0)
    t.block->owner->fault(
        t, cat("invalidation of ", barrier_label(*t.block, state.offset), ", which is in use"), at);
  t.block->slots[state.offset / 8] = 0;
}

void mbarrier_arrive(void *barrier, unsigned count, place at) {
  thread &t = self();
  count_event("mbarrier_arrive", at);
  arrive(t, *t.block, use(t, barrier, "arrival", at), count, at);
  leave_if_stopped(t);
  t.block->owner->maybe_yield(t, true);
}

void mbarrier_arrive_remote(void *barrier, unsigned rank, place at) {
  thread &t = self();
  count_event("mbarrier_arrive", at);
  std::string why;
  cta *peer = find_peer(*t.block, rank, "arrival", why);
  void *there = peer == nullptr ? nullptr : peer->shared + (bytes_of(barrier) - t.block->shared);
  mbarrier_state *state = peer == nullptr ? nullptr : find_mbarrier(*peer, there, "arrival", why);
  if (state == nullptr)
    t.block->owner->fault(t, why, at);
  arrive(t, *peer, *state, 1, at);
  leave_if_stopped(t);
  t.block->owner->maybe_yield(t, true);
}

void mbarrier_expect_tx(void *barrier, unsigned bytes, place at) {
  thread &t = self();
  count_event("mbarrier_expect_tx", at);
  mbarrier_state &state = use(t, barrier, "expect_tx", at);
  expect(t, state, bytes, at);
  // Bytes that came early may have been what this phase missed.
  settle(*t.block->owner, *t.block, state);
  leave_if_stopped(t);
}

void mbarrier_arrive_expect_tx(void *barrier, unsigned bytes, place at) {
  thread &t = self();
  count_event("mbarrier_arrive_expect_tx", at);
  mbarrier_state &state = use(t, barrier, "arrive.expect_tx", at);
  expect(t, state, bytes, at);
  arrive(t, *t.block, state, 1, at);
  leave_if_stopped(t);
}

bool mbarrier_try_wait(void *barrier, unsigned parity, place at) {
  thread &t = self();
  count_event("mbarrier_try_wait", at);
  const mbarrier_state &state = use(t, barrier, "try_wait", at);
  if (!is_over(state, parity & 1)) {
    t.last = at;
    t.block->owner->yield(t);
  }
  if (!is_over(state, parity & 1))
    return false;
  race_pass(t, &state);
  return true;
}

void mbarrier_wait(void *barrier, unsigned parity, place at) {
  thread &t = self();
  machine &m = *t.block->owner;
  mbarrier_state &state = use(t, barrier, "wait", at);
  count_event("mbarrier_wait", at, 0, !is_over(state, parity & 1));
  if (is_over(state, parity & 1)) {
    race_pass(t, &state);
    t.last = at;
    return m.maybe_yield(t);
  }
  state.waiters.push_back(&t);
  waiting wait;
  wait.what = waiting::kind::mbarrier;
  wait.at = at;
  wait.barrier = &state;
  wait.parity = parity & 1;
  m.block(t, wait);
  std::erase(state.looking, &t);
}

// The copy engine has delivered bytes.
void complete_bytes(machine &m, cta &block, mbarrier_state &state, uint32_t bytes) {
  state.bytes -= bytes;
  if (state.bytes < -most_bytes)
    return m.stop(cat("too many transaction bytes on ", barrier_label(block, state.offset), ": ",
                      -state.bytes, " came that nobody expected\n  in ", describe(block)));
  settle(m, block, state);
}

void check_mbarriers_at_end(cta &block) {
  machine &m = *block.owner;
  for (const auto &item : m.transfers.all())
    if (item->block == &block && !(item->is_store && !item->taken.empty()))
      return m.stop(cat("a copy ", item->is_store ? "out of " : "into ",
                        memory_label(block, item->shared),
                        " was still in flight when the CTA ended\n  in ", describe(block),
                        describe(m, item->at)));
  for (const auto &state : block.mbarriers)
    if (state->bytes != 0)
      return m.stop(cat(barrier_label(block, state->offset), " ended with ",
                        state->bytes > 0
                            ? cat(state->bytes, " transaction bytes that never came")
                            : cat(-state->bytes, " transaction bytes that nobody expected"),
                        "\n  in ", describe(block)));
}

} // namespace tsk::sim
