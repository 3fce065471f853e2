#include "memory_rounds.h"

#include "../machine.h"

#include <algorithm>

namespace tsk::sim {

// Lines of 128 bytes.
constexpr unsigned line_bits = 7;

void memory_rounds::fold(cta_state &block) {
  totals most;
  for (warp_state &state : block.warps) {
    close(state, /*is_whole=*/false);
    if (state.count.rounds > most.rounds)
      most = state.count;
  }
  folded.rounds += most.rounds;
  folded.serial += most.serial;
  block.warps.clear();
}

void memory_rounds::close(warp_state &state, bool is_whole) {
  if (!state.is_open)
    return;
  unsigned most = 0;
  for (const auto &[site, times] : state.times)
    most = std::max(most, times);
  state.count.rounds += is_whole ? 1 : static_cast<double>(most) / unrolled;
  state.is_open = false;
}

memory_rounds::warp_state &memory_rounds::state_of(const warp &w, cta_state *&block) {
  cta_state &state = ctas[w.block];
  const index3 &index = w.block->index;
  if (!state.is_begun || state.index.x != index.x || state.index.y != index.y ||
      state.index.z != index.z) { // another CTA in the same memory
    fold(state);
    state = {true, index, {}, {}};
    state.warps.resize(w.block->warps.size());
  }
  block = &state;
  return state.warps[w.index];
}

void memory_rounds::on_load(const warp &w, unsigned site, uint64_t first, uint64_t last) {
  cta_state *block = nullptr;
  warp_state &state = state_of(w, block);
  const bool is_new_first = block->lines.insert(first >> line_bits).second;
  const bool is_new_last = block->lines.insert(last >> line_bits).second;
  auto time = std::find_if(state.times.begin(), state.times.end(),
                           [&](const auto &other) { return other.first == site; });
  if (state.is_open && time != state.times.end() && time->second == unrolled)
    close(state, /*is_whole=*/true);
  if (!state.is_open && (is_new_first || is_new_last)) {
    state.is_open = true;
    state.times.clear();
    time = state.times.end();
    state.has_stored = false;
  }
  if (!state.is_open)
    return;
  if (time == state.times.end())
    state.times.emplace_back(site, 1);
  else
    ++time->second;
}

void memory_rounds::on_barrier(const warp &w, bool is_of_cta) {
  cta_state *block = nullptr;
  warp_state &state = state_of(w, block);
  state.count.serial += is_of_cta && state.is_open && state.has_stored ? 1 : 0;
  close(state, /*is_whole=*/true);
}

void memory_rounds::on_shared_store(const warp &w) {
  cta_state *block = nullptr;
  state_of(w, block).has_stored = true;
}

memory_rounds::totals memory_rounds::total() {
  for (auto &[number, block] : ctas)
    fold(block);
  ctas.clear();
  return folded;
}

} // namespace tsk::sim
