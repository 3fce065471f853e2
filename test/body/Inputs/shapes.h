// Layouts as types, views over them, tiles that are dealt out to threads: what template libraries
// of CUDA kernels are made of, as small as it can be.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#define LAYOUTS_HD __host__ __device__ __forceinline__

namespace layouts {

// ---- Numbers that are types ---------------------------------------------------------------------

template <int N> struct Int {
  static constexpr int value = N;
  LAYOUTS_HD constexpr operator int() const { return N; }
};
template <int A, int B> LAYOUTS_HD constexpr Int<A + B> operator+(Int<A>, Int<B>) { return {}; }
template <int A, int B> LAYOUTS_HD constexpr Int<A * B> operator*(Int<A>, Int<B>) { return {}; }
template <int A, int B> LAYOUTS_HD constexpr Int<A / B> operator/(Int<A>, Int<B>) { return {}; }
template <int A, int B> LAYOUTS_HD constexpr Int<A % B> operator%(Int<A>, Int<B>) { return {}; }

// ---- Tuples whose empty members take no place ---------------------------------------------------

template <std::size_t I, typename T, bool = std::is_empty_v<T>> struct Slot {
  T held;
  LAYOUTS_HD constexpr Slot(T value) : held(value) {}
  LAYOUTS_HD constexpr T get() const { return held; }
};
template <std::size_t I, typename T> struct Slot<I, T, true> {
  LAYOUTS_HD constexpr Slot(T) {}
  LAYOUTS_HD constexpr T get() const { return T{}; }
};
template <typename Numbers, typename... Ts> struct Slots;
template <std::size_t... I, typename... Ts>
struct Slots<std::index_sequence<I...>, Ts...> : Slot<I, Ts>... {
  LAYOUTS_HD constexpr Slots(Ts... values) : Slot<I, Ts>(values)... {}
};
template <typename... Ts> struct Tuple : Slots<std::index_sequence_for<Ts...>, Ts...> {
  static constexpr int rank = sizeof...(Ts);
  LAYOUTS_HD constexpr Tuple(Ts... values)
      : Slots<std::index_sequence_for<Ts...>, Ts...>(values...) {}
};
template <std::size_t I, typename T> LAYOUTS_HD constexpr T get(const Slot<I, T, true> &slot) {
  return slot.get();
}
template <std::size_t I, typename T> LAYOUTS_HD constexpr T get(const Slot<I, T, false> &slot) {
  return slot.get();
}

template <typename T> struct is_tuple : std::false_type {};
template <typename... Ts> struct is_tuple<Tuple<Ts...>> : std::true_type {};

template <typename... Ts> LAYOUTS_HD constexpr Tuple<Ts...> make_shape(Ts... extents) {
  return {extents...};
}
template <typename... Ts> LAYOUTS_HD constexpr Tuple<Ts...> make_stride(Ts... steps) {
  return {steps...};
}
template <typename... Ts> LAYOUTS_HD constexpr Tuple<Ts...> make_coord(Ts... numbers) {
  return {numbers...};
}

// f(Int<0>{}), f(Int<1>{}), …
template <int... I, typename F>
LAYOUTS_HD constexpr void each(std::integer_sequence<int, I...>, F &&f) {
  (f(Int<I>{}), ...);
}
template <int Count, typename F> LAYOUTS_HD constexpr void each(F &&f) {
  each(std::make_integer_sequence<int, Count>{}, f);
}

// ---- Sizes and places ---------------------------------------------------------------------------

template <int N> LAYOUTS_HD constexpr Int<N> size(Int<N>) { return {}; }
LAYOUTS_HD constexpr int size(int extent) { return extent; }
template <typename... Ts, std::size_t... I>
LAYOUTS_HD constexpr auto size(const Tuple<Ts...> &shape, std::index_sequence<I...>) {
  return (Int<1>{} * ... * size(get<I>(shape)));
}
template <typename... Ts> LAYOUTS_HD constexpr auto size(const Tuple<Ts...> &shape) {
  return size(shape, std::index_sequence_for<Ts...>{});
}

// Where a coordinate lies: a tuple part by part, a number counted through the parts of a shape.
template <std::size_t I = 0, typename Coord, typename Shape, typename Stride>
LAYOUTS_HD constexpr auto place(const Coord &coord, const Shape &shape, const Stride &stride) {
  if constexpr (!is_tuple<Shape>::value)
    return coord * stride;
  else if constexpr (I == Shape::rank)
    return Int<0>{};
  else if constexpr (is_tuple<Coord>::value)
    return place(get<I>(coord), get<I>(shape), get<I>(stride)) + place<I + 1>(coord, shape, stride);
  else if constexpr (I + 1 == Shape::rank)
    return place(coord, get<I>(shape), get<I>(stride));
  else {
    const auto extent = size(get<I>(shape));
    return place(coord % extent, get<I>(shape), get<I>(stride)) +
           place<I + 1>(coord / extent, shape, stride);
  }
}

template <typename Shape, typename Stride> struct Layout {
  Shape shape;
  Stride stride;
  template <typename Coord> LAYOUTS_HD constexpr auto operator()(Coord coord) const {
    return place(coord, shape, stride);
  }
  template <typename A, typename B, typename... More>
  LAYOUTS_HD constexpr auto operator()(A a, B b, More... more) const {
    return place(make_coord(a, b, more...), shape, stride);
  }
};
template <typename Shape, typename Stride>
LAYOUTS_HD constexpr Layout<Shape, Stride> make_layout(Shape shape, Stride stride) {
  return {shape, stride};
}
template <typename Shape, typename Stride>
LAYOUTS_HD constexpr auto size(const Layout<Shape, Stride> &layout) {
  return size(layout.shape);
}

// ---- Views --------------------------------------------------------------------------------------

template <typename T, typename L> struct Tensor {
  using value_type = T;
  T *pointer;
  L layout;
  template <typename... Coord> LAYOUTS_HD T &operator()(Coord... coord) const {
    return pointer[layout(coord...)];
  }
};
template <typename T, typename L> LAYOUTS_HD Tensor<T, L> make_tensor(T *pointer, L layout) {
  return {pointer, layout};
}
template <typename T, typename L> LAYOUTS_HD constexpr auto size(const Tensor<T, L> &tensor) {
  return size(tensor.layout);
}

// The tile of that shape at a coordinate that counts tiles.
template <typename T, typename S0, typename S1, typename D0, typename D1, typename T0, typename T1>
LAYOUTS_HD auto local_tile(const Tensor<T, Layout<Tuple<S0, S1>, Tuple<D0, D1>>> &tensor,
                           Tuple<T0, T1> tile, int i, int j) {
  const auto stride = tensor.layout.stride;
  T *begin = &tensor(i * get<0>(tile), j * get<1>(tile));
  return make_tensor(begin, make_layout(tile, stride));
}

// What one thread has of a tensor that is dealt out: every so many-th row and column.
template <typename T, typename S0, typename S1, typename D0, typename D1, typename T0, typename T1,
          typename E0, typename E1>
LAYOUTS_HD auto local_partition(const Tensor<T, Layout<Tuple<S0, S1>, Tuple<D0, D1>>> &tensor,
                                const Layout<Tuple<T0, T1>, Tuple<E0, E1>> &threads, int thread) {
  const auto shape = tensor.layout.shape;
  const auto stride = tensor.layout.stride;
  // The threads' layout says which number stands where; here its inverse is wanted.
  const int row = thread / get<0>(threads.stride) % get<0>(threads.shape);
  const int column = thread / get<1>(threads.stride) % get<1>(threads.shape);
  return make_tensor(&tensor(row, column),
                     make_layout(make_shape(get<0>(shape) / get<0>(threads.shape),
                                            get<1>(shape) / get<1>(threads.shape)),
                                 make_stride(get<0>(threads.shape) * get<0>(stride),
                                             get<1>(threads.shape) * get<1>(stride))));
}

// A thread's own values, as many as another tensor's.
template <typename T, int Count> struct Fragment {
  using value_type = T;
  T values[Count];
  LAYOUTS_HD T &operator()(int i) { return values[i]; }
  LAYOUTS_HD const T &operator()(int i) const { return values[i]; }
};
template <typename T, typename L> LAYOUTS_HD auto make_fragment_like(const Tensor<T, L> &) {
  return Fragment<std::remove_const_t<T>, decltype(size(std::declval<L>()))::value>{};
}
template <typename T, int Count> LAYOUTS_HD constexpr Int<Count> size(const Fragment<T, Count> &) {
  return {};
}

template <typename From, typename To> LAYOUTS_HD void copy(const From &from, To &&to) {
  each<decltype(size(from))::value>([&](auto i) { to(i) = from(i); });
}
template <typename Pred, typename From, typename To>
LAYOUTS_HD void copy_if(Pred pred, const From &from, To &&to) {
  each<decltype(size(from))::value>([&](auto i) {
    if (pred(i))
      to(i) = from(i);
  });
}
template <typename From, typename To> LAYOUTS_HD void copy_by_loop(const From &from, To &&to) {
#pragma unroll
  for (int i = 0; i < size(from); ++i)
    to(i) = from(i);
}

// d = a * b + c, element by element of fragments.
template <typename D, typename A, typename B>
LAYOUTS_HD void multiply_add(D &d, const A &a, const B &b) {
  each<decltype(size(d))::value>([&](auto i) { d(i) += a(i) * b(i); });
}

} // namespace layouts
