// The verifier's oracle: runs a plan in every interleaving, for constant trip counts.
//
// It shares nothing with compiler/verify: its own expansion, its own barriers, no knowledge, no
// theorem. It finds what really happens in some interleaving, and is only good for small plans.
#pragma once

#include "compiler/plan/Plan.h"

#include <cstdint>
#include <string>

namespace tsk::oracle {

enum Fault : unsigned {
  Hang = 1,      // a state in which no warp can go on and some have not ended
  Race = 2,      // two conflicting accesses enabled or in flight at once
  Phase = 4,     // a contribution or a wait meets different phases in different interleavings, a
                 // waiter misses one, a phase gets too many arrivals
  AtExit = 8,    // a load in flight when all warps have ended
  WrongData = 16 // a read of a stage's wrong or missing contents
};

struct Exploration {
  unsigned faults = 0; // a set of Fault
  size_t states = 0;
  bool isComplete = true; // false: more than `limit` states
  std::string first;      // of the first fault found, for messages
};

// Loops have constant bounds, conditions are `first(i)` or constants.
Exploration explore(const plan::Plan &plan, size_t limit, bool stopsAtFirst);

} // namespace tsk::oracle
