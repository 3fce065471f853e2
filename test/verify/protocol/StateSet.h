// States of equal width, each kept once, in the order of their discovery.
#pragma once

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
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < width; ++i)
      hash = (hash ^ static_cast<uint16_t>(state[i])) * 0x100000001b3ull;
    size_t slot = (hash ^ hash >> 29) & (slots.size() - 1);
    while (slots[slot] != 0 && std::memcmp(pool.data() + (slots[slot] - 1) * width, state,
                                           width * sizeof(int16_t)) != 0)
      slot = (slot + 1) & (slots.size() - 1);
    return slot;
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
