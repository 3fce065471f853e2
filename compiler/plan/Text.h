// The plan's text form, both ways. A text is complete by itself (but for the bodies of works) and
// meant to be written by hand as well: what a reader of protocols does not care about may be left
// out. test/plan/text-*.plan shows every construct; docs/plan-text.md is the reference.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>

namespace tsk::plan {

// With `sources`, each step carries its place in the source as a comment; without, none does.
void print(const Plan &plan, const SourceManager *sources, llvm::raw_ostream &os);

// Reads the text at `begin` to the end of its buffer. Null after an error. Steps get their places
// in this text.
std::unique_ptr<Plan> parsePlan(SourceManager &sources, SourceLoc begin,
                                DiagnosticEngine &diagnostics);

} // namespace tsk::plan
