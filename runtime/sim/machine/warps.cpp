// What the lanes of a warp do together: votes, shuffles, elections, register reallocation.
#include "machine.h"
#include "text.h"

#include <bit>

namespace tsk::sim {

namespace {

constexpr const char *registers_name = "setmaxnreg";

void complete(warp &w, collective &meeting) {
  machine &m = *w.block->owner;
  m.progress();
  if (meeting.finish != nullptr)
    meeting.finish(meeting);
  uint32_t votes = 0;
  for (uint32_t lanes = meeting.arrived; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    votes |= static_cast<uint32_t>(meeting.values[lane] != 0) << lane;
  }
  for (uint32_t lanes = meeting.arrived; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    const unsigned from = meeting.from[lane] & 31;
    const bool has_partner = (meeting.arrived >> from) & 1;
    thread &t = w.lanes[lane];
    t.met = {meeting.arrived, votes, meeting.values[has_partner ? from : lane]};
    m.wake(t);
  }
}

// Completes those whose lanes have all come or ended.
void settle(warp &w) {
  for (size_t i = 0; i < w.open.size();) {
    if (w.open[i].arrived == (w.open[i].mask & w.live)) {
      collective meeting = w.open[i];
      w.open.erase(w.open.begin() + static_cast<ptrdiff_t>(i));
      complete(w, meeting);
    } else {
      ++i;
    }
  }
}

// Waits for the other lanes of `mask`.
const meeting_result &meet(thread &t, const char *name, uint32_t mask, uint64_t value,
                           unsigned from, place at, void (*finish)(const collective &) = nullptr) {
  warp &w = *t.group;
  machine &m = *t.block->owner;
  if (((mask >> t.lane) & 1) == 0)
    m.fault(t, cat("a lane calls ", name, " with a mask that leaves it out"), at);
  collective *mine = nullptr;
  for (collective &other : w.open) {
    if (other.name == name && other.mask == mask)
      mine = &other;
    else if ((other.mask & mask & w.live) != 0)
      m.fault(t,
              cat("lanes of one warp disagree: this one calls ", name, ", others wait in ",
                  other.name, describe(m, other.at)),
              at);
  }
  if (mine == nullptr) {
    w.open.push_back({name, mask, 0, at, {}, {}, finish});
    mine = &w.open.back();
  }
  mine->arrived |= 1u << t.lane;
  mine->values[t.lane] = value;
  mine->from[t.lane] = from;
  waiting wait;
  wait.what = waiting::kind::collective;
  wait.at = at;
  wait.name = name;
  wait.mask = mask;
  settle(w);
  m.block(t, wait);
  return t.met;
}

} // namespace

void recheck_collectives(warp &w) { settle(w); }

void meet_in_warp(const char *name, place at) { meet(self(), name, full_mask, 0, 0, at); }

void meet_in_warp(const char *name, const void *brought, void (*finish)(const collective &),
                  place at) {
  thread &t = self();
  if (t.group->live != full_mask)
    t.block->owner->fault(t, cat(name, " needs all 32 lanes of the warp; some have ended"), at);
  meet(t, name, full_mask, reinterpret_cast<uintptr_t>(brought), 0, at, finish);
}

void warp_sync(uint32_t mask, place at) { meet(self(), "warp_sync", mask, 0, 0, at); }

// Which lane is elected is the hardware's choice; it is the same one for the same mask.
bool elect_one(place at) {
  thread &t = self();
  uint32_t lanes = meet(t, "elect_one", full_mask, 0, t.lane, at).lanes;
  if (const uint64_t seed = t.block->owner->order.seed)
    for (size_t skip = random_source(seed).below(std::popcount(lanes)); skip != 0; --skip)
      lanes &= lanes - 1;
  return t.lane == static_cast<unsigned>(std::countr_zero(lanes));
}

uint32_t ballot(uint32_t mask, bool predicate, place at) {
  return meet(self(), "ballot", mask, predicate, 0, at).votes;
}

uint64_t exchange(uint32_t mask, uint64_t value, unsigned from, const char *what, place at) {
  return meet(self(), what, mask, value, from, at).value;
}

namespace {

// Registers of every thread of the warp, from or to the CTA's pool.
bool try_set(warp &w, unsigned count) {
  const unsigned lanes = 32;
  if (count > w.registers) {
    const unsigned more = (count - w.registers) * lanes;
    if (more > w.block->free_registers)
      return false;
    w.block->free_registers -= more;
  } else {
    w.block->free_registers += (w.registers - count) * lanes;
  }
  w.registers = count;
  return true;
}

void wake_register_waiters(cta &block) {
  for (thread &t : block.threads)
    if (t.wait.what == waiting::kind::registers)
      block.owner->wake(t);
}

} // namespace

void set_registers(unsigned count, bool raise, place at) {
  thread &t = self();
  warp &w = *t.group;
  machine &m = *t.block->owner;
  if (count < 24 || count > 256 || count % 8 != 0)
    m.fault(t, cat("setmaxnreg to ", count, "; counts are multiples of 8 in 24 .. 256"), at);
  const uint32_t lanes = meet(t, registers_name, full_mask, 0, t.lane, at).lanes;
  const bool is_first = t.lane == static_cast<unsigned>(std::countr_zero(lanes));
  if (is_first && (raise ? count < w.registers : count > w.registers))
    m.fault(t,
            cat("setmaxnreg.", raise ? "inc" : "dec", " to ", count, " in a warp that has ",
                w.registers, " registers a thread"),
            at);
  if (is_first && count != w.registers) {
    while (!try_set(w, count)) {
      waiting wait;
      wait.what = waiting::kind::registers;
      wait.at = at;
      wait.number = count;
      m.block(t, wait);
    }
    m.progress();
    if (!raise)
      wake_register_waiters(*t.block);
  }
  meet(t, registers_name, full_mask, 0, t.lane, at);
}

// A warpgroup shares one count: a warp that did not take part makes the hardware's state undefined.
void check_registers_at_end(cta &block) {
  for (size_t first = 0; first + 4 <= block.warps.size(); first += 4)
    for (size_t w = first + 1; w < first + 4; ++w)
      if (block.warps[w].registers != block.warps[first].registers)
        return block.owner->stop(
            cat("warps ", first, " and ", w, " of one warpgroup ended with ",
                block.warps[first].registers, " and ", block.warps[w].registers,
                " registers a thread: all four warps must run the same setmaxnreg\n  in ",
                describe(block)));
}

} // namespace tsk::sim
