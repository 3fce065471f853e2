// The tensor cores of every GPU since Ampere for the simulator: what all lanes of a warp do
// together (machine/matrices.cpp). Included by device.cuh.
#pragma once

#include <tsk/mma.h>

#include <cstring>

namespace tsk {

namespace detail {
template <typename View>
using view_element = std::remove_const_t<std::remove_pointer_t<decltype(View::pointer)>>;

template <int Count, bool IsTransposed, typename View>
array<view_element<View>, 2 * Count> load_matrices(View from, int row, int column, sim::place at) {
  static_assert(Count == 1 || Count == 2 || Count == 4, "one, two or four matrices");
  static_assert(sizeof(view_element<View>) == 2, "of 16-bit elements");
  // The places that other lanes give do not count.
  const void *begin = lane() < 8 * Count ? &from.template vec<8>(row, column, at) : nullptr;
  uint32_t pairs[Count];
  sim::load_matrices(begin, Count, IsTransposed, pairs, at);
  array<view_element<View>, 2 * Count> elements;
  std::memcpy(static_cast<void *>(elements.values), pairs, sizeof pairs);
  return elements;
}
} // namespace detail

template <int Count, typename View>
array<detail::view_element<View>, 2 * Count> ldmatrix(View from, int row, int column,
                                                      sim::place at = TSK_SIM_HERE) {
  return detail::load_matrices<Count, false>(from, row, column, at);
}
template <int Count, typename View>
array<detail::view_element<View>, 2 * Count> ldmatrix_transposed(View from, int row, int column,
                                                                 sim::place at = TSK_SIM_HERE) {
  return detail::load_matrices<Count, true>(from, row, column, at);
}

#define TSK_PLACE , sim::place at = TSK_SIM_HERE
#define TSK_THERE , at
TSK_LDMATRIX_FORMS(inline, TSK_PLACE, TSK_THERE)
#undef TSK_PLACE
#undef TSK_THERE
#undef TSK_LDMATRIX_FORMS

template <typename T>
void mma(mma_c &c, const mma_a<T> &a, const mma_b<T> &b, sim::place at = TSK_SIM_HERE) {
  static_assert(std::is_same<T, f16>::value || std::is_same<T, bf16>::value, "f16 or bf16");
  float x[8], y[4];
  for (int i = 0; i < 8; ++i)
    x[i] = static_cast<float>(a.values[i]);
  for (int i = 0; i < 4; ++i)
    y[i] = static_cast<float>(b.values[i]);
  sim::multiply_in_warp({x, y, c.values}, at);
}

} // namespace tsk
