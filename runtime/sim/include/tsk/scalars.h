// The element types of the language for the simulator, bit for bit what CUDA's own types are. They
// convert as those do: f16 and bf16 implicitly from and to numbers, the narrower ones explicitly.
#pragma once

#include <tsk/macros.h>
#include <tsk/sim/floats.h>

#include <cstdint>
#include <type_traits>

namespace tsk {

using f64 = double;
using f32 = float;

namespace sim {

// f16 and bf16: arithmetic is that of float, rounded once more. For + - * / that is the correctly
// rounded result, since a float has more than twice their bits.
template <typename Format> struct half_precision {
  uint16_t bits;

  half_precision() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  constexpr half_precision(Number value)
      : bits(static_cast<uint16_t>(Format::encode(static_cast<double>(value)))) {}
  template <typename Other>
  explicit constexpr half_precision(half_precision<Other> value)
      : half_precision(static_cast<float>(value)) {}

  static constexpr half_precision of_bits(uint16_t bits) {
    half_precision value;
    value.bits = bits;
    return value;
  }

  constexpr operator float() const { return Format::decode(bits); }

  friend constexpr half_precision operator+(half_precision a, half_precision b) {
    return float(a) + float(b);
  }
  friend constexpr half_precision operator-(half_precision a, half_precision b) {
    return float(a) - float(b);
  }
  friend constexpr half_precision operator*(half_precision a, half_precision b) {
    return float(a) * float(b);
  }
  friend constexpr half_precision operator/(half_precision a, half_precision b) {
    return float(a) / float(b);
  }
  friend constexpr half_precision operator-(half_precision a) {
    return of_bits(static_cast<uint16_t>(a.bits ^ Format::sign_bit));
  }
  friend constexpr half_precision operator+(half_precision a) { return a; }
  half_precision &operator+=(half_precision b) { return *this = *this + b; }
  half_precision &operator-=(half_precision b) { return *this = *this - b; }
  half_precision &operator*=(half_precision b) { return *this = *this * b; }
  half_precision &operator/=(half_precision b) { return *this = *this / b; }
  friend constexpr bool operator==(half_precision a, half_precision b) {
    return float(a) == float(b);
  }
  friend constexpr bool operator!=(half_precision a, half_precision b) {
    return float(a) != float(b);
  }
  friend constexpr bool operator<(half_precision a, half_precision b) {
    return float(a) < float(b);
  }
  friend constexpr bool operator>(half_precision a, half_precision b) { return b < a; }
  friend constexpr bool operator<=(half_precision a, half_precision b) {
    return float(a) <= float(b);
  }
  friend constexpr bool operator>=(half_precision a, half_precision b) { return b <= a; }
};

// Formats that hold data and do not compute.
template <typename Format> struct narrow_float {
  uint8_t bits;

  narrow_float() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit constexpr narrow_float(Number value)
      : bits(static_cast<uint8_t>(Format::encode(static_cast<double>(value)))) {}
  template <typename Other>
  explicit constexpr narrow_float(half_precision<Other> value)
      : narrow_float(static_cast<float>(value)) {}

  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit constexpr operator Number() const {
    return static_cast<Number>(Format::decode(bits));
  }
};

} // namespace sim

using f16 = sim::half_precision<sim::f16_format>;
using bf16 = sim::half_precision<sim::bf16_format>;
using f8e4m3 = sim::narrow_float<sim::e4m3_format>;
using f8e5m2 = sim::narrow_float<sim::e5m2_format>;
using f4e2m1 = sim::narrow_float<sim::e2m1_format>;

// A power of two: a block scale.
struct ue8m0 {
  uint8_t bits;

  ue8m0() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit constexpr ue8m0(Number value) : bits(sim::encode_e8m0(static_cast<double>(value))) {}
  explicit constexpr operator float() const { return sim::decode_e8m0(bits); }
};

// A float whose low 13 bits the tensor cores ignore.
struct tf32 {
  float value;
  constexpr operator float() const { return value; }
};

// The unsigned reading of e4m3's bits: a block scale, never negative.
struct ue4m3 {
  f8e4m3 value;
  constexpr operator float() const { return static_cast<float>(value); }
};

} // namespace tsk
