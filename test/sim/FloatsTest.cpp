// The small floating-point types against an independent reference: decoding by the formula of the
// format, encoding by a search for the nearest value.
#include "tsk/types.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

using namespace tsk;

namespace {

struct format {
  int exponent, mantissa;
  bool has_infinity; // else the top exponent holds numbers
  bool has_nan;
};
constexpr format F16{5, 10, true, true}, BF16{8, 7, true, true}, E5M2{5, 2, true, true},
    E4M3{4, 3, false, true}, E2M1{2, 1, false, false};

uint32_t magnitudes(format f) { return 1u << (f.exponent + f.mantissa); }

// The value of a magnitude (no sign), by the book.
double value_of(format f, uint32_t bits) {
  const int field = static_cast<int>(bits >> f.mantissa);
  const double fraction = bits & ((1u << f.mantissa) - 1);
  const int bias = (1 << (f.exponent - 1)) - 1;
  if (f.has_infinity && field == (1 << f.exponent) - 1)
    return fraction == 0 ? INFINITY : NAN;
  if (!f.has_infinity && f.has_nan && bits == magnitudes(f) - 1)
    return NAN;
  if (field == 0)
    return std::ldexp(fraction, 1 - bias - f.mantissa);
  return std::ldexp(fraction + (1 << f.mantissa), field - bias - f.mantissa);
}

uint32_t largest_finite(format f) {
  uint32_t bits = magnitudes(f) - 1;
  while (!std::isfinite(value_of(f, bits)))
    --bits;
  return bits;
}

// The nearest magnitude to |x|, ties to even; what overflows becomes `overflow`.
uint32_t nearest(format f, double x, uint32_t overflow) {
  x = std::fabs(x);
  const uint32_t top = largest_finite(f);
  const double step = value_of(f, top) - value_of(f, top - 1);
  const double limit = value_of(f, top) + step / 2;
  if (x > limit || (x == limit && (top & 1)))
    return overflow;
  uint32_t low = 0, high = top; // the largest magnitude that is not above x
  while (low < high) {
    const uint32_t middle = (low + high + 1) / 2;
    if (value_of(f, middle) <= x)
      low = middle;
    else
      high = middle - 1;
  }
  if (low == top)
    return top;
  const double below = x - value_of(f, low), above = value_of(f, low + 1) - x;
  return below < above || (below == above && low % 2 == 0) ? low : low + 1;
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

template <typename T, typename Bits> void check_all_values(format f) {
  const uint32_t sign = magnitudes(f);
  int wrong = 0;
  for (uint32_t bits = 0; bits < 2 * sign; ++bits) {
    T x;
    x.bits = static_cast<Bits>(bits);
    const double want = (bits & sign ? -1 : 1) * value_of(f, bits & (sign - 1));
    wrong += !same(static_cast<float>(x), want);
    wrong += std::signbit(static_cast<float>(x)) != ((bits & sign) != 0) && !std::isnan(want);
    if (!std::isnan(want)) // what a value decodes to encodes to itself
      wrong += std::isfinite(want) && T(static_cast<float>(want)).bits != bits;
  }
  CHECK(wrong == 0);
}

// Each value's neighbourhood: itself, the midpoint to the next, and one bit to either side of it.
template <typename T> void check_rounding(format f, uint32_t overflow) {
  const uint32_t top = largest_finite(f);
  const uint32_t sign = magnitudes(f);
  int wrong = 0;
  for (uint32_t bits = 0; bits <= top; ++bits) {
    const double here = value_of(f, bits);
    const double next = bits == top ? 2 * here - value_of(f, bits - 1) : value_of(f, bits + 1);
    const double middle = (here + next) / 2;
    for (double x : {here, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300),
                     here + (next - here) * 0.3, here + (next - here) * 0.9}) {
      wrong += T(x).bits != nearest(f, x, overflow);
      wrong += T(-x).bits != (nearest(f, x, overflow) | sign);
      wrong += T(static_cast<float>(x)).bits != nearest(f, static_cast<float>(x), overflow);
    }
  }
  for (double x :
       {1e300, 1e10, 1e5, 65520.0, 65519.99, 500.0, 464.0, 465.0, 448.0, 7.0, 6.1, 1e-300})
    wrong += T(x).bits != nearest(f, x, overflow);
  CHECK(wrong == 0);
  CHECK(T(INFINITY).bits == overflow);
  CHECK(T(-INFINITY).bits == (overflow | sign));
}

} // namespace

TEST_CASE("f16, bf16, fp8 and fp4 decode every pattern and encode it back") {
  check_all_values<f16, uint16_t>(F16);
  check_all_values<bf16, uint16_t>(BF16);
  check_all_values<f8e4m3, uint8_t>(E4M3);
  check_all_values<f8e5m2, uint8_t>(E5M2);
  check_all_values<f4e2m1, uint8_t>(E2M1);
}

TEST_CASE("conversions round to nearest even, once") {
  check_rounding<f16>(F16, 0x7C00); // overflow gives infinity
  check_rounding<bf16>(BF16, 0x7F80);
  check_rounding<f8e4m3>(E4M3, 0x7E); // overflow gives the largest number
  check_rounding<f8e5m2>(E5M2, 0x7B);
  check_rounding<f4e2m1>(E2M1, 0x07);
}

TEST_CASE("NaN stays NaN where the format has one") {
  CHECK(std::isnan(float(f16(NAN))));
  CHECK(std::isnan(float(bf16(NAN))));
  CHECK(std::isnan(float(f8e4m3(NAN))));
  CHECK(std::isnan(float(f8e5m2(NAN))));
  CHECK(float(f4e2m1(NAN)) == 6.0f);
  CHECK_FALSE(f16(NAN) == f16(NAN));
}

TEST_CASE("arithmetic of f16 and bf16 is correctly rounded") {
  // Against the exact result in double, rounded once by the search above.
  uint64_t state = 1;
  int wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto a = f16::of_bits(static_cast<uint16_t>(state >> 32));
    const auto b = f16::of_bits(static_cast<uint16_t>(state >> 48));
    const double x = float(a), y = float(b);
    if (!std::isfinite(x) || !std::isfinite(y) || y == 0)
      continue;
    const auto check = [&](f16 got, double exact) {
      wrong += (got.bits & 0x7FFF) != nearest(F16, exact, 0x7C00);
    };
    check(a + b, x + y);
    check(a - b, x - y);
    check(a * b, x * y);
    check(a / b,
          x / y); // a double's quotient decides an f16's rounding: it has 53 > 2 * 11 + 2 bits
  }
  CHECK(wrong == 0);
  CHECK(float(-bf16(1.5f)) == -1.5f);
  CHECK(float(bf16(256) + bf16(1)) == 256.0f); // eight bits
  CHECK(f16(2) > f16(1));
}

TEST_CASE("integers convert with one rounding") {
  CHECK(f16(2049).bits == f16(2048).bits);
  CHECK(f16(2051).bits == f16(2052).bits);
  CHECK(bf16(257).bits == bf16(256).bits);
  CHECK(f16(70000).bits == 0x7C00);
  CHECK(static_cast<int>(f16(-7)) == -7);
  CHECK(static_cast<int>(f8e4m3(-7)) == -7);
}

TEST_CASE("a block scale is a power of two, rounded up") {
  CHECK(float(ue8m0(1.0f)) == 1.0f);
  CHECK(float(ue8m0(1.5f)) == 2.0f);
  CHECK(float(ue8m0(3.9)) == 4.0f);
  CHECK(float(ue8m0(0.0f)) == std::ldexp(1.0f, -127));
  CHECK(ue8m0(1e300).bits == 254);
  CHECK(std::isnan(float(ue8m0(NAN))));
  for (int bits = 0; bits < 255; ++bits)
    CHECK(ue8m0(std::ldexp(1.0, bits - 127)).bits == bits);
}

TEST_CASE("a value of a small type fills its bytes") {
  CHECK(sizeof(f16) == 2);
  CHECK(sizeof(f8e4m3) == 1);
  CHECK(sizeof(ue8m0) == 1);
  CHECK(sizeof(vec<f16, 8>) == 16);
  CHECK(alignof(vec<f16, 8>) == 16);
}
