// Translates a plan into the protocol program that the engine judges.
//
// What is proved of the program holds for the plan: the program has every run that the plan has.
// It may have more, where a bound or a condition is a free number to the engine. A step without a
// translation is named in `unsupported`; then nothing may be concluded.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/proof/Facts.h"
#include "compiler/verify/protocol/Program.h"

#include <string>
#include <vector>

namespace tsk::proof {

// Where an operation or a loop of the program comes from.
struct Origin {
  const plan::Step *step = nullptr;
  // Of a loop: the number of its first iteration among the plan's loop's. `isFromEnd`: of its only
  // one if it runs once, one more for each further trip.
  int64_t base = 0;
  bool isFromEnd = false;
};

struct Unsupported {
  std::string what;   // "a bulk store"
  std::string wayOut; // a sentence without a period, may be empty
  SourceRange loc;
};

struct Translation {
  protocol::Program program;
  std::vector<Origin> origins; // by the program's provenance
  // Tile loops, by task and the symbol of their count.
  std::map<std::pair<unsigned, int>, const plan::Step *> tileLoops;
  std::vector<Unsupported> unsupported; // each place once
};

Translation fromPlan(const plan::Plan &plan);

} // namespace tsk::proof
