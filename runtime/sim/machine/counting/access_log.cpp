#include "access_log.h"

#include "../machine.h"
#include "counters.h"
#include "sites.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

uint64_t tsk_sim_context = 0;

namespace tsk::sim {

namespace {

// Where the running lane writes its next access; null outside of lanes.
logged_access *next_entry = nullptr;
logged_access *behind_last_row = nullptr;

bool are_equal(const access_row &row, uint32_t mask) {
  const logged_access &first = row[std::countr_zero(mask)];
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const logged_access &other = row[std::countr_zero(lanes)];
    if (other.site() != first.site() || other.context != first.context)
      return false;
  }
  return true;
}

} // namespace

void access_log::begin(const warp &w) {
  live = w.live;
  together = true;
  paused = 0;
}

bool access_log::has_rows(unsigned lane) const { return next_entry != &table[0][lane]; }

void access_log::lane_begins(unsigned lane) {
  next_entry = &table[0][lane];
  behind_last_row = &table[0][0] + rows * 32;
}

void access_log::lane_ends(unsigned lane) {
  counts[lane] = static_cast<unsigned>((next_entry - &table[0][lane]) / 32);
  next_entry = nullptr;
}

uint32_t access_log::take_rows() {
  const unsigned most = *std::max_element(counts, counts + 32);
  uint32_t mask = 0;
  unsigned fewest = 0; // of those in the mask
  for (unsigned row = 0; row < most; ++row) {
    if (row >= fewest) {
      mask = 0;
      fewest = most;
      for (unsigned lane = 0; lane < 32; ++lane)
        if (counts[lane] > row) {
          mask |= 1u << lane;
          fewest = std::min(fewest, counts[lane]);
        }
    }
    take_row(table[row], mask);
  }
  std::fill(counts, counts + 32, 0u);
  return std::exchange(paused, 0);
}

void access_log::take_row(const access_row &row, uint32_t mask) {
  if (together) {
    if (sink.take_known(row, mask))
      return;
    if (are_equal(row, mask))
      return sink.take(row, mask);
    together = false;
  }
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    collect(lane, row[lane]);
  }
}

void access_log::collect(unsigned lane, const logged_access &access) {
  std::vector<instruction> &occurrences = open[{access.site(), access.context}];
  auto mine = std::find_if(occurrences.begin(), occurrences.end(), [&](const instruction &other) {
    return ((other.mask >> lane) & 1) == 0;
  });
  if (mine == occurrences.end()) {
    occurrences.emplace_back();
    mine = std::prev(occurrences.end());
  }
  mine->mask |= 1u << lane;
  mine->lanes[lane] = access;
  if (mine->mask != live)
    return;
  sink.take(mine->lanes, mine->mask);
  occurrences.erase(mine);
  if (occurrences.empty())
    open.erase({access.site(), access.context});
}

void access_log::end() {
  for (const auto &[where, occurrences] : open)
    for (const instruction &each : occurrences)
      sink.take(each.lanes, each.mask);
  open.clear();
}

namespace {

// The running lane's column is full.
void stand_aside() {
  thread &t = self();
  machine &m = *t.block->owner;
  m.counters->stands_aside(t);
  m.step_aside(t);
}

inline void log_access(uintptr_t address, uint32_t site) {
  logged_access *const entry = next_entry;
  if (entry == nullptr)
    return;
  entry->where = address | uint64_t{site} << 48;
  entry->context = tsk_sim_context;
  next_entry = entry + 32;
  if (entry + 32 >= behind_last_row) [[unlikely]]
    stand_aside();
}

} // namespace

} // namespace tsk::sim

using namespace tsk::sim;

void tsk_sim_access(uintptr_t address, uint32_t site) {
  if (address - counted_memory.begin < counted_memory.bytes)
    log_access(address, site);
}

// In accesses of 16 bytes, and of a word each behind them; the site of those follows.
void tsk_sim_access_range(uintptr_t address, uint64_t bytes, uint32_t site) {
  if (address - counted_memory.begin >= counted_memory.bytes)
    return;
  for (; bytes >= 16; bytes -= 16, address += 16)
    log_access(address, site);
  for (uint64_t at = 0; at < bytes; at += 4)
    log_access(address + at, site + 1);
}

void *tsk_sim_copy(void *to, const void *from, uint64_t bytes, uint32_t site) {
  tsk_sim_access_range(reinterpret_cast<uintptr_t>(from), bytes, site);
  tsk_sim_access_range(reinterpret_cast<uintptr_t>(to), bytes, site + 2);
  return std::memmove(to, from, bytes);
}

void *tsk_sim_fill(void *to, int value, uint64_t bytes, uint32_t site) {
  tsk_sim_access_range(reinterpret_cast<uintptr_t>(to), bytes, site);
  return std::memset(to, value, bytes);
}
