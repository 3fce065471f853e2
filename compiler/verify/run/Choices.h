// Which runs are made: the combinations of values of the coordinates, smallest first, so that the
// first fault found has the smallest trip counts.
#pragma once

#include "compiler/verify/model/Program.h"

namespace tsk::verify {

struct ChoicePlan {
  std::vector<std::vector<int64_t>> values; // by coordinate, what is tried; branches: patterns
  std::vector<Choices> runs;
  bool isReduced = false; // not every combination of the usual values
};

// Trip counts around the numbers of stages of `plan`'s cursors: there faults sit, if anywhere.
ChoicePlan planChoices(const plan::Plan &plan, const Coordinates &coordinates, size_t maxRuns);

} // namespace tsk::verify
