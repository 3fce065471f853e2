// A matrix that a warpgroup keeps in its registers, as the tensor cores leave it there: each of the
// 128 threads has two elements of every second row of eight columns. The same for a GPU and for the
// simulator; the task begins at a warp whose number is a multiple of four.
#pragma once

#include <tsk/types.h>

namespace tsk {

template <typename T, int Rows, int Columns> struct fragment {
  static_assert(Rows == 64 && Columns % 8 == 0, "64 rows a warpgroup, columns by eights");
  static constexpr int count = Rows * Columns / 128;
  T values[count];

  // This thread's elements; index them with constants (unrolled loops) only.
  TSK_HOST_DEVICE T &operator[](int i) { return values[i]; }
  TSK_HOST_DEVICE const T &operator[](int i) const { return values[i]; }
  TSK_HOST_DEVICE static constexpr int size() { return count; }
  // Where element i of this thread stands in the matrix.
  TSK_DEVICE static int row(int i) { return warp_index() % 4 * 16 + lane() / 4 + i / 2 % 2 * 8; }
  TSK_DEVICE static int column(int i) { return i / 4 * 8 + lane() % 4 * 2 + i % 2; }
};

// Columns First .. First + Count of a fragment.
template <int First, int Count, typename T, int Rows, int Columns>
TSK_DEVICE fragment<T, Rows, Count> columns(const fragment<T, Rows, Columns> &from) {
  static_assert(First % 8 == 0 && First + Count <= Columns, "columns by eights");
  fragment<T, Rows, Count> part;
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int i = 0; i < part.size(); ++i)
    part[i] = from[First / 8 * 4 + i];
  return part;
}

template <typename To, typename From, int Rows, int Columns>
TSK_DEVICE fragment<To, Rows, Columns> convert(const fragment<From, Rows, Columns> &from) {
  fragment<To, Rows, Columns> to;
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int i = 0; i < to.size(); ++i)
    to[i] = static_cast<To>(from[i]);
  return to;
}
template <typename From, int Rows, int Columns>
TSK_DEVICE fragment<bf16, Rows, Columns> to_bf16(const fragment<From, Rows, Columns> &from) {
  return convert<bf16>(from);
}
template <typename From, int Rows, int Columns>
TSK_DEVICE fragment<f16, Rows, Columns> to_f16(const fragment<From, Rows, Columns> &from) {
  return convert<f16>(from);
}

} // namespace tsk
