#include <catch2/catch.hpp>
#include <tsk/tensor_map.h>

using tsk::i64;
using tsk::integer;

alignas(128) static char memory[256];

// Of a tensor of 2-byte elements.
static std::string messageFor(const void *at, const integer (&dims)[2],
                              const integer (&strides)[2]) {
  return tsk::detail::check_map("x", at, 2, 2, dims, strides).message();
}

TEST_CASE("a tensor that TMA can describe") {
  CHECK(messageFor(memory, {3, 8}, {8, 1}).empty());
  CHECK(messageFor(memory, {i64(1) << 32, 1}, {(i64(1) << 39) - 8, 1}).empty());
}

TEST_CASE("what TMA cannot describe is said before the driver is asked") {
  CHECK(messageFor(memory + 8, {3, 8}, {8, 1}) ==
        "x is not at an address that is a multiple of 16; TMA needs one");
  CHECK(messageFor(nullptr, {3, 8}, {8, 1}) ==
        "x is not at an address that is a multiple of 16; TMA needs one");
  CHECK(messageFor(memory, {3, 0}, {8, 1}) ==
        "x has an extent of 0 in dimension 1; TMA needs 1 .. 2^32");
  CHECK(messageFor(memory, {(i64(1) << 32) + 1, 8}, {8, 1}) ==
        "x has an extent of 4294967297 in dimension 0; TMA needs 1 .. 2^32");
  CHECK(messageFor(memory, {3, 8}, {8, 2}) == "x has an innermost stride of 2; TMA needs 1");
  CHECK(messageFor(memory, {3, 8}, {100, 1}) ==
        "x has a pitch of 200 bytes in dimension 0; TMA needs a multiple of 16 below 2^40");
  CHECK(messageFor(memory, {3, 8}, {i64(1) << 39, 1}) ==
        "x has a pitch of 1099511627776 bytes in dimension 0; TMA needs a multiple of 16 below "
        "2^40");
  CHECK(messageFor(memory, {3, 8}, {-8, 1}) ==
        "x has a pitch of -16 bytes in dimension 0; TMA needs a multiple of 16 below 2^40");
}

TEST_CASE("sizes beyond 64 bits do not pass") {
  const integer huge = integer(INT64_MAX) * 2;
  CHECK(messageFor(memory, {3, 8}, {INT64_MAX, 1}) ==
        "x has a pitch of beyond 64 bits in dimension 0; TMA needs a multiple of 16 below "
        "2^40");
  CHECK(messageFor(memory, {huge, 8}, {8, 1}) ==
        "x has an extent of beyond 64 bits in dimension 0; TMA needs 1 .. 2^32");
  CHECK(messageFor(memory, {3, 8}, {8, huge}) ==
        "x has an innermost stride of beyond 64 bits; TMA needs 1");
}
