// A range holds every value that its operands can lead to. Compared with all of them, for bounds
// between -9 and 9.
#include <catch2/catch.hpp>
#include <tsk/math.h>
#include <tsk/range.h>

#include <functional>
#include <optional>
#include <vector>

using tsk::integer;
using tsk::range;
using tsk::truth;

static constexpr int Most = 9;

namespace {

struct Span {
  int low, high;
};

std::vector<Span> spans() {
  std::vector<Span> all;
  for (int low = -Most; low <= Most; low += 3)
    for (int high = low; high <= Most; ++high)
      all.push_back({low, high});
  return all;
}

// Nothing where C++ has no result.
using Exact = std::function<std::optional<int>(int, int)>;

struct Extent {
  int low = INT32_MAX, high = INT32_MIN;
  bool isPartial = false; // some values have no result
};

Extent extentOf(const Span &a, const Span &b, const Exact &exact) {
  Extent extent;
  for (int x = a.low; x <= a.high; ++x)
    for (int y = b.low; y <= b.high; ++y)
      if (const auto result = exact(x, y)) {
        extent.low = std::min(extent.low, *result);
        extent.high = std::max(extent.high, *result);
      } else {
        extent.isPartial = true;
      }
  return extent;
}

template <typename OpT> void compare(OpT op, const Exact &exact, bool isTight) {
  for (const Span &a : spans())
    for (const Span &b : spans()) {
      const range found = op(range(a.low, a.high), range(b.low, b.high));
      const Extent extent = extentOf(a, b, exact);
      INFO(a.low << " .. " << a.high << ", " << b.low << " .. " << b.high);
      REQUIRE(found.is_valid() == !extent.isPartial);
      if (extent.isPartial)
        continue;
      REQUIRE(found.low().value() <= extent.low);
      REQUIRE(found.high().value() >= extent.high);
      if (isTight) {
        REQUIRE(found.low().value() == extent.low);
        REQUIRE(found.high().value() == extent.high);
      }
    }
}

template <typename OpT> void judge(OpT op, const std::function<bool(int, int)> &exact) {
  for (const Span &a : spans())
    for (const Span &b : spans()) {
      const truth found = op(range(a.low, a.high), range(b.low, b.high));
      const Extent extent = extentOf(a, b, [&](int x, int y) { return exact(x, y); });
      INFO(a.low << " .. " << a.high << ", " << b.low << " .. " << b.high);
      REQUIRE(found.is_known() == (extent.low == extent.high));
      if (found.is_known())
        REQUIRE(bool(found) == (extent.low == 1));
    }
}

} // namespace

TEST_CASE("ranges hold what sums, products and extremes lead to") {
  compare([](range a, range b) { return a + b; }, [](int x, int y) { return x + y; }, true);
  compare([](range a, range b) { return a - b; }, [](int x, int y) { return x - y; }, true);
  compare([](range a, range b) { return a * b; }, [](int x, int y) { return x * y; }, true);
  compare([](range a, range b) { return tsk::min(a, b); },
          [](int x, int y) { return std::min(x, y); }, true);
  compare([](range a, range b) { return tsk::max(a, b); },
          [](int x, int y) { return std::max(x, y); }, true);
  compare([](range a, range) { return -a; }, [](int x, int) { return -x; }, true);
  compare([](range a, range) { return ~a; }, [](int x, int) { return ~x; }, true);
}

TEST_CASE("ranges hold quotients and remainders; by a divisor that can be 0 there are none") {
  const auto divided = [](int x, int y) { return y ? std::optional(x / y) : std::nullopt; };
  const auto rest = [](int x, int y) { return y ? std::optional(x % y) : std::nullopt; };
  const auto up = [](int x, int y) {
    return y ? std::optional(int(tsk::ceil_div(integer(x), y).value())) : std::nullopt;
  };
  compare([](range a, range b) { return a / b; }, divided, true);
  compare([](range a, range b) { return tsk::ceil_div(a, b); }, up, true);
  compare([](range a, range b) { return a % b; }, rest, false);
  compare([](range a, range b) { return a ^ b; }, [](int x, int y) { return x ^ y; }, false);
}

TEST_CASE("a comparison of ranges is known where all values agree") {
  judge([](range a, range b) { return a < b; }, [](int x, int y) { return x < y; });
  judge([](range a, range b) { return a <= b; }, [](int x, int y) { return x <= y; });
  judge([](range a, range b) { return a > b; }, [](int x, int y) { return x > y; });
  judge([](range a, range b) { return a >= b; }, [](int x, int y) { return x >= y; });
  judge([](range a, range b) { return a == b; }, [](int x, int y) { return x == y; });
  judge([](range a, range b) { return a != b; }, [](int x, int y) { return x != y; });
}

TEST_CASE("ranges meet plain numbers") {
  const range block(0, 7);
  CHECK((block * 128 + 5).high().value() == 7 * 128 + 5);
  CHECK(tsk::ceil_div(block, 2).high().value() == 4);
  CHECK(tsk::min(block, 3).high().value() == 3);
  CHECK(tsk::max(integer(9), block).low().value() == 9);
  CHECK((integer(3) + block).low().value() == 3);
  CHECK(tsk::select(block < 4, block, 20).high().value() == 20);
  CHECK(tsk::select(block < 8, block, 20).high().value() == 7);
  CHECK_FALSE((block + integer(INT64_MAX)).is_valid());
}

TEST_CASE("conversions to unsigned types are C++'s") {
  CHECK(tsk::as<tsk::u32>(integer(-1)).value() == 4294967295);
  CHECK(tsk::as<tsk::u32>(integer(7)).value() == 7);
  CHECK(tsk::as<tsk::u64>(integer(7)).value() == 7);
  CHECK_FALSE(tsk::as<tsk::u64>(integer(-1)).is_valid());
  CHECK(tsk::as<tsk::u32>(range(2, 5)).high().value() == 5);
  CHECK(tsk::as<tsk::u32>(range(-1, 5)).low().value() == 0);
  CHECK(tsk::as<tsk::u32>(range(-1, 5)).high().value() == 4294967295);
  CHECK_FALSE(tsk::as<tsk::u64>(range(-1, 5)).is_valid());
}

TEST_CASE("a choice between conditions is one") {
  CHECK(bool(tsk::select(truth(true), truth(true), truth(false))));
  CHECK_FALSE(bool(tsk::select(truth(false), true, integer(1) > 2)));
  CHECK(bool(tsk::select(truth::unknown(), true, true)));
  CHECK_FALSE(tsk::select(truth::unknown(), true, false).is_known());
  CHECK(tsk::may_hold(truth::unknown()));
  CHECK_FALSE(tsk::may_hold(truth(false)));
}
