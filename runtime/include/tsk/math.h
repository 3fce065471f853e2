// Small functions of integers and floats that schedules and bodies use.
#pragma once

#include <tsk/macros.h>

#include <type_traits>

namespace tsk {

template <typename T> TSK_HOST_DEVICE constexpr T min(T a, T b) { return b < a ? b : a; }
template <typename T> TSK_HOST_DEVICE constexpr T max(T a, T b) { return a < b ? b : a; }
// Of integers; rounds towards positive infinity.
template <typename T> TSK_HOST_DEVICE constexpr T ceil_div(T a, T b) {
  return a / b + (a % b != 0 && (a % b > 0) == (b > 0));
}

namespace detail {

// The type in which C++ computes with two different ones.
template <typename A, typename B>
using common_number =
    std::enable_if_t<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                         !std::is_same<A, B>::value,
                     decltype(A() + B())>;

} // namespace detail

template <typename A, typename B>
TSK_HOST_DEVICE constexpr detail::common_number<A, B> min(A a, B b) {
  using T = detail::common_number<A, B>;
  return min(T(a), T(b));
}
template <typename A, typename B>
TSK_HOST_DEVICE constexpr detail::common_number<A, B> max(A a, B b) {
  using T = detail::common_number<A, B>;
  return max(T(a), T(b));
}
template <typename A, typename B>
TSK_HOST_DEVICE constexpr detail::common_number<A, B> ceil_div(A a, B b) {
  using T = detail::common_number<A, B>;
  return ceil_div(T(a), T(b));
}

// Moves a pipeline's place past as many stages as a loop from `from` to `to` has iterations.
template <int Stages>
TSK_HOST_DEVICE void pass_stages(int &stage, unsigned &parity, int from, int to) {
  if (from >= to)
    return;
  const unsigned place = static_cast<unsigned>(stage) + (static_cast<unsigned>(to) - from);
  parity ^= place / Stages & 1;
  stage = static_cast<int>(place % Stages);
}

} // namespace tsk
