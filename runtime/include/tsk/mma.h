// Matrices that a warp keeps in its registers, as mma.m16n8k16 deals them out to its lanes (PTX
// ISA, "Matrix Fragments for mma.m16n8k16"): element i of this thread stands at row(i), column(i).
// The same for a GPU and for the simulator.
#pragma once

#include <tsk/types.h>

namespace tsk {

namespace detail {
template <typename T, int Count> struct warp_matrix {
  T values[Count];

  // Index them with constants (unrolled loops) only.
  TSK_HOST_DEVICE T &operator[](int i) { return values[i]; }
  TSK_HOST_DEVICE const T &operator[](int i) const { return values[i]; }
  TSK_HOST_DEVICE static constexpr int size() { return Count; }
};
} // namespace detail

// The first operand, 16 x 16.
template <typename T> struct mma_a : detail::warp_matrix<T, 8> {
  static_assert(sizeof(T) == 2, "f16 or bf16");
  TSK_DEVICE static int row(int i) { return lane() / 4 + i / 2 % 2 * 8; }
  TSK_DEVICE static int column(int i) { return lane() % 4 * 2 + i % 2 + i / 4 * 8; }
};

// The second, 16 x 8.
template <typename T> struct mma_b : detail::warp_matrix<T, 4> {
  static_assert(sizeof(T) == 2, "f16 or bf16");
  TSK_DEVICE static int row(int i) { return lane() % 4 * 2 + i % 2 + i / 2 * 8; }
  TSK_DEVICE static int column(int) { return lane() / 4; }
};

// What is added to, 16 x 8.
struct mma_c : detail::warp_matrix<f32, 4> {
  TSK_DEVICE static int row(int i) { return lane() / 4 + i / 2 * 8; }
  TSK_DEVICE static int column(int i) { return lane() % 4 * 2 + i % 2; }
};

// ---- Where ldmatrix finds them
// -------------------------------------------------------------------
//
// Each lane gives the place of eight elements beside each other: lanes 0 .. 7 the rows of the first
// matrix of 8 x 8, 8 .. 15 those of the second, and so on. `ldmatrix<Count>(from, row, column)` and
// `ldmatrix_transposed<Count>(…)` are the instruction itself; what follows says it of operands.

#define TSK_LDMATRIX_FORMS(Function, Place, Here)                                                  \
  /* The 16 x 16 elements of `from` that begin at this row and column. */                          \
  template <typename T, typename View>                                                             \
  Function void ldmatrix(mma_a<T> &a, View from, int row, int column Place) {                      \
    const auto all = ldmatrix<4>(from, row + lane() % 16, column + lane() / 16 * 8 Here);          \
    detail::take(a, all, 0);                                                                       \
  }                                                                                                \
  /* Of a matrix that is stored transposed: `row` counts the operand's columns. */                 \
  template <typename T, typename View>                                                             \
  Function void ldmatrix_transposed(mma_a<T> &a, View from, int row, int column Place) {           \
    const auto all = ldmatrix_transposed<4>(from, row + lane() % 8 + lane() / 16 * 8,              \
                                            column + lane() / 8 % 2 * 8 Here);                     \
    detail::take(a, all, 0);                                                                       \
  }                                                                                                \
  /* The second operand lies with its columns as rows, as wgmma wants them: 8 rows of 16. */       \
  template <typename T, typename View>                                                             \
  Function void ldmatrix(mma_b<T> &b, View from, int row, int column Place) {                      \
    const auto all = ldmatrix<2>(from, row + lane() % 8, column + lane() / 8 % 2 * 8 Here);        \
    detail::take(b, all, 0);                                                                       \
  }                                                                                                \
  /* It lies as it is: 16 rows of 8. */                                                            \
  template <typename T, typename View>                                                             \
  Function void ldmatrix_transposed(mma_b<T> &b, View from, int row, int column Place) {           \
    const auto all = ldmatrix_transposed<2>(from, row + lane() % 16, column Here);                 \
    detail::take(b, all, 0);                                                                       \
  }                                                                                                \
  /* Two of them by one instruction, the second behind the first: its columns 8 .. 16. */          \
  template <typename T, typename View>                                                             \
  Function void ldmatrix(mma_b<T> &b, mma_b<T> &next, View from, int row, int column Place) {      \
    const auto all =                                                                               \
        ldmatrix<4>(from, row + lane() % 8 + lane() / 16 * 8, column + lane() / 8 % 2 * 8 Here);   \
    detail::take(b, all, 0);                                                                       \
    detail::take(next, all, 4);                                                                    \
  }                                                                                                \
  template <typename T, typename View>                                                             \
  Function void ldmatrix_transposed(mma_b<T> &b, mma_b<T> &next, View from, int row,               \
                                    int column Place) {                                            \
    const auto all =                                                                               \
        ldmatrix_transposed<4>(from, row + lane() % 16, column + lane() / 16 * 8 Here);            \
    detail::take(b, all, 0);                                                                       \
    detail::take(next, all, 4);                                                                    \
  }

namespace detail {
template <typename T, int Count, typename From, int All>
TSK_DEVICE void take(warp_matrix<T, Count> &to, const array<From, All> &from, int first) {
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int i = 0; i < Count; ++i)
    to.values[i] = from.values[first + i];
}
} // namespace detail

} // namespace tsk
