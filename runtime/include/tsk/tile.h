// Works that are written for a block of elements instead of for a thread: what a program of the
// block loads, computes and stores, whoever of its threads does it. The same for a GPU and for the
// simulator, which counts what is moved and computed at the line of the body. Included by
// device.cuh.
//
// A span is neighbouring indices, spread over the threads that have it: those of a task
// (`tsk::tile::arange<N>()`) or of a warp (`warp_arange<N>()`). A block has an element for each.
// What is spread over a task and needs more than a thread's own part goes through a field, and the
// schedule's `task.sync();`; a warp's blocks can be reduced.
#pragma once

#include <tsk/mma.h>

// The place of a body's line, which the simulator's functions take as their last argument.
#if defined(TSK_SIM_HERE)
#define TSK_PLACE , ::tsk::sim::place at = TSK_SIM_HERE
#define TSK_THERE , at
#define TSK_COUNT_ACCESS(Reference, IsStore)                                                       \
  ::tsk::sim::count_access(&(Reference), sizeof(Reference), IsStore, at)
#define TSK_COUNT(Kind, Operations) ::tsk::sim::count_operations(#Kind, Operations, at)
#define TSK_UNROLL
#else
#define TSK_PLACE
#define TSK_THERE
#define TSK_COUNT_ACCESS(Reference, IsStore) static_cast<void>(0)
#define TSK_COUNT(Kind, Operations) static_cast<void>(0)
#define TSK_UNROLL _Pragma("unroll")
#endif

namespace tsk::tile {

// Which of the grid's programs this is: a CTA.
TSK_DEVICE int program_id(int axis) {
  return axis == 0 ? block_x() : axis == 1 ? block_y() : block_z();
}

template <typename T, int N, int Threads> struct block;

template <int N, int Threads> struct span {
  static_assert(N % Threads == 0, "each thread has as many elements: a multiple of their number");
  static constexpr int count = N / Threads;
  int first;
  int thread;

  // The index that element i of this thread has.
  TSK_DEVICE int operator[](int i) const { return first + i * Threads + thread; }
  friend TSK_DEVICE span operator+(span a, int offset) { return {a.first + offset, a.thread}; }
  friend TSK_DEVICE span operator+(int offset, span a) { return a + offset; }
  // A mask: which of them are.
  friend TSK_DEVICE block<bool, N, Threads> operator<(span a, int limit) {
    block<bool, N, Threads> mask;
    TSK_UNROLL
    for (int i = 0; i < N / Threads; ++i)
      mask.values[i] = a[i] < limit;
    return mask;
  }
};

template <typename T, int N, int Threads> struct block {
  static constexpr int count = N / Threads;
  T values[count];

  // A block or a number, at the place where it is written.
  struct operand {
    const block *other;
    T number;
#if defined(TSK_SIM_HERE)
    sim::place at;
    operand(const block &all, sim::place where = TSK_SIM_HERE) : other(&all), number(), at(where) {}
    operand(T one, sim::place where = TSK_SIM_HERE) : other(nullptr), number(one), at(where) {}
    void count(const char *kind) const { sim::count_operations(kind, block::count, at); }
#else
    TSK_DEVICE operand(const block &all) : other(&all), number() {}
    TSK_DEVICE operand(T one) : other(nullptr), number(one) {}
    TSK_DEVICE void count(const char *) const {}
#endif
    TSK_DEVICE T operator[](int i) const { return other ? other->values[i] : number; }
  };

#define TSK_TILE_OPERATOR(Symbol, Kind)                                                            \
  friend TSK_DEVICE block operator Symbol(const block &a, const operand &b) {                      \
    b.count(Kind);                                                                                 \
    block result;                                                                                  \
    TSK_UNROLL                                                                                     \
    for (int i = 0; i < N / Threads; ++i)                                                          \
      result.values[i] = a.values[i] Symbol b[i];                                                  \
    return result;                                                                                 \
  }
  TSK_TILE_OPERATOR(+, "add")
  TSK_TILE_OPERATOR(-, "add")
  TSK_TILE_OPERATOR(*, "multiply")
  TSK_TILE_OPERATOR(/, "other")
#undef TSK_TILE_OPERATOR
};

template <int N, int Threads>
TSK_DEVICE block<bool, N, Threads> operator&(const block<bool, N, Threads> &a, bool b) {
  block<bool, N, Threads> mask;
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i)
    mask.values[i] = a.values[i] && b;
  return mask;
}

// f of each element.
template <typename T, int N, int Threads, typename F>
TSK_DEVICE auto map(const block<T, N, Threads> &a, F f) {
  block<decltype(f(a.values[0])), N, Threads> result;
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i)
    result.values[i] = f(a.values[i]);
  return result;
}

// ---- Memory
// --------------------------------------------------------------------------------------

namespace detail {
template <typename View>
using element = std::remove_const_t<std::remove_pointer_t<decltype(View::pointer)>>;
}

// Elements of a row of a tensor or field, or of one of a single dimension. Where the mask is false
// nothing is loaded and the element is `other`.
template <typename View, int N, int Threads>
TSK_DEVICE block<detail::element<View>, N, Threads> load(
    View x, span<N, Threads> at_indices, const block<bool, N, Threads> &mask,
    detail::element<View> other = {} TSK_PLACE) {
  block<detail::element<View>, N, Threads> result;
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i) {
    result.values[i] = other;
    if (mask.values[i]) {
      TSK_COUNT_ACCESS(x(at_indices[i] TSK_THERE), false);
      result.values[i] = x(at_indices[i] TSK_THERE);
    }
  }
  return result;
}
template <typename View, int N, int Threads>
TSK_DEVICE block<detail::element<View>, N, Threads> load(
    View x, int row, span<N, Threads> columns, const block<bool, N, Threads> &mask,
    detail::element<View> other = {} TSK_PLACE) {
  block<detail::element<View>, N, Threads> result;
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i) {
    result.values[i] = other;
    if (mask.values[i]) {
      TSK_COUNT_ACCESS(x(row, columns[i] TSK_THERE), false);
      result.values[i] = x(row, columns[i] TSK_THERE);
    }
  }
  return result;
}

template <typename View, typename T, int N, int Threads>
TSK_DEVICE void store(View x, span<N, Threads> at_indices, const block<T, N, Threads> &values,
                      const block<bool, N, Threads> &mask TSK_PLACE) {
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i)
    if (mask.values[i]) {
      TSK_COUNT_ACCESS(x(at_indices[i] TSK_THERE), true);
      x(at_indices[i] TSK_THERE) = values.values[i];
    }
}
template <typename View, typename T, int N, int Threads>
TSK_DEVICE void store(View x, int row, span<N, Threads> columns, const block<T, N, Threads> &values,
                      const block<bool, N, Threads> &mask TSK_PLACE) {
  TSK_UNROLL
  for (int i = 0; i < N / Threads; ++i)
    if (mask.values[i]) {
      TSK_COUNT_ACCESS(x(row, columns[i] TSK_THERE), true);
      x(row, columns[i] TSK_THERE) = values.values[i];
    }
}

// ---- Reductions
// ----------------------------------------------------------------------------------

namespace detail {
template <typename T, int N, typename F> TSK_DEVICE T reduce(const block<T, N, 32> &a, F combine) {
  T result = a.values[0];
  TSK_UNROLL
  for (int i = 1; i < N / 32; ++i)
    result = combine(result, a.values[i]);
  TSK_UNROLL
  for (int step = 16; step > 0; step /= 2)
    result = combine(result, __shfl_xor_sync(0xffffffff, result, step));
  return result;
}
} // namespace detail

// Of a warp's block: all lanes call it and have the result.
template <typename T, int N, int Threads>
TSK_DEVICE T sum(const block<T, N, Threads> &a TSK_PLACE) {
  static_assert(Threads == 32, "a reduction is of a warp's block: take `warp_arange`");
  TSK_COUNT(add, N / 32 - 1 + 5);
  return detail::reduce(a, [](T x, T y) { return x + y; });
}
template <typename T, int N, int Threads>
TSK_DEVICE T max(const block<T, N, Threads> &a TSK_PLACE) {
  static_assert(Threads == 32, "a reduction is of a warp's block: take `warp_arange`");
  TSK_COUNT(other, N / 32 - 1 + 5);
  return detail::reduce(a, [](T x, T y) { return x < y ? y : x; });
}

// ---- Matrices
// ------------------------------------------------------------------------------------

// What products are summed up in: M x N numbers of f32, M / Warps rows a warp.
template <int M, int N, int Warps> struct accumulator {
  static_assert(M % (16 * Warps) == 0 && N % 16 == 0,
                "16 rows a warp, or a multiple; columns by 16");
  mma_c parts[M / Warps / 16 * (N / 8)]; // row by row
};

namespace detail {
template <int M, int N, int Warps, typename A, typename B>
TSK_DEVICE void dot(accumulator<M, N, Warps> &acc, A a, B b, int warp TSK_PLACE) {
  using type = element<A>;
  static_assert(std::is_same<type, element<B>>::value, "operands of one type");
  static_assert(B::columns == N && A::size() / A::columns == M && A::columns == B::size() / N,
                "a[M][K] and b[K][N]");
  static_assert(A::columns % 16 == 0, "k by 16");
  TSK_UNROLL
  for (int k = 0; k < A::columns; k += 16)
    TSK_UNROLL
  for (int r = 0; r < M / Warps / 16; ++r) {
    mma_a<type> x;
    ldmatrix(x, a, warp * (M / Warps) + r * 16, k TSK_THERE);
    TSK_UNROLL
    for (int c = 0; c < N / 8; c += 2) {
      mma_b<type> y, z;
      ldmatrix_transposed(y, z, b, k, c * 8 TSK_THERE);
      mma(acc.parts[r * (N / 8) + c], x, y TSK_THERE);
      mma(acc.parts[r * (N / 8) + c + 1], x, z TSK_THERE);
    }
  }
}

template <typename View, int M, int N, int Warps>
TSK_DEVICE void store(View x, int row, int column, const accumulator<M, N, Warps> &acc,
                      int warp TSK_PLACE) {
  TSK_UNROLL
  for (int i = 0; i < M / Warps / 16 * (N / 8); ++i)
    TSK_UNROLL
  for (int e = 0; e < 4; ++e) {
    const int y = row + warp * (M / Warps) + i / (N / 8) * 16 + mma_c::row(e);
    const int z = column + i % (N / 8) * 8 + mma_c::column(e);
    if (y < x.dim(0) && z < x.dim(1)) {
      TSK_COUNT_ACCESS(x(y, z TSK_THERE), true);
      x(y, z TSK_THERE) = element<View>(acc.parts[i].values[e]);
    }
  }
}
} // namespace detail

namespace detail {
// By the threads of a task, in vectors of 16 bytes; zeros where the tensor ends.
template <typename Field, typename View>
TSK_DEVICE void fill(Field to, View from, int row, int column, int thread, int threads TSK_PLACE) {
  using type = element<Field>;
  constexpr int wide = 16 / sizeof(type), across = Field::columns / wide;
  for (int i = thread; i < Field::size() / wide; i += threads) {
    const int y = i / across, x = i % across * wide;
    vec<type, wide> v = {};
    if (row + y < from.dim(0) && column + x < from.dim(1)) {
      TSK_COUNT_ACCESS(from.template vec<wide>(row + y, column + x TSK_THERE), false);
      v = from.template vec<wide>(row + y, column + x TSK_THERE);
    }
    TSK_COUNT_ACCESS(to.template vec<wide>(y, x TSK_THERE), true);
    to.template vec<wide>(y, x TSK_THERE) = v;
  }
}
} // namespace detail

// Programs in groups of `Group` rows of tiles, so that those that run at the same time share what
// they read: which tile is the program's.
struct position {
  int row, column;
};
template <int Group> TSK_DEVICE position grouped(int program, int rows, int columns) {
  const int begin = program / (Group * columns) * Group;
  const int height = rows - begin < Group ? rows - begin : Group;
  const int within = program - begin * columns;
  return {begin + within % height, within / height};
}

} // namespace tsk::tile

// What a task whose bodies speak of tiles has of its own, behind its TSK_TASK: its threads. Macros
// of the file may have any name, so that parameters here have long ones.
#define TSK_TASK_TILES                                                                             \
  namespace tsk::tile {                                                                            \
  using namespace ::tsk::tile;                                                                     \
  /* 0 .. n, spread over the task's threads. */                                                    \
  template <int tsk_n> TSK_DEVICE ::tsk::tile::span<tsk_n, task_threads()> arange() {              \
    return {0, task_thread()};                                                                     \
  }                                                                                                \
  /* The same, spread over the lanes of each warp. */                                              \
  template <int tsk_n> TSK_DEVICE ::tsk::tile::span<tsk_n, 32> warp_arange() {                     \
    return {0, lane()};                                                                            \
  }                                                                                                \
  template <int tsk_m, int tsk_n>                                                                  \
  TSK_DEVICE ::tsk::tile::accumulator<tsk_m, tsk_n, task_warps()> zeros() {                        \
    return {};                                                                                     \
  }                                                                                                \
  /* acc += a b, for fields a[M][K] and b[K][N] of f16 or bf16. All threads call it. */            \
  template <int tsk_m, int tsk_n, int tsk_warps, typename tsk_a, typename tsk_b>                   \
  TSK_DEVICE void dot(::tsk::tile::accumulator<tsk_m, tsk_n, tsk_warps> &tsk_acc, tsk_a tsk_left,  \
                      tsk_b tsk_right TSK_PLACE) {                                                 \
    static_assert(tsk_warps == task_warps(), "the accumulator is spread over this task's warps");  \
    ::tsk::tile::detail::dot(tsk_acc, tsk_left, tsk_right, task_warp() TSK_THERE);                 \
  }                                                                                                \
  /* Where its first element goes; what lies outside of the tensor is not stored. */               \
  using ::tsk::tile::store;                                                                        \
  template <typename tsk_view, int tsk_m, int tsk_n, int tsk_warps>                                \
  TSK_DEVICE void                                                                                  \
  store(tsk_view tsk_to, int tsk_row, int tsk_column,                                              \
        const ::tsk::tile::accumulator<tsk_m, tsk_n, tsk_warps> &tsk_acc TSK_PLACE) {              \
    static_assert(tsk_warps == task_warps(), "the accumulator is spread over this task's warps");  \
    ::tsk::tile::detail::store(tsk_to, tsk_row, tsk_column, tsk_acc, task_warp() TSK_THERE);       \
  }                                                                                                \
  /* Fills a field from the tensor's part that begins there: 16 bytes a thread at a time. */       \
  template <typename tsk_field, typename tsk_view>                                                 \
  TSK_DEVICE void fill(tsk_field tsk_to, tsk_view tsk_from, int tsk_row,                           \
                       int tsk_column TSK_PLACE) {                                                 \
    ::tsk::tile::detail::fill(tsk_to, tsk_from, tsk_row, tsk_column, task_thread(),                \
                              task_threads() TSK_THERE);                                           \
  }                                                                                                \
  }
