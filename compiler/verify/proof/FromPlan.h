// Translates a plan into the protocol program that the engine judges.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/protocol/Program.h"

#include <string>
#include <vector>

namespace tsk::proof {

struct Translation {
  protocol::Program program;
  std::vector<SourceRange> places; // by the program's provenance
  // What of the plan the engine cannot judge; empty: nothing.
  std::string unsupported;
  SourceRange unsupportedAt;
};

Translation fromPlan(const plan::Plan &plan);

} // namespace tsk::proof
