#include "compiler/verify/report/Explain.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/report/Explainer.h"

namespace tsk::verify {

using protocol::FaultKind;

namespace {

// V2: ordering
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string> StageRace{
    kind::StageRace, "task `{}` {} `{}`{} while {}: nothing orders the two"};

// V3: phases
constexpr Diagnostic<std::string, llvm::StringRef, std::string, std::string> EarlyArrival{
    kind::EarlyArrival,
    "task `{}` may {} `{}`{} before the phase before is over, and is then counted there; let it "
    "wait for that phase first"};
constexpr Diagnostic<std::string, std::string, std::string> StalePass{
    kind::StalePass,
    "the wait of task `{}` for `{}`{} may pass on a phase before the one meant: a parity tells two "
    "phases apart, and it has not waited for the one before"};
constexpr Diagnostic<std::string, std::string, std::string, std::string> MissedPhase{
    kind::MissedPhase,
    "task `{}` may miss a phase of `{}`{}: before it has looked, `{}` can complete the next one, "
    "which has the other parity"};
constexpr Diagnostic<std::string, std::string, std::string> LateExpect{
    kind::LateExpect,
    "task `{}` may announce bytes on `{}`{} after the phase is complete: no arrival of this phase "
    "comes after it"};
constexpr Diagnostic<std::string, std::string, std::string, unsigned> Overrun{
    kind::Overrun, "task `{}` arrives on `{}`{} once more than the {} that a phase counts"};

// V4: quiescence
constexpr Diagnostic<llvm::StringRef, std::string, llvm::StringRef, std::string, std::string>
    CopyAtExit{kind::CopyAtExit,
               "the {} of task `{}` {} `{}`{} may still be in flight when the CTA ends: no task "
               "waits for it"};

constexpr Diagnostic<std::string, llvm::StringRef, std::string, std::string> PeerEnds{
    kind::PeerEnds,
    "task `{}` may {} `{}`{} when the CTA that has it has ended: its memory may be another's by "
    "then"};

// V5: routing
constexpr Diagnostic<std::string, std::string, std::string> UnwrittenStage{
    kind::UnwrittenStage, "task `{}` reads `{}`{} before anything was written there"};
constexpr Diagnostic<std::string, std::string, std::string> ClobberedStage{
    kind::ClobberedStage, "task `{}` reads `{}`{} after a field that shares its bytes was written"};
constexpr Diagnostic<std::string, std::string, std::string, int64_t, int64_t> WrongVersion{
    kind::WrongVersion,
    "task `{}` reads `{}`{} and finds the stage that was produced as number {}; by its cursor it "
    "is at number {}"};

// V6: visibility
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string, std::string>
    MissingProxyFence{kind::MissingProxyFence,
                      "task `{}` loads into `{}`{} by bulk copy after `{}` has {} it{}: they go "
                      "through different proxies, and no proxy fence stands between them"};
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string>
    UnpublishedWrite{kind::UnpublishedWrite,
                     "task `{}` reads `{}`{}, which `{}` has written{}: the write is over by then, "
                     "but only the end of a copy says so, and that publishes the copied bytes "
                     "alone"};

constexpr Diagnostic<std::string, llvm::StringRef, std::string, std::string> PeerNotReady{
    kind::PeerNotReady, "task `{}` may {} `{}`{} before the CTA that has it has initialised it"};

// V9: uniformity, where the rule on the plan saw nothing
constexpr Diagnostic<std::string, std::string, std::string> DivergentStep{
    kind::DivergentCondition,
    "threads of task `{}` may disagree on {}, but {} inside needs all of them"};

} // namespace

// Whoever waits for the load's barrier, if its loop and the load's are not known to run as often.
void Explainer::loadAtExit() {
  const protocol::Atom &atom = trace.model.atoms[trace.fault->atom];
  if (atom.isBarrier) {
    ReportBuilder report = diags.report(range(), PeerEnds, task(), contribution(),
                                        fmt::format("{}@{}", atom.name, atom.rank), iteration());
    report.note(trace.plan.cluster.loc,
                "the CTAs of the cluster do not meet before they end (`meets end`)");
    return finish(std::move(report));
  }
  bool isLoad = false, isMultiplied = false;
  for (const plan::Access &access : finding.place.step->accesses) {
    isMultiplied |= access.mechanism == ir::Mechanism::Wgmma;
    isLoad |= bool(access.completes);
  }
  const llvm::StringRef what = isLoad ? "load" : isMultiplied ? "multiplication" : "bulk store";
  ReportBuilder report = diags.report(range(), CopyAtExit, what, task(), isLoad ? "into" : "out of",
                                      cell(), iteration());
  const std::vector<TaskLoop> loops = blamedLoops(trace, finding);
  for (size_t i = 1; i < loops.size(); ++i)
    noteTrips(report, trace.plan, loops[0], loops[i], options.sources);
  finish(std::move(report));
}

void Explainer::peerNotReady() {
  ReportBuilder report =
      diags.report(range(), PeerNotReady, task(), contribution(), barrier(), iteration());
  report.note(trace.plan.cluster.loc,
              "the CTAs of the cluster do not meet before they begin (`meets start`)");
  finish(std::move(report));
}

// What all findings end with.
void Explainer::finish(ReportBuilder &&report) {
  std::string values = describeCase(*trace.model.program, scenario);
  if (!options.launch.empty())
    values = options.launch + (values.empty() ? "" : ", " + values);
  if (!values.empty())
    report.note({}, "smallest case: {}", values);
  if (!options.showsTimeline)
    return;
  Timeline timeline = timelineOf(trace, {marked, finding.kind == FaultKind::Hang, false});
  timeline.title = "the run that leads there";
  report.timeline(std::move(timeline));
}

// "arrive on", "announce bytes on", "load for": what the step does to a barrier.
llvm::StringRef Explainer::contribution() const {
  switch (finding.place.step->kind) {
  case plan::StepKind::Expect:
    return "announce bytes on";
  case plan::StepKind::Call:
    return "load for";
  default:
    return "arrive on";
  }
}

std::string Explainer::barrier() const {
  return finding.element >= 0 ? trace.barrierName(finding.element)
                              : trace.threadBarrier(finding.place);
}

unsigned Explainer::countedArrivals() const {
  const plan::Step &step = *finding.place.step;
  if (step.barrier)
    return trace.plan.barriers[step.barrier].arrivals;
  const protocol::Instr &instr = trace.instruction(*trace.fault);
  return instr.bar.bases.empty()
             ? static_cast<unsigned>(instr.n)
             : static_cast<unsigned>(trace.model.elements[finding.element].arrivals);
}

void Explainer::race() {
  std::string verb = finding.isCopy && finding.isWrite ? "loads into"
                     : finding.isWrite                 ? "writes"
                                                       : "reads";
  const Moment &other = finding.other;
  std::string second =
      finding.isOtherCopy && finding.isOtherWrite
          ? fmt::format("the load that `{}` started{} may still be in flight",
                        trace.taskName(other.agent), trace.iteration(other))
          : fmt::format("`{}` may still {} it{}", trace.taskName(other.agent),
                        finding.isOtherWrite ? "write" : "read", trace.iteration(other));
  ReportBuilder report =
      diags.report(range(), StageRace, task(), verb, cell(), iteration(), second);
  report.note(other.step->loc, "the other access is here");
  finish(std::move(report));
}

void Explainer::visibility() {
  const Moment &other = finding.other;
  std::string writer = trace.taskName(other.agent);
  ReportBuilder report =
      finding.kind == FaultKind::ProxyOrder
          ? diags.report(range(), MissingProxyFence, task(), cell(), iteration(), writer,
                         finding.isOtherWrite ? "written" : "read", trace.iteration(other))
          : diags.report(range(), UnpublishedWrite, task(), cell(), iteration(), writer,
                         trace.iteration(other));
  report.note(other.step->loc, "`{}` accesses it here", writer);
  if (finding.kind == FaultKind::Visibility)
    report.note({}, "let `{}` arrive on a barrier after the write, and `{}` wait for that", writer,
                task());
  finish(std::move(report));
}

void Explainer::missedPhase() {
  const Moment &other = finding.other;
  if (other.agent < 0) // it has not waited yet
    return finish(diags.report(range(), MissedPhase, trace.taskName(trace.fault->otherAgent),
                               barrier(), "", task()));
  ReportBuilder report = diags.report(other.step->loc, MissedPhase, trace.taskName(other.agent),
                                      barrier(), trace.iteration(other), task());
  report.note(range(), "`{}` completes the next phase here{}", task(), iteration());
  finish(std::move(report));
}

void Explainer::lateExpect() {
  const Moment &other = finding.other;
  if (other.agent < 0) // it is the one that completes the phase
    return finish(diags.report(range(), LateExpect, task(), barrier(), iteration()));
  ReportBuilder report = diags.report(other.step->loc, LateExpect, trace.taskName(other.agent),
                                      barrier(), trace.iteration(other));
  if (other.step != finding.place.step || other.agent != finding.place.agent)
    report.note(range(), "in this run it is completed here, by `{}`{}", task(), iteration());
  finish(std::move(report));
}

void Explainer::run() {
  marked.push_back(finding.place);
  if (finding.other.agent >= 0)
    marked.push_back(finding.other);
  switch (finding.kind) {
  case FaultKind::Hang:
    return hang();
  case FaultKind::Race:
    return race();
  case FaultKind::EarlyArrival:
  case FaultKind::EarlySync:
    return finish(
        diags.report(range(), EarlyArrival, task(), contribution(), barrier(), iteration()));
  case FaultKind::StaleWait:
    return finish(diags.report(range(), StalePass, task(), barrier(), iteration()));
  case FaultKind::MissedPhase:
    return missedPhase();
  case FaultKind::LateExpect:
    return lateExpect();
  case FaultKind::Overrun:
  case FaultKind::SyncCount:
    return finish(
        diags.report(range(), Overrun, task(), barrier(), iteration(), countedArrivals()));
  case FaultKind::ExitInFlight:
    return loadAtExit();
  case FaultKind::Unwritten:
    return finish(diags.report(range(), UnwrittenStage, task(), cell(), iteration()));
  case FaultKind::WrongItem:
    if (finding.isClobbered)
      return finish(diags.report(range(), ClobberedStage, task(), cell(), iteration()));
    return finish(diags.report(range(), WrongVersion, task(), cell(), iteration(),
                               finding.found + 1, finding.expected + 1));
  case FaultKind::ProxyOrder:
  case FaultKind::Visibility:
    return visibility();
  case FaultKind::NotInitialised:
    return peerNotReady();
  case FaultKind::NonUniform:
    return finish(diags.report(range(), DivergentStep, task(), "a condition or a bound around it",
                               "`" + trace.operation(finding.place) + "`"));
  case FaultKind::Registers:
  case FaultKind::Predecessor:
  case FaultKind::ClusterMisuse:
  case FaultKind::ExitAllocated:
  case FaultKind::InitNotPublished:
  case FaultKind::Allocation:
    break; // no step of a plan can do that
  }
  TSK_UNREACHABLE("a fault that no plan has");
}

void explain(const Trace &trace, const Finding &finding, const protocol::Scenario &scenario,
             const ExplainOptions &options, DiagnosticEngine &diags) {
  Explainer(trace, finding, scenario, options, diags).run();
}

} // namespace tsk::verify
