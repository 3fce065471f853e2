// A process of its own for code that may not come back.
#include "Harness.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <unistd.h>

using namespace tsk;
using namespace tsk::sim::testing;

static sim::isolated_result isolate(int (*function)(void *), unsigned seconds = 60) {
  return sim::run_isolated(function, nullptr, seconds);
}

TEST_CASE("what a function noted last is known however it ended") {
  const auto returned = isolate([](void *) {
    sim::note(4);
    sim::note(5);
    return 3;
  });
  CHECK(returned.ended_normally);
  CHECK(returned.status == 3);
  CHECK(returned.noted == 5);

  const auto killed = isolate([](void *) {
    sim::note(7);
    return raise(SIGKILL); // nothing can be written any more
  });
  CHECK_FALSE(killed.ended_normally);
  CHECK(contains(killed.text, "ended by signal 9"));
  CHECK(killed.noted == 7);

  const auto late = isolate(
      [](void *) -> int {
        sim::note(8);
        for (;;)
          ::pause();
      },
      1);
  CHECK(contains(late.text, "ran longer than its time limit"));
  CHECK(late.noted == 8);

  CHECK(isolate([](void *) { return 0; }).noted == 0);
}
