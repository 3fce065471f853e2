// The canonical run against every interleaving, on thousands of random plans. For a longer run:
//   TSK_ORACLE_PLANS=1000000 build/test/unit/verify-oracle-unit-test
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"
#include "test/verify/oracle/Explorer.h"
#include "test/verify/oracle/RandomPlans.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace tsk;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { reports.push_back(report); }
  std::vector<Report> reports;
};

std::string textOf(const plan::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  plan::print(plan, nullptr, stream);
  return text;
}

// The oracle's word for a verifier's finding; 0: it has none for the order between proxies.
unsigned classOf(DiagnosticKind kind) {
  switch (diagnosticInfo(kind).code / 100) {
  case 20:
    return oracle::Hang;
  case 21:
    return oracle::Race;
  case 22:
    return oracle::Phase;
  case 23:
    return oracle::AtExit;
  case 24:
    return oracle::WrongData;
  default:
    return 0;
  }
}

} // namespace

static uint32_t planCount() {
  const char *wanted = std::getenv("TSK_ORACLE_PLANS");
  return wanted ? static_cast<uint32_t>(std::max(4000, std::atoi(wanted))) : 4000;
}

TEST_CASE("one canonical run agrees with all interleavings") {
  constexpr size_t StateLimit = 20000;
  unsigned compared = 0, faulty = 0, skipped = 0;
  for (uint32_t seed = 1; seed <= planCount(); ++seed) {
    plan::Plan plan = oracle::randomPlan(seed);
    Collector collector;
    DiagnosticEngine engine(collector);
    verify::VerifyOptions options;
    options.showsTimelines = false;
    options.checksLanes = false;
    verify::VerifyResult result;
    bool isClean = verify::verify(plan, engine, options, result);
    {
      INFO("seed " << seed << "\n" << textOf(plan));
      INFO((collector.reports.empty() ? std::string() : collector.reports[0].message));
      REQUIRE(result.verdict != verify::VerifyResult::Verdict::Unknown);
    }

    // A finding about proxies stands for its pipeline; what else is wrong with it is not reported.
    if (llvm::any_of(collector.reports, [](const Report &each) { return !classOf(each.kind); })) {
      ++skipped;
      continue;
    }

    // To the end where there is a fault: the first one found here may be another interleaving's.
    oracle::Exploration all = oracle::explore(plan, StateLimit, /*stopsAtFirst=*/false);
    // A fault that was found counts, however little was explored.
    if (!all.isComplete && all.faults == 0) {
      ++skipped;
      continue;
    }
    ++compared;
    faulty += !isClean;
    INFO("seed " << seed << "\n" << textOf(plan));
    INFO("oracle: " << all.first << ", faults " << all.faults);
    if (!isClean) {
      REQUIRE(!collector.reports.empty());
      CHECK(all.faults != 0);
      // Each finding is real, not only the first one.
      for (const Report &report : collector.reports) {
        INFO("verifier: " << report.message);
        if (all.isComplete)
          CHECK((all.faults & classOf(report.kind)) != 0);
      }
    } else {
      CHECK(all.faults == 0);
    }
  }
  INFO("compared " << compared << ", faulty " << faulty << ", skipped " << skipped);
  // The plans must stay a mixture: a generator that makes only broken ones tests nothing.
  CHECK(compared > planCount() * 9 / 10);
  CHECK(faulty > compared / 4);
  CHECK(faulty < compared * 9 / 10);
}
