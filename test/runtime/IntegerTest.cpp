#include <catch2/catch.hpp>
#include <tsk/integer.h>

#include <climits>

using tsk::integer;
using tsk::truth;

static constexpr int64_t Largest = INT64_MAX;

TEST_CASE("integers compute as 64-bit numbers") {
  const integer a = 7, b = -3;
  CHECK(bool(a + b == 4));
  CHECK(bool(a * b == -21));
  CHECK(bool(a / b == -2));
  CHECK(bool(a % b == 1));
  CHECK(bool((a ^ 2) == 5));
  CHECK(bool(~a == -8));
  CHECK(bool(-a == -7));
  CHECK(bool(integer(INT_MAX) + 1 > INT_MAX));
  CHECK(bool(tsk::ceil_div(a, 4) == 2));
  CHECK(bool(tsk::ceil_div(integer(8), 4) == 2));
  CHECK(bool(tsk::ceil_div(integer(7), -2) == -3));
  CHECK(bool(tsk::ceil_div(integer(-7), -2) == 4));
  CHECK(bool(tsk::ceil_div(integer(-7), 2) == -3));
  CHECK(double(a) == 7.0);
  CHECK(tsk::select_real(a > 6, 0.5f, 2.0) == 0.5);
  CHECK(bool(tsk::min(a, b) == b));
  CHECK(bool(tsk::max(a, b) == a));
}

TEST_CASE("what cannot be computed is invalid and stays so") {
  const integer zero = 0;
  for (const integer &bad :
       {integer(Largest) + 1, integer(Largest) * 2, integer(INT64_MIN) - 1, integer(1) / zero,
        integer(1) % zero, integer(INT64_MIN) / -1, integer(UINT64_MAX), tsk::ceil_div(1, zero)}) {
    CHECK_FALSE(bad.is_valid());
    CHECK_FALSE((bad * 0).is_valid());
    CHECK_FALSE(tsk::min(bad, 0).is_valid());
  }
}

TEST_CASE("a condition on an invalid value neither holds nor fails") {
  const integer bad = integer(1) / 0;
  CHECK_FALSE(bool(bad == 1));
  CHECK_FALSE(bool(bad != 1));
  CHECK_FALSE(bool(!(bad == 1)));
  CHECK_FALSE(bool(bad == 1 || bad != 1));
  CHECK_FALSE((bad < 1).is_known());
}

TEST_CASE("a number with a fraction made of an invalid value compares with nothing") {
  const float nan(integer(1) / 0);
  CHECK_FALSE(nan > 0.0f);
  CHECK_FALSE(nan <= 0.0f);
  CHECK_FALSE(tsk::select_real(truth::unknown(), 1.0, 1.0) == 1.0);
}

TEST_CASE("functions of plain numbers round and mix types as C++ does") {
  static_assert(tsk::ceil_div(7, 4) == 2 && tsk::ceil_div(8, 4) == 2 && tsk::ceil_div(-7, 4) == -1);
  static_assert(tsk::ceil_div(7, -2) == -3 && tsk::ceil_div(-7, -2) == 4);
  static_assert(tsk::ceil_div(7u, 4) == 2 && tsk::ceil_div(tsk::i64(7), 4u) == 2);
  static_assert(std::is_same_v<decltype(tsk::max(1, tsk::i64(2))), tsk::i64>);
  static_assert(std::is_same_v<decltype(tsk::min(1.0f, 2)), float>);
  static_assert(tsk::min(-1, tsk::i64(2)) == -1 && tsk::max(-1.5, 2) == 2.0);
}

TEST_CASE("what a known side decides is known") {
  const truth unknown = truth::unknown();
  CHECK(bool(unknown || true));
  CHECK((unknown && false).is_known());
  CHECK_FALSE(bool(unknown && false));
  CHECK_FALSE(bool(unknown && true));
  CHECK_FALSE(bool(unknown || false));
  CHECK_FALSE((unknown || false).is_known());
}
