// Turns a finding into a diagnostic: what can happen, where both sides stand in the source, the
// smallest case that shows it, and the run that leads there.
#pragma once

#include "compiler/support/Diagnostics.h"
#include "compiler/verify/report/Finding.h"

namespace tsk::verify {

struct ExplainOptions {
  bool showsTimeline = true;
  // With it, fix-its know what stands around a place.
  const SourceManager *sources = nullptr;
  std::string launch; // of which the program is, if it is of one: "`rows` = 64"
};

void explain(const Trace &trace, const Finding &finding, const protocol::Scenario &scenario,
             const ExplainOptions &options, DiagnosticEngine &diags);

// Of a finding that need not happen: the loop around it, else its step.
SourceRange loopOf(const Trace &trace, const Finding &finding);
// Where nothing was found: the loop whose count the reason names, else the first one.
SourceRange placeOf(const plan::Plan &plan, const proof::Translation &translation,
                    llvm::StringRef reason);
// Its two accesses, if it is about such.
void noteUnconfirmed(ReportBuilder &report, const Trace &trace, const Finding &finding);
// Which of its loops need not run equally often, and what would make them. False: none is known.
bool noteLoops(ReportBuilder &report, const Trace &trace, const Finding &finding,
               const SourceManager *sources);

// "`rows / 64` = 2, not `flag > 0`": the values of a scenario. Empty: there is nothing to choose.
std::string describeCase(const protocol::Program &program, const protocol::Scenario &scenario);

} // namespace tsk::verify
