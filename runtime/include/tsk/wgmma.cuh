// Hopper's tensor cores: multiplications of a warpgroup, whose operands lie in swizzled fields.
#pragma once

#include <tsk/device.cuh>
#include <tsk/fragment.h>
#include <tsk/ptx_wgmma.cuh>

namespace tsk {

// What the threads did to registers and shared memory is done before the multiplications that
// follow look at them.
TSK_DEVICE void wgmma_fence() { ptx::wgmma_fence(); }
TSK_DEVICE void wgmma_commit() { ptx::wgmma_commit(); }

namespace detail {
template <int Columns> TSK_DEVICE void pin(fragment<f32, 64, Columns> &values) {
#pragma unroll
  for (int i = 0; i < values.size(); ++i)
    asm volatile("" : "+f"(values[i])::"memory");
}
template <int Columns> TSK_DEVICE void pin(fragment<i32, 64, Columns> &values) {
#pragma unroll
  for (int i = 0; i < values.size(); ++i)
    asm volatile("" : "+r"(values[i])::"memory");
}
} // namespace detail

// Until all groups but the newest `Pending` are over. The fragments have their values from here on:
// the compiler takes no use of them before it.
template <int Pending, typename... Fragments> TSK_DEVICE void wgmma_wait(Fragments &...fragments) {
  ptx::wgmma_wait<Pending>();
  (detail::pin(fragments), ...);
}

namespace detail {

// A matrix as the tensor cores are told of it: where it begins, and how its panels repeat. K-major:
// an element's successor in k lies beside it.
template <typename Operand> struct wgmma_operand;

template <typename T, int Span, int Rows, int Depth>
struct wgmma_operand<swizzled_tile<T, Span, Rows, Depth>> {
  using element = std::remove_const_t<T>;
  using layout = typename swizzled_tile<T, Span, Rows, Depth>::layout;
  static constexpr int rows = Rows, depth = Depth;
  static constexpr u64 mode = Span == 128 ? 1 : Span == 64 ? 2 : 3;

  TSK_DEVICE static u64 descriptor(swizzled_tile<T, Span, Rows, Depth> tile, int first = 0) {
    const u32 address = smem_address(tile.pointer) + first * Span;
    return u64(address >> 4 & 0x3fff) | u64(1) << 16 | u64(8 * Span / 16) << 32 | mode << 62;
  }
  // From the descriptor of the first columns to that of those from column k on.
  TSK_DEVICE static constexpr u64 advance(int k) {
    return (k / layout::panel_columns * layout::panel_bytes +
            k % layout::panel_columns * static_cast<int>(sizeof(T))) /
           16;
  }
};
template <typename Tile> struct wgmma_operand<tile_rows<Tile>> : wgmma_operand<Tile> {
  static constexpr int rows = 0; // as many as its body says
  TSK_DEVICE static u64 descriptor(tile_rows<Tile> part) {
    return wgmma_operand<Tile>::descriptor(part.tile, part.first);
  }
};

} // namespace detail

// c = a b^T, or c += a b^T, for a of 64 rows and b of N, both stored with k innermost. Begins the
// multiplication; c and the operands are in use until it is awaited. All threads of the warpgroup
// call it.
template <typename Sum, int N, typename A, typename B>
TSK_DEVICE void wgmma(fragment<Sum, 64, N> &c, A a, B b, bool accumulates) {
  using left = detail::wgmma_operand<A>;
  using right = detail::wgmma_operand<B>;
  static_assert(
      detail::wgmma_rules<typename left::element, left::rows, left::depth, typename right::element,
                          right::rows, right::depth, Sum, N>::hold);
  using instruction = ptx::wgmma<typename left::element, N>;
  const u64 from_a = left::descriptor(a), from_b = right::descriptor(b);
#pragma unroll
  for (int k = 0; k < left::depth; k += instruction::k)
    instruction::template issue<0, 0>(c.values, from_a + left::advance(k),
                                      from_b + right::advance(k), k == 0 ? accumulates : 1);
}

namespace detail {

// Lanes 0 .. 7 give the rows of the first matrix of 16-bit elements, 8 .. 15 those of the one below
// it, 16 .. 31 those of the two beside them.
template <typename Tile, typename E, int Columns>
TSK_DEVICE void store_by_matrix(tile_rows<Tile> to, const fragment<E, 64, Columns> &from) {
  const int row = to.first + warp_index() % 4 * 16 + lane() % 16;
#pragma unroll
  for (int c = 0; c < Columns / 16; ++c) {
    u32 pairs[4];
    memcpy(pairs, &from.values[8 * c], sizeof pairs);
    ptx::stmatrix_x4(smem_address(&to.tile(row, 16 * c + lane() / 16 * 8)), pairs[0], pairs[1],
                     pairs[2], pairs[3]);
  }
}

// Lanes 0 .. 7 give the rows of the first matrix, 8 .. 15 those of the one beside it, 16 .. 31
// those of the two below them.
template <typename Tile, typename E, int Columns>
TSK_DEVICE void store_by_matrix_transposed(tile_rows<Tile> to,
                                           const fragment<E, 64, Columns> &from) {
  const int row = to.first + lane() / 16 * 8 + lane() % 8;
  const int column = warp_index() % 4 * 16 + lane() / 8 % 2 * 8;
#pragma unroll
  for (int c = 0; c < Columns / 16; ++c) {
    u32 pairs[4];
    memcpy(pairs, &from.values[8 * c], sizeof pairs);
    ptx::stmatrix_transposed_x4(smem_address(&to.tile(row + 16 * c, column)), pairs[0], pairs[1],
                                pairs[2], pairs[3]);
  }
  if (Columns % 16 != 0) { // eight more; the addresses of lanes 16 .. 31 do not count
    u32 pairs[2];
    memcpy(pairs, &from.values[Columns / 2 - 4], sizeof pairs);
    ptx::stmatrix_transposed_x2(smem_address(&to.tile(to.first + Columns - 8 + lane() % 8, column)),
                                pairs[0], pairs[1]);
  }
}

} // namespace detail

// Stores a fragment into a tile of as many columns, or into 64 of its rows: each warp its own 16.
// All threads of the warpgroup call it. Elements of 32 bits, which no instruction moves like that,
// are stored in pairs.
template <typename T, int Span, int... Dims, typename E, int Columns>
TSK_DEVICE void stmatrix(tile_rows<swizzled_tile<T, Span, Dims...>> to,
                         const fragment<E, 64, Columns> &from) {
  using tile = swizzled_tile<T, Span, Dims...>;
  static_assert(detail::stmatrix_rules<T, E, tile::columns, Columns>::hold);
  if constexpr (sizeof(T) == 2) {
    detail::store_by_matrix(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < from.size(); i += 2)
      to.tile.template vec<2>(to.first + from.row(i), from.column(i)) =
          vec<T, 2>{{from[i], from[i + 1]}};
  }
}
template <typename T, int Span, int Columns, typename E>
TSK_DEVICE void stmatrix(swizzled_tile<T, Span, 64, Columns> to,
                         const fragment<E, 64, Columns> &from) {
  stmatrix(to.rows(0, 64), from);
}

// Stores it transposed, into a tile of 64 columns and as many rows as the fragment has columns, or
// into so many of its rows: each warp its own 16 columns.
template <typename T, int Span, int... Dims, typename E, int Columns>
TSK_DEVICE void stmatrix_transposed(tile_rows<swizzled_tile<T, Span, Dims...>> to,
                                    const fragment<E, 64, Columns> &from) {
  using tile = swizzled_tile<T, Span, Dims...>;
  static_assert(detail::stmatrix_transposed_rules<T, E, tile::columns>::hold);
  if constexpr (sizeof(T) == 2) {
    detail::store_by_matrix_transposed(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < from.size(); ++i)
      to.tile(to.first + from.column(i), from.row(i)) = from[i];
  }
}
template <typename T, int Span, int Columns, typename E>
TSK_DEVICE void stmatrix_transposed(swizzled_tile<T, Span, Columns, 64> to,
                                    const fragment<E, 64, Columns> &from) {
  stmatrix_transposed(to.rows(0, Columns), from);
}

} // namespace tsk
