// CTA barriers, named barriers, and what the lanes of a warp do together.
#include "Harness.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace tsk;
using namespace tsk::sim::testing;

TEST_CASE("cta_sync separates what comes before from what comes after") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> written(96, 0);
    bool all_seen = true;
    CHECK_RUNS(run_kernel({.threads = 96, .seed = seed}, [&] {
      written[block_thread()] = 1;
      cta_sync();
      for (int w : written)
        all_seen &= w == 1;
    }));
    CHECK(all_seen);
  }
}

TEST_CASE("threads that have ended count for cta_sync") {
  CHECK_RUNS(run_kernel({.threads = 64}, [] {
    if (block_thread() % 3 != 0)
      cta_sync();
  }));
}

TEST_CASE("a cta_sync that some threads never reach is a deadlock") {
  const auto result = run_kernel({.threads = 64}, [] {
    if (warp_index() == 0)
      cta_sync();
    else
      named_barrier_sync(3, 64);
  });
  CHECK_FAULT(result, "deadlock: no thread can run and no copy is in flight");
  CHECK_FAULT(result, "warp 0: 32 threads waiting in cta_sync: 32 of 64 threads are there");
  CHECK_FAULT(result, "warp 1: 32 threads waiting for named barrier 3: 32 of 64 threads are there");
  CHECK_FAULT(result, "BarrierTest.cpp:");
}

TEST_CASE("barrier 0 is the CTA's, wherever its threads come from") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    int arrived = 0;
    bool ordered = true;
    CHECK_RUNS(run_kernel({.threads = 96, .seed = seed}, [&] {
      for (int round = 1; round <= 3; ++round) {
        ++arrived;
        if (warp_index() == 0)
          named_barrier_sync(0, 96);
        else
          cta_sync();
        ordered &= arrived >= 96 * round;
        named_barrier_sync(0, 96);
      }
    }));
    CHECK(ordered);
  }
}

TEST_CASE("where a count is said for barrier 0, threads that have ended do not count") {
  const auto result = run_kernel({.threads = 64}, [] {
    if (warp_index() == 0)
      named_barrier_sync(0, 64);
  });
  CHECK_FAULT(result, "warp 0: 32 threads waiting in cta_sync: 32 of 64 threads are there");
  CHECK_FAULT(run_kernel({.threads = 64}, [] { named_barrier_sync(0, 32); }),
              "named barrier 0; ids are 1 .. 15 (0 is the CTA's, for all its threads)");
}

TEST_CASE("a named barrier holds until its count is there and is then free again") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    int arrived = 0;
    bool ordered = true;
    CHECK_RUNS(run_kernel({.threads = 128, .seed = seed}, [&] {
      if (warp_index() == 3)
        return;
      for (int round = 1; round <= 3; ++round) {
        ++arrived;
        named_barrier_sync(1, 96);
        ordered &= arrived >= 96 * round;
        named_barrier_sync(2, 96);
      }
    }));
    CHECK(ordered);
  }
}

TEST_CASE("named_barrier_arrive does not wait") {
  bool data = false, seen = true;
  CHECK_RUNS(run_kernel({.threads = 64}, [&] {
    if (warp_index() == 0) {
      data = true;
      named_barrier_arrive(5, 64);
    } else {
      named_barrier_sync(5, 64);
      seen &= data;
    }
  }));
  CHECK(seen);
}

TEST_CASE("misuse of a named barrier is a fault") {
  CHECK_FAULT(run_kernel({}, [] { named_barrier_arrive(0, 32); }), "ids are 1 .. 15");
  CHECK_FAULT(run_kernel({}, [] { named_barrier_sync(16, 32); }), "ids are 1 .. 15");
  CHECK_FAULT(run_kernel({}, [] { named_barrier_sync(1, 33); }), "a multiple of 32");
  CHECK_FAULT(run_kernel({}, [] { named_barrier_sync(1, 64); }), "up to the CTA's 32");
  CHECK_FAULT(
      run_kernel({.threads = 96}, [] { named_barrier_sync(1, warp_index() == 0 ? 64 : 96); }),
      "while others expect 64");
}

TEST_CASE("one lane is elected, the same one each time, and every seed may choose") {
  std::vector<bool> chosen(32, false);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    int first = -1, second = -1, elections = 0;
    CHECK_RUNS(run_kernel({.seed = seed}, [&] {
      if (elect_one()) {
        first = lane();
        ++elections;
      }
      if (elect_one()) {
        second = lane();
        ++elections;
      }
    }));
    CHECK(elections == 2);
    CHECK(first == second);
    if (seed == 0)
      CHECK(first == 0);
    chosen[first] = true;
  }
  CHECK(std::count(chosen.begin(), chosen.end(), true) > 16);
}

TEST_CASE("an elected lane that ends at once leaves the others not elected") {
  int elections = 0;
  CHECK_RUNS(run_kernel({}, [&] {
    if (elect_one()) {
      ++elections;
      return;
    }
    warp_sync();
  }));
  CHECK(elections == 1);
}

TEST_CASE("lanes that call different collectives are a fault") {
  CHECK_FAULT(run_kernel({},
                         [] {
                           if (lane() < 16)
                             warp_sync();
                           else
                             elect_one();
                         }),
              "lanes of one warp disagree: this one calls elect_one, others wait in warp_sync");
}

TEST_CASE("an election that half of the lanes miss is a deadlock that says so") {
  CHECK_FAULT(run_kernel({},
                         [] {
                           if (lane() < 16)
                             elect_one();
                           else
                             named_barrier_sync(1, 32);
                         }),
              "16 threads waiting in elect_one for the other lanes of the warp");
}

TEST_CASE("votes and shuffles") {
  CHECK_RUNS(run_kernel({.seed = 3}, [] {
    const int own = lane();
    if (__ballot_sync(0xFFFFFFFFu, own % 2) != 0xAAAAAAAAu)
      sim::fault("ballot", {});
    if (!__any_sync(0xFFFFFFFFu, own == 7) || __all_sync(0xFFFFFFFFu, own == 7))
      sim::fault("any, all", {});
    if (__shfl_sync(0xFFFFFFFFu, own * 3, 5) != 15)
      sim::fault("shfl", {});
    if (__shfl_sync(0xFFFFFFFFu, own, 1, 8) != own / 8 * 8 + 1)
      sim::fault("shfl width", {});
    if (__shfl_xor_sync(0xFFFFFFFFu, own + 0.5, 4) != (own ^ 4) + 0.5)
      sim::fault("xor", {});
    if (__shfl_up_sync(0xFFFFFFFFu, own, 2) != (own < 2 ? own : own - 2))
      sim::fault("up", {});
    if (__shfl_down_sync(0xFFFFFFFFu, own, 3, 16) != (own % 16 + 3 < 16 ? own + 3 : own))
      sim::fault("down", {});
    if (own < 8 && __shfl_sync(0xFFu, own, 7) != 7)
      sim::fault("partial mask", {});
  }));
}

TEST_CASE("registers move between warpgroups through the CTA's pool") {
  // 384 threads start with 168 registers each: nothing is free until a warpgroup gives some back.
  CHECK_RUNS(run_kernel({.threads = 384}, [] {
    if (warp_index() < 4)
      setmaxnreg_inc<232>();
    else
      setmaxnreg_dec<40>();
  }));
  CHECK_FAULT(run_kernel({.threads = 384},
                         [] {
                           if (warp_index() < 4)
                             setmaxnreg_inc<232>();
                           else if (warp_index() < 8)
                             setmaxnreg_inc<232>();
                           else
                             setmaxnreg_dec<88>();
                         }),
              "waiting in setmaxnreg for 232 registers a thread");
  CHECK_FAULT(run_kernel({.threads = 128}, [] { setmaxnreg_dec<36>(); }), "multiples of 8");
  // What the launch did not give is not there, though the multiprocessor has it.
  CHECK_FAULT(run_kernel({.threads = 384}, [] { setmaxnreg_inc<176>(); }),
              "waiting in setmaxnreg for 176 registers a thread; 0 are free in the CTA");
  CHECK_FAULT(run_kernel({.threads = 256}, [] { setmaxnreg_inc<160>(); }),
              "setmaxnreg.inc to 160 in a warp that has 256 registers a thread");
  CHECK_FAULT(run_kernel({.threads = 384}, [] { setmaxnreg_dec<232>(); }),
              "setmaxnreg.dec to 232 in a warp that has 168 registers a thread");
  CHECK_FAULT(run_kernel({.threads = 128},
                         [] {
                           if (warp_index() != 2)
                             setmaxnreg_dec<40>();
                         }),
              "all four warps must run the same setmaxnreg");
}

TEST_CASE("a multiprocessor that holds several CTAs gives each its share of registers") {
  const auto raise = [] {
    if (warp_index() < 4)
      setmaxnreg_inc<160>();
    else
      setmaxnreg_dec<96>();
  };
  CHECK_RUNS(run_kernel({.threads = 256, .min_ctas = 2}, raise)); // 128 each
  CHECK_FAULT(run_kernel({.threads = 256}, raise), "setmaxnreg.inc to 160 in a warp that has 256");
  CHECK_FAULT(run_kernel({.threads = 256, .min_ctas = 4}, raise),
              "setmaxnreg.dec to 96 in a warp that has 64");
}

TEST_CASE("a launch outside the limits is refused") {
  CHECK_FAULT(run_kernel({.threads = 1056}, [] {}), "1056 threads a CTA, the limit is 1024");
  CHECK_FAULT(run_kernel({.threads = 0}, [] {}), "0 threads");
  CHECK_FAULT(run_kernel({.grid = 0}, [] {}), "the grid is empty");
  CHECK_FAULT(run_kernel({.shared_bytes = 232449}, [] {}), "the limit is 232448");
}

TEST_CASE("a thread that spins on what never comes is a livelock") {
  const auto result = run_kernel({.threads = 64, .livelock_steps = 1000}, [] {
    if (block_thread() == 0)
      mbarrier_init(barrier_at(0), 1);
    cta_sync();
    while (!mbarrier_try_wait(barrier_at(0), 0)) {
    }
  });
  CHECK_FAULT(result, "livelock: threads run and nothing changes");
  CHECK_FAULT(result, "BarrierTest.cpp:");
}

TEST_CASE("CTAs run in the order of the seed, every one once") {
  for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    std::vector<int> order;
    CHECK_RUNS(run_kernel({.grid = 50, .seed = seed}, [&] {
      if (block_thread() == 0)
        order.push_back(block_x());
    }));
    std::vector<int> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < 50; ++i)
      CHECK(sorted[i] == i);
    CHECK((order == sorted) == (seed == 0));
  }
}

TEST_CASE("the same seed gives the same run") {
  const auto trace = [](uint64_t seed) {
    std::vector<int> steps;
    run_kernel({.grid = 3, .threads = 96, .seed = seed}, [&] {
      for (int i = 0; i < 3; ++i) {
        steps.push_back(block_x() * 1000 + block_thread());
        named_barrier_arrive(1, 96);
      }
    });
    return steps;
  };
  CHECK(trace(7) == trace(7));
  CHECK(trace(7) != trace(8));
}

TEST_CASE("a wait for multiplications brings the warp together") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    int done = 0;
    bool all = true;
    CHECK_RUNS(run_kernel({.seed = seed}, [&] {
      sim::wgmma_begin([&] { ++done; }, [] {}, 0, nullptr, {});
      sim::wgmma_commit({});
      sim::wgmma_wait(0);
      all &= done == 32;
    }));
    CHECK(all);
  }
}
