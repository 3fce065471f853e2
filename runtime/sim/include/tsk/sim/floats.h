// Small floating-point formats in software: exact decoding, encoding with one rounding to nearest
// even. Every source (float, double, integer up to 2^53) is exact in a double, so there is no
// double rounding.
#pragma once

#include <tsk/sim/bits.h>

#include <cstdint>
#include <limits>

namespace tsk::sim {

// What a format does with its largest exponent.
enum class top { ieee, e4m3, finite }; // infinities and NaNs; one NaN and no infinity; neither

template <int Exponent, int Mantissa, top Top, bool Saturates> struct float_format {
  static constexpr int bias = (1 << (Exponent - 1)) - 1;
  static constexpr uint32_t sign_bit = 1u << (Exponent + Mantissa);
  static constexpr uint32_t hidden_bit = 1u << Mantissa;
  static constexpr uint32_t all_exponent = ((1u << Exponent) - 1) << Mantissa;
  static constexpr uint32_t largest = Top == top::ieee   ? all_exponent - 1
                                      : Top == top::e4m3 ? sign_bit - 2
                                                         : sign_bit - 1;
  static constexpr uint32_t infinity = all_exponent;
  static constexpr uint32_t nan = Top == top::ieee   ? all_exponent | (hidden_bit >> 1)
                                  : Top == top::e4m3 ? sign_bit - 1
                                                     : largest;

  static constexpr uint32_t encode(double value) {
    const auto bits = bit_cast<uint64_t>(value);
    const uint32_t sign = bits >> 63 ? sign_bit : 0;
    const auto exponent = static_cast<int>((bits >> 52) & 0x7FF);
    const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
    if (exponent == 0x7FF && fraction != 0)
      return Top == top::finite ? nan : sign | nan;
    if (exponent == 0x7FF)
      return sign | overflow();
    if (exponent == 0)
      return sign; // far below everything representable here
    return sign | round(exponent - 1023, fraction | (uint64_t{1} << 52));
  }

  static constexpr float decode(uint32_t bits) {
    const uint32_t magnitude = bits & (sign_bit - 1);
    const float sign = bits & sign_bit ? -1.0f : 1.0f;
    if (Top == top::ieee && magnitude >= infinity)
      return magnitude == infinity ? sign * std::numeric_limits<float>::infinity()
                                   : std::numeric_limits<float>::quiet_NaN();
    if (Top == top::e4m3 && magnitude == nan)
      return std::numeric_limits<float>::quiet_NaN();
    const auto exponent = static_cast<int>(magnitude >> Mantissa);
    const uint32_t fraction = magnitude & (hidden_bit - 1);
    if (exponent == 0)
      return sign * static_cast<float>(fraction) * power_of_two(1 - bias - Mantissa);
    return sign * static_cast<float>(fraction | hidden_bit) *
           power_of_two(exponent - bias - Mantissa);
  }

private:
  static constexpr uint32_t overflow() {
    return Saturates ? largest : Top == top::ieee ? infinity : nan;
  }

  // significand: 53 bits, its top bit set.
  static constexpr uint32_t round(int exponent, uint64_t significand) {
    int drop = 52 - Mantissa;
    int field = exponent + bias;
    if (field < 1) { // subnormal: fewer bits remain
      drop += 1 - field;
      field = 1;
    }
    if (drop > 54)
      return 0;
    if (field > (1 << Exponent))
      return overflow();
    const uint64_t rest = significand & ((uint64_t{1} << drop) - 1);
    const uint64_t half = uint64_t{1} << (drop - 1);
    auto kept = static_cast<uint32_t>(significand >> drop);
    kept += rest > half || (rest == half && (kept & 1));
    // A normal number's `kept` holds the hidden bit, which counts one up in the exponent's field.
    const uint32_t result = (static_cast<uint32_t>(field - 1) << Mantissa) + kept;
    return result > largest ? overflow() : result;
  }

  // Exact for all exponents of the formats here (bf16's smallest is a float subnormal).
  static constexpr float power_of_two(int exponent) {
    if (exponent >= -126)
      return bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
    return bit_cast<float>(uint32_t{1} << (exponent + 149));
  }
};

using f16_format = float_format<5, 10, top::ieee, false>;
using bf16_format = float_format<8, 7, top::ieee, false>;
using e4m3_format = float_format<4, 3, top::e4m3, true>;
using e5m2_format = float_format<5, 2, top::ieee, true>;
using e2m1_format = float_format<2, 1, top::finite, true>;

// A power of two and nothing else: rounds up, as CUDA's type does. 0xFF is NaN.
constexpr uint8_t encode_e8m0(double value) {
  const auto bits = bit_cast<uint64_t>(value) & ~(uint64_t{1} << 63);
  if (bits > uint64_t{0x7FF} << 52)
    return 0xFF;
  const int exponent = static_cast<int>(bits >> 52) - 1023 + 127;
  const bool is_between = (bits & ((uint64_t{1} << 52) - 1)) != 0;
  if (exponent < 0)
    return 0;
  return static_cast<uint8_t>(exponent + is_between > 254 ? 254 : exponent + is_between);
}
constexpr float decode_e8m0(uint8_t bits) {
  if (bits == 0xFF)
    return std::numeric_limits<float>::quiet_NaN();
  return bit_cast<float>(bits == 0 ? uint32_t{1} << 22 : static_cast<uint32_t>(bits) << 23);
}

} // namespace tsk::sim
