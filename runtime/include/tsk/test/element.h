// What tests need to know of an element type: exact conversion to double, conversion from double,
// and numbers for fills.
#pragma once

#include <tsk/types.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tsk::test {

template <typename T> double to_double(T x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(static_cast<float>(x));
}

// The nearest value of the type; integers are cut off, as a cast does it.
template <typename T> T from_double(double x) {
  if constexpr (std::is_same_v<T, tf32>)
    return tf32{static_cast<float>(x)};
  else if constexpr (std::is_same_v<T, ue4m3>)
    return ue4m3{f8e4m3(static_cast<float>(x))};
  else
    return static_cast<T>(x);
}

// The same of a number of any type: integers do not go through a double, which has 53 bits.
template <typename T, typename N> T from_number(N x) {
  if constexpr (std::is_arithmetic_v<T> && std::is_integral_v<N>)
    return static_cast<T>(x);
  else
    return from_double<T>(static_cast<double>(x));
}

template <typename T> bool is_negative(T x) {
  if constexpr (std::is_signed_v<T>)
    return x < T(0);
  else
    return false; // nvcc warns of the comparison
}

// Whether both are one number, whatever their types. NaN is none.
template <typename A, typename B> bool is_same_number(A x, B y) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return x == static_cast<A>(y) && static_cast<B>(x) == y && is_negative(x) == is_negative(y);
  } else if constexpr (std::is_integral_v<A>) {
    // 2^64 and more, like every fraction, is no integer; below that the conversion is exact.
    const double value = to_double(y);
    const bool fits = value < 18446744073709551616.0 && value >= -9223372036854775808.0;
    return fits && std::trunc(value) == value &&
           (value < 0 ? is_same_number(x, static_cast<i64>(value))
                      : is_same_number(x, static_cast<u64>(value)));
  } else if constexpr (std::is_integral_v<B>) {
    return is_same_number(y, x);
  } else {
    return to_double(x) == to_double(y);
  }
}

// |x - y|; of two integers as far as a double holds it, however large they are.
template <typename A, typename B> double distance(A x, B y) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    const auto wide = [](auto n) { return static_cast<__int128>(n); };
    const __int128 difference = wide(x) - wide(y);
    return static_cast<double>(difference < 0 ? -difference : difference);
  } else {
    return std::fabs(to_double(x) - to_double(y));
  }
}

// Integers 0 … n - 1 are all exact in the type: fill_index wraps there.
template <typename T> constexpr std::uint64_t exact_integers() {
  if constexpr (std::is_same_v<T, bool>)
    return 2;
  else if constexpr (std::is_same_v<T, f64>)
    return std::uint64_t{1} << 53;
  else if constexpr (std::is_same_v<T, f32>)
    return std::uint64_t{1} << 24;
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, tf32>)
    return 2048;
  else if constexpr (std::is_same_v<T, bf16>)
    return 256;
  else if constexpr (std::is_same_v<T, f8e4m3> || std::is_same_v<T, ue4m3>)
    return 16;
  else if constexpr (std::is_same_v<T, f8e5m2>)
    return 8;
  else
    return 4;
}

template <typename T> T index_value(std::uint64_t i) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<T>(i); // wraps to the type
  else
    return from_double<T>(static_cast<double>(i % exact_integers<T>()));
}

// Number `i` of the sequence `seed`: a hash (splitmix64's), so that an element does not depend on
// how many came before it.
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  return mix(mix(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) + i * 0x9E3779B97F4A7C15u);
}

// Integers: any bits. Floating point: uniform in [-1, 1), rounded to the type. Scales: 1/8 … 8.
template <typename T> T random_value(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return (bits >> 40) & 1;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else if constexpr (std::is_same_v<T, ue8m0> || std::is_same_v<T, ue4m3>)
    return from_double<T>(static_cast<double>(1 << (bits >> 40) % 7) / 8);
  else
    return from_double<T>(static_cast<double>(bits >> 40) / (1 << 23) - 1.0);
}

// The pattern of memory that nothing was written to, byte by byte: a NaN in each floating-point
// type of 16 bits and more.
inline unsigned char poison_byte(std::size_t i) { return i % 2 == 0 ? 0xF5 : 0xFF; }

template <typename T> bool is_poison(const T &x) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i)
    if (bytes[i] != poison_byte(i))
      return false;
  return sizeof(T) > 1; // of one byte it says nothing
}

} // namespace tsk::test
