// The tensor cores of every GPU since Ampere: multiplications of a warp, whose operands are in its
// registers, and the loads from shared memory that deal them out. Included by device.cuh.
#pragma once

#include <tsk/mma.h>
#include <tsk/ptx.cuh>

#include <cstring>

namespace tsk {

namespace detail {
template <int Count, typename T>
TSK_DEVICE array<T, 2 * Count> pairs_as(const array<u32, Count> &registers) {
  array<T, 2 * Count> elements;
  memcpy(elements.values, registers.values, sizeof elements.values);
  return elements;
}
template <typename View> TSK_DEVICE u32 row_address(View from, int row, int column) {
  return smem_address(&from.template vec<8>(row, column));
}
template <typename View>
using view_element = std::remove_const_t<std::remove_pointer_t<decltype(View::pointer)>>;
} // namespace detail

// Count matrices of 8 x 8, a pair of elements of each to a lane: of row lane / 4, or transposed of
// that column. All lanes of the warp call it.
template <int Count, typename View>
TSK_DEVICE array<detail::view_element<View>, 2 * Count> ldmatrix(View from, int row, int column) {
  static_assert(Count == 1 || Count == 2 || Count == 4, "one, two or four matrices");
  static_assert(sizeof(detail::view_element<View>) == 2, "of 16-bit elements");
  using element = detail::view_element<View>;
  const u32 address = detail::row_address(from, row, column);
  if constexpr (Count == 1)
    return detail::pairs_as<1, element>(ptx::ldmatrix_x1(address));
  else if constexpr (Count == 2)
    return detail::pairs_as<2, element>(ptx::ldmatrix_x2(address));
  else
    return detail::pairs_as<4, element>(ptx::ldmatrix_x4(address));
}
template <int Count, typename View>
TSK_DEVICE array<detail::view_element<View>, 2 * Count> ldmatrix_transposed(View from, int row,
                                                                            int column) {
  static_assert(Count == 1 || Count == 2 || Count == 4, "one, two or four matrices");
  static_assert(sizeof(detail::view_element<View>) == 2, "of 16-bit elements");
  using element = detail::view_element<View>;
  const u32 address = detail::row_address(from, row, column);
  if constexpr (Count == 1)
    return detail::pairs_as<1, element>(ptx::ldmatrix_transposed_x1(address));
  else if constexpr (Count == 2)
    return detail::pairs_as<2, element>(ptx::ldmatrix_transposed_x2(address));
  else
    return detail::pairs_as<4, element>(ptx::ldmatrix_transposed_x4(address));
}

#define TSK_NOTHING_MORE
TSK_LDMATRIX_FORMS(TSK_DEVICE, TSK_NOTHING_MORE, TSK_NOTHING_MORE)
#undef TSK_NOTHING_MORE
#undef TSK_LDMATRIX_FORMS

// c += a b. All lanes of the warp call it.
template <typename T> TSK_DEVICE void mma(mma_c &c, const mma_a<T> &a, const mma_b<T> &b) {
  static_assert(std::is_same<T, f16>::value || std::is_same<T, bf16>::value, "f16 or bf16");
  u32 x[4], y[2];
  memcpy(x, a.values, sizeof x);
  memcpy(y, b.values, sizeof y);
  array<f32, 4> sum;
  if constexpr (std::is_same<T, f16>::value)
    sum = ptx::mma_m16n8k16_f16(x[0], x[1], x[2], x[3], y[0], y[1], c[0], c[1], c[2], c[3]);
  else
    sum = ptx::mma_m16n8k16_bf16(x[0], x[1], x[2], x[3], y[0], y[1], c[0], c[1], c[2], c[3]);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    c[i] = sum[i];
}

} // namespace tsk
