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

} // namespace

global_cost cost_of_global(const warp_access &access) {
  return {count_units(access, 128), count_units(access, 32)};
}

shared_cost cost_of_shared(const warp_access &access) {
  const unsigned lanes = access.bytes <= 4 ? 32 : access.bytes <= 8 ? 16 : 8;
  shared_cost total;
  for (unsigned first = 0; first < 32; first += lanes) {
    const shared_cost phase = cost_of_phase(access, first, lanes);
    total.wavefronts += phase.wavefronts;
    total.without_conflicts += phase.without_conflicts;
  }
  return total;
}

} // namespace tsk::sim
