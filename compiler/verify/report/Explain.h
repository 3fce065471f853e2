// Turns the finding of a run into a diagnostic: what can happen, where both sides stand in the
// source, the smallest case that shows it, and the run that leads there.
#pragma once

#include "compiler/support/Diagnostics.h"
#include "compiler/verify/run/CanonicalRun.h"
#include "compiler/verify/run/Choices.h"

namespace tsk::verify {

struct FindingContext {
  const Model &model;
  const Coordinates &coordinates;
  const Choices &choices;
  const Program &program;
  const CanonicalRun &run; // with its events
  bool showsTimeline = true;
};

void explain(const FindingContext &context, const Finding &finding, DiagnosticEngine &diags);

// "`rows / 64` = 2, `flag` never": the choices of a run.
std::string describeChoices(const Coordinates &coordinates, const Choices &choices);

} // namespace tsk::verify
