// The engine against every interleaving, on random plans. For a longer run:
//   TSK_ORACLE_PLANS=400000 TSK_ORACLE_FIRST=1 build/test/unit/verify-oracle-unit-test "the
//   engine*"
#include "compiler/plan/Text.h"
#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/protocol/Judge.h"
#include "test/verify/oracle/Explorer.h"
#include "test/verify/oracle/RandomPlans.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace tsk;

static std::string textOf(const plan::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  plan::print(plan, nullptr, stream);
  return text;
}

static uint32_t environment(const char *name, uint32_t normal) {
  const char *wanted = std::getenv(name);
  return wanted ? static_cast<uint32_t>(std::max(1, std::atoi(wanted))) : normal;
}

// The explorer's word for a property.
static unsigned classOf(const std::string &property) {
  constexpr unsigned Classes[] = {oracle::Hang, oracle::Race, oracle::Phase, oracle::AtExit,
                                  oracle::WrongData}; // of V1, V2 …
  unsigned number = static_cast<unsigned>(property[1] - '1');
  return number < std::size(Classes) ? Classes[number] : 0;
}

TEST_CASE("the engine agrees with all interleavings of a plan") {
  constexpr size_t StateLimit = 20000;
  uint32_t first = environment("TSK_ORACLE_FIRST", 1);
  uint32_t count = environment("TSK_ORACLE_PLANS", 2000);
  unsigned compared = 0, faulty = 0, skipped = 0;
  for (uint32_t seed = first; seed < first + count; ++seed) {
    plan::Plan plan = oracle::randomPlan(seed);
    proof::Translation translation = proof::fromPlan(plan);
    INFO("seed " << seed << "\n" << textOf(plan));
    REQUIRE(translation.unsupported.empty());
    // The explorer knows nothing of proxies: no memory here that they concern.
    for (protocol::CellArray &cell : translation.program.cells)
      cell.space = protocol::Space::Tensor;
    protocol::Model model = protocol::buildModel(translation.program);
    protocol::Verdict verdict = protocol::judge(model);
    REQUIRE(verdict.judgement != protocol::Judgement::Unknown);
    bool isClean = verdict.judgement == protocol::Judgement::Proved;

    // To the end where there is a fault: the first one found here may be another interleaving's.
    oracle::Exploration all = oracle::explore(plan, StateLimit, /*stopsAtFirst=*/false);
    if (!all.isComplete && (all.faults != 0) == isClean) {
      ++skipped;
      continue;
    }
    ++compared;
    faulty += !isClean;
    INFO("explorer: " << all.first << ", faults " << all.faults);
    INFO("engine: " << (isClean ? "proved" : protocol::titleOf(verdict.fault->kind)));
    CHECK(isClean == (all.faults == 0));
    if (!isClean && all.isComplete && all.faults)
      CHECK((all.faults & classOf(protocol::propertyOf(verdict.fault->kind))) != 0);
  }
  WARN("compared " << compared << ", faulty " << faulty << ", beyond the explorer " << skipped);
  // The plans must stay a mixture: a generator that makes only broken ones tests nothing.
  CHECK(compared > count * 8 / 10);
  CHECK(faulty > compared / 4);
  CHECK(faulty < compared * 9 / 10);
}
