// Each step of each kernel deleted, doubled, swapped with the next and moved to its block's ends:
// the engine rejects the mutant, or every interleaving of small scenarios shows that it does no
// harm.
#include "BruteForce.h"
#include "Cases.h"

#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace tsk::protocol;

static void forRegions(Region &region, const std::function<void(Region &)> &visit) {
  visit(region);
  for (Node &node : region) {
    forRegions(node.body, visit);
    forRegions(node.elseBody, visit);
  }
}

enum class Change { Delete, Double, Swap, ToFront, ToEnd };
static constexpr Change AllChanges[] = {Change::Delete, Change::Double, Change::Swap,
                                        Change::ToFront, Change::ToEnd};

static bool apply(Region &region, size_t at, Change change) {
  Node node = region[at];
  auto place = region.begin() + static_cast<long>(at);
  switch (change) {
  case Change::Delete:
    region.erase(place);
    return true;
  case Change::Double:
    region.insert(place, node);
    return true;
  case Change::Swap:
    if (at + 1 == region.size())
      return false;
    std::swap(region[at], region[at + 1]);
    return true;
  case Change::ToFront:
    if (at < 2)
      return false;
    region.erase(place);
    region.insert(region.begin(), node);
    return true;
  case Change::ToEnd:
    if (at + 2 >= region.size())
      return false;
    region.erase(place);
    region.push_back(node);
    return true;
  }
  return false;
}

struct Tally {
  int rejected = 0, equivalent = 0, tooLarge = 0, unknown = 0;
};

// A mutant that was proved: no interleaving of a few small scenarios may show a fault.
static void checkEquivalent(const Program &program, Tally &tally) {
  bool isComplete = true;
  for (int size = 1; size <= 2; ++size) {
    Scenario scenario;
    for (const Symbol &symbol : program.symbols)
      scenario.values.push_back(std::max(symbol.min, size));
    oracle::Exploration all = oracle::explore(oracle::expand(program, scenario), 3000);
    INFO(all.why);
    CHECK(all.faults.empty());
    isComplete &= all.isComplete;
  }
  ++(isComplete ? tally.equivalent : tally.tooLarge);
}

TEST_CASE("no mutant of a kernel escapes") {
  Tally tally;
  for (const oracle::Case &kernel :
       oracle::readCases(std::filesystem::path(TSK_CORPUS) / "kernels.proto")) {
    if (kernel.expected != "proved")
      continue;
    ReadError error;
    Program original = *readProgram(kernel.text, error);
    for (size_t task = 0; task < original.tasks.size(); ++task) {
      std::vector<std::pair<size_t, size_t>> places; // region, node
      size_t count = 0;
      forRegions(original.tasks[task].body, [&](Region &region) {
        for (size_t at = 0; at < region.size(); ++at)
          if (region[at].kind == NodeKind::Op || region[at].kind == NodeKind::Leader)
            places.push_back({count, at});
        ++count;
      });
      for (auto [regionIndex, at] : places)
        for (Change change : AllChanges) {
          Program mutant = original;
          size_t index = 0, wanted = regionIndex, where = at;
          bool changed = false;
          forRegions(mutant.tasks[task].body, [&](Region &region) {
            if (index++ == wanted)
              changed = apply(region, where, change);
          });
          if (!changed)
            continue;
          Verdict verdict = judge(buildModel(mutant));
          INFO(kernel.name << ", task " << mutant.tasks[task].name << ", region " << wanted
                           << ", place " << where << ", change " << int(change));
          if (verdict.judgement == Judgement::Proved)
            checkEquivalent(mutant, tally);
          else
            ++(verdict.judgement == Judgement::Fault ? tally.rejected : tally.unknown);
        }
    }
  }
  WARN("mutants rejected " << tally.rejected << ", equivalent " << tally.equivalent
                           << ", proved and beyond the explorer " << tally.tooLarge
                           << ", not judged " << tally.unknown);
  CHECK(tally.rejected > 500);
}
