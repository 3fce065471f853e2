// vec<T, N>: N elements that are loaded and stored by one access of up to 16 bytes.
#pragma once

#include <tsk/macros.h>

namespace tsk {

template <typename T, int N> struct alignas(sizeof(T) * N) vec {
  static_assert((sizeof(T) * N & (sizeof(T) * N - 1)) == 0 && sizeof(T) * N <= 16,
                "a vec has 1, 2, 4, 8 or 16 bytes: one access of the hardware");

  T values[N];

  TSK_HOST_DEVICE T &operator[](int i) { return values[i]; }
  TSK_HOST_DEVICE const T &operator[](int i) const { return values[i]; }
};

} // namespace tsk
