// Findings of V1: who waits for what, and why nobody comes.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/proof/Facts.h"
#include "compiler/verify/report/Explainer.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string, std::string> NobodyArrives{
    kind::NobodyArrives, "task `{}` waits for `{}`{} and nobody will arrive: {}"};
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string, std::string>
    TripCountsDiffer{
        kind::TripCountsDiffer,
        "task `{}` waits for `{}`{}, but `{}` has ended: their loops run `{}` and `{}` times, "
        "which are not known to be equal"};
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

} // namespace

void Explainer::hang() {
  Deadlock deadlock = explainDeadlock(trace);
  const Moment &waiter = deadlock.waiter;
  marked = {waiter};
  SourceRange place = waiter.step->loc;
  std::string name = trace.taskName(waiter.agent);
  std::string waited = trace.waitedFor(waiter);
  std::string when = trace.iteration(waiter);
  switch (deadlock.cause) {
  case Deadlock::Cause::NoArrival:
    return blocked(diags.report(place, NobodyArrives, name, waited, when,
                                "no step arrives on it" + missingAction(waiter)),
                   deadlock);
  case Deadlock::Cause::ArrivalsSpent:
    return blocked(diags.report(place, NobodyArrives, name, waited, when, spentText(deadlock)),
                   deadlock);
  case Deadlock::Cause::TripMismatch:
    return tripMismatch(deadlock);
  case Deadlock::Cause::TooFewArrivals:
    return blocked(diags.report(place, TooFewArrivals, name, waited, when,
                                trace.plan.barriers[waiter.step->barrier].arrivals,
                                deadlock.arrivals),
                   deadlock);
  case Deadlock::Cause::Bytes:
    return blocked(diags.report(place, BytesNeverComplete, name, waited, when,
                                deadlock.bytesExpected, deadlock.bytesLoaded),
                   deadlock);
  case Deadlock::Cause::SyncMissing:
    return blocked(diags.report(place, SyncMissing, name, waited, when, syncText(deadlock)),
                   deadlock);
  case Deadlock::Cause::Circle:
    return circle(deadlock);
  }
}

static llvm::StringRef handOver(const plan::Barrier &barrier) {
  const llvm::StringRef role = llvm::StringRef(barrier.name).drop_front(barrier.resource.size());
  return role == ".empty" ? "releases" : role == ".full" ? "commits" : "leaves";
}

// "; no task releases `box`" where the barrier is a pipeline's.
std::string Explainer::missingAction(const Moment &waiter) const {
  const plan::Barrier &barrier = trace.plan.barriers[waiter.step->barrier];
  if (barrier.resource.empty())
    return "";
  return fmt::format("; no task {} `{}`", handOver(barrier), barrier.resource);
}

std::string Explainer::spentText(const Deadlock &deadlock) const {
  const std::string name = trace.taskName(deadlock.contributor);
  if (deadlock.contribution.agent < 0)
    return fmt::format("`{}` has ended without an arrival", name);
  return fmt::format("`{}` has made its last arrival{}", name,
                     trace.iteration(deadlock.contribution));
}

std::string Explainer::syncText(const Deadlock &deadlock) const {
  if (deadlock.contributor < 0)
    return "fewer threads come to it than it counts";
  return fmt::format("`{}` {}", trace.taskName(deadlock.contributor),
                     deadlock.contribution.agent >= 0 ? "comes to it no more"
                                                      : "never comes to it");
}

void Explainer::tripMismatch(const Deadlock &deadlock) {
  proof::Facts facts(trace.plan);
  std::string mine = facts.tripText(deadlock.waiterLoop->loop);
  std::string theirs = facts.tripText(deadlock.contributorLoop->loop);
  const Moment &waiter = deadlock.waiter;
  const std::string name = trace.taskName(waiter.agent);
  const std::string ended = trace.taskName(deadlock.contributor);
  ReportBuilder report =
      diags.report(waiter.step->loc, TripCountsDiffer, name, trace.waitedFor(waiter),
                   trace.iteration(waiter), ended, mine, theirs);
  noteTrips(report, trace.plan, {name, deadlock.waiterLoop}, {ended, deadlock.contributorLoop},
            options.sources);
  finish(std::move(report));
}

void Explainer::circle(const Deadlock &deadlock) {
  marked = deadlock.circle;
  std::string chain;
  for (const Moment &each : deadlock.circle)
    chain += fmt::format("{}`{}` for `{}`", chain.empty() ? "" : ", ", trace.taskName(each.agent),
                         trace.waitedFor(each));
  ReportBuilder report = diags.report(deadlock.waiter.step->loc, CircularWait, chain);
  for (size_t i = 0; i < deadlock.circle.size(); ++i) {
    const Moment &each = deadlock.circle[i];
    const Moment &next = deadlock.circle[(i + 1) % deadlock.circle.size()];
    report.note(each.step->loc, "`{}` waits for `{}`{}; `{}` would arrive later",
                trace.taskName(each.agent), trace.waitedFor(each), trace.iteration(each),
                trace.taskName(next.agent));
  }
  finish(std::move(report));
}

// The other tasks that are stuck with it.
void Explainer::blocked(ReportBuilder &&report, const Deadlock &deadlock) {
  const Moment &waiter = deadlock.waiter;
  for (int agent = 0; agent < static_cast<int>(trace.model.agents.size()); ++agent) {
    const protocol::Agent &each = trace.model.agents[agent];
    if (trace.isFinished(agent) || each.warp > 0 ||
        each.task == trace.model.agents[waiter.agent].task)
      continue;
    Moment place = trace.next(agent);
    report.note(place.step->loc, "`{}` waits for `{}`{}", trace.taskName(agent),
                trace.waitedFor(place), trace.iteration(place));
  }
  if (waiter.element >= 0)
    if (int completed = trace.phases(waiter.element)) {
      const protocol::Instr &wait =
          trace.model.agents[waiter.agent].code[trace.state().agents[waiter.agent].pc];
      report.note({}, "`{}` has completed {} phase{}; a wait for parity {} is for number {}",
                  trace.waitedFor(waiter), completed, completed == 1 ? "" : "s",
                  protocol::parityAt(trace.state(), wait.parity), completed + 1);
    }
  if (deadlock.contribution.agent >= 0)
    report.note(deadlock.contribution.step->loc, "`{}` made its last arrival here",
                trace.taskName(deadlock.contribution.agent));
  finish(std::move(report));
}

} // namespace tsk::verify
