// Random numbers that are the same on every machine; the standard library's distributions are not.
#pragma once

#include <cstdint>
#include <vector>

namespace tsk::protocol::oracle {

class Random { // xorshift
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ull + 1) {
    for (int i = 0; i < 8; ++i)
      next();
  }
  uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  int below(int n) { return static_cast<int>((next() >> 33) % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &from) {
    return from[below(static_cast<int>(from.size()))];
  }
  template <typename T> T pick(std::initializer_list<T> from) {
    return from.begin()[below(static_cast<int>(from.size()))];
  }

private:
  uint64_t state;
};

} // namespace tsk::protocol::oracle
