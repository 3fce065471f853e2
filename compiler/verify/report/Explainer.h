// How explain() proceeds: Explain.cpp for most findings, ExplainHang.cpp for those of V1,
// ExplainTrips.cpp for loops that do not run equally often.
#pragma once

#include "compiler/verify/report/Deadlock.h"
#include "compiler/verify/report/Explain.h"
#include "compiler/verify/report/Timeline.h"

namespace tsk::verify {

// A loop, and whose.
using TaskLoop = std::pair<std::string, const plan::Step *>;
// Where two loops run, and what would make them run as often; nothing if they are known to.
void noteTrips(ReportBuilder &report, const plan::Plan &plan, const TaskLoop &first,
               const TaskLoop &second, const SourceManager *sources);
// The finding's loop, and those that should run as often; none: it is about something else.
std::vector<TaskLoop> blamedLoops(const Trace &trace, const Finding &finding);

class Explainer {
public:
  Explainer(const Trace &theTrace, const Finding &theFinding, const protocol::Scenario &values,
            const ExplainOptions &theOptions, DiagnosticEngine &engine)
      : trace(theTrace), finding(theFinding), scenario(values), options(theOptions), diags(engine) {
  }

  void run();

private:
  SourceRange range() const { return finding.place.step->loc; }
  std::string task() const { return trace.taskName(finding.place.agent); }
  std::string iteration() const { return trace.iteration(finding.place); }
  std::string cell() const { return trace.cellName(finding.cell); }
  std::string barrier() const;
  llvm::StringRef contribution() const;
  unsigned countedArrivals() const;
  void finish(ReportBuilder &&report);
  void race();
  void missedPhase();
  void lateExpect();
  void visibility();
  void loadAtExit();
  void peerNotReady();
  const plan::Task &planTask(int agent) const { return trace.plan.tasks[trace.taskOf(agent)]; }

  void hang();
  void blocked(ReportBuilder &&report, const Deadlock &deadlock);
  void tripMismatch(const Deadlock &deadlock);
  void circle(const Deadlock &deadlock);
  std::string missingAction(const Moment &waiter) const;
  std::string spentText(const Deadlock &deadlock) const;
  std::string syncText(const Deadlock &deadlock) const;

  const Trace &trace;
  const Finding &finding;
  const protocol::Scenario &scenario;
  const ExplainOptions &options;
  DiagnosticEngine &diags;
  std::vector<Moment> marked;
};

} // namespace tsk::verify
