// Types of values: the language's elements (scalars.h), integers, arrays and vectors.
#pragma once

#include <tsk/macros.h>
#include <tsk/math.h>
#include <tsk/scalars.h>
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

// N elements that a thread keeps in registers: index it with constants (unrolled loops) only.
template <typename T, int N> struct array {
  T values[N];

  TSK_HOST_DEVICE T &operator[](int i) { return values[i]; }
  TSK_HOST_DEVICE const T &operator[](int i) const { return values[i]; }
  TSK_HOST_DEVICE static constexpr int size() { return N; }
};

} // namespace tsk
