// A matrix that a warpgroup keeps in its registers, as the tensor cores leave it there: each of the
// 128 threads has two elements of every second row of eight columns. The same for a GPU and for the
// simulator; the task begins at a warp whose number is a multiple of four.
#pragma once

#include <tsk/types.h>

#include <type_traits>

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

// ---- What the instructions take -----------------------------------------------------------------

namespace detail {

template <typename T, typename... Ts>
inline constexpr bool is_one_of = (std::is_same<T, Ts>::value || ...);

// What products of these elements are summed up in; void: they are not multiplied.
template <typename T>
using wgmma_sum = std::conditional_t<is_one_of<T, bf16, f16, tf32, f8e4m3, f8e5m2>, f32,
                                     std::conditional_t<is_one_of<T, i8, u8>, i32, void>>;

// Of operands of so many rows (0: as many as a part of a tile says) and columns.
template <typename Left, int LeftRows, int LeftDepth, typename Right, int RightRows, int RightDepth,
          typename Sum, int N>
struct wgmma_rules {
  using sum = wgmma_sum<Left>;
  static_assert(std::is_same<Left, Right>::value, "operands of one type");
  static_assert(!std::is_void<sum>::value, "operands of bf16, f16, tf32, f8e4m3, f8e5m2, i8 or u8");
  static_assert(std::is_void<sum>::value || std::is_same<Sum, sum>::value,
                "floats are summed up in f32, integers in i32");
  static_assert(!std::is_same<sum, i32>::value || N <= 32 || N % 16 == 0,
                "of 8-bit integers: columns by 16 from 32 on");
  static_assert(LeftDepth == RightDepth, "operands of one depth");
  static_assert(LeftDepth * sizeof(Left) % 32 == 0, "an instruction takes 32 bytes of the depth");
  static_assert(LeftRows == 0 || LeftRows == 64,
                "the first operand has 64 rows: take `rows(first, 64)` of it");
  static_assert(RightRows == 0 || RightRows == N,
                "the second operand has as many rows as the fragment columns");
  static constexpr bool hold = true;
};

// Of a tile of `To` and a fragment of `From`.
template <typename To, typename From, int TileColumns, int Columns> struct stmatrix_rules {
  static_assert(std::is_same<To, From>::value && (sizeof(To) == 2 || sizeof(To) == 4),
                "16-bit or 32-bit elements of one type");
  static_assert(TileColumns == Columns && Columns % 16 == 0,
                "as many columns as the fragment has, by 16");
  static constexpr bool hold = true;
};
template <typename To, typename From, int TileColumns> struct stmatrix_transposed_rules {
  static_assert(std::is_same<To, From>::value && (sizeof(To) == 2 || sizeof(To) == 4),
                "16-bit or 32-bit elements of one type");
  static_assert(TileColumns == 64, "as many columns as rows: 64");
  static constexpr bool hold = true;
};

} // namespace detail

} // namespace tsk
