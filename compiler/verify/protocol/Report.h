// What a fault looks like: both sides and the run that shows it.
#pragma once

#include "compiler/verify/protocol/Prove.h"

namespace tsk::protocol {

// One operation of the run: who, which instruction, in which stage and iteration.
struct Side {
  int agent = -1;
  int pc = -1;
  int stage = -1;     // number of the part or tile since the start
  int iteration = -1; // of the outermost loop around it; -1: none
};

struct Explanation {
  Side first;  // what came before: the other access, the wait that is overtaken; agent -1: nothing
  Side second; // where the fault shows
  std::vector<Event> events; // the run up to there
};

Explanation explain(const Model &model, const Verdict &verdict);

// One line a side and a table of the last operations, one column an agent.
std::string describe(const Model &model, const Verdict &verdict, const Explanation &explanation);

} // namespace tsk::protocol
