#include <catch2/catch.hpp>
#include <tsk/math.h>

TEST_CASE("division rounds up, whatever the signs") {
  for (int a = -9; a <= 9; ++a)
    for (int b : {-4, -3, -1, 1, 3, 4}) {
      const int up = tsk::ceil_div(a, b);
      CHECK(double(up) >= double(a) / b);
      CHECK(double(up) - 1 < double(a) / b);
    }
  CHECK(tsk::ceil_div(7u, 2u) == 4);
  CHECK(tsk::ceil_div(0xFFFFFFFFu, 2u) == 0x80000000u);
}

TEST_CASE("numbers of two types meet in the one that C++ computes in") {
  static_assert(std::is_same_v<decltype(tsk::min(1, 2L)), long>);
  static_assert(std::is_same_v<decltype(tsk::max(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(tsk::ceil_div(1L, 2)), long>);
  CHECK(tsk::min(1, 2L) == 1);
  CHECK(tsk::max(-1, 0u) == 0xFFFFFFFFu);
  CHECK(tsk::max(1, 2.5f) == 2.5f);
  CHECK(tsk::min<float>(3, 1) == 1.0f);
  CHECK(tsk::ceil_div(-7L, 2) == -3);
}
