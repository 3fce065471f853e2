// Every case of test/verify/corpus: programs behind lines `== name: verdict`, the verdict as
// `proved`, `unknown` or `fault V2 race [at Task some words of the operation]`.
#include "BruteForce.h"
#include "Cases.h"

#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tsk::protocol;

static std::string spellVerdict(const Program &program, const Model &model,
                                const Verdict &verdict) {
  if (verdict.judgement == Judgement::Proved)
    return "proved";
  if (verdict.judgement == Judgement::Unknown)
    return "unknown";
  const Fault &fault = *verdict.fault;
  std::string text = std::string("fault ") + propertyOf(fault.kind) + " " + titleOf(fault.kind);
  if (fault.agent >= 0)
    text += " at " + model.agents[fault.agent].name;
  if (fault.agent >= 0 && fault.pc >= 0) {
    const std::string &place = program.places[model.agents[fault.agent].code[fault.pc].provenance];
    text += place.substr(place.find(' '));
  }
  return text;
}

// The kind must be equal; behind `at`, the task's name and words of its operation.
static bool agrees(const std::string &expected, const std::string &found) {
  std::string kind = expected.substr(0, expected.find(" at "));
  if (found.rfind(kind, 0) != 0)
    return false;
  if (kind == expected)
    return true;
  std::string place = expected.substr(kind.size() + 4);
  size_t space = place.find(' ');
  if (found.find(" at " + place.substr(0, space)) == std::string::npos)
    return false;
  return space == std::string::npos || found.find(place.substr(space)) != std::string::npos;
}

TEST_CASE("every case of the corpus has its verdict") {
  int count = 0;
  std::stringstream table;
  table << std::ifstream(TSK_CASES_TABLE).rdbuf();
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(TSK_CORPUS))
    if (entry.path().extension() == ".proto")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto &file : files)
    for (const oracle::Case &one : oracle::readCases(file)) {
      ReadError error;
      std::optional<Program> program = readProgram(one.text, error);
      INFO(one.name << " (" << file.filename().string() << "), line " << error.line << ": "
                    << error.message);
      CHECK(program);
      if (!program)
        continue;
      ++count;
      INFO("docs/verifier-cases.md lacks " << one.name << ": run test/verify/cases.py");
      CHECK(table.str().find("| " + one.name + " | " + one.expected + " |") != std::string::npos);
      for (bool fold : {true, false}) {
        Model model = buildModel(*program, fold);
        Verdict verdict = judge(model);
        std::string found = spellVerdict(*program, model, verdict);
        INFO(one.name << " (" << file.filename().string() << ")\n  expected " << one.expected
                      << "\n  found    " << found << " " << verdict.reason << " "
                      << describe(*program, verdict.scenario));
        CHECK(agrees(one.expected, found));
      }
    }
  CHECK(count > 100);
}

TEST_CASE("every case of the corpus stands in all interleavings") {
  constexpr size_t StateLimit = 20000;
  int faults = 0, proofs = 0, tooLarge = 0;
  for (const auto &entry : std::filesystem::directory_iterator(TSK_CORPUS))
    for (const oracle::Case &one : oracle::readCases(entry.path())) {
      ReadError error;
      std::optional<Program> program = readProgram(one.text, error);
      REQUIRE(program);
      if (oracle::isTooWide(*program))
        continue;
      Model model = buildModel(*program);
      Verdict verdict = judge(model);
      std::vector<Scenario> scenarios;
      if (verdict.judgement == Judgement::Unknown)
        continue;
      bool isFault = verdict.judgement == Judgement::Fault;
      if (isFault && verdict.fault->kind == FaultKind::NonUniform) // a rule, not a run
        continue;
      if (isFault)
        scenarios.push_back(verdict.scenario);
      for (int size = 0; size < 3 && !isFault; ++size)
        if (auto scenario = oracle::uniformScenario(*program, size))
          scenarios.push_back(*scenario);
      for (const Scenario &scenario : scenarios) {
        oracle::Exploration all = oracle::explore(oracle::expand(*program, scenario), StateLimit,
                                                  false, oracle::Order::Proxies);
        INFO(one.name << " in " << entry.path().filename().string() << ", "
                      << describe(*program, scenario) << "\n  engine: "
                      << spellVerdict(*program, model, verdict) << "\n  explorer: " << all.why);
        bool isFound = !all.faults.empty();
        if (!all.isComplete && isFault && !isFound)
          ++tooLarge;
        else
          CHECK(isFound == isFault);
        tooLarge += !isFault && !all.isComplete;
        (isFault ? faults : proofs) += all.isComplete || isFound;
      }
    }
  WARN("faults " << faults << ", proofs " << proofs << ", beyond the explorer " << tooLarge);
  CHECK(faults > 80);
  CHECK(proofs > 150);
}
