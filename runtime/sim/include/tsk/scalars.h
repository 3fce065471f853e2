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
// rounded result, since a float has more than twice their bits. `Self` is the type itself.
template <typename Self, typename Format> struct half_precision {
  uint16_t bits;

  half_precision() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  constexpr half_precision(Number value)
      : bits(static_cast<uint16_t>(Format::encode(static_cast<double>(value)))) {}

  static constexpr Self of_bits(uint16_t bits) {
    Self value;
    value.bits = bits;
    return value;
  }

  constexpr operator float() const { return Format::decode(bits); }

  friend constexpr Self operator+(Self a, Self b) { return float(a) + float(b); }
  friend constexpr Self operator-(Self a, Self b) { return float(a) - float(b); }
  friend constexpr Self operator*(Self a, Self b) { return float(a) * float(b); }
  friend constexpr Self operator/(Self a, Self b) { return float(a) / float(b); }
  friend constexpr Self operator-(Self a) {
    return of_bits(static_cast<uint16_t>(a.bits ^ Format::sign_bit));
  }
  friend constexpr Self operator+(Self a) { return a; }
  friend Self &operator+=(Self &a, Self b) { return a = a + b; }
  friend Self &operator-=(Self &a, Self b) { return a = a - b; }
  friend Self &operator*=(Self &a, Self b) { return a = a * b; }
  friend Self &operator/=(Self &a, Self b) { return a = a / b; }
  friend constexpr bool operator==(Self a, Self b) { return float(a) == float(b); }
  friend constexpr bool operator!=(Self a, Self b) { return float(a) != float(b); }
  friend constexpr bool operator<(Self a, Self b) { return float(a) < float(b); }
  friend constexpr bool operator>(Self a, Self b) { return b < a; }
  friend constexpr bool operator<=(Self a, Self b) { return float(a) <= float(b); }
  friend constexpr bool operator>=(Self a, Self b) { return b <= a; }
};

struct bf16;
struct f16 : half_precision<f16, f16_format> {
  using half_precision::half_precision;
  explicit constexpr f16(bf16 value);
};
struct bf16 : half_precision<bf16, bf16_format> {
  using half_precision::half_precision;
  explicit constexpr bf16(f16 value) : half_precision(static_cast<float>(value)) {}
};
constexpr f16::f16(bf16 value) : half_precision(static_cast<float>(value)) {}

// Formats that hold data and do not compute.
template <typename Format> struct narrow_float {
  uint8_t bits;

  narrow_float() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit constexpr narrow_float(Number value)
      : bits(static_cast<uint8_t>(Format::encode(static_cast<double>(value)))) {}
  explicit constexpr narrow_float(f16 value) : narrow_float(static_cast<float>(value)) {}
  explicit constexpr narrow_float(bf16 value) : narrow_float(static_cast<float>(value)) {}

  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit constexpr operator Number() const {
    return static_cast<Number>(Format::decode(bits));
  }
};

struct f8e4m3 : narrow_float<e4m3_format> {
  using narrow_float::narrow_float;
};
struct f8e5m2 : narrow_float<e5m2_format> {
  using narrow_float::narrow_float;
};
struct f4e2m1 : narrow_float<e2m1_format> {
  using narrow_float::narrow_float;
};

} // namespace sim

// Not defined here: their namespace is where argument-dependent lookup goes, and `min(a, b)` of two
// f16 must not find tsk::min beside the user's.
using sim::bf16;
using sim::f16;
using sim::f4e2m1;
using sim::f8e4m3;
using sim::f8e5m2;

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

namespace sim {

// An element as the tensor cores read it.
template <typename T> constexpr T multiplied(T x) { return x; }
constexpr float multiplied(tf32 x) {
  return bit_cast<float>(bit_cast<uint32_t>(x.value) & ~0x1fffu);
}

} // namespace sim

// The unsigned reading of e4m3's bits: a block scale, never negative.
struct ue4m3 {
  f8e4m3 value;
  constexpr operator float() const { return static_cast<float>(value); }
};

} // namespace tsk
