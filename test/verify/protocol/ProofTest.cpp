// The proof for all trip counts and tiles against many plain runs.
#include "Generator.h"

#include "compiler/verify/protocol/Prove.h"
#include "compiler/verify/protocol/Reader.h"
#include "compiler/verify/protocol/Run.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace tsk::protocol;

static uint64_t environment(const char *name, uint64_t normal) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : normal;
}

static Program read(const std::string &text) {
  ReadError error;
  std::optional<Program> program = readProgram(text, error);
  INFO(text << error.line << ":" << error.column << ": " << error.message);
  REQUIRE(program);
  return *program;
}

static bool fails(Machine &machine, std::vector<int> values) {
  Scenario scenario;
  scenario.values = std::move(values);
  return runScenario(machine, scenario).has_value();
}

struct Tally {
  int proved = 0, faulty = 0, unknown = 0;
  // `share`: one in so many may stay unknown.
  void check(int share = 200) const {
    WARN("proved " << proved << ", with faults " << faulty << ", unknown " << unknown);
    CHECK(proved > (proved + faulty) / 6);
    CHECK(unknown <= (proved + faulty) / share);
  }
};

// A verdict is either shown by its own scenario or must hold wherever we look.
static void compare(Tally &tally, const Verdict &verdict, Machine &machine,
                    const std::function<bool()> &anyFails) {
  switch (verdict.judgement) {
  case Judgement::Proved:
    ++tally.proved;
    CHECK_FALSE(anyFails());
    break;
  case Judgement::Fault:
    ++tally.faulty;
    CHECK(runScenario(machine, verdict.scenario).has_value());
    break;
  case Judgement::Unknown:
    ++tally.unknown;
    break;
  }
}

TEST_CASE("one symbol: the proof agrees with every trip count") {
  Tally tally;
  uint64_t first = environment("TSK_ORACLE_SEED", 1);
  for (uint64_t seed = first; seed < first + 1500 * environment("TSK_ORACLE_SCALE", 1); ++seed) {
    std::string text = oracle::generate(seed, {});
    Program program = read(text);
    Model model = buildModel(program);
    Verdict verdict = prove(model);
    Machine machine(model);
    INFO("seed " << seed << "\n" << text << verdict.reason);
    compare(tally, verdict, machine, [&] {
      for (int n = 0; n <= 40; ++n)
        if (fails(machine, {n}))
          return true;
      return false;
    });
    if (verdict.judgement == Judgement::Fault)
      for (int n = 0; n < verdict.scenario.values[0]; ++n)
        CHECK_FALSE(fails(machine, {n}));
  }
  tally.check();
}

TEST_CASE("two symbols: the proof agrees with a grid of trip counts") {
  Tally tally;
  uint64_t first = environment("TSK_ORACLE_SEED", 1);
  oracle::Shape shape;
  shape.twoSymbols = true;
  for (uint64_t seed = first; seed < first + 1000 * environment("TSK_ORACLE_SCALE", 1); ++seed) {
    std::string text = oracle::generate(seed, shape);
    Program program = read(text);
    Model model = buildModel(program);
    Verdict verdict = prove(model);
    Machine machine(model);
    INFO("seed " << seed << "\n" << text << verdict.reason);
    compare(tally, verdict, machine, [&] {
      for (int n = 0; n < 16; ++n)
        for (int m = 0; m < 16; ++m)
          if (fails(machine, {n, m}))
            return true;
      return false;
    });
  }
  tally.check();
}

TEST_CASE("two related symbols: the proof agrees with the grid of what is allowed") {
  Tally tally;
  uint64_t first = environment("TSK_ORACLE_SEED", 1);
  oracle::Shape shape;
  shape.twoSymbols = shape.related = true;
  for (uint64_t seed = first; seed < first + 700 * environment("TSK_ORACLE_SCALE", 1); ++seed) {
    std::string text = oracle::generate(seed, shape);
    Program program = read(text);
    Model model = buildModel(program);
    Verdict verdict = prove(model);
    Machine machine(model);
    INFO("seed " << seed << "\n" << text << verdict.reason);
    if (verdict.judgement == Judgement::Fault)
      CHECK(isAllowed(program, verdict.scenario));
    compare(tally, verdict, machine, [&] {
      for (int n = 0; n < 16; ++n)
        for (int m = 0; m < 16; ++m) {
          Scenario scenario;
          scenario.values = {n, m};
          if (isAllowed(program, scenario) && runScenario(machine, scenario))
            return true;
        }
      return false;
    });
  }
  tally.check(20);
}

TEST_CASE("tiles: the proof agrees with many patterns of tiles") {
  Tally tally;
  uint64_t first = environment("TSK_ORACLE_SEED", 1);
  oracle::Shape shape;
  shape.tiles = true;
  for (uint64_t seed = first; seed < first + 1000 * environment("TSK_ORACLE_SCALE", 1); ++seed) {
    std::string text = oracle::generate(seed, shape);
    Program program = read(text);
    Model model = buildModel(program);
    Verdict verdict = prove(model);
    Machine machine(model);
    INFO("seed " << seed << "\n" << text << verdict.reason << describe(program, verdict.scenario));
    compare(tally, verdict, machine, [&] {
      uint64_t state = seed;
      for (int round = 0; round < 120; ++round) {
        Scenario scenario;
        int tiles = round % 6;
        scenario.values = {tiles, 0, 0};
        for (int tile = 0; tile < tiles; ++tile) {
          state = state * 6364136223846793005ull + 1442695040888963407ull;
          int n = static_cast<int>((state >> 40) % (round < 60 ? 3 : 9));
          scenario.tiles[0].push_back({tiles, n, static_cast<int>(state >> 60 & 1)});
        }
        if (runScenario(machine, scenario))
          return true;
      }
      return false;
    });
  }
  tally.check();
}
