#include "races.h"

#include "../machine.h"
#include "../text.h"

#include <algorithm>
#include <bit>

namespace tsk::sim {

// ---- Clocks
// -------------------------------------------------------------------------------------

race_checker::cta_state &race_checker::state_of(const cta &block) {
  cta_state &state = ctas[&block];
  if (state.is_begun && state.index.x == block.index.x && state.index.y == block.index.y &&
      state.index.z == block.index.z)
    return state;
  state = {}; // another CTA in the same memory
  state.is_begun = true;
  state.index = block.index;
  state.warps.assign(block.warps.size(), clock(block.warps.size(), 0));
  for (size_t w = 0; w < state.warps.size(); ++w)
    state.warps[w][w] = 1;
  state.words.resize((block.shared_bytes + 3) / 4);
  return state;
}

void race_checker::join(clock &into, const clock &from) {
  into.resize(std::max(into.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    into[i] = std::max(into[i], from[i]);
}

void race_checker::on_arrival(const thread &t, const void *barrier) {
  cta_state &state = state_of(*t.block);
  clock &mine = state.warps[t.warp];
  join(state.barriers[barrier].arrived, mine);
  ++mine[t.warp]; // what follows is not covered by the arrival
}

void race_checker::on_completion(const thread &of_its_cta, const void *barrier) {
  barrier_clocks &clocks = state_of(*of_its_cta.block).barriers[barrier];
  join(clocks.over, clocks.arrived);
  clocks.arrived.clear();
}

void race_checker::on_pass(const thread &t, const void *barrier) {
  cta_state &state = state_of(*t.block);
  join(state.warps[t.warp], state.barriers[barrier].over);
}

// ---- Accesses
// -----------------------------------------------------------------------------------

bool race_checker::is_ordered(const clock &now, unsigned warp, const access &earlier,
                              uint8_t bytes) {
  return earlier.when == 0 || earlier.who == warp || (earlier.bytes & bytes) == 0 ||
         now[earlier.who] >= earlier.when;
}

const race_checker::access *race_checker::conflict(const clock &now, unsigned warp, const word &w,
                                                   uint8_t bytes, bool is_store) const {
  if (!is_ordered(now, warp, w.write, bytes))
    return &w.write;
  if (!is_store)
    return nullptr;
  if (!is_ordered(now, warp, w.read, bytes))
    return &w.read;
  return is_ordered(now, warp, w.older_read, bytes) ? nullptr : &w.older_read;
}

std::optional<std::string> race_checker::on_access(const warp &w, const access_row &row,
                                                   uint32_t mask) {
  cta_state &state = state_of(*w.block);
  const clock &now = state.warps[w.index];
  const auto shared = reinterpret_cast<uintptr_t>(w.block->shared);
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const logged_access &lane = row[std::countr_zero(lanes) & 31];
    const access_site &site = sites.accesses[lane.site()];
    const uint64_t begin = lane.address() - shared, end = begin + site.bytes;
    for (uint64_t at = begin / 4 * 4; at < end && at / 4 < state.words.size(); at += 4) {
      word &touched = state.words[at / 4];
      const uint64_t first = std::max(begin, at), last = std::min(end, at + 4);
      const auto bytes = static_cast<uint8_t>(((1u << (last - first)) - 1) << (first - at));
      if (const access *other = conflict(now, w.index, touched, bytes, site.is_store != 0))
        return report(w, reinterpret_cast<const void *>(shared + at), lane.site(), *other);
      const access mine{now[w.index], static_cast<uint16_t>(lane.site()),
                        static_cast<uint8_t>(w.index), bytes};
      if (site.is_store != 0) {
        touched = {mine, {}, {}};
      } else if (touched.read.when == 0 || touched.read.who == w.index) {
        touched.read = mine;
      } else {
        touched.older_read = touched.read;
        touched.read = mine;
      }
    }
  }
  return std::nullopt;
}

std::string race_checker::report(const warp &w, const void *address, unsigned site,
                                 const access &other) const {
  const auto describe_access = [&](unsigned warp_index, unsigned number) {
    const access_site &where = sites.accesses[number];
    return cat(where.is_store != 0 ? "written" : "read", " by ",
               describe_warp(*w.block, warp_index), " at ", sites.files[where.file], ":",
               where.line);
  };
  return cat("a race in ", memory_label(*w.block, address), ": ",
             describe_access(other.who, other.site), "\n  and ", describe_access(w.index, site),
             "; no barrier orders the two\n  in ", describe(*w.block));
}

} // namespace tsk::sim
