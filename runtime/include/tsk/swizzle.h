// How a swizzled field lies in shared memory; the same for a GPU and for the simulator.
//
// Rows (all dimensions but the last in one) are cut into panels as wide as the span, panel after
// panel. Within a panel, the 16-byte chunks of each row change places with each other, differently
// in each of eight rows, so that a column of chunks lies in different banks. TMA and the tensor
// cores know these patterns by the address: a stage begins at a multiple of eight rows of the span.
#pragma once

#include <tsk/macros.h>

namespace tsk {

namespace detail {
template <int... Dims> TSK_HOST_DEVICE constexpr int last_of() {
  int last = 1;
  ((last = Dims), ...);
  return last;
}
} // namespace detail
template <int... Dims> inline constexpr int last_extent = detail::last_of<Dims...>();

template <int Span, int ElementBytes, int... Dims> struct swizzled_layout {
  static_assert(Span == 32 || Span == 64 || Span == 128, "a swizzle's span is 32, 64 or 128 bytes");
  static constexpr int rank = sizeof...(Dims);
  static constexpr int span = Span;
  static constexpr int size = (Dims * ... * 1);
  static constexpr int columns = last_extent<Dims...>;
  static constexpr int rows = size / columns;
  static constexpr int panel_columns = Span / ElementBytes;
  static constexpr int panel_bytes = rows * Span;
  static_assert(columns % panel_columns == 0, "a row is whole spans");

  // From the start of the stage, in bytes.
  TSK_HOST_DEVICE static constexpr int byte(int row, int column) {
    const int panel = column / panel_columns * panel_bytes;
    const int place = row * Span + column % panel_columns * ElementBytes;
    return panel + (place ^ ((place >> 3) & (Span - 16)));
  }
  // In elements; `row` counts all dimensions but the last.
  TSK_HOST_DEVICE static constexpr int element(int row, int column) {
    return byte(row, column) / ElementBytes;
  }
};

// The boxes in which TMA moves a tile: along the outermost dimension, then panel after panel; each
// lies in one piece behind the other.
template <int Rows, int Columns, int First, int... Rest> struct box_grid {
  static constexpr int rank = 1 + sizeof...(Rest);
  static constexpr int last = last_extent<First, Rest...>;
  static constexpr int panels = rank > 1 ? Columns / last : 1;
  static constexpr int size = (Rest * ... * First); // elements of a box
  static constexpr int count = Rows * Columns / size;
  static constexpr int rows = count / panels; // boxes of a panel

  // Where box `i` begins in the tile, in elements of dimension `d`.
  TSK_HOST_DEVICE static constexpr int origin(int i, int d) {
    if (d == 0)
      return i % rows * First;
    return d == rank - 1 ? i / rows * last : 0;
  }
};

} // namespace tsk
