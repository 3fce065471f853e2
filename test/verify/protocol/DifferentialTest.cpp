// The engine's verdict on one scenario against every interleaving of it.
#include "BruteForce.h"
#include "Generator.h"

#include "compiler/verify/protocol/Reader.h"
#include "compiler/verify/protocol/Run.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace tsk::protocol;

static int scaled(int normal) {
  const char *factor = std::getenv("TSK_ORACLE_SCALE");
  return factor ? normal * std::max(1, std::atoi(factor)) : normal;
}

static uint64_t firstSeed() {
  const char *seed = std::getenv("TSK_ORACLE_SEED");
  return seed ? std::strtoull(seed, nullptr, 10) : 1;
}

static Program read(const std::string &text) {
  ReadError error;
  std::optional<Program> program = readProgram(text, error);
  INFO(text << error.line << ":" << error.column << ": " << error.message);
  REQUIRE(program);
  return *program;
}

static std::string nameOf(const std::optional<Fault> &fault) {
  return fault ? std::string(propertyOf(fault->kind)) + " " + titleOf(fault->kind) : "none";
}

TEST_CASE("one canonical run decides a scenario as all interleavings do") {
  int compared = 0, faulty = 0, gaveUp = 0, unknown = 0;
  for (uint64_t seed = firstSeed(), end = seed + scaled(600); seed < end; ++seed) {
    oracle::Shape shape;
    shape.twoSymbols = seed % 7 == 0;
    std::string text = oracle::generate(seed, shape);
    Program program = read(text);
    Model folded = buildModel(program), whole = buildModel(program, false);
    REQUIRE(whole.unsupported == "");
    for (int n : {static_cast<int>(seed % 3), 2 + static_cast<int>(seed % 4)}) {
      Scenario scenario;
      scenario.values.assign(program.symbols.size(), n);
      if (shape.twoSymbols)
        scenario.values[1] = static_cast<int>(seed / 7 % 4);
      Machine machine(whole), foldedMachine(folded);
      std::optional<Fault> found = runScenario(machine, scenario);
      oracle::Exploration all = oracle::explore(oracle::expand(program, scenario), 60000);
      INFO("seed " << seed << " n " << n << "\n"
                   << text << "engine: " << nameOf(found) << "\nexplorer: " << all.why);
      CHECK(found.has_value() == runScenario(foldedMachine, scenario).has_value());
      if (!all.isComplete) {
        ++gaveUp;
        continue;
      }
      if (!machine.beyond.empty()) { // the engine says that it cannot tell
        ++unknown;
        continue;
      }
      ++compared;
      faulty += found.has_value();
      CHECK(found.has_value() == !all.faults.empty());
    }
  }
  // The sample is worth something only if it holds both kinds, and the explorer gets through.
  CHECK(faulty > compared / 4);
  CHECK(faulty < compared * 3 / 4);
  CHECK(gaveUp < compared / 10);
  CHECK(unknown < compared / 100);
  WARN("compared " << compared << ", with faults " << faulty << ", beyond the explorer " << gaveUp
                   << ", unknown " << unknown);
}

namespace {
struct Comparison {
  int compared = 0, faulty = 0, gaveUp = 0, visibility = 0;
};
} // namespace

static Comparison compareWide(int programs, bool inSharedMemory) {
  Comparison sum;
  for (uint64_t seed = firstSeed(), end = seed + scaled(programs); seed < end; ++seed) {
    std::string text = oracle::generateWide(seed, inSharedMemory);
    Program program = read(text);
    Model folded = buildModel(program), whole = buildModel(program, false);
    REQUIRE(whole.unsupported == "");
    Scenario scenario;
    scenario.values = {static_cast<int>(seed % 4)};
    Machine machine(whole), foldedMachine(folded);
    std::optional<Fault> found = runScenario(machine, scenario);
    INFO("seed " << seed << " n " << seed % 4 << "\n" << text << "engine: " << nameOf(found));
    CHECK(found.has_value() == runScenario(foldedMachine, scenario).has_value());
    oracle::Exploration all =
        oracle::explore(oracle::expand(program, scenario), inSharedMemory ? 5000 : 15000, true,
                        oracle::Order::Proxies);
    INFO("explorer: " << all.why);
    if (!all.isComplete) {
      ++sum.gaveUp;
      continue;
    }
    ++sum.compared;
    sum.faulty += found.has_value();
    sum.visibility += found && std::string("V6") == propertyOf(found->kind);
    CHECK(found.has_value() == !all.faults.empty());
    if (found && !all.faults.empty())
      CHECK(all.faults.count(propertyOf(found->kind)) == 1);
  }
  CHECK(sum.faulty > sum.compared / 4);
  CHECK(sum.faulty < sum.compared * 3 / 4);
  WARN("compared " << sum.compared << ", with faults " << sum.faulty
                   << ", of proxies and publication " << sum.visibility << ", beyond the explorer "
                   << sum.gaveUp);
  return sum;
}

TEST_CASE("the engine agrees with all interleavings of programs with every feature") {
  compareWide(400, false);
}

TEST_CASE("proxies and publication: the engine agrees with all interleavings") {
  Comparison sum = compareWide(200, true);
  CHECK(sum.visibility > sum.compared / 20);
}
