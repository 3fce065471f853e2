#include "compiler/verify/report/Explain.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/report/Deadlock.h"
#include "compiler/verify/report/Timeline.h"

namespace tsk::verify {

namespace {

// V1: liveness
constexpr Diagnostic<std::string, std::string, std::string, std::string> NobodyArrives{
    kind::NobodyArrives, "task `{}` waits for `{}`{} and nobody will arrive: {}"};
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string, std::string>
    TripCountsDiffer{kind::TripCountsDiffer,
                     "task `{}` waits for `{}`{}, but `{}` has ended: their loops run `{}` and "
                     "`{}` times, which "
                     "are not known to be equal"};
constexpr Diagnostic<std::string> CircularWait{kind::CircularWait, "tasks wait for each other: {}"};
constexpr Diagnostic<std::string, std::string, std::string, unsigned, uint64_t> TooFewArrivals{
    kind::TooFewArrivals,
    "task `{}` waits for `{}`{} for ever: a phase counts {} arrivals, and the steps that arrive on "
    "it make {}"};
constexpr Diagnostic<std::string, std::string, std::string, uint64_t, uint64_t> BytesNeverComplete{
    kind::BytesNeverComplete,
    "task `{}` waits for `{}`{} for ever: a phase expects {} bytes, and {} are loaded"};
constexpr Diagnostic<std::string, std::string, std::string, std::string> SyncMissing{
    kind::SyncMissing, "task `{}` waits in `{}`{} for ever: {}"};

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
constexpr Diagnostic<std::string, std::string, std::string> LoadAtExit{
    kind::LoadAtExit,
    "the load of task `{}` into `{}`{} may still be in flight when the CTA ends: no task waits for "
    "it"};

// V5: routing
constexpr Diagnostic<std::string, std::string, std::string> UnwrittenStage{
    kind::UnwrittenStage, "task `{}` reads `{}`{} before anything was written there"};
constexpr Diagnostic<std::string, std::string, std::string> ClobberedStage{
    kind::ClobberedStage, "task `{}` reads `{}`{} after a field that shares its bytes was written"};
constexpr Diagnostic<std::string, std::string, std::string, int64_t, int64_t> WrongVersion{
    kind::WrongVersion, "task `{}` reads `{}`{} and finds the stage that was produced as "
                        "number {}; by its cursor it is "
                        "at number {}"};

class Explainer {
public:
  Explainer(const FindingContext &theContext, const Finding &theFinding, DiagnosticEngine &engine)
      : context(theContext), model(theContext.model), finding(theFinding), diags(engine),
        describe(theContext.model, theContext.program) {}

  void run() {
    marked.push_back(finding.place);
    if (finding.other)
      marked.push_back(*finding.other);
    switch (finding.kind) {
    case FindingKind::Stuck:
      return stuck();
    case FindingKind::Race:
      return race();
    case FindingKind::EarlyArrival:
      return finish(
          diags.report(range(), EarlyArrival, task(), contribution(), waitedFor(), iteration()));
    case FindingKind::StalePass:
      return finish(diags.report(range(), StalePass, task(), waitedFor(), iteration()));
    case FindingKind::MissedPhase:
      return missedPhase();
    case FindingKind::LateExpect:
      return lateExpect();
    case FindingKind::Overrun:
      return finish(
          diags.report(range(), Overrun, task(), waitedFor(), iteration(), countedArrivals()));
    case FindingKind::LoadAtExit:
      return finish(diags.report(range(), LoadAtExit, task(), cell(), iteration()));
    case FindingKind::Unwritten:
      return finish(diags.report(range(), UnwrittenStage, task(), cell(), iteration()));
    case FindingKind::Clobbered:
      return finish(diags.report(range(), ClobberedStage, task(), cell(), iteration()));
    case FindingKind::WrongVersion:
      return finish(diags.report(range(), WrongVersion, task(), cell(), iteration(),
                                 finding.found + 1, finding.expected + 1));
    }
  }

private:
  SourceRange range() const { return describe.range(finding.place); }
  std::string task() const { return describe.task(finding.place); }
  std::string iteration() const { return describe.iteration(finding.place); }
  std::string cell() const { return model.cellName(static_cast<unsigned>(finding.cell)); }
  std::string waitedFor() const {
    return finding.barrier >= 0
               ? model.barrierName(static_cast<unsigned>(finding.barrier))
               : model.threadBarriers[static_cast<unsigned>(finding.threadBarrier)].name;
  }
  // "arrive on", "announce bytes on", "load for": what the operation does to a barrier.
  llvm::StringRef contribution() const {
    switch (describe.op(finding.place).kind) {
    case OpKind::Expect:
      return "announce bytes on";
    case OpKind::Call:
      return "load for";
    default:
      return "arrive on";
    }
  }
  unsigned countedArrivals() const {
    return finding.barrier >= 0
               ? model.barriers[static_cast<unsigned>(finding.barrier)].arrivals
               : model.threadBarriers[static_cast<unsigned>(finding.threadBarrier)].threads;
  }

  // What all findings end with.
  void finish(ReportBuilder &&report) {
    std::string choices = describeChoices(context.coordinates, context.choices);
    if (!choices.empty())
      report.note({}, "smallest case found: {}", choices);
    if (!context.showsTimeline)
      return;
    TimelineOptions options;
    options.marked = marked;
    options.showsBlocked = finding.kind == FindingKind::Stuck;
    report.note({}, "the run that leads there:\n{}",
                renderTimeline(model, context.program, context.run, options));
  }

  // ---- V1
  // ----------------------------------------------------------------------------------------

  void stuck() {
    Deadlock deadlock = explainDeadlock(model, context.coordinates, context.program, context.run);
    marked = {deadlock.waiter};
    const Op &op = describe.op(deadlock.waiter);
    SourceRange place = describe.range(deadlock.waiter);
    std::string waiter = describe.task(deadlock.waiter);
    std::string barrier = describe.barrier(deadlock.waiter);
    std::string when = describe.iteration(deadlock.waiter);
    switch (deadlock.cause) {
    case Deadlock::Cause::NoArrival:
      return blocked(diags.report(place, NobodyArrives, waiter, barrier, when,
                                  "no step arrives on it" + missingAction(op.cell)),
                     deadlock);
    case Deadlock::Cause::ArrivalsSpent:
      return blocked(diags.report(place, NobodyArrives, waiter, barrier, when, spentText(deadlock)),
                     deadlock);
    case Deadlock::Cause::TripMismatch:
      return tripMismatch(deadlock);
    case Deadlock::Cause::TooFewArrivals:
      return blocked(diags.report(place, TooFewArrivals, waiter, barrier, when,
                                  model.barriers[op.cell].arrivals, deadlock.arrivals),
                     deadlock);
    case Deadlock::Cause::Bytes:
      return blocked(diags.report(place, BytesNeverComplete, waiter, barrier, when,
                                  deadlock.bytesExpected, deadlock.bytesLoaded),
                     deadlock);
    case Deadlock::Cause::SyncMissing:
      return blocked(diags.report(place, SyncMissing, waiter, barrier, when, syncText(deadlock)),
                     deadlock);
    case Deadlock::Cause::Circle:
      return circle(deadlock);
    }
  }

  // "; no task releases `box`" where the barrier is a pipeline's.
  std::string missingAction(unsigned cell) const {
    const plan::Barrier &barrier = model.plan().barriers[model.barriers[cell].barrier];
    if (barrier.resource.empty())
      return "";
    return fmt::format("; no task {} `{}`",
                       barrier.name == barrier.resource + ".empty" ? "releases" : "commits",
                       barrier.resource);
  }

  std::string spentText(const Deadlock &deadlock) const {
    const std::string &name = model.taskName(*deadlock.contributor);
    if (!deadlock.contribution)
      return fmt::format("`{}` has ended without an arrival", name);
    return fmt::format("`{}` has made its last arrival{}", name,
                       describe.iteration(*deadlock.contribution));
  }

  std::string syncText(const Deadlock &deadlock) const {
    if (!deadlock.contributor)
      return "fewer threads come to it than it counts";
    return fmt::format("`{}` {}", model.taskName(*deadlock.contributor),
                       deadlock.contribution ? "comes to it no more" : "never comes to it");
  }

  // What would make the trip counts equal; `n / 32` and `ceil_div(n, 32)` are if nothing remains.
  std::string equalityOf(const ir::Loop &a, const ir::Loop &b) const {
    const Facts &facts = context.coordinates.knowledge();
    std::string first = facts.tripText(a);
    std::string second = facts.tripText(b);
    for (const auto &[up, down] : {std::pair(first, second), std::pair(second, first)}) {
      llvm::StringRef call = up;
      if (!call.consume_front("ceil_div(") || !call.consume_back(")"))
        continue;
      auto [dividend, divisor] = call.rsplit(", ");
      if (fmt::format("{} / {}", dividend, divisor) == down)
        return fmt::format("{} % {} == 0", dividend, divisor);
    }
    return fmt::format("{} == {}", first, second);
  }

  void tripMismatch(const Deadlock &deadlock) {
    const Facts &facts = context.coordinates.knowledge();
    std::string mine = facts.tripText(deadlock.waiterLoop->loop);
    std::string theirs = facts.tripText(deadlock.contributorLoop->loop);
    ReportBuilder report = diags.report(
        describe.range(deadlock.waiter), TripCountsDiffer, describe.task(deadlock.waiter),
        describe.barrier(deadlock.waiter), describe.iteration(deadlock.waiter),
        model.taskName(*deadlock.contributor), mine, theirs);
    report.note(deadlock.waiterLoop->loc, "`{}` runs `{}` times here",
                describe.task(deadlock.waiter), mine);
    report.note(deadlock.contributorLoop->loc, "`{}` runs `{}` times here",
                model.taskName(*deadlock.contributor), theirs);
    report.note({}, "if they are equal, say so: `requires {};`",
                equalityOf(deadlock.waiterLoop->loop, deadlock.contributorLoop->loop));
    finish(std::move(report));
  }

  void circle(const Deadlock &deadlock) {
    marked = deadlock.circle;
    std::string chain;
    for (Place place : deadlock.circle)
      chain += fmt::format("{}`{}` for `{}`", chain.empty() ? "" : ", ", describe.task(place),
                           describe.barrier(place));
    ReportBuilder report = diags.report(describe.range(deadlock.waiter), CircularWait, chain);
    for (size_t i = 0; i < deadlock.circle.size(); ++i) {
      Place place = deadlock.circle[i];
      Place next = deadlock.circle[(i + 1) % deadlock.circle.size()];
      report.note(describe.range(place), "`{}` waits for `{}`{}; `{}` would arrive later",
                  describe.task(place), describe.barrier(place), describe.iteration(place),
                  describe.task(next));
    }
    finish(std::move(report));
  }

  // The other tasks that are stuck with it.
  void blocked(ReportBuilder &&report, const Deadlock &deadlock) {
    for (unsigned warp = 0; warp < model.warps.size(); ++warp) {
      if (context.run.isFinished(warp) || model.warps[warp].index > 0 ||
          model.warps[warp].task == model.warps[deadlock.waiter.warp].task)
        continue;
      Place place{warp, context.run.warps()[warp].pc};
      report.note(describe.range(place), "`{}` waits for `{}`{}", describe.task(place),
                  describe.barrier(place), describe.iteration(place));
    }
    const Op &wait = describe.op(deadlock.waiter);
    if (wait.kind == OpKind::Wait)
      if (unsigned completed = context.run.barriers()[wait.cell].completed)
        report.note({}, "`{}` has completed {} phase{}; a wait for parity {} is for number {}",
                    describe.barrier(deadlock.waiter), completed, completed == 1 ? "" : "s",
                    wait.parity, completed + 1);
    if (deadlock.contribution)
      report.note(describe.range(*deadlock.contribution), "`{}` made its last arrival here",
                  describe.task(*deadlock.contribution));
    finish(std::move(report));
  }

  // ---- V2
  // ----------------------------------------------------------------------------------------

  void race() {
    Place other = *finding.other;
    std::string verb = finding.isLoad ? "loads into" : finding.isWrite ? "writes" : "reads";
    std::string second =
        finding.isOtherLoad
            ? fmt::format("the load that `{}` started{} may still be in flight",
                          describe.task(other), describe.iteration(other))
            : fmt::format("`{}` may still {} it{}", describe.task(other),
                          finding.isOtherWrite ? "write" : "read", describe.iteration(other));
    ReportBuilder report =
        diags.report(range(), StageRace, task(), verb, cell(), iteration(), second);
    report.note(describe.range(other), "the other access is here");
    finish(std::move(report));
  }

  // ---- V3
  // ----------------------------------------------------------------------------------------

  void missedPhase() {
    ReportBuilder report =
        diags.report(describe.range(*finding.other), MissedPhase, describe.task(*finding.other),
                     waitedFor(), describe.iteration(*finding.other), task());
    report.note(range(), "`{}` completes the next phase here{}", task(), iteration());
    finish(std::move(report));
  }

  void lateExpect() {
    ReportBuilder report =
        diags.report(describe.range(*finding.other), LateExpect, describe.task(*finding.other),
                     waitedFor(), describe.iteration(*finding.other));
    if (finding.place.op != finding.other->op || finding.place.warp != finding.other->warp)
      report.note(range(), "in this run it is completed here, by `{}`{}", task(), iteration());
    finish(std::move(report));
  }

  const FindingContext &context;
  const Model &model;
  const Finding &finding;
  DiagnosticEngine &diags;
  Describe describe;
  std::vector<Place> marked;
};

} // namespace

void explain(const FindingContext &context, const Finding &finding, DiagnosticEngine &diags) {
  Explainer(context, finding, diags).run();
}

std::string describeChoices(const Coordinates &coordinates, const Choices &choices) {
  std::string text;
  for (size_t i = 0; i < coordinates.all().size(); ++i) {
    const Coordinate &coordinate = coordinates.all()[i];
    text += text.empty() ? "" : ", ";
    if (coordinate.kind == Coordinate::Kind::Trips)
      text += fmt::format("`{}` = {}", coordinate.text, choices.trips[i]);
    else
      text += fmt::format("`{}` {}", coordinate.text, spelling(choices.branches[i]));
  }
  return text;
}

} // namespace tsk::verify
