// The loops around a step while it is translated: what each pass of the engine's program knows of
// its place in them.
//
// A loop of the plan is not always one loop of the program. Where conditions ask for its first or
// last few iterations by number, these become copies of their own; then a frame says which
// iteration the copy is.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/protocol/Program.h"

#include <optional>
#include <vector>

namespace tsk::proof {

struct Frame {
  const plan::Step *loop = nullptr;
  std::optional<int64_t> ordinal; // this very iteration, counted from the first
  std::optional<int64_t> fromEnd; // … from the last
  int64_t base = 0;               // the ordinal of the program's loop's first iteration
  int64_t cut = 0;                // how many iterations at the end are not among them
  std::optional<int64_t> trips;   // of the plan's loop, where it is a number
  protocol::Count count;          // of the plan's loop
  bool isTiles = false;           // its iterations are work tiles to the engine
};

class Scope {
public:
  std::vector<Frame> frames; // outermost first

  const Frame *find(ir::ValueId variable) const {
    for (size_t i = frames.size(); i-- > 0;)
      if (frames[i].loop->loop.variable == variable)
        return &frames[i];
    return nullptr;
  }
  // How many loops of the program lie between a step and its loop.
  int level(const Frame &frame) const { return static_cast<int>(&frames.back() - &frame); }
};

} // namespace tsk::proof
