// What a body sees of memory: the GPU's views, with every index checked against the view's extents.
// A wrong one ends the launch with a report that names the tensor, the thread and the line.
#pragma once

#include <tsk/swizzle.h>
#include <tsk/types.h>

#include <type_traits>

namespace tsk {

namespace detail {

template <typename T, int N>
using vec_of =
    std::conditional_t<std::is_const<T>::value, const vec<std::remove_const_t<T>, N>, vec<T, N>>;

// Copies, made where they are needed: the lists of a check that passes stay in registers.
template <int Rank> struct index_list {
  i64 values[Rank];
};
template <int Rank>
[[noreturn]] inline void report_index(const void *base, size_t element_bytes,
                                      index_list<Rank> indices, index_list<Rank> extents, int wrong,
                                      int width, sim::place at) {
  sim::index_fault(base, element_bytes, indices.values, extents.values, Rank,
                   static_cast<unsigned>(wrong), static_cast<unsigned>(width), at);
}

// `width` elements from the last index on.
template <int Rank>
inline void check_indices(const void *base, size_t element_bytes, const i64 (&indices)[Rank],
                          const i64 (&extents)[Rank], int width, sim::place at) {
  for (int d = 0; d < Rank; ++d) {
    const i64 reach = d == Rank - 1 ? width - 1 : 0;
    if (indices[d] < 0 || indices[d] + reach >= extents[d]) [[unlikely]] {
      index_list<Rank> given, allowed;
      for (int i = 0; i < Rank; ++i) {
        given.values[i] = indices[i];
        allowed.values[i] = extents[i];
      }
      report_index(base, element_bytes, given, allowed, d, width, at);
    }
  }
}

template <int N, typename T> inline vec_of<T, N> &as_vec(T *pointer, sim::place at) {
  if (reinterpret_cast<uintptr_t>(pointer) % sizeof(vec_of<T, N>) != 0) [[unlikely]]
    sim::alignment_fault(pointer, sizeof(vec_of<T, N>), at);
  return *reinterpret_cast<vec_of<T, N> *>(pointer);
}

} // namespace detail

// operator() and vec for each rank: the place of the call is a default argument, which cannot
// follow a pack of indices. A view has `locate(indices, width, at)`, the address of an element.
#define TSK_SIM_INDEXED_RANK(Count, Parameters, Indices)                                           \
  T &operator()(Parameters, sim::place at = TSK_SIM_HERE) const {                                  \
    static_assert(rank == Count, "one index a dimension");                                         \
    return *locate({Indices}, 1, at);                                                              \
  }                                                                                                \
  template <int N> detail::vec_of<T, N> &vec(Parameters, sim::place at = TSK_SIM_HERE) const {     \
    static_assert(rank == Count, "one index a dimension");                                         \
    return detail::as_vec<N>(locate({Indices}, N, at), at);                                        \
  }
#define TSK_SIM_LIST(...) __VA_ARGS__
#define TSK_SIM_INDEXED                                                                            \
  TSK_SIM_INDEXED_RANK(1, i64 a, a)                                                                \
  TSK_SIM_INDEXED_RANK(2, TSK_SIM_LIST(i64 a, i64 b), TSK_SIM_LIST(a, b))                          \
  TSK_SIM_INDEXED_RANK(3, TSK_SIM_LIST(i64 a, i64 b, i64 c), TSK_SIM_LIST(a, b, c))                \
  TSK_SIM_INDEXED_RANK(4, TSK_SIM_LIST(i64 a, i64 b, i64 c, i64 d), TSK_SIM_LIST(a, b, c, d))      \
  TSK_SIM_INDEXED_RANK(5, TSK_SIM_LIST(i64 a, i64 b, i64 c, i64 d, i64 e),                         \
                       TSK_SIM_LIST(a, b, c, d, e))

// By position in row-major order, for views without gaps.
#define TSK_SIM_FLAT                                                                               \
  T &flat(i64 i, sim::place at = TSK_SIM_HERE) const {                                             \
    detail::check_indices<1>(pointer, sizeof(T), {i}, {i64{size()}}, 1, at);                       \
    return pointer[i];                                                                             \
  }                                                                                                \
  template <int N> detail::vec_of<T, N> &flat_vec(i64 i, sim::place at = TSK_SIM_HERE) const {     \
    detail::check_indices<1>(pointer, sizeof(T), {i * N}, {i64{size()}}, N, at);                   \
    return detail::as_vec<N>(pointer + i * N, at);                                                 \
  }

// A row-major tensor in global memory. `T` is const for an `in` parameter.
template <typename T, int Rank> struct tensor {
  static constexpr int rank = Rank;
  T *pointer;
  int dims[Rank];

  TSK_SIM_INDEXED
  TSK_SIM_FLAT
  T *data() const { return pointer; }
  int dim(int i) const { return dims[i]; }
  i64 size() const {
    i64 count = 1;
    for (int extent : dims)
      count *= extent;
    return count;
  }

private:
  T *locate(const i64 (&indices)[Rank], int width, sim::place at) const {
    i64 extents[Rank];
    i64 position = 0;
    for (int d = 0; d < Rank; ++d) {
      extents[d] = dims[d];
      position = position * dims[d] + indices[d];
    }
    detail::check_indices<Rank>(pointer, sizeof(T), indices, extents, width, at);
    return pointer + position;
  }
};

// A tensor with a stride, in elements, a dimension.
template <typename T, int Rank> struct strided_tensor {
  static constexpr int rank = Rank;
  T *pointer;
  int dims[Rank];
  i64 strides[Rank];

  TSK_SIM_INDEXED
  T *data() const { return pointer; }
  int dim(int i) const { return dims[i]; }

private:
  T *locate(const i64 (&indices)[Rank], int width, sim::place at) const {
    i64 extents[Rank];
    i64 position = 0;
    for (int d = 0; d < Rank; ++d) {
      extents[d] = dims[d];
      position += indices[d] * strides[d];
    }
    detail::check_indices<Rank>(pointer, sizeof(T), indices, extents, width, at);
    return pointer + position;
  }
};

// Rows first .. first + count of a tile, for what takes them as a whole.
template <typename Tile> struct tile_rows {
  Tile tile;
  int first;
  int count;
};

// One stage of a field in shared memory. `T` is const where the work only reads it.
template <typename T, int... Dims> struct smem_tile {
  static constexpr int rank = sizeof...(Dims);
  static constexpr int columns = last_extent<Dims...>;
  T *pointer;

  TSK_SIM_INDEXED
  TSK_SIM_FLAT
  tile_rows<smem_tile> rows(int first, int count) const { return {*this, first, count}; }
  T *data() const { return pointer; }
  static constexpr int size() { return (Dims * ... * 1); }

private:
  T *locate(const i64 (&indices)[sizeof...(Dims)], int width, sim::place at) const {
    constexpr i64 extents[] = {Dims...};
    i64 position = 0;
    for (int d = 0; d < rank; ++d)
      position = position * extents[d] + indices[d];
    detail::check_indices<rank>(pointer, sizeof(T), indices, extents, width, at);
    return pointer + position;
  }
};

// The same of a swizzled field. A vector stays within a chunk of 16 bytes.
template <typename T, int Span, int... Dims> struct swizzled_tile {
  using layout = swizzled_layout<Span, sizeof(T), Dims...>;
  static constexpr int rank = sizeof...(Dims);
  static constexpr int columns = layout::columns;
  T *pointer;

  TSK_SIM_INDEXED
  T &flat(i64 i, sim::place at = TSK_SIM_HERE) const {
    detail::check_indices<1>(pointer, sizeof(T), {i}, {i64{size()}}, 1, at);
    return pointer[element(i)];
  }
  template <int N> detail::vec_of<T, N> &flat_vec(i64 i, sim::place at = TSK_SIM_HERE) const {
    static_assert(N * sizeof(T) <= 16, "the chunks of a swizzled row have 16 bytes");
    detail::check_indices<1>(pointer, sizeof(T), {i * N}, {i64{size()}}, N, at);
    return detail::as_vec<N>(pointer + element(i * N), at);
  }
  tile_rows<swizzled_tile> rows(int first, int count) const { return {*this, first, count}; }
  T *data() const { return pointer; }
  static constexpr int size() { return layout::size; }

private:
  static int element(i64 position) {
    return layout::element(static_cast<int>(position / layout::columns),
                           static_cast<int>(position % layout::columns));
  }
  T *locate(const i64 (&indices)[sizeof...(Dims)], int width, sim::place at) const {
    constexpr i64 extents[] = {Dims...};
    i64 position = 0;
    for (int d = 0; d < rank; ++d)
      position = position * extents[d] + indices[d];
    detail::check_indices<rank>(pointer, sizeof(T), indices, extents, width, at);
    constexpr i64 chunk = 16 / sizeof(T);
    if (width > 1 && position % chunk + width > chunk) [[unlikely]]
      sim::fault("a vector across the 16-byte chunks of a swizzled row", at);
    return pointer + element(position);
  }
};

#undef TSK_SIM_INDEXED
#undef TSK_SIM_INDEXED_RANK
#undef TSK_SIM_FLAT
#undef TSK_SIM_LIST

} // namespace tsk
