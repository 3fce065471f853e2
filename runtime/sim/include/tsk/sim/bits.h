// What C++20 has in <bit>, for the headers that generated code includes: that is C++17.
#pragma once

namespace tsk::sim {

template <typename To, typename From> constexpr To bit_cast(From value) {
  static_assert(sizeof(To) == sizeof(From), "the same number of bits");
  return __builtin_bit_cast(To, value);
}

} // namespace tsk::sim
