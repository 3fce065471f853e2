// A small generator with a defined sequence (splitmix64): the same seed gives the same run
// everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tsk::sim {

class random_source {
public:
  explicit random_source(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 … n - 1; n > 0. The bias of the modulus does not matter for picking an order.
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }

  template <typename T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[below(i)]);
  }

private:
  uint64_t state;
};

} // namespace tsk::sim
