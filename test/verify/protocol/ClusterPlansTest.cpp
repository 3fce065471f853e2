// Plans of clusters: the engine against every interleaving, on random ones. Each has a ring that is
// filled by all CTAs together or by each for itself, and maybe a handshake of the CTAs; a few
// changes make most of them wrong. For a longer run: TSK_ORACLE_SCALE=20
// build/test/unit/verify-protocol-unit-test "plans of clusters*"
#include "BruteForce.h"
#include "Random.h"

#include "compiler/plan/Text.h"
#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/protocol/Judge.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace tsk;
using namespace tsk::protocol;
using oracle::Random;

namespace {

using Lines = std::vector<std::string>;

struct Silent : DiagnosticConsumer {
  void handle(const Report &report) override {}
};

class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}

  std::string write() {
    chooseShape();
    addDeclarations();
    addLoad();
    addUse();
    for (int change = random.pick({0, 0, 1, 1, 1, 2}); change > 0; --change)
      mutate();
    std::string text;
    for (const std::string &line : lines)
      text += line + "\n";
    return text;
  }

private:
  void chooseShape() {
    stages = random.pick({1, 1, 2});
    trips = random.pick({1, 2, 2, 3});
    warps = random.pick({1, 1, 2});
    isMulticast = random.chance(65);
    shakesHands = random.chance(35);
    arrivesRemotely = isMulticast || random.chance(30);
  }

  void addDeclarations() {
    const std::string count = std::to_string(stages);
    const int ctas = arrivesRemotely ? 2 : 1;
    lines = {
        "plan p {", "  cluster 2 meets start, end;", "  smem x stages " + count + " bytes 128;",
        "  mbarrier full stages " + count + " arrivals 1;",
        "  mbarrier empty stages " + count + " arrivals " + std::to_string(warps * ctas) + ";"};
    if (shakesHands)
      lines.push_back("  mbarrier go stages 1 arrivals 2;");
  }

  std::string loop() const { return "    for k in 0 .. " + std::to_string(trips) + " {"; }

  void addLoad() {
    const std::string count = std::to_string(stages);
    lines.push_back("  task Load warps 0 .. 1 single_lane {");
    lines.push_back("    cursor c stages " + count + " parity 1;");
    if (shakesHands)
      lines.push_back("    cursor g stages 1;");
    lines.push_back(loop());
    if (shakesHands)
      for (const char *step : {"arrive go[g] along x;", "wait go[g];", "advance g;"})
        lines.push_back(std::string("      ") + step);
    lines.push_back("      wait empty[c];");
    lines.push_back("      arrive_expect full[c] bytes 128;");
    lines.push_back(std::string("      call load() writes x[c] by tma completes full[c] bytes ") +
                    (isMulticast ? "64 multicast x;" : "128;"));
    for (const char *line : {"      advance c;", "    }", "  }"})
      lines.push_back(line);
  }

  void addUse() {
    lines.push_back("  task Use warps 1 .. " + std::to_string(1 + warps) + " {");
    lines.push_back("    cursor c stages " + std::to_string(stages) + ";");
    lines.push_back(loop());
    for (const char *line :
         {"      wait full[c];", "      call use() reads x[c];", "      sync warp;"})
      lines.push_back(line);
    lines.push_back(std::string("      arrive empty[c] ") + (arrivesRemotely ? "along x " : "") +
                    "by warp;");
    for (const char *line : {"      advance c;", "    }", "  }", "}"})
      lines.push_back(line);
  }

  bool isStep(size_t at) const { return lines[at].rfind("      ", 0) == 0; }

  static void toggle(std::string &line, const std::string &part, const std::string &before) {
    if (size_t at = line.find(part); at != std::string::npos)
      line.erase(at, part.size());
    else if (size_t place = line.find(before); place != std::string::npos)
      line.insert(place, part);
  }

  void mutate() {
    const auto at = static_cast<size_t>(random.below(static_cast<int>(lines.size())));
    std::string &line = lines[at];
    if (at == 1)
      return toggle(line, random.chance(50) ? " start," : ", end", ";");
    if (size_t digit = line.find("arrivals "); digit != std::string::npos) {
      char &number = line[digit + 9];
      number = static_cast<char>(number + random.pick({-1, 1}));
      return;
    }
    if (line.rfind("    for", 0) == 0) {
      line.insert(line.size() - 2,
                  random.pick<std::string>({" + 1", " - cluster.rank", " + cluster.x"}));
      return;
    }
    if (!isStep(at))
      return;
    const std::string step = line;
    switch (random.below(6)) {
    case 0:
      lines.erase(lines.begin() + static_cast<long>(at));
      return;
    case 1:
      lines.insert(lines.begin() + static_cast<long>(at), step);
      return;
    case 2:
      if (isStep(at + 1))
        std::swap(lines[at], lines[at + 1]);
      return;
    case 3:
      return toggle(line, "along x ", "by warp");
    case 4:
      line = "      if (cluster.rank == 0) { " + step.substr(6) + " }";
      return;
    default:
      line.insert(6, "if (k == 0) { ");
      line += " }";
    }
  }

  Random random;
  Lines lines;
  int stages = 1, trips = 1, warps = 1;
  bool isMulticast = false, shakesHands = false, arrivesRemotely = false;
};

int scaleOfRun() {
  const char *wanted = std::getenv("TSK_ORACLE_SCALE");
  return wanted ? std::max(1, std::atoi(wanted)) : 1;
}

} // namespace

TEST_CASE("plans of clusters have no fault in any interleaving, or one that is real") {
  const char *first = std::getenv("TSK_ORACLE_SEED");
  const uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 1;
  const int count = 300 * scaleOfRun();
  int compared = 0, faulty = 0, beyond = 0, unknown = 0, notPlans = 0;
  for (uint64_t seed = begin; seed < begin + static_cast<uint64_t>(count); ++seed) {
    const std::string text = Writer(seed).write();
    INFO("seed " << seed << "\n" << text);
    SourceManager sources;
    Silent silent;
    DiagnosticEngine diagnostics(silent);
    auto plan = plan::parsePlan(
        sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "p"), diagnostics);
    if (!plan) {
      ++notPlans;
      continue;
    }
    proof::Translation translation = proof::fromPlan(*plan);
    if (!translation.unsupported.empty()) {
      ++notPlans;
      continue;
    }
    const Verdict verdict = judge(buildModel(translation.program));
    if (verdict.judgement == Judgement::Unknown) {
      ++unknown;
      continue;
    }
    Scenario scenario = verdict.scenario;
    if (verdict.judgement == Judgement::Proved) {
      REQUIRE(translation.program.symbols.empty()); // then there is one scenario
      scenario = {};
    }
    const bool isMemory = verdict.fault && std::string("V6") == propertyOf(verdict.fault->kind);
    const oracle::Exploration all =
        oracle::explore(oracle::expand(translation.program, scenario), 30000, false,
                        isMemory ? oracle::Order::Proxies : oracle::Order::Times);
    const bool isClean = verdict.judgement == Judgement::Proved;
    INFO("engine: " << (isClean ? "proved" : titleOf(verdict.fault->kind)));
    INFO("explorer: " << all.why);
    if (!all.isComplete && all.faults.empty()) {
      ++beyond;
      continue;
    }
    ++compared;
    faulty += !isClean;
    CHECK(isClean == all.faults.empty());
  }
  WARN("compared " << compared << ", faulty " << faulty << ", beyond the explorer " << beyond
                   << ", unknown " << unknown << ", no plans " << notPlans);
  CHECK(compared > count / 2);
  CHECK(faulty > compared / 5);
  CHECK(faulty < compared * 9 / 10);
  CHECK(unknown < count / 20);
}
