#include <catch2/catch.hpp>
#include <tsk/checks.h>

using tsk::integer;
using tsk::launch_checks;

alignas(64) static char memory[256];

TEST_CASE("nothing is wrong with a good launch") {
  launch_checks check("k");
  check.dimension("n", 4);
  check.tensor("a", memory, check.reads, 16, 16, 4);
  check.tensor("b", memory + 64, check.writes, 16, 16, 4);
  check.requirement(integer(4) % 2 == 0, "n % 2 == 0", {{"n", 4}});
  check.loop("i", INT32_MAX - 1, 1);
  CHECK(check.grid('x', 7) == 7);
  CHECK_FALSE(check.is_decided());
  CHECK(check.result().ok());
}

TEST_CASE("the first failure decides") {
  launch_checks check("k");
  check.requirement(false, "n < m", {{"n", 3}, {"m", 2}});
  check.requirement(false, "later", {});
  CHECK(check.is_decided());
  CHECK(check.result().code() == tsk::status_code::invalid_argument);
  CHECK(check.result().message() == "k: requires n < m (n = 3, m = 2)");
}

TEST_CASE("an empty tensor is nothing to do, unless something is wrong") {
  launch_checks empty("k");
  empty.dimension("n", 0);
  CHECK(empty.is_decided());
  CHECK(empty.result().ok());
  empty.dimension("m", -1);
  CHECK(empty.result().message() == "k: dimension m is -1; it must be 0 .. 2^31 - 1");
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
  check.tensor("a", memory, check.reads, 1, 64, 1);
  check.tensor("b", memory + 32, check.reads, 1, 64, 1);
  CHECK(check.result().ok());
  SECTION("one that is written may touch them") {
    check.tensor("c", memory + 96, check.writes, 1, 8, 1);
    CHECK(check.result().ok());
  }
  SECTION("but not share a byte") {
    check.tensor("c", memory + 95, check.writes, 1, 8, 1);
    CHECK(check.result().message() ==
          "k: b and c overlap in memory, and the kernel writes one of them");
  }
}

TEST_CASE("a loop must stay within 32 bits after its last iteration") {
  launch_checks check("k");
  check.loop("i", INT32_MAX - 4, 5);
  CHECK(check.result().message() == "k: the loop over i up to 2147483643 in steps of 5 leaves the "
                                    "range of a 32-bit integer");
  launch_checks huge("k");
  huge.loop("i", integer(INT64_MAX) + 1, 1);
  CHECK_FALSE(huge.result().ok());
}

TEST_CASE("grids have the hardware's limits") {
  for (const auto &[axis, extent] :
       {std::pair<char, integer>('x', 0), {'y', 65536}, {'z', -1}, {'x', integer(INT32_MAX) + 1}}) {
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
  stride.stride("a", 1, -2);
  CHECK(stride.result().message() ==
        "k: the stride of a in dimension 1 is -2; it must not be negative");
  launch_checks null("k");
  null.pointer("p", nullptr, 4);
  CHECK(null.result().message() == "k: p is a null pointer");
  launch_checks odd("k");
  odd.pointer("p", memory + 2, 4);
  CHECK(odd.result().message() == "k: p is not aligned to 4 bytes");
}
