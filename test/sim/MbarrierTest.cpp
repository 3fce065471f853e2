// Each rule of an mbarrier by itself.
#include "Harness.h"

#include <catch2/catch.hpp>

using namespace tsk;
using namespace tsk::sim::testing;

namespace {

bool is_first() { return block_thread() == 0; }

// Thread 0 initialises a barrier of `arrivals` at offset 0; then all threads run `body`.
sim::outcome with_barrier(run_options options, unsigned arrivals,
                          std::function<void(mbarrier *)> body) {
  return run_kernel(options, [=] {
    mbarrier *barrier = barrier_at(0);
    if (is_first())
      mbarrier_init(barrier, arrivals);
    cta_sync();
    body(barrier);
  });
}

} // namespace

TEST_CASE("a fresh mbarrier lets a wait on parity 1 pass and holds one on parity 0") {
  bool passed = false;
  CHECK_RUNS(with_barrier({}, 1, [&](mbarrier *b) {
    mbarrier_wait(b, 1);
    passed = true;
    if (is_first())
      CHECK_FALSE(mbarrier_try_wait(b, 0));
  }));
  CHECK(passed);
  CHECK_FAULT(with_barrier({}, 1, [](mbarrier *b) { mbarrier_wait(b, 0); }),
              "its phase misses 1 of 1 arrival");
}

TEST_CASE("a phase ends with its last arrival and the count starts again") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    int arrived = 0;
    bool ordered = true;
    CHECK_RUNS(with_barrier({.threads = 64, .seed = seed}, 64, [&](mbarrier *b) {
      for (int phase = 0; phase < 5; ++phase) {
        ++arrived;
        mbarrier_arrive(b);
        mbarrier_wait(b, phase % 2);
        ordered &= arrived >= 64 * (phase + 1);
      }
    }));
    CHECK(ordered);
    CHECK(arrived == 5 * 64);
  }
}

TEST_CASE("transaction bytes hold a phase that has all its arrivals") {
  const auto result = with_barrier({}, 1, [](mbarrier *b) {
    if (is_first())
      mbarrier_arrive_expect_tx(b, 512);
    mbarrier_wait(b, 0);
  });
  CHECK_FAULT(result, "all arrivals of its phase are there and 512 transaction bytes");
}

TEST_CASE("misuse of an mbarrier is a fault") {
  SECTION("an arrival too many") {
    // Bytes keep the phase open, so that it misses no arrival when the second one comes.
    CHECK_FAULT(with_barrier({}, 1,
                             [](mbarrier *b) {
                               if (is_first()) {
                                 mbarrier_arrive_expect_tx(b, 16);
                                 mbarrier_arrive(b);
                               }
                             }),
                "too many arrivals");
  }
  SECTION("too many bytes") {
    CHECK_FAULT(with_barrier({}, 1,
                             [](mbarrier *b) {
                               for (int i = 0; i < 2; ++i)
                                 if (is_first())
                                   mbarrier_expect_tx(b, 1 << 19);
                             }),
                "the hardware counts to 1048575");
  }
  SECTION("not initialised") {
    CHECK_FAULT(run_kernel({}, [] { mbarrier_wait(barrier_at(8), 0); }),
                "wait on the mbarrier at offset 8 of shared memory, which is not initialised");
    CHECK_FAULT(run_kernel({}, [] { mbarrier_arrive(barrier_at(8)); }), "not initialised");
  }
  SECTION("misaligned or outside") {
    CHECK_FAULT(run_kernel({}, [] { mbarrier_init(barrier_at(4), 1); }), "misaligned mbarrier");
    CHECK_FAULT(run_kernel({}, [] { mbarrier_init(barrier_at(1020), 1); }),
                "outside the CTA's dynamic shared memory");
    mbarrier on_host{};
    CHECK_FAULT(run_kernel({}, [&] { mbarrier_init(&on_host, 1); }), "outside");
  }
  SECTION("initialised twice") {
    CHECK_FAULT(with_barrier({}, 1, [](mbarrier *b) { mbarrier_init(b, 1); }),
                "second initialisation");
  }
  SECTION("a count that the hardware cannot hold") {
    CHECK_FAULT(run_kernel({}, [] { mbarrier_init(barrier_at(0), 0); }), "0 arrivals");
    CHECK_FAULT(run_kernel({}, [] { mbarrier_init(barrier_at(0), 1 << 20); }), "1048576 arrivals");
  }
  SECTION("overwritten with data") {
    CHECK_FAULT(with_barrier({}, 32,
                             [](mbarrier *b) {
                               dynamic_smem()[3] = 1;
                               mbarrier_arrive(b);
                             }),
                "overwritten with data");
  }
  SECTION("bytes left at the end") {
    CHECK_FAULT(with_barrier({}, 2,
                             [](mbarrier *b) {
                               if (is_first())
                                 mbarrier_arrive_expect_tx(b, 48);
                             }),
                "ended with 48 transaction bytes that never came");
  }
}

TEST_CASE("a phase that ends before its waiters have looked is a fault") {
  // One arrival a phase: thread 0 runs two phases while the others sleep on the first.
  int found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto result = with_barrier({.threads = 64, .seed = seed}, 1, [](mbarrier *b) {
      if (!is_first())
        return mbarrier_wait(b, 0);
      mbarrier_try_wait(b, 0); // lets the others go first
      mbarrier_arrive(b);
      mbarrier_arrive(b);
    });
    found += !result.ok && contains(result.text, "had not looked yet");
  }
  CHECK(found > 5);
}

TEST_CASE("an invalidated barrier may be initialised again") {
  CHECK_RUNS(with_barrier({}, 1, [](mbarrier *b) {
    if (is_first()) {
      sim::mbarrier_invalidate(b, {});
      mbarrier_init(b, 5);
    }
  }));
}
