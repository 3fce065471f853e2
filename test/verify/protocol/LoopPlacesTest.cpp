// In which iterations of a loop a condition holds, as the translation sees it, against what C++
// computes: `first`, `last`, `every`, and comparisons of the loop's variable, on random loops. For
// a longer run: TSK_ORACLE_SCALE=20 build/test/unit/verify-protocol-unit-test "places*"
#include "Expand.h"
#include "Random.h"

#include "compiler/plan/Text.h"
#include "compiler/verify/proof/FromPlan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>

using namespace tsk;
using namespace tsk::protocol;
using oracle::Random;

namespace {

struct Silent : DiagnosticConsumer {
  void handle(const Report &report) override {}
};

// One iteration: the variable, its number, how many there are, and n.
struct Place {
  int64_t r, ordinal, trips, n;
};

struct Condition {
  std::string text;
  std::function<bool(const Place &)> holds;
};

class Subject {
public:
  explicit Subject(uint64_t seed) : random(seed) {
    step = random.pick({1, 1, 2, 3, 64});
    lower = step * random.pick({0, 0, 1, 2});
    isReversed = random.chance(35);
    isExact = random.chance(60);
    condition = make(2);
  }

  std::string plan() const {
    std::string text = "plan p {\n  scalar n : i32;\n  assume n >= 0;\n";
    if (isExact)
      text += "  assume n % " + std::to_string(step) + " == 0;\n";
    return text +
           "  mbarrier a stages 1 arrivals 1;\n  mbarrier b stages 1 arrivals 1;\n"
           "  task T warps 0 .. 1 single_lane {\n    for r in " +
           (isReversed ? "reversed " : "") + std::to_string(lower) + " .. n step " +
           std::to_string(step) + " {\n      arrive a;\n      if (" + condition.text +
           ") { arrive b; }\n    }\n  }\n}\n";
  }

  int64_t tripsAt(int64_t n) const { return n > lower ? (n - lower - 1) / step + 1 : 0; }

  // "abaab": each iteration, and where the condition holds.
  std::string expected(int64_t n) const {
    std::string text;
    const int64_t trips = tripsAt(n);
    for (int64_t ordinal = 0; ordinal < trips; ++ordinal) {
      const int64_t number = isReversed ? trips - 1 - ordinal : ordinal;
      text += condition.holds({lower + number * step, ordinal, trips, n}) ? "ab" : "a";
    }
    return text;
  }

  int64_t step = 1, lower = 0;
  bool isExact = false;

private:
  Condition make(int depth) {
    if (depth == 0 || random.chance(55))
      return simple();
    const Condition x = make(depth - 1), y = make(depth - 1);
    if (random.chance(25))
      return {"!(" + x.text + ")", [x](const Place &at) { return !x.holds(at); }};
    if (random.chance(50))
      return {"(" + x.text + ") && (" + y.text + ")",
              [x, y](const Place &at) { return x.holds(at) && y.holds(at); }};
    return {"(" + x.text + ") || (" + y.text + ")",
            [x, y](const Place &at) { return x.holds(at) || y.holds(at); }};
  }

  Condition simple() {
    const int64_t few = random.below(4), more = 1 + random.below(4);
    const int64_t at = lower + step * few + random.pick({0, 0, 0, 1}), back = step * more;
    auto text = [](int64_t number) { return std::to_string(number); };
    switch (random.below(11)) {
    case 0:
      return {"first(r)", [](const Place &p) { return p.ordinal == 0; }};
    case 1:
      return {"last(r)", [](const Place &p) { return p.ordinal == p.trips - 1; }};
    case 2:
      return {"every(r, " + text(more) + ")",
              [more](const Place &p) { return p.ordinal % more == 0; }};
    case 3:
      return {"r == " + text(at), [at](const Place &p) { return p.r == at; }};
    case 4:
      return {"r < " + text(at), [at](const Place &p) { return p.r < at; }};
    case 5:
      return {"r >= " + text(at), [at](const Place &p) { return p.r >= at; }};
    case 6:
      return {"r == n - " + text(back), [back](const Place &p) { return p.r == p.n - back; }};
    case 7:
      return {"r < n - " + text(back), [back](const Place &p) { return p.r < p.n - back; }};
    case 8: {
      const int64_t period = step * more, rest = step * random.below(static_cast<int>(more));
      return {"r % " + text(period) + " == " + text(rest),
              [period, rest](const Place &p) { return p.r % period == rest; }};
    }
    case 9: {
      const int64_t rest = few % more, size = step;
      return {"r / " + text(size) + " % " + text(more) + " == " + text(rest),
              [size, more, rest](const Place &p) { return p.r / size % more == rest; }};
    }
    default:
      return {"r + " + text(step) + " <= n - " + text(back),
              [back, s = step](const Place &p) { return p.r + s <= p.n - back; }};
    }
  }

  Random random;
  bool isReversed = false;
  Condition condition;
};

// The values of symbols where `n` is that; nothing: the program leaves more open.
std::optional<Scenario> scenarioOf(const proof::Translation &translation, const Subject &subject,
                                   int64_t n) {
  const int64_t trips = subject.tripsAt(n);
  Scenario scenario;
  for (size_t i = 0; i < translation.program.symbols.size(); ++i) {
    const Symbol &symbol = translation.program.symbols[i];
    std::optional<int64_t> value;
    for (const proof::Meaning &meaning : translation.meanings)
      if (meaning.symbol == static_cast<int>(i) && meaning.loop) // no trips: as few as can be
        value = trips > 0 ? (trips - meaning.add) / meaning.scale : int64_t(symbol.min);
    if (!value || symbol.isPerTile || symbol.isCondition)
      return std::nullopt;
    scenario.values.push_back(std::max(symbol.min, static_cast<int>(*value)));
  }
  return scenario;
}

std::string executed(const Program &program, const Scenario &scenario) {
  const oracle::Expanded expanded = oracle::expand(program, scenario);
  std::string text;
  for (const oracle::Step &step : expanded.warps[0].steps)
    if (step.kind == OpKind::Arrive)
      text += expanded.barrierNames[step.bars[0]].substr(0, 1);
  return text;
}

bool hasTiles(const Region &region) {
  return std::any_of(region.begin(), region.end(), [](const Node &node) {
    return node.kind == NodeKind::Tiles || hasTiles(node.body) || hasTiles(node.elseBody);
  });
}

} // namespace

TEST_CASE("places in loops are where C++ sees them") {
  const char *wanted = std::getenv("TSK_ORACLE_SCALE");
  const int count = 1500 * (wanted ? std::max(1, std::atoi(wanted)) : 1);
  int compared = 0, open = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const Subject subject(static_cast<uint64_t>(seed));
    const std::string text = subject.plan();
    INFO("seed " << seed << "\n" << text);
    SourceManager sources;
    Silent silent;
    DiagnosticEngine diagnostics(silent);
    auto plan = plan::parsePlan(
        sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "p"), diagnostics);
    REQUIRE(plan);
    const proof::Translation translation = proof::fromPlan(*plan);
    if (!translation.unsupported.empty() || hasTiles(translation.program.tasks[0].body)) {
      ++open;
      continue;
    }
    for (int64_t n = 0; n <= 11 * subject.step; n += std::max<int64_t>(1, subject.step / 2)) {
      if (subject.isExact && n % subject.step != 0)
        continue;
      const std::optional<Scenario> scenario = scenarioOf(translation, subject, n);
      if (!scenario) {
        ++open;
        break;
      }
      ++compared;
      INFO("n = " << n);
      CHECK(executed(translation.program, *scenario) == subject.expected(n));
    }
  }
  WARN("compared " << compared << ", left open " << open << " of " << count);
  CHECK(compared > 2 * count);
  CHECK(open < count / 2);
}
