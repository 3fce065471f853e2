// Raw pointers that run out of what they point into.
#include "Harness.h"

#include <catch2/catch.hpp>

using namespace tsk;
using namespace tsk::sim::testing;

namespace {

// What a kernel of one thread that does this to its shared memory of 100 bytes ends with.
sim::outcome touch_shared(std::function<void(unsigned char *)> touch) {
  return run_kernel({.threads = 1, .shared_bytes = 100}, [&] { touch(dynamic_smem()); });
}

// The text with which a process ends in which a thread reads from there.
std::string crash_at(const volatile unsigned char *from) {
  static const volatile unsigned char *place;
  place = from;
  const sim::isolated_result result = sim::run_isolated(
      [](void *) { return run_kernel({.threads = 1}, [] { (void)*place; }).ok ? 0 : 1; }, nullptr,
      60);
  return result.ended_normally ? "ended normally" : result.text;
}

} // namespace

TEST_CASE("shared memory may be written from its first byte to its last") {
  CHECK_RUNS(touch_shared([](unsigned char *p) {
    for (int i = 0; i < 100; ++i)
      p[i] = 0;
  }));
  CHECK_RUNS(touch_shared([](unsigned char *p) {
    const auto address = reinterpret_cast<uintptr_t>(p);
    if (address % 1024 != 0)
      sim::fault("not aligned", {});
  }));
}

TEST_CASE("a byte that is written outside of shared memory is found when the CTA ends") {
  CHECK_FAULT(touch_shared([](unsigned char *p) { p[100] = 0; }),
              "memory 1 byte behind its end was written\n  in CTA (0, 0, 0)");
  CHECK_FAULT(touch_shared([](unsigned char *p) { p[1023] = 0; }), "924 bytes behind its end");
  CHECK_FAULT(touch_shared([](unsigned char *p) { p[-1] = 0; }), "1 byte before its begin");
}

TEST_CASE("a byte that is written beside a tensor is found when the kernel ends") {
  auto *const tensor = static_cast<unsigned char *>(sim::take_memory(300));
  sim::name_memory(tensor, "y");
  const auto touch = [&](int at) { return run_kernel({.threads = 1}, [&] { tensor[at] = 7; }); };
  CHECK_RUNS(touch(0));
  CHECK_RUNS(touch(299));
  SECTION("behind") {
    CHECK_FAULT(touch(300), "a pointer into y ran out of it: memory 1 byte behind its end");
  }
  SECTION("before") { CHECK_FAULT(touch(-4), "memory 4 bytes before its begin was written"); }
  sim::give_back_memory(tensor);
}

TEST_CASE("nobody reads or writes beyond the pages on both sides") {
  auto *const tensor = static_cast<unsigned char *>(sim::take_memory(512));
  CHECK(crash_at(tensor + 511) == "ended normally");
  CHECK(contains(crash_at(tensor + 512), "access to memory that is not there"));
  CHECK(contains(crash_at(tensor - 4096), "access to memory that is not there"));
  sim::give_back_memory(tensor);
}

TEST_CASE("memory of no bytes has a place of its own") {
  void *const a = sim::take_memory(0);
  void *const b = sim::take_memory(0);
  CHECK(a != nullptr);
  CHECK(a != b);
  CHECK_RUNS(run_kernel({}, [] {}));
  sim::give_back_memory(a);
  sim::give_back_memory(b);
}
