// No mutant of a program escapes: the engine rejects it and its scenario shows why, or no
// interleaving of small scenarios shows any harm. A part of the mutants in the normal run;
//   TSK_MUTANTS=all TSK_MUTANTS_TABLE=FILE verify-protocol-unit-test "no mutant*"
// takes all of them and writes the table; TSK_MUTANTS_OF=samples only those of groups so called.
#include "BruteForce.h"
#include "Cases.h"
#include "Mutants.h"

#include "compiler/plan/Text.h"
#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"
#include "compiler/verify/protocol/Run.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tsk;
using namespace tsk::protocol;

namespace {

struct Original {
  std::string group; // a row of the table
  std::string name;
  Program program;
};

struct Tally {
  size_t mutants = 0, judged = 0;
  size_t rejected = 0; // the explorer confirms it
  size_t byRule = 0;   // … by what the explorer does not model: proxies, publication
  // Proved, and no interleaving shows a fault. In which sense it is no worse than the original:
  size_t sameData = 0;   // every read sees what it saw there
  size_t fewerReads = 0; // … that is still there
  size_t otherData = 0;  // another computation, as free of hazards
  size_t narrowed = 0;   // of these: shown with two warps a task
  size_t tooLarge = 0;   // proved or rejected, and beyond the explorer
  size_t equivalent() const { return sameData + fewerReads + otherData; }
  size_t unknown = 0;
  std::string unshown; // why the last one is neither rejected nor shown to be right
};

struct Messages : DiagnosticConsumer {
  std::string text;
  void handle(const Report &report) override { text += report.message + "\n"; }
};

} // namespace

static std::vector<Original> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(TSK_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Original> originals;
  for (const auto &file : files)
    for (const oracle::Case &one : oracle::readCases(file)) {
      ReadError error;
      std::optional<Program> program = readProgram(one.text, error);
      REQUIRE(program);
      if (oracle::isTooWide(*program))
        continue;
      bool isKernel = file.stem() == "kernels";
      originals.push_back({isKernel ? one.name : file.filename().string(), one.name, *program});
    }
  return originals;
}

// A file of several plans, each beginning with a line of its own.
static std::vector<std::string> plansIn(const std::filesystem::path &file) {
  std::vector<std::string> plans;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("plan ", 0) == 0)
      plans.emplace_back();
    if (!plans.empty())
      plans.back() += line + "\n";
  }
  return plans;
}

// The plans that the compiler makes of the samples.
static std::vector<Original> samples() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(TSK_SAMPLES))
    if (entry.path().extension() == ".tsk")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Original> originals;
  auto output = std::filesystem::temp_directory_path() /
                ("tsk-plan-" + std::to_string(std::hash<std::string>()(TSK_TSKC)));
  for (const auto &file : files) {
    std::string name = "samples/" + file.filename().string();
    std::string command = std::string("'") + TSK_TSKC + "' --emit=plan -o '" + output.string() +
                          "' '" + file.string() + "' > /dev/null";
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    for (const std::string &text : plansIn(output)) {
      SourceManager sources;
      Messages messages;
      DiagnosticEngine diagnostics(messages);
      auto plan = plan::parsePlan(
          sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), name),
          diagnostics);
      INFO(messages.text);
      REQUIRE(plan);
      proof::Translation translation = proof::fromPlan(*plan);
      REQUIRE(translation.unsupported.empty());
      originals.push_back({name, name + " " + plan->kernel, std::move(translation.program)});
    }
  }
  std::filesystem::remove(output);
  return originals;
}

static std::vector<Scenario> smallScenarios(const Program &program, int largest) {
  std::vector<Scenario> scenarios;
  for (int size = 0; size <= largest; ++size) {
    auto scenario = oracle::uniformScenario(program, size);
    if (scenario && (scenarios.empty() || scenarios.back().values != scenario->values))
      scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

enum class Sense { SameData, FewerReads, OtherData };

static Sense senseOf(const Program &original, const Program &mutant,
                     const std::vector<Scenario> &scenarios) {
  Sense sense = Sense::SameData;
  for (const Scenario &scenario : scenarios) {
    auto before = oracle::readsOf(oracle::expand(original, scenario));
    auto after = oracle::readsOf(oracle::expand(mutant, scenario));
    if (before == after)
      continue;
    sense = Sense::FewerReads;
    for (size_t warp = 0; warp < after.size(); ++warp)
      if (!std::includes(before[warp].begin(), before[warp].end(), after[warp].begin(),
                         after[warp].end()))
        return Sense::OtherData;
  }
  return sense;
}

// Whether no interleaving of its small scenarios shows a fault; nothing: too many.
static std::optional<std::vector<Scenario>> smallProof(const Program &mutant, bool isThorough) {
  std::vector<Scenario> scenarios = smallScenarios(mutant, isThorough ? 4 : 2);
  for (size_t i = 0; i < scenarios.size(); ++i) {
    oracle::Exploration all =
        oracle::explore(oracle::expand(mutant, scenarios[i]), isThorough ? 100000 : 4000);
    INFO("proved; with " << describe(mutant, scenarios[i]) << ": " << all.why);
    CHECK(all.faults.empty());
    if (all.isComplete)
      continue;
    // All counts of 0, 1 and 2; beyond that any fault is welcome.
    if (i <= 2)
      return std::nullopt;
    scenarios.resize(i);
  }
  return scenarios;
}

static bool isProved(const Program &program) {
  return judge(buildModel(program)).judgement == Judgement::Proved;
}

// The brother of two warps a task, changed in the same way.
static std::optional<Program> narrowMutant(const Program &original, size_t wanted) {
  Program narrowed = oracle::narrow(original);
  if (!isProved(narrowed))
    return std::nullopt;
  std::optional<Program> found;
  oracle::forMutants(narrowed, [&](size_t number, const std::function<oracle::Mutant()> &make) {
    if (number == wanted)
      found = make().program;
  });
  CHECK(found);
  CHECK(isProved(*found));
  return found;
}

static void judgeFault(const Program &mutant, const Verdict &verdict, bool isThorough,
                       Tally &tally) {
  if (verdict.fault->kind == FaultKind::NonUniform) { // a rule, not a run
    ++tally.byRule;
    return;
  }
  oracle::Order order = std::string("V6") == propertyOf(verdict.fault->kind)
                            ? oracle::Order::Proxies
                            : oracle::Order::Times;
  oracle::Exploration all = oracle::explore(oracle::expand(mutant, verdict.scenario),
                                            isThorough ? 100000 : 4000, false, order);
  INFO("rejected with " << titleOf(verdict.fault->kind));
  CHECK((!all.faults.empty() || !all.isComplete));
  ++(all.faults.empty() ? tally.tooLarge : tally.rejected);
}

static void judgeMutant(const Program &original, size_t number, const Program &mutant,
                        bool isThorough, Tally &tally) {
  ++tally.judged;
  tally.unshown.clear();
  Verdict verdict = judge(buildModel(mutant));
  if (verdict.judgement == Judgement::Unknown) {
    ++tally.unknown;
    tally.unshown = "unknown: " + verdict.reason;
    return;
  }
  if (verdict.judgement == Judgement::Fault)
    return judgeFault(mutant, verdict, isThorough, tally);
  std::optional<std::vector<Scenario>> scenarios = smallProof(mutant, isThorough);
  if (!scenarios) {
    std::optional<Program> narrowed = narrowMutant(original, number);
    scenarios = narrowed ? smallProof(*narrowed, isThorough) : std::nullopt;
    tally.narrowed += scenarios.has_value();
  }
  if (!scenarios) {
    ++tally.tooLarge;
    tally.unshown = "proved and beyond the explorer";
    return;
  }
  Sense sense = senseOf(original, mutant, *scenarios);
  ++(sense == Sense::SameData     ? tally.sameData
     : sense == Sense::FewerReads ? tally.fewerReads
                                  : tally.otherData);
}

TEST_CASE("no mutant of a program escapes") {
  const char *wanted = std::getenv("TSK_MUTANTS");
  bool isThorough = wanted && std::string(wanted) == "all";
  size_t share = isThorough ? 1 : 16;
  std::vector<Original> originals = corpus();
  std::vector<Original> plans = samples();
  std::move(plans.begin(), plans.end(), std::back_inserter(originals));
  std::vector<std::pair<std::string, Tally>> rows;
  std::string unshown;
  size_t next = 0;
  const char *only = std::getenv("TSK_MUTANTS_OF");
  for (const Original &original : originals) {
    if (only && original.group.find(only) == std::string::npos)
      continue;
    if (rows.empty() || rows.back().first != original.group)
      rows.push_back({original.group, {}});
    Tally &tally = rows.back().second;
    oracle::forMutants(
        original.program, [&](size_t number, const std::function<oracle::Mutant()> &make) {
          ++tally.mutants;
          if (next++ % share != 0)
            return;
          oracle::Mutant mutant = make();
          INFO(original.name << ", " << mutant.what);
          judgeMutant(original.program, number, mutant.program, isThorough, tally);
          if (!tally.unshown.empty())
            unshown += original.name + ", " + mutant.what + ": " + tally.unshown + "\n";
        });
  }
  std::ostringstream table;
  Tally sum;
  for (const auto &[name, tally] : rows) {
    table << "| " << name << " | " << tally.mutants << " | " << tally.rejected << " | "
          << tally.byRule << " | " << tally.sameData << " | " << tally.fewerReads << " | "
          << tally.otherData << " | " << tally.narrowed << " | " << tally.tooLarge << " | "
          << tally.unknown << " |\n";
    sum.judged += tally.judged;
    sum.rejected += tally.rejected;
    sum.byRule += tally.byRule;
    sum.sameData += tally.sameData;
    sum.fewerReads += tally.fewerReads;
    sum.otherData += tally.otherData;
    sum.narrowed += tally.narrowed;
    sum.tooLarge += tally.tooLarge;
    sum.unknown += tally.unknown;
  }
  WARN("mutants judged " << sum.judged << ": rejected " << sum.rejected
                         << " and by rules of memory " << sum.byRule
                         << ", proved with the same data " << sum.sameData << ", with fewer reads "
                         << sum.fewerReads << ", with other data " << sum.otherData
                         << ", beyond the explorer " << sum.tooLarge << ", unknown "
                         << sum.unknown);
  if (!unshown.empty())
    WARN("neither rejected nor shown to be right:\n" << unshown);
  if (const char *path = std::getenv("TSK_MUTANTS_TABLE"))
    std::ofstream(path) << table.str();
  if (only)
    return; // the shares below are those of all programs together
  CHECK(sum.rejected + sum.byRule > sum.judged / 3);
  CHECK(sum.equivalent() > sum.judged / 50);
}
