// What stands before the bodies that are read: CUDA, the runtime, and what only the reader needs.
#pragma once

#include "cuda_runtime.h"

#include <tsk/device.cuh>
#include <tsk/fragment.h>

namespace tsk::reading {

// A stage of a field that TMA knows: which of the two a work needs is what the reader finds out.
template <typename T, int... Dims> struct field : smem_tile<T, Dims...>, tma_tile<T, Dims...> {};

// Writes down what the reader knows of the value here: for the reader's tests.
template <typename T> __device__ void claim(long long number, T value);

} // namespace tsk::reading

namespace tsk::detail {

// An operand: a tile of two dimensions, or rows of one. How it lies is asked elsewhere.
template <typename Operand> struct wgmma_operand {
  static_assert(sizeof(Operand) == 0, "an operand is a field of two dimensions, or rows of one");
};
template <typename T, int Rows, int Depth> struct wgmma_operand<smem_tile<T, Rows, Depth>> {
  using element = std::remove_const_t<T>;
  static constexpr int rows = Rows, depth = Depth;
};
template <typename T, int Rows, int Depth>
struct wgmma_operand<reading::field<T, Rows, Depth>> : wgmma_operand<smem_tile<T, Rows, Depth>> {};
template <typename T, int Span, int Rows, int Depth>
struct wgmma_operand<swizzled_tile<T, Span, Rows, Depth>>
    : wgmma_operand<smem_tile<T, Rows, Depth>> {};
template <typename Tile> struct wgmma_operand<tile_rows<Tile>> : wgmma_operand<Tile> {
  static constexpr int rows = 0;
};

template <typename Tile> using element_of = std::remove_pointer_t<decltype(Tile::pointer)>;

} // namespace tsk::detail

// Known by name (Primitives.def): what they do is not read.
namespace tsk {
template <typename Sum, int N, typename A, typename B>
__device__ void wgmma(fragment<Sum, 64, N> &, A, B, bool) {
  using left = detail::wgmma_operand<A>;
  using right = detail::wgmma_operand<B>;
  static_assert(
      detail::wgmma_rules<typename left::element, left::rows, left::depth, typename right::element,
                          right::rows, right::depth, Sum, N>::hold);
}
template <typename... Arguments> __device__ void tma_store(Arguments &&...);

// As stores by the threads, which it is.
template <typename Tile, typename T, int Columns>
__device__ void stmatrix(tile_rows<Tile> to, const fragment<T, 64, Columns> &from) {
  static_assert(detail::stmatrix_rules<detail::element_of<Tile>, T, Tile::columns, Columns>::hold);
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.row(i), from.column(i)) = from[i];
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix(Tile to, const fragment<T, 64, Columns> &from) {
  stmatrix(to.rows(0, 64), from);
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix_transposed(tile_rows<Tile> to, const fragment<T, 64, Columns> &from) {
  static_assert(
      detail::stmatrix_transposed_rules<detail::element_of<Tile>, T, Tile::columns>::hold);
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.column(i), from.row(i)) = from[i];
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix_transposed(Tile to, const fragment<T, 64, Columns> &from) {
  stmatrix_transposed(to.rows(0, Columns), from);
}
} // namespace tsk

// The primitives that the runtime does not have yet: a body that uses one is read all the same.
namespace tsk {

template <typename... Arguments> __device__ void tma_reduce(Arguments &&...);
template <typename... Arguments> __device__ void cp_async(Arguments &&...);
template <typename... Arguments> __device__ void umma(Arguments &&...);
template <typename... Arguments> __device__ void umma_pair(Arguments &&...);
template <typename... Arguments> __device__ void tmem_load(Arguments &&...);
template <typename... Arguments> __device__ void tmem_store(Arguments &&...);
template <typename... Arguments> __device__ void task_sync(Arguments &&...);

} // namespace tsk
