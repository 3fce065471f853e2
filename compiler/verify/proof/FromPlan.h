// Translates a plan into the protocol program that the engine judges.
//
// What is proved of the program holds for the plan: the program has every run that the plan has.
// It may have more, where a bound or a condition is a free number to the engine. A step without a
// translation is named in `unsupported`; then nothing may be concluded.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/proof/Facts.h"
#include "compiler/verify/protocol/Program.h"

#include <memory>
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
  std::string what;   // "a bulk store"; where it says what is wrong, a sentence without a period
  std::string wayOut; // a sentence without a period, may be empty
  SourceRange loc;
  bool isSentence = false;
};

// What a symbol of the kernel says: that the trips of a loop (if any, else 0) are
// scale * value + add, or that a condition holds where its value is not `isContrary`.
struct Meaning {
  int symbol = -1;
  const ir::Loop *loop = nullptr;
  int64_t scale = 1, add = 0;
  ir::ExprId condition;
  bool isContrary = false;
};

struct Translation {
  // Of a plan whose CTAs reach each other: its tasks once for each rank, rank after rank.
  protocol::Program program;
  std::vector<Origin> origins;          // by the program's provenance
  std::vector<Unsupported> unsupported; // each place once
  std::vector<Meaning> meanings;
  // Of one launch: whether all that it leaves open is what works and functions return.
  bool isExact = true;
  // What all threads do before and after their tasks: initialise barriers and meet.
  std::shared_ptr<const plan::Step> start, end;
};

// With a launch: the program of that alone. With a kernel: of its grid.
Translation fromPlan(const plan::Plan &plan, const Launch *launch = nullptr,
                     const ir::Kernel *kernel = nullptr);

// Whether nothing that is known contradicts these values of symbols.
bool isPossible(const plan::Plan &plan, const Translation &translation,
                const std::map<int, int> &values);

} // namespace tsk::proof
