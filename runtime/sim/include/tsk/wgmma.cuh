// Hopper's tensor cores for the simulator. A multiplication begins when it is called and takes
// place at any time until it is awaited; in between, its accumulator holds garbage.
#pragma once

#include <tsk/device.cuh>
#include <tsk/fragment.h>

#include <limits>

namespace tsk {

inline void wgmma_fence() {}
inline void wgmma_commit(sim::place at = TSK_SIM_HERE) { sim::wgmma_commit(at); }
template <int Pending, typename... Fragments> void wgmma_wait(Fragments &...) {
  sim::wgmma_wait(Pending);
}

namespace detail {

// Rows of an operand by their number, whatever part of a tile it is.
template <typename Operand> struct wgmma_operand;
template <typename T, int Span, int Rows, int Depth>
struct wgmma_operand<swizzled_tile<T, Span, Rows, Depth>> {
  using element = std::remove_const_t<T>;
  using layout = typename swizzled_tile<T, Span, Rows, Depth>::layout;
  static constexpr int depth = Depth;
  const T *base;
  int first = 0, count = Rows;

  wgmma_operand(swizzled_tile<T, Span, Rows, Depth> tile) : base(tile.pointer) {}
  wgmma_operand(tile_rows<swizzled_tile<T, Span, Rows, Depth>> part)
      : base(part.tile.pointer), first(part.first), count(part.count) {}
  bool fits(int rows) const {
    return count == rows && first >= 0 && first % 8 == 0 && first + count <= Rows;
  }
  template <typename Number> void read(int row, Number (&into)[Depth]) const {
    for (int k = 0; k < Depth; ++k)
      into[k] = static_cast<Number>(sim::multiplied(base[layout::element(first + row, k)]));
  }
};
template <typename Tile> struct wgmma_operand<tile_rows<Tile>> : wgmma_operand<Tile> {
  using wgmma_operand<Tile>::wgmma_operand;
};

// Integers wrap around, as the instruction does without `.satfinite`.
template <typename Sum>
using multiplied_as = std::conditional_t<std::is_integral<Sum>::value, u32, Sum>;

template <int N, typename Sum, typename Left, typename Right>
void multiply(Sum (&c)[N / 2], const Sum *old, Left left, Right right, int warp, int lane) {
  using number = multiplied_as<Sum>;
  number a[2][Left::depth], b[Left::depth];
  const int row = warp % 4 * 16 + lane / 4;
  left.read(row, a[0]);
  left.read(row + 8, a[1]);
  for (int n = 0; n < N / 4; ++n) { // this thread's columns
    const int column = n / 2 * 8 + lane % 4 * 2 + n % 2;
    right.read(column, b);
    for (int r = 0; r < 2; ++r) {
      const int i = n / 2 * 4 + r * 2 + n % 2;
      number sum = old ? static_cast<number>(old[i]) : 0;
      for (int k = 0; k < Left::depth; ++k)
        sum += a[r][k] * b[k];
      c[i] = static_cast<Sum>(sum);
    }
  }
}

// What an accumulator holds while it is in flight.
template <typename Sum> Sum garbage() {
  using limits = std::numeric_limits<Sum>;
  return limits::has_quiet_NaN ? limits::quiet_NaN() : limits::lowest() + 0xbad;
}

} // namespace detail

template <typename Sum, int N, typename A, typename B>
void wgmma(fragment<Sum, 64, N> &c, A a, B b, bool accumulates, sim::place at = TSK_SIM_HERE) {
  using left = detail::wgmma_operand<A>;
  using right = detail::wgmma_operand<B>;
  static_assert(std::is_same<typename left::element, typename right::element>::value,
                "operands of one type");
  static_assert(left::depth == right::depth, "operands of one depth");
  static_assert(std::is_same<Sum, detail::wgmma_sum<typename left::element>>::value,
                "floats are summed up in f32, integers in i32");
  const left from_a(a);
  const right from_b(b);
  if (!from_a.fits(64) || !from_b.fits(N))
    sim::fault("wgmma multiplies 64 rows of its first operand by as many of its second as the "
               "fragment has columns, beginning at a multiple of 8",
               at);
  Sum *const values = c.values;
  // What it adds to is there when its turn comes: now, or when an earlier one in flight is over.
  const bool is_chained = sim::wgmma_is_pending(values);
  sim::wgmma_begin(
      [=, old = c, warp = warp_index(), my_lane = lane()] {
        detail::multiply<N>(*reinterpret_cast<Sum(*)[N / 2]>(values),
                            !accumulates ? nullptr
                            : is_chained ? values
                                         : old.values,
                            from_a, from_b, warp, my_lane);
      },
      [=] { // of a chain, the first one has
        for (int i = 0; i < N / 2 && !is_chained; ++i)
          values[i] = detail::garbage<Sum>();
      },
      uint64_t{N} * left::depth, values, at);
}

// Stores a fragment of 16-bit or 32-bit elements into a tile of as many columns, or into 64 of its
// rows.
template <typename T, int Span, int... Dims, typename E, int Columns>
void stmatrix(tile_rows<swizzled_tile<T, Span, Dims...>> to, const fragment<E, 64, Columns> &from,
              sim::place at = TSK_SIM_HERE) {
  static_assert(std::is_same<T, E>::value && (sizeof(T) == 2 || sizeof(T) == 4),
                "16-bit or 32-bit elements of one type");
  static_assert(swizzled_tile<T, Span, Dims...>::columns == Columns && Columns % 16 == 0,
                "as many columns as the fragment has, by 16");
  if (to.count != 64)
    sim::fault("stmatrix stores into 64 rows of a tile", at);
  sim::warp_sync(sim::full_mask, at); // all lanes of the warp come together
  if (sizeof(T) == 2)
    sim::count_event("stmatrix", at, from.size() * sizeof(T));
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.row(i), from.column(i), at) = from[i];
}
template <typename T, int Span, int Columns, typename E>
void stmatrix(swizzled_tile<T, Span, 64, Columns> to, const fragment<E, 64, Columns> &from,
              sim::place at = TSK_SIM_HERE) {
  stmatrix(to.rows(0, 64), from, at);
}

// Stores it transposed, into a tile of 64 columns or as many of its rows as it has columns.
template <typename T, int Span, int... Dims, typename E, int Columns>
void stmatrix_transposed(tile_rows<swizzled_tile<T, Span, Dims...>> to,
                         const fragment<E, 64, Columns> &from, sim::place at = TSK_SIM_HERE) {
  static_assert(std::is_same<T, E>::value && (sizeof(T) == 2 || sizeof(T) == 4),
                "16-bit or 32-bit elements of one type");
  static_assert(swizzled_tile<T, Span, Dims...>::columns == 64, "as many columns as rows: 64");
  if (to.count != Columns)
    sim::fault("stmatrix_transposed stores into as many rows as the fragment has columns", at);
  sim::warp_sync(sim::full_mask, at); // all lanes of the warp come together
  if (sizeof(T) == 2)
    sim::count_event("stmatrix", at, from.size() * sizeof(T));
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.column(i), from.row(i), at) = from[i];
}
template <typename T, int Span, int Columns, typename E>
void stmatrix_transposed(swizzled_tile<T, Span, Columns, 64> to,
                         const fragment<E, 64, Columns> &from, sim::place at = TSK_SIM_HERE) {
  stmatrix_transposed(to.rows(0, Columns), from, at);
}

} // namespace tsk
