#include "patterns.h"

#include <algorithm>

namespace tsk::sim {

namespace {

// Different values of `address / unit` among all bytes asked for.
unsigned count_units(const warp_access &access, uint64_t unit) {
  uint64_t units[64 * 2];
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (((access.mask >> lane) & 1) == 0)
      continue;
    const uint64_t first = access.addresses[lane] / unit;
    const uint64_t last = (access.addresses[lane] + access.bytes - 1) / unit;
    for (uint64_t u = first; u <= last && count < 128; ++u)
      units[count++] = u;
  }
  std::sort(units, units + count);
  return static_cast<unsigned>(std::unique(units, units + count) - units);
}

constexpr unsigned banks = 32, word_bytes = 4;

shared_cost cost_of_phase(const warp_access &access, unsigned first_lane, unsigned lanes) {
  uint64_t words[32 * 5];
  unsigned count = 0;
  for (unsigned lane = first_lane; lane < first_lane + lanes; ++lane) {
    if (((access.mask >> lane) & 1) == 0)
      continue;
    const uint64_t last = (access.addresses[lane] + access.bytes - 1) / word_bytes;
    for (uint64_t w = access.addresses[lane] / word_bytes; w <= last && count < 160; ++w)
      words[count++] = w;
  }
  if (count == 0)
    return {};
  std::sort(words, words + count);
  count = static_cast<unsigned>(std::unique(words, words + count) - words);
  unsigned in_bank[banks] = {};
  unsigned most = 0;
  for (unsigned i = 0; i < count; ++i)
    most = std::max(most, ++in_bank[words[i] % banks]);
  return {most, (count + banks - 1) / banks};
}

// Whether each lane of these asks for what the one with the number `lane ^ distance` asks for.
bool are_pairs(const warp_access &access, unsigned first_lane, unsigned lanes, unsigned distance) {
  for (unsigned lane = first_lane; lane < first_lane + lanes; ++lane) {
    const unsigned other = lane ^ distance;
    const bool both = ((access.mask >> lane) & (access.mask >> other) & 1) != 0;
    if (both && access.addresses[lane] != access.addresses[other])
      return false;
  }
  return true;
}

// Whether two phases are one, since there are at most half as many places as lanes. Stores of four
// lanes to one place stay apart.
bool go_together(const warp_access &access, unsigned first_lane, unsigned lanes) {
  const bool next = are_pairs(access, first_lane, lanes, 1);
  const bool second = are_pairs(access, first_lane, lanes, 2);
  return access.is_store ? next != second : next || second;
}

} // namespace

global_cost cost_of_global(const warp_access &access) {
  return {count_units(access, 128), count_units(access, 32)};
}

shared_cost cost_of_shared(const warp_access &access) {
  const unsigned lanes = access.bytes <= 4 ? 32 : access.bytes <= 8 ? 16 : 8;
  shared_cost total;
  for (unsigned first = 0; first < 32;) {
    const bool two =
        lanes < 32 && first % (2 * lanes) == 0 && go_together(access, first, 2 * lanes);
    const unsigned together = two ? 2 * lanes : lanes;
    const shared_cost phase = cost_of_phase(access, first, together);
    total.wavefronts += phase.wavefronts;
    total.without_conflicts += phase.without_conflicts;
    first += together;
  }
  return total;
}

} // namespace tsk::sim
