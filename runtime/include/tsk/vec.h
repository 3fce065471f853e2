// vec<T, N>: N elements that are loaded and stored by one access of up to 16 bytes.
#pragma once

#include <tsk/macros.h>

namespace tsk {

template <typename T, int N> struct alignas(sizeof(T) * N) vec {
  static_assert((sizeof(T) * N & (sizeof(T) * N - 1)) == 0 && sizeof(T) * N <= 16,
                "a vec has 1, 2, 4, 8 or 16 bytes: one access of the hardware");

  T values[N];

#if defined(TSK_SIM_COUNTED) && defined(__clang__)
  // Clang would copy what is used, element by element; an access of the hardware is one here too.
  using whole = T __attribute__((vector_size(sizeof(T) * N), may_alias));
  vec() = default;
  template <typename... Values, int Given = sizeof...(Values),
            decltype(sizeof(char[Given > 0 && Given <= N ? 1 : -1])) = 0>
  constexpr vec(Values... given) : values{static_cast<T>(given)...} {}
  __attribute__((always_inline, nodebug)) vec(const vec &other) { *this = other; }
  __attribute__((always_inline, nodebug)) vec &operator=(const vec &other) {
    *reinterpret_cast<whole *>(values) = *reinterpret_cast<const whole *>(other.values);
    return *this;
  }
#endif

  TSK_HOST_DEVICE T &operator[](int i) { return values[i]; }
  TSK_HOST_DEVICE const T &operator[](int i) const { return values[i]; }
};

} // namespace tsk
