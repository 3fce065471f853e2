// What a body sees of memory. A view is a pointer with its shape; it owns nothing and vanishes
// when it is inlined. Indices are in tensor order, outermost first.
#pragma once

#include <tsk/swizzle.h>
#include <tsk/types.h>

#include <type_traits>

namespace tsk {

namespace detail {

template <typename T, int N>
using vec_of =
    std::conditional_t<std::is_const<T>::value, const vec<std::remove_const_t<T>, N>, vec<T, N>>;

} // namespace detail

// A row-major tensor in global memory. `T` is const for an `in` parameter.
template <typename T, int Rank> struct tensor {
  T *pointer;
  int dims[Rank];

  template <typename... Index> TSK_HOST_DEVICE i64 offset(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index a dimension");
    i64 position = 0; // row-major, Horner's way
    int d = 0;
    ((position = position * dims[d++] + index), ...);
    return position;
  }
  template <typename... Index> TSK_HOST_DEVICE T &operator()(Index... index) const {
    return pointer[offset(index...)];
  }
  // N elements from the given one on, in one access: the address must be a multiple of its size.
  template <int N, typename... Index>
  TSK_HOST_DEVICE detail::vec_of<T, N> &vec(Index... index) const {
    return *reinterpret_cast<detail::vec_of<T, N> *>(pointer + offset(index...));
  }
  // The same by position: element `i` (vector `i` of N elements) of the whole tensor, row by row.
  TSK_HOST_DEVICE T &flat(i64 i) const { return pointer[i]; }
  template <int N> TSK_HOST_DEVICE detail::vec_of<T, N> &flat_vec(i64 i) const {
    return reinterpret_cast<detail::vec_of<T, N> *>(pointer)[i];
  }

  TSK_HOST_DEVICE T *data() const { return pointer; }
  TSK_HOST_DEVICE int dim(int i) const { return dims[i]; }
  TSK_HOST_DEVICE i64 size() const {
    i64 count = 1;
    for (int i = 0; i < Rank; ++i)
      count *= dims[i];
    return count;
  }
};

// A tensor with a stride, in elements, a dimension.
template <typename T, int Rank> struct strided_tensor {
  T *pointer;
  int dims[Rank];
  i64 strides[Rank];

  template <typename... Index> TSK_HOST_DEVICE i64 offset(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index a dimension");
    i64 position = 0;
    int d = 0;
    ((position += index * strides[d++]), ...);
    return position;
  }
  template <typename... Index> TSK_HOST_DEVICE T &operator()(Index... index) const {
    return pointer[offset(index...)];
  }
  template <int N, typename... Index>
  TSK_HOST_DEVICE detail::vec_of<T, N> &vec(Index... index) const {
    return *reinterpret_cast<detail::vec_of<T, N> *>(pointer + offset(index...));
  }

  TSK_HOST_DEVICE T *data() const { return pointer; }
  TSK_HOST_DEVICE int dim(int i) const { return dims[i]; }
};

// Rows first .. first + count of a tile, for what takes them as a whole.
template <typename Tile> struct tile_rows {
  Tile tile;
  int first;
  int count;
};

// One stage of a field in shared memory. `T` is const where the work only reads it.
template <typename T, int... Dims> struct smem_tile {
  static constexpr int columns = last_extent<Dims...>;
  T *pointer;

  template <typename... Index> TSK_HOST_DEVICE static int offset(Index... index) {
    static_assert(sizeof...(Index) == sizeof...(Dims), "one index a dimension");
    int position = 0;
    ((position = position * Dims + int(index)), ...);
    return position;
  }
  template <typename... Index> TSK_HOST_DEVICE T &operator()(Index... index) const {
    return pointer[offset(index...)];
  }
  template <int N, typename... Index>
  TSK_HOST_DEVICE detail::vec_of<T, N> &vec(Index... index) const {
    return *reinterpret_cast<detail::vec_of<T, N> *>(pointer + offset(index...));
  }
  TSK_HOST_DEVICE T &flat(int i) const { return pointer[i]; }
  template <int N> TSK_HOST_DEVICE detail::vec_of<T, N> &flat_vec(int i) const {
    return reinterpret_cast<detail::vec_of<T, N> *>(pointer)[i];
  }

  TSK_HOST_DEVICE tile_rows<smem_tile> rows(int first, int count) const {
    return {*this, first, count};
  }
  TSK_HOST_DEVICE T *data() const { return pointer; }
  TSK_HOST_DEVICE static constexpr int size() { return (Dims * ... * 1); }
};

// The same of a swizzled field: indices are those of the tensor's box, wherever the element lies.
// A vector stays within a chunk of 16 bytes.
template <typename T, int Span, int... Dims> struct swizzled_tile {
  using layout = swizzled_layout<Span, sizeof(T), Dims...>;
  static constexpr int columns = layout::columns;
  T *pointer;

  template <typename... Index> TSK_HOST_DEVICE static int offset(Index... index) {
    static_assert(sizeof...(Index) == sizeof...(Dims), "one index a dimension");
    int position = 0;
    ((position = position * Dims + int(index)), ...);
    return layout::element(position / layout::columns, position % layout::columns);
  }
  template <typename... Index> TSK_HOST_DEVICE T &operator()(Index... index) const {
    return pointer[offset(index...)];
  }
  template <int N, typename... Index>
  TSK_HOST_DEVICE detail::vec_of<T, N> &vec(Index... index) const {
    static_assert(N * sizeof(T) <= 16, "the chunks of a swizzled row have 16 bytes");
    return *reinterpret_cast<detail::vec_of<T, N> *>(pointer + offset(index...));
  }
  // By position in row-major order.
  TSK_HOST_DEVICE T &flat(int i) const {
    return pointer[layout::element(i / layout::columns, i % layout::columns)];
  }
  template <int N> TSK_HOST_DEVICE detail::vec_of<T, N> &flat_vec(int i) const {
    static_assert(N * sizeof(T) <= 16, "the chunks of a swizzled row have 16 bytes");
    return *reinterpret_cast<detail::vec_of<T, N> *>(&flat(i * N));
  }

  TSK_HOST_DEVICE tile_rows<swizzled_tile> rows(int first, int count) const {
    return {*this, first, count};
  }
  TSK_HOST_DEVICE T *data() const { return pointer; }
  TSK_HOST_DEVICE static constexpr int size() { return layout::size; }
};

} // namespace tsk
