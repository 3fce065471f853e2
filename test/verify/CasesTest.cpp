// Small protocols with known verdicts: faults that people have met and the correct schedules next
// to them, and the corner cases of the theory. The oracle has to agree on each.
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"
#include "test/verify/oracle/Explorer.h"

#include <catch2/catch.hpp>

using namespace tsk;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { reports.push_back(report); }
  std::vector<Report> reports;
};

// The code of the first finding, 0: none. Checks that all interleavings say the same.
unsigned verdict(const std::string &text) {
  SourceManager sources;
  Collector collector;
  DiagnosticEngine engine(collector);
  SourceLoc begin =
      sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy("plan p {" + text + "}"), "p.plan");
  std::unique_ptr<plan::Plan> plan = plan::parsePlan(sources, begin, engine);
  for (const Report &report : collector.reports)
    UNSCOPED_INFO(report.message);
  REQUIRE(plan);
  verify::VerifyResult result;
  bool isClean = verify::verify(*plan, engine, {}, result);
  oracle::Exploration all = oracle::explore(*plan, 500000, /*stopsAtFirst=*/true);
  REQUIRE(all.isComplete);
  for (const Report &report : collector.reports)
    UNSCOPED_INFO(report.message);
  UNSCOPED_INFO("oracle: " << all.first);
  CHECK(isClean == (all.faults == 0));
  return isClean ? 0 : diagnosticInfo(collector.reports[0].kind).code;
}

// A ring of `stages` between a TMA producer and a consumer of `warps` warps.
std::string ring(unsigned stages, unsigned full, unsigned empty, unsigned warps, unsigned trips,
                 const std::string &release) {
  return fmt::format(R"(
    smem x stages {0} bytes 64;
    mbarrier full stages {0} arrivals {1};
    mbarrier empty stages {0} arrivals {2};
    task P warps 0 .. 1 single_lane {{
      cursor c stages {0} parity 1;
      for k in 0 .. {4} {{
        wait empty[c];
        arrive_expect full[c] bytes 64;
        call load() writes x[c] by tma completes full[c] bytes 64;
        advance c;
      }}
    }}
    task C warps 1 .. {3} {{
      cursor c stages {0};
      for k in 0 .. {4} {{
        wait full[c];
        call get() reads x[c];
        {5};
        advance c;
      }}
    }})",
                     stages, full, empty, warps + 1, trips, release);
}

} // namespace

TEST_CASE("an expect without an arrival hangs") {
  CHECK(verdict(R"(
    smem x bytes 64;
    mbarrier full arrivals 1;
    task P warps 0 .. 1 single_lane {
      expect full bytes 64;
      call load() writes x by tma completes full bytes 64;
    }
    task C warps 1 .. 2 { wait full parity 0; call get() reads x; })") == 2001);
  CHECK(verdict(R"(
    smem x bytes 64;
    mbarrier full arrivals 1;
    task P warps 0 .. 1 single_lane {
      arrive_expect full bytes 64;
      call load() writes x by tma completes full bytes 64;
    }
    task C warps 1 .. 2 { wait full parity 0; call get() reads x; })") == 0);
}

TEST_CASE("arrival counts and the arrivals that are made") {
  CHECK(verdict(ring(2, 1, 64, 2, 4, "arrive empty[c]")) == 0);
  CHECK(verdict(ring(2, 1, 1, 1, 4, "sync warp; arrive empty[c] by leader")) == 0);
  // Declared as threads, made by one.
  CHECK(verdict(ring(3, 32, 32, 1, 4, "arrive empty[c]")) == 2004);
  CHECK(verdict(ring(3, 1, 128, 1, 4, "sync warp; arrive empty[c] by leader")) == 2004);
  // Too few are counted: the stage is refilled while the second warp reads it.
  // … and can be refilled before it has looked.
  CHECK(verdict(ring(2, 1, 1, 2, 4, "sync warp; arrive empty[c] by leader")) == 2203);
  // One warp's threads arrive for both: the same.
  CHECK(verdict(ring(2, 1, 32, 2, 4, "arrive empty[c]")) >= 2101);
}

TEST_CASE("bytes that do not add up") {
  const char *text = R"(
    smem x bytes 64;
    mbarrier full arrivals 1;
    task P warps 0 .. 1 single_lane {{
      arrive_expect full bytes {};
      call load() writes x by tma completes full bytes 64;
    }}
    task C warps 1 .. 2 {{ wait full parity 0; call get() reads x; }})";
  CHECK(verdict(fmt::format(fmt::runtime(text), 64)) == 0);
  CHECK(verdict(fmt::format(fmt::runtime(text), 128)) == 2005);
  CHECK(verdict(fmt::format(fmt::runtime(text), 32)) == 2005);
}

TEST_CASE("a wait for the parity of the loop instead of the barrier's") {
  const char *text = R"(
    smem x stages 2 bytes 64;
    mbarrier b stages 2 arrivals 1;
    task T warps 0 .. 1 single_lane {{
      arrive_expect b[0] bytes 64;
      call load() writes x[0] by tma completes b[0] bytes 64;
      wait b[0] parity 0;
      call get() reads x[0];
      arrive_expect b[1] bytes 64;
      call load() writes x[1] by tma completes b[1] bytes 64;
      wait b[1] parity {};
      call get() reads x[1];
    }})";
  CHECK(verdict(fmt::format(fmt::runtime(text), 0)) == 0);
  CHECK(verdict(fmt::format(fmt::runtime(text), 1)) != 0);
}

TEST_CASE("a circle of waits, and the first wait on a free stage") {
  const char *text = R"(
    smem q bytes 64;
    mbarrier full arrivals 1;
    mbarrier empty arrivals 1;
    task P warps 0 .. 1 single_lane {{
      wait empty parity {};
      arrive_expect full bytes 64;
      call load() writes q by tma completes full bytes 64;
    }}
    task C warps 1 .. 2 {{
      wait full parity 0;
      call mma() reads q;
      sync warp;
      arrive empty by leader;
    }})";
  CHECK(verdict(fmt::format(fmt::runtime(text), 0)) == 2003);
  CHECK(verdict(fmt::format(fmt::runtime(text), 1)) == 0);
}

TEST_CASE("a spectator that nobody counts on can miss a phase") {
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    task A warps 0 .. 1 single_lane { arrive b; wait b parity 0; arrive b; }
    task S warps 1 .. 2 { wait b parity 0; })") == 2203);
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    mbarrier seen arrivals 1;
    task A warps 0 .. 1 single_lane { arrive b; wait seen parity 0; arrive b; }
    task S warps 1 .. 2 { wait b parity 0; arrive seen by leader; })") == 0);
  // A leader that goes on before its siblings have left the wait is one as well.
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    mbarrier g arrivals 1;
    task A warps 0 .. 1 single_lane { arrive b; wait g parity 0; arrive b; }
    task B warps 1 .. 3 { wait b parity 0; arrive g by leader; })") == 2203);
}

TEST_CASE("a warp that completes a phase itself need not wait for it") {
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    mbarrier d arrivals 1;
    task A warps 0 .. 1 single_lane {
      arrive b; wait d parity 0; arrive b; wait d parity 1;
    }
    task C warps 1 .. 2 single_lane {
      wait b parity 0; arrive d; wait b parity 1; arrive d;
    })") == 0);
}

TEST_CASE("arrivals that could be exchanged are counted in no certain phase") {
  CHECK(verdict(R"(
    mbarrier b arrivals 2;
    task A warps 0 .. 1 single_lane { arrive b; arrive b; }
    task B warps 1 .. 2 single_lane { arrive b; arrive b; })") == 2201);
  CHECK(verdict(R"(
    mbarrier b arrivals 2;
    task A warps 0 .. 1 single_lane { arrive b; wait b parity 0; arrive b; wait b parity 1; }
    task B warps 1 .. 2 single_lane { arrive b; wait b parity 0; arrive b; wait b parity 1; })") ==
        0);
}

TEST_CASE("a wait that may pass on the phase before") {
  // B skips a phase: on parity 0 it may pass on the first or the third.
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    task A warps 0 .. 1 single_lane { arrive b; arrive b; arrive b; }
    task B warps 1 .. 2 { wait b parity 0; })") != 0);
  CHECK(verdict(R"(
    mbarrier b arrivals 1;
    mbarrier go arrivals 1;
    task A warps 0 .. 1 single_lane { arrive b; arrive b; arrive go; }
    task B warps 1 .. 2 { wait go parity 0; wait b parity 1; })") == 0);
}

TEST_CASE("an expect must come before the phase can be over") {
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    task A warps 0 .. 1 single_lane {
      expect full bytes 64;
      call load() writes x by tma completes full bytes 64;
      wait full parity 0;
    }
    task B warps 1 .. 2 single_lane { arrive full; })") == 2204);
  // The other one goes first: the same fault, seen from the other end.
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    task A warps 0 .. 1 single_lane { arrive full; }
    task B warps 1 .. 2 single_lane { expect full bytes 64; })") == 2201);
  // With a barrier of threads in between it is covered.
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    named n id 1 threads 64;
    task A warps 0 .. 1 { sync n; arrive full by leader; }
    task B warps 1 .. 2 {
      expect full bytes 64 by leader;
      call load() by leader writes x by tma completes full bytes 64;
      sync n;
      wait full parity 0;
    })") == 0);
  // Bytes that are announced while others are still out cannot come too late.
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    smem y bytes 64;
    task B warps 0 .. 1 single_lane {
      arrive_expect full bytes 64;
      expect full bytes 64;
      call load() writes x by tma completes full bytes 64 writes y by tma completes full bytes 64;
      wait full parity 0;
    })") == 0);
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    smem y bytes 64;
    task B warps 0 .. 1 single_lane {
      arrive_expect full bytes 64;
      call load() writes x by tma completes full bytes 64;
      expect full bytes 64;
      call load() writes y by tma completes full bytes 64;
      wait full parity 0;
    })") != 0);
  // A phase that nobody waits for and that never ends in this run, but may in another.
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    task A warps 0 .. 1 single_lane { expect full bytes 64; }
    task B warps 1 .. 2 single_lane { arrive full; })") == 2204);
}

TEST_CASE("loads that land before the barrier is armed") {
  // The phase waits for the arrival, so bytes may come first.
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    task A warps 0 .. 1 single_lane {
      call load() writes x by tma completes full bytes 64;
      arrive_expect full bytes 64;
    }
    task B warps 1 .. 2 { wait full parity 0; call get() reads x; })") == 0);
}

TEST_CASE("a load that nobody waits for") {
  CHECK(verdict(R"(
    mbarrier full arrivals 1;
    smem x bytes 64;
    task A warps 0 .. 1 single_lane {
      arrive_expect full bytes 64;
      call load() writes x by tma completes full bytes 64;
    })") == 2301);
}

TEST_CASE("too many arrivals") {
  CHECK(verdict(R"(
    mbarrier b arrivals 16;
    task A warps 0 .. 1 { arrive b; })") == 2205);
}

TEST_CASE("barriers of threads") {
  CHECK(verdict(R"(
    smem x bytes 64;
    named n id 1 threads 64;
    task A warps 0 .. 1 { call put() writes x; sync n; }
    task B warps 1 .. 2 { sync n; call get() reads x; })") == 0);
  CHECK(verdict(R"(
    smem x bytes 64;
    named n id 1 threads 64;
    task A warps 0 .. 1 { call put() writes x; arrive n; }
    task B warps 1 .. 2 { sync n; call get() reads x; })") == 0);
  // The other way round the signal orders nothing.
  CHECK(verdict(R"(
    smem x bytes 64;
    named n id 1 threads 64;
    task A warps 0 .. 1 { sync n; call put() writes x; }
    task B warps 1 .. 2 { arrive n; call get() reads x; })") == 2401);
  CHECK(verdict(R"(
    named n id 1 threads 64;
    task A warps 0 .. 1 { sync n; sync n; }
    task B warps 1 .. 2 { sync n; })") == 2006);
  // Two pairs of warps on one barrier can complete each other's.
  CHECK(verdict(R"(
    named n id 2 threads 64;
    task A warps 0 .. 2 { sync n; }
    task B warps 2 .. 4 { sync n; })") == 2201);
}

TEST_CASE("a barrier in the loop orders this iteration, not the next") {
  const char *text = R"(
    smem x bytes 64;
    named n id 1 threads 64;
    task T warps 0 .. 2 {{
      for k in 0 .. {} {{
        call put() by leader writes x;
        sync n;
        call get() reads x;
        {}
      }}
    }})";
  CHECK(verdict(fmt::format(fmt::runtime(text), 1, "")) == 0);
  CHECK(verdict(fmt::format(fmt::runtime(text), 2, "")) == 2101);
  CHECK(verdict(fmt::format(fmt::runtime(text), 3, "sync n;")) == 0);
}

TEST_CASE("the threads of one call cooperate, those of two calls do not") {
  CHECK(verdict(R"(
    smem x bytes 64;
    task T warps 0 .. 2 { call put() writes x; })") == 0);
  CHECK(verdict(R"(
    smem x bytes 64;
    task T warps 0 .. 2 { call put() writes x; call put() writes x; })") == 2101);
  // The first of one warp against the second of the other, known in one direction only.
  CHECK(verdict(R"(
    smem x bytes 64;
    mbarrier b arrivals 1;
    task T warps 0 .. 2 {
      call put() writes x;
      sync warp;
      arrive b by leader;
      wait b parity 0;
      call put() writes x;
    })") == 2101);
}

TEST_CASE("data that was never written, or written for another turn") {
  CHECK(verdict(R"(
    smem x bytes 64;
    task T warps 0 .. 1 { call get() reads x; })") == 2401);
  // The consumer's cursor is not advanced in its first iteration: it reads what it has read.
  CHECK(verdict(R"(
    smem x stages 2 bytes 64;
    mbarrier done arrivals 32;
    task P warps 0 .. 1 {
      cursor c stages 2;
      call put() writes x[c]; advance c; call put() writes x[c]; advance c; call put() writes x[c];
      arrive done;
    }
    task C warps 1 .. 2 {
      cursor c stages 2;
      wait done parity 0;
      call get() reads x[c];
    })") == 2402);
}

TEST_CASE("two held stages, released one late") {
  CHECK(verdict(R"(
    smem x stages 3 bytes 64;
    mbarrier full stages 3 arrivals 1;
    mbarrier empty stages 3 arrivals 32;
    task P warps 0 .. 1 single_lane {
      cursor c stages 3 parity 1;
      for k in 0 .. 5 {
        wait empty[c];
        arrive_expect full[c] bytes 64;
        call load() writes x[c] by tma completes full[c] bytes 64;
        advance c;
      }
    }
    task C warps 1 .. 2 {
      cursor c stages 3;
      cursor r stages 3;
      wait full[c];
      call get() reads x[c];
      for k in 0 .. 4 {
        advance c;
        wait full[c];
        call get() reads x[c];
        arrive empty[r];
        advance r;
      }
      arrive empty[r];
    })") == 0);
}
