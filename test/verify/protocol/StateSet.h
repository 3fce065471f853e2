// States of equal width, each kept once, in the order of their discovery.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tsk::protocol::oracle {

class StateSet {
public:
  void setWidth(int numbers) {
    width = static_cast<size_t>(numbers);
    slots.assign(1 << 12, 0);
  }
  size_t count() const { return number; }
  void get(size_t index, std::vector<int16_t> &state) const {
    state.assign(pool.begin() + static_cast<std::ptrdiff_t>(index * width),
                 pool.begin() + static_cast<std::ptrdiff_t>((index + 1) * width));
  }
  void insert(const std::vector<int16_t> &state) {
    if (2 * number >= slots.size())
      grow();
    size_t slot = find(state.data());
    if (slots[slot] != 0)
      return;
    pool.insert(pool.end(), state.begin(), state.end());
    slots[slot] = static_cast<uint32_t>(++number);
  }

private:
  size_t find(const int16_t *state) const {
    size_t slot = hashOf(state) & (slots.size() - 1);
    while (slots[slot] != 0 && std::memcmp(pool.data() + (slots[slot] - 1) * width, state,
                                           width * sizeof(int16_t)) != 0)
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
  }
  // Four numbers at a time.
  uint64_t hashOf(const int16_t *state) const {
    uint64_t hash = width;
    for (size_t i = 0; i < width; i += 4) {
      uint64_t word = 0;
      std::memcpy(&word, state + i, std::min<size_t>(4, width - i) * sizeof(int16_t));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 32;
    }
    return hash;
  }
  void grow() {
    slots.assign(2 * slots.size(), 0);
    for (size_t i = 0; i < number; ++i)
      slots[find(pool.data() + i * width)] = static_cast<uint32_t>(i + 1);
  }

  size_t width = 0, number = 0;
  std::vector<int16_t> pool;
  std::vector<uint32_t> slots; // number of a state + 1; 0: free
};

} // namespace tsk::protocol::oracle
