// The proof for all trip counts and all work tiles: one run of each part of the program from each
// control state that can stand at its start (docs/verifier.md).
#pragma once

#include "compiler/verify/protocol/Explore.h"
#include "compiler/verify/protocol/Scenario.h"

namespace tsk::protocol {

enum class Judgement : uint8_t { Proved, Fault, Unknown };

struct Verdict {
  Judgement judgement = Judgement::Unknown;
  std::optional<Fault> fault; // of the scenario
  Scenario scenario;          // the smallest that shows the fault
  std::string reason;         // why unknown
  // What the proof took.
  unsigned nodes = 0;
  uint64_t steps = 0;
};

// Steps of runs that look for a fault, or for a smaller one.
inline constexpr uint64_t MaxSearchSteps = 20000000;

Verdict prove(const Model &model, const Budget &budget = {});

// The smallest scenario that shows a fault among those no larger than `from`, itself included.
Scenario smallestFault(const Model &model, const Scenario &from);

} // namespace tsk::protocol
