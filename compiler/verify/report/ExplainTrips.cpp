// Loops that a finding blames for not running equally often, and what would make them.
#include "compiler/verify/proof/Facts.h"
#include "compiler/verify/report/Explainer.h"
#include "compiler/verify/structure/Edits.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::verify {

static void addScalars(const ir::ValueTables &tables, ir::ExprId id,
                       std::set<ir::ScalarId> &scalars) {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op == ir::ExprOp::Scalar)
    scalars.insert(expr.scalarRef);
  for (ir::ExprId operand : expr.operands)
    addScalars(tables, operand, scalars);
}

// What a loop's trip count is made of.
static std::set<ir::ScalarId> scalarsOf(const ir::ValueTables &tables, const ir::Loop &loop) {
  std::set<ir::ScalarId> scalars;
  for (ir::ExprId id : {loop.lower, loop.upper, loop.step})
    addScalars(tables, id, scalars);
  return scalars;
}

// What would make the trip counts equal; `n / 32` and `ceil_div(n, 32)` are if nothing remains.
static std::string equalityOf(const std::string &first, const std::string &second, bool isOfSame) {
  for (const auto &[up, down] : {std::pair(first, second), std::pair(second, first)}) {
    llvm::StringRef call = up;
    if (!call.consume_front("ceil_div(") || !call.consume_back(")"))
      continue;
    auto [dividend, divisor] = call.rsplit(", ");
    if (fmt::format("{} / {}", dividend, divisor) == down)
      return fmt::format("{} % {} == 0", dividend, divisor);
  }
  // `n == n / 2` would hold for hardly any n.
  return isOfSame ? "" : fmt::format("{} == {}", first, second);
}

// Whether a `requires` may speak of it: that is checked before the launch, outside all schedules.
static bool isKnownAtLaunch(const ir::ValueTables &tables, ir::ExprId id) {
  const ir::Expr &expr = tables.exprs[id];
  return expr.uniformity <= ir::Uniformity::Kernel && expr.op != ir::ExprOp::Call &&
         expr.op != ir::ExprOp::Value && llvm::all_of(expr.operands, [&](ir::ExprId operand) {
           return isKnownAtLaunch(tables, operand);
         });
}

static bool isKnownAtLaunch(const ir::ValueTables &tables, const ir::Loop &loop) {
  return isKnownAtLaunch(tables, loop.lower) && isKnownAtLaunch(tables, loop.upper) &&
         isKnownAtLaunch(tables, loop.step);
}

// Two loops over one range, of which only `with` has a step.
struct MissingStep {
  const plan::Step *without = nullptr, *with = nullptr;
};
static std::optional<MissingStep> missingStep(const proof::Facts &facts, const plan::Step &first,
                                              const plan::Step &second) {
  const ir::Loop &a = first.loop, &b = second.loop;
  if (facts.begin(a) != facts.begin(b) || facts.end(a) != facts.end(b) ||
      a.isReversed != b.isReversed)
    return std::nullopt;
  const auto one = facts.all().integer(1);
  for (const auto &[without, with] : {std::pair(&first, &second), std::pair(&second, &first)})
    if (facts.term(without->loop.step) == one && facts.term(with->loop.step) != one)
      return MissingStep{without, with};
  return std::nullopt;
}

static void noteStep(ReportBuilder &report, const plan::Plan &plan, const proof::Facts &facts,
                     const MissingStep &missing, const SourceManager *sources) {
  const std::string step = fmt::format("step {}", facts.text(missing.with->loop.step));
  report.note(missing.without->loc,
              "this loop has no `step`, the other has `{}`: the tile's size, "
              "if each round is of one tile",
              step);
  // Of the other loop's scope only what is known everywhere may be named here.
  if (!isKnownAtLaunch(plan.tables, missing.with->loop.step))
    return;
  const SourceRange bound = plan.tables.exprs[missing.without->loop.upper].loc;
  if (const std::optional<Edit> edit = insertBehindBound(sources, bound, step))
    report.fixit(edit->range, edit->text, fmt::format("insert `{}`", step));
}

void noteTrips(ReportBuilder &report, const plan::Plan &plan, const TaskLoop &first,
               const TaskLoop &second, const SourceManager *sources) {
  const proof::Facts facts(plan);
  const ir::Loop &a = first.second->loop, &b = second.second->loop;
  if (facts.trips(a) == facts.trips(b))
    return;
  const std::string mine = facts.tripText(a), theirs = facts.tripText(b);
  report.note(first.second->loc, "`{}` runs `{}` times here", first.first, mine);
  report.note(second.second->loc, "`{}` runs `{}` times here", second.first, theirs);
  if (const auto missing = missingStep(facts, *first.second, *second.second))
    return noteStep(report, plan, facts, *missing, sources);
  const bool isStep = facts.begin(a) == facts.begin(b) && facts.end(a) == facts.end(b);
  const llvm::StringRef same = isStep ? "the same step" : "the same bounds";
  if (!isKnownAtLaunch(plan.tables, a) || !isKnownAtLaunch(plan.tables, b)) {
    report.note({},
                "if they are equal, give both loops {}; a requirement cannot speak of what is "
                "known only inside the kernel",
                same);
    return;
  }
  const bool isOfSame = scalarsOf(plan.tables, a) == scalarsOf(plan.tables, b);
  if (std::string equality = equalityOf(mine, theirs, isOfSame); !equality.empty())
    report.note({}, "if they are equal, say so: `requires {};`", equality);
  else
    report.note({}, "give both loops {}", same);
}

// Around a load that is never waited for, and around the waits for its barrier.
static std::vector<TaskLoop> loopsOfLoad(const Trace &trace, const Finding &finding) {
  const plan::Plan &plan = trace.plan;
  const plan::Step &load = *finding.place.step;
  plan::BarrierId barrier;
  for (const plan::Access &access : load.accesses)
    if (access.completes)
      barrier = access.completes;
  const std::string own = trace.taskName(finding.place.agent);
  const plan::Step *mine = enclosingLoop(plan, plan.tasks[trace.taskOf(finding.place.agent)].body,
                                         [&](const plan::Step &step) { return &step == &load; });
  std::vector<TaskLoop> result;
  if (!mine || !barrier)
    return result;
  result.push_back({own, mine});
  for (const plan::Task &other : plan.tasks) {
    const plan::Step *theirs = enclosingLoop(plan, other.body, [&](const plan::Step &step) {
      return step.kind == plan::StepKind::Wait && step.barrier == barrier;
    });
    if (theirs && other.name != own)
      result.push_back({other.name, theirs});
  }
  return result;
}

std::vector<TaskLoop> blamedLoops(const Trace &trace, const Finding &finding) {
  if (finding.kind == protocol::FaultKind::ExitInFlight &&
      !trace.model.atoms[trace.fault->atom].isBarrier)
    return loopsOfLoad(trace, finding);
  if (finding.kind != protocol::FaultKind::Hang)
    return {};
  const Deadlock deadlock = explainDeadlock(trace);
  if (deadlock.cause != Deadlock::Cause::TripMismatch)
    return {};
  return {{trace.taskName(deadlock.waiter.agent), deadlock.waiterLoop},
          {trace.taskName(deadlock.contributor), deadlock.contributorLoop}};
}

bool noteLoops(ReportBuilder &report, const Trace &trace, const Finding &finding,
               const SourceManager *sources) {
  const std::vector<TaskLoop> loops = blamedLoops(trace, finding);
  const proof::Facts facts(trace.plan);
  for (size_t i = 1; i < loops.size(); ++i)
    if (facts.trips(loops[0].second->loop) != facts.trips(loops[i].second->loop)) {
      noteTrips(report, trace.plan, loops[0], loops[i], sources);
      return true;
    }
  return false;
}

// Any, if none is wanted.
static const plan::Step *firstLoop(const plan::Plan &plan, plan::RegionId region,
                                   const ir::Loop *wanted) {
  if (!region)
    return nullptr;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::For && (!wanted || &step.loop == wanted))
      return &step;
    for (plan::RegionId inner : {step.body, step.elseBody})
      if (const plan::Step *loop = firstLoop(plan, inner, wanted))
        return loop;
  }
  return nullptr;
}

SourceRange placeOf(const plan::Plan &plan, const proof::Translation &translation,
                    llvm::StringRef reason) {
  const ir::Loop *wanted = nullptr;
  for (const proof::Meaning &meaning : translation.meanings)
    if (meaning.loop && !wanted &&
        reason.contains("`" + translation.program.symbols[meaning.symbol].name + "`"))
      wanted = meaning.loop;
  for (const plan::Task &task : plan.tasks)
    if (const plan::Step *loop = firstLoop(plan, task.body, wanted))
      return loop->loc;
  return plan.tasks.empty() ? SourceRange{} : plan.tasks[plan.tasks.idAt(0)].loc;
}

void noteUnconfirmed(ReportBuilder &report, const Trace &trace, const Finding &finding) {
  const Moment &place = finding.place, &other = finding.other;
  if (finding.cell < 0 || !place.step || !other.step)
    return;
  report.note(place.step->loc, "not confirmed by a launch: `{}` {} `{}` here{}",
              trace.taskName(place.agent), finding.isWrite ? "writes" : "reads",
              trace.cellName(finding.cell), trace.iteration(place));
  report.note(other.step->loc, "while `{}` may still {} it here{}", trace.taskName(other.agent),
              finding.isOtherWrite ? "write" : "read", trace.iteration(other));
}

SourceRange loopOf(const Trace &trace, const Finding &finding) {
  const plan::Step *at = finding.kind == protocol::FaultKind::Hang
                             ? explainDeadlock(trace).waiter.step
                             : finding.place.step;
  const plan::Step *loop = nullptr;
  for (const plan::Task &task : trace.plan.tasks)
    if (!loop)
      loop =
          enclosingLoop(trace.plan, task.body, [&](const plan::Step &step) { return &step == at; });
  return loop ? loop->loc : at->loc;
}

} // namespace tsk::verify
