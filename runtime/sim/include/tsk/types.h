// Types of values, as in the GPU's header; an array's index is checked.
#pragma once

#include <tsk/macros.h>
#include <tsk/math.h>
#include <tsk/scalars.h>
#include <tsk/sim/machine.h>
#include <tsk/vec.h>

#include <cstdint>

namespace tsk {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace sim {

// An index that knows where it was written: operator[] takes no default argument.
struct array_index {
  int value;
  place at;
  constexpr array_index(int number, place where = TSK_SIM_HERE) : value(number), at(where) {}
};
[[noreturn]] void array_fault(int index, int size, place at);

} // namespace sim

template <typename T, int N> struct array {
  T values[N];

  T &operator[](sim::array_index i) {
    if (static_cast<unsigned>(i.value) >= static_cast<unsigned>(N)) [[unlikely]]
      sim::array_fault(i.value, N, i.at);
    return values[i.value];
  }
  const T &operator[](sim::array_index i) const { return const_cast<array &>(*this)[i]; }
  static constexpr int size() { return N; }
};

} // namespace tsk
