#include <catch2/catch.hpp>
#include <tsk/checks.h>

using tsk::integer;
using tsk::launch_checks;

alignas(64) static char memory[256];

TEST_CASE("nothing is wrong with a good launch") {
  launch_checks check("k");
  check.dimension("n", 4);
  check.tensor("a", memory, check.reads, 16, {4, 4}, 4);
  check.tensor("b", memory + 64, check.writes, 16, {4, 4}, {4, 1}, 4);
  check.requirement(integer(4) % 2 == 0, "n % 2 == 0", {{"n", 4}});
  check.loop<int>("i", INT32_MAX - 1, 1);
  check.reversed_loop<int>("j", 0, INT32_MAX, 1);
  check.computes<int>("n + 1", INT32_MAX);
  CHECK(check.grid('x', 7) == 7);
  CHECK_FALSE(check.is_decided());
  CHECK(check.result().ok());
}

TEST_CASE("a grid is made of whole clusters") {
  launch_checks check("k");
  CHECK(check.grid('x', 6, 2) == 6);
  CHECK(check.result().ok());
  CHECK(check.grid('y', 7, 2) == 1);
  CHECK(check.result().message() ==
        "k: the grid's extent in y is 7, not a multiple of the 2 CTAs that a cluster has there");
}

TEST_CASE("the first failure decides") {
  launch_checks check("k");
  check.requirement(false, "n < m", {{"n", 3}, {"m", 2}});
  check.requirement(false, "later", {});
  CHECK(check.is_decided());
  CHECK(check.result().code() == tsk::status_code::invalid_argument);
  CHECK(check.result().message() == "k: requires n < m (n = 3, m = 2)");
}

TEST_CASE("there is nothing to do where all that is written is empty") {
  launch_checks check("k");
  check.tensor("x", nullptr, check.reads, 4, {3, 0}, 4);
  CHECK_FALSE(check.is_decided()); // what is read may be empty
  SECTION("one output with elements keeps it going") {
    check.tensor("y", memory, check.writes, 4, {3}, 4);
    check.tensor("z", nullptr, check.writes, 4, {0}, 4);
    CHECK_FALSE(check.is_decided());
  }
  SECTION("as does one whose size is not known") {
    check.pointer("p", memory, check.writes, 4);
    check.tensor("z", nullptr, check.writes, 4, {0}, 4);
    CHECK_FALSE(check.is_decided());
  }
  SECTION("only empty ones end it") {
    check.tensor("z", nullptr, check.writes, 4, {3, 0}, {1, 1}, 4);
    CHECK(check.is_decided());
  }
  SECTION("an empty grid ends it") {
    check.tensor("y", memory, check.writes, 4, {3}, 4);
    CHECK(check.grid('x', 0) == 0);
    CHECK(check.is_decided());
  }
  CHECK(check.result().ok());
}

TEST_CASE("an empty tensor hides nothing that is wrong") {
  launch_checks check("k");
  check.requirement(false, "n > 0", {{"n", 0}});
  check.tensor("z", nullptr, check.writes, 4, {0}, 4);
  CHECK(check.result().message() == "k: requires n > 0 (n = 0)");
  launch_checks negative("k");
  negative.dimension("m", -1);
  CHECK(negative.result().message() == "k: dimension m is -1; it must be 0 .. 2^31 - 1");
}

TEST_CASE("each extent of a tensor is checked, not their product") {
  launch_checks check("k");
  check.tensor("a", memory, check.reads, 4, {-2, -2}, 4);
  CHECK(check.result().message() == "k: dimension 0 of a is -2; it must be 0 .. 2^31 - 1");
  launch_checks wide("k");
  wide.tensor("a", memory, wide.reads, 4, {2, integer(INT32_MAX) + 1}, 4);
  CHECK(wide.result().message() == "k: dimension 1 of a is 2147483648; it must be 0 .. 2^31 - 1");
}

TEST_CASE("dimensions end where 32-bit integers do") {
  launch_checks check("k");
  check.dimension("n", INT32_MAX);
  CHECK(check.result().ok());
  check.dimension("n", tsk::i64(INT32_MAX) + 1);
  CHECK_FALSE(check.result().ok());
}

TEST_CASE("tensors that only are read may overlap") {
  launch_checks check("k");
  check.tensor("a", memory, check.reads, 1, {64}, 1);
  check.tensor("b", memory + 32, check.reads, 1, {64}, 1);
  CHECK(check.result().ok());
  SECTION("one that is written may touch them") {
    check.tensor("c", memory + 96, check.writes, 1, {8}, 1);
    CHECK(check.result().ok());
  }
  SECTION("but not share a byte") {
    check.tensor("c", memory + 95, check.writes, 1, {8}, 1);
    CHECK(check.result().message() ==
          "k: b and c overlap in memory, and the kernel writes one of them");
  }
}

TEST_CASE("a loop must stay within its variable after its last iteration") {
  launch_checks check("k");
  check.loop<int>("i", INT32_MAX - 4, 5);
  CHECK(check.result().message() == "k: the loop over i up to 2147483643 in steps of 5 leaves the "
                                    "range of its variable, which has 32 bits");
  launch_checks huge("k");
  huge.loop<tsk::i64>("i", integer(INT64_MAX) + 1, 1);
  CHECK_FALSE(huge.result().ok());
  launch_checks wide("k");
  wide.loop<tsk::i64>("i", tsk::i64(INT32_MAX) + 1, 1);
  wide.loop<tsk::u32>("i", INT32_MAX, INT32_MAX);
  CHECK(wide.result().ok());
  wide.loop<tsk::u32>("i", tsk::u32(UINT32_MAX), 1);
  CHECK(wide.result().message() == "k: the loop over i up to 4294967295 in steps of 1 leaves the "
                                   "range of its variable, which has 32 bits unsigned");
  launch_checks down("k");
  down.reversed_loop<int>("i", INT32_MIN + 3, 0, 4);
  CHECK_FALSE(down.result().ok());
}

TEST_CASE("a loop must move") {
  for (int step : {0, -1}) {
    launch_checks check("k");
    check.loop<int>("i", 4, step);
    CHECK(check.result().message() ==
          "k: the step of the loop over i is " + std::to_string(step) + "; it must be positive");
  }
  launch_checks down("k");
  down.reversed_loop<int>("i", 0, 4, 0);
  CHECK_FALSE(down.result().ok());
}

TEST_CASE("what the kernel computes must fit its type") {
  const integer rows = 65536;
  launch_checks check("k");
  check.computes<int>("rows * 32768", rows * 32768);
  CHECK(check.result().message() ==
        "k: rows * 32768 is 2147483648, which the kernel computes in 32 bits");
  launch_checks fits("k");
  fits.computes<tsk::i64>("rows * 32768", rows * 32768);
  fits.computes<tsk::u32>("rows * 32768", rows * 32768);
  fits.computes<int>("-rows * 32768", -rows * 32768);
  CHECK(fits.result().ok());
  fits.computes<tsk::u32>("-rows", -rows);
  CHECK(fits.result().message() ==
        "k: -rows is -65536, which the kernel computes in 32 bits unsigned");
  launch_checks divides("k");
  divides.computes<int>("rows / n", rows / 0);
  CHECK(divides.result().message() ==
        "k: rows / n cannot be computed: it divides by zero or is beyond 64 bits");
}

TEST_CASE("grids have the hardware's limits") {
  for (const auto &[axis, extent] : {std::pair<char, integer>('x', -1),
                                     {'y', 65536},
                                     {'z', -1},
                                     {'x', integer(INT32_MAX) + 1}}) {
    launch_checks check("k");
    CHECK(check.grid(axis, extent) == 1);
    CHECK_FALSE(check.result().ok());
  }
  launch_checks check("k");
  CHECK(check.grid('y', 65535) == 65535);
  CHECK(check.grid('x', INT32_MAX) == unsigned(INT32_MAX));
  CHECK(check.result().ok());
}

TEST_CASE("strides are not negative, pointers not null and aligned") {
  launch_checks stride("k");
  stride.tensor("a", memory, stride.reads, 4, {2, 2}, {2, -2}, 4);
  CHECK(stride.result().message() ==
        "k: the stride of a in dimension 1 is -2; it must not be negative");
  launch_checks null("k");
  null.pointer("p", nullptr, null.reads, 4);
  CHECK(null.result().message() == "k: p is a null pointer");
  launch_checks odd("k");
  odd.pointer("p", memory + 2, odd.reads, 4);
  CHECK(odd.result().message() == "k: p is not aligned to 4 bytes");
}
