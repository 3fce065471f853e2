// V2 for registers: what a running multiplication writes is touched by nobody until a wait says
// that it is over and defines them; a fence stands between the threads' own accesses and the next
// multiplication; and nothing is read that no way there has written. Each thread has its own
// registers and its own queue, so a task's steps in their order decide it; loops are followed until
// nothing new is in flight.
#include "compiler/plan/LoopHeads.h"
#include "compiler/target/Limits.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/checks/InFlightState.h"
#include "compiler/verify/checks/TensorOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, llvm::StringRef, std::string> RegistersInFlight{
    kind::RegistersInFlight,
    "`{}` {} `{}`, which a multiplication that is still running writes; wait for it first"};

constexpr Diagnostic<std::string, llvm::StringRef, std::string> NotDefined{
    kind::RegistersInFlight,
    "`{}` {} `{}` behind a wait that does not define it: the C++ compiler may take the registers "
    "before the wait"};
constexpr Diagnostic<std::string> NotFenced{
    kind::RegistersInFlight,
    "`{}` multiplies without a `fence wgmma` behind what threads did to its registers"};
constexpr Diagnostic<std::string, std::string> NotWritten{
    kind::RegistersInFlight, "`{}` reads `{}`, into which this task has written nothing before"};
constexpr Diagnostic<std::string, std::string, llvm::StringRef> NotShownWritten{
    kind::RegistersNotShown,
    "not proved: that `{}` reads in `{}` what this task has written there, since {}"};
constexpr Diagnostic<std::string, std::string> OwnAccess{
    kind::RegistersInFlight,
    "`{}` multiplies into `{}` and touches it by itself: in one work nothing waits and no fence "
    "stands between the two; make it two works"};

// What a work does to registers by itself, or the fence before a multiplication, is right only if
// conditions hold together of which nobody sees that they do.
constexpr Diagnostic<std::string, std::string> NotShownOver{
    kind::RegistersNotShown,
    "not proved: that where `{}` touches `{}` a wait has ended the multiplication that writes it: "
    "the conditions around the three are not seen to hold together; let one `if` stand around "
    "them"};
constexpr Diagnostic<std::string> NotShownFenced{
    kind::RegistersNotShown,
    "not proved: that a `fence wgmma` stands before `{}` behind what threads did to its registers: "
    "the conditions around the three are not seen to hold together; let one `if` stand around "
    "them"};

// Why what is read may not have been written, and what to say of the place.
struct Reason {
  llvm::StringRef text, note;
};
constexpr Reason LoopWritten{
    "the loop that writes it may not run; `requires` can say that it runs at least once",
    "written in this loop"};
constexpr Reason IfWritten{
    "the condition under which it is written may not hold; read it under the same one",
    "written in this `if`"};
constexpr Reason SpreadWritten{"not each thread has a round of the `parallel for` that writes it",
                               "written in this loop"};
constexpr Reason BySome{"not each thread runs the work that writes it", "written here"};
constexpr Reason LaterWritten{
    "the loop around the two writes it behind this place, so not before its first round",
    "written here"};

// A step that writes a field's registers.
struct Writer {
  const plan::Step *step = nullptr;
  std::vector<Around> path;
};

class Checker {
public:
  Checker(const plan::Plan &judged, const proof::Facts &known, DiagnosticEngine &engine,
          std::vector<std::string> &list)
      : plan(judged), facts(known), diags(engine), assumptions(list) {
    for (const plan::Allocation &allocation : plan.allocations)
      isInMemory[allocation.field] = true;
    for (const plan::Region &region : plan.regions)
      for (const plan::Step &step : region.steps)
        for (const plan::Access &access : step.accesses)
          if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Wgmma)
            accumulators.insert(access.field);
  }

  Outcome run(const plan::Task &task) {
    isOneLane = task.isSingleLane;
    collect(task.body);
    visit(task.body);
    for (const auto &[place, finding] : findings)
      finding.report();
    for (const auto &[place, text] : assumed)
      if (!llvm::is_contained(assumptions, text))
        assumptions.push_back(text);
    return outcome;
  }

private:
  static constexpr unsigned Oldest = target::MaxPendingGroups + 1;

  bool isRegisters(const plan::Access &access) const {
    return access.field && !isInMemory.count(access.field);
  }

  // The task's writers, and each step's place in its text.
  void collect(plan::RegionId region) {
    if (!region)
      return;
    for (const plan::Step &step : plan.regions[region].steps) {
      places.try_emplace(&step, places.size());
      for (const plan::Access &access : step.accesses)
        if (isRegisters(access) && access.isWrite)
          writers[access.field].push_back({&step, path});
      for (bool isElse : {false, true}) {
        path.push_back({&step, isElse});
        collect(isElse ? step.elseBody : step.body);
        path.pop_back();
      }
    }
  }

  void visit(plan::RegionId region) {
    if (region)
      for (const plan::Step &step : plan.regions[region].steps)
        visit(step);
  }

  void visit(const plan::Step &step) {
    switch (step.kind) {
    case plan::StepKind::Call:
      return call(step);
    case plan::StepKind::Fence:
      if (step.fence == plan::FenceKind::Wgmma)
        now.unfenced.reset();
      return;
    case plan::StepKind::CommitGroup:
      if (step.queue == plan::Queue::Wgmma)
        for (auto &[field, flight] : now.flying)
          flight.age = std::min(flight.age + 1, Oldest);
      return;
    case plan::StepKind::WaitGroup:
      if (step.queue == plan::Queue::Wgmma)
        for (auto it = now.flying.begin(); it != now.flying.end();)
          it = it->second.age > step.pending ? over(it, step) : std::next(it);
      return;
    case plan::StepKind::If:
      return branch(step);
    case plan::StepKind::For:
    case plan::StepKind::ParallelFor:
      return loop(step);
    default:
      return;
    }
  }

  void branch(const plan::Step &step) {
    const proof::TermId condition = facts.term(step.args[0]);
    const Guard then{condition, facts.all().negation(condition), step.args[0]};
    const Known before = now;
    const Known taken = arm(step, then, false);
    now = before;
    const Known skipped = arm(step, then.negated(), true);
    now.join(taken);
    if (!facts.variables(step.args[0]).changing.empty())
      return now.forget(
          [&](const Guard &guard) { return guard == then || guard == then.negated(); });
    for (ir::FieldId field : taken.written)
      now.writtenIf.insert({field, then});
    for (ir::FieldId field : skipped.written)
      now.writtenIf.insert({field, then.negated()});
  }

  Known arm(const plan::Step &step, const Guard &guard, bool isElse) {
    under.insert(guard);
    path.push_back({&step, isElse});
    now.enter(guard);
    visit(isElse ? step.elseBody : step.body);
    now.leave(guard);
    path.pop_back();
    under.erase(guard);
    return now;
  }

  // Always, or under a condition that holds here.
  bool isWritten(ir::FieldId field) const {
    return now.written.count(field) || llvm::any_of(now.writtenIf, [&](const auto &each) {
             return each.first == field && under.count(each.second);
           });
  }

  // What the body writes is written behind the loop if it certainly runs. The next round's
  // condition is another one.
  void loop(const plan::Step &step) {
    const auto isOfLoop = [&](const Guard &guard) {
      return facts.variables(guard.expr).loops.count(step.loop.variable) != 0;
    };
    path.push_back({&step, false});
    const auto &[head, end] = loops.settle(step, now, [&](Known before) {
      now = std::move(before);
      visit(step.body);
      now.forget(isOfLoop);
      return now;
    });
    path.pop_back();
    now = head;
    if (certainlyRuns(step))
      now.written = end.written, now.writtenIf = end.writtenIf;
    std::erase_if(now.writtenIf, [&](const auto &each) { return isOfLoop(each.second); });
  }

  // For each thread.
  bool certainlyRuns(const plan::Step &step) const {
    return step.kind == plan::StepKind::For && facts.all().range(facts.trips(step.loop)).low >= 1;
  }

  using Flights = std::map<ir::FieldId, Flight>;
  Flights::iterator over(Flights::iterator it, const plan::Step &wait) {
    if (llvm::is_contained(wait.defines, it->first))
      return now.flying.erase(it);
    it->second.isOver = true;
    return std::next(it);
  }

  void call(const plan::Step &step) {
    const std::string &work = plan.works[step.work];
    for (const plan::Access &access : step.accesses) {
      if (!isRegisters(access) || access.mechanism == ir::Mechanism::Wgmma)
        continue; // multiplications of one queue are in order
      auto it = now.flying.find(access.field);
      const std::string &name = plan.fields[access.field];
      const llvm::StringRef verb = access.isWrite ? "writes" : "reads";
      if (llvm::any_of(step.accesses, [&](const plan::Access &other) {
            return other.field == access.field && other.mechanism == ir::Mechanism::Wgmma;
          }))
        find(step, Outcome::Fault,
             [=, this, &step, &work, &name] { diags.report(step.loc, OwnAccess, work, name); });
      else if (it != now.flying.end() && !isCertain(it->second.may))
        find(step, Outcome::NotShown, [this, &step, &work, &name, call = it->second.call] {
          diags.report(step.loc, NotShownOver, work, name).note(call->loc, "it begins here");
        });
      else if (it != now.flying.end() && it->second.isOver)
        find(step, Outcome::Fault, [=, this, &step, &work, &name] {
          diags.report(step.loc, NotDefined, work, verb, name);
        });
      else if (it != now.flying.end())
        reportRunning(step, verb, name, *it->second.call);
      else if (!access.isWrite && accumulators.count(access.field) && !isWritten(access.field))
        reportUnwritten(step, access.field);
      if (access.isWrite)
        write(step, access);
      now.unfenced = May();
    }
    for (const plan::Access &access : step.accesses) {
      if (!isRegisters(access) || !access.isWrite || access.mechanism != ir::Mechanism::Wgmma)
        continue;
      if (now.unfenced)
        reportUnfenced(step);
      now.flying[access.field] = {&step};
      write(step, access);
    }
  }

  bool isOfAll(const plan::Step &step) const { return isOneLane || step.by == plan::By::All; }

  void write(const plan::Step &step, const plan::Access &access) {
    if (!isOfAll(step))
      return;
    if (access.mechanism != ir::Mechanism::Wgmma && accumulators.count(access.field) &&
        !isWritten(access.field))
      assumed[places.at(&step)] =
          fmt::format("that `{}` writes all that is read of `{}`, in each thread",
                      plan.works[step.work], plan.fields[access.field]);
    now.written.insert(access.field);
  }

  // Of what may be so here: whether it is, in some launch. Two conditions may exclude each other.
  bool isCertain(const May &may) const {
    return !may.isVague &&
           (llvm::set_is_subset(may.ifs, under) || (may.ifs.size() == 1 && under.empty()));
  }

  void reportUnfenced(const plan::Step &step) {
    const std::string &work = plan.works[step.work];
    if (isCertain(*now.unfenced))
      find(step, Outcome::Fault, [this, &step, &work] { diags.report(step.loc, NotFenced, work); });
    else
      find(step, Outcome::NotShown,
           [this, &step, &work] { diags.report(step.loc, NotShownFenced, work); });
  }

  void reportRunning(const plan::Step &step, llvm::StringRef verb, const std::string &name,
                     const plan::Step &writer) {
    find(step, Outcome::Fault, [=, this, &step, &name, &writer] {
      diags.report(step.loc, RegistersInFlight, plan.works[step.work], verb, name)
          .note(writer.loc, "`{}` begins here, and no wait between them covers it",
                plan.works[writer.work]);
    });
  }

  // Whether what it writes may come to this step: in a round before, or in this one.
  bool mayReach(const Writer &writer, const plan::Step &step) const {
    if (llvm::any_of(path, [&](const Around &around) {
          return around.isLoop() && llvm::is_contained(writer.path, around);
        }))
      return true;
    return places.at(writer.step) < places.at(&step) &&
           llvm::none_of(
               path,
               [&](const Around &around) {
                 return !around.isLoop() &&
                        llvm::is_contained(writer.path, Around{around.step, !around.isElse});
               });
  }

  // Nothing that may come here writes it: a fault. Else why the newest may not have.
  void reportUnwritten(const plan::Step &step, ir::FieldId field) {
    const std::string &work = plan.works[step.work], &name = plan.fields[field];
    const Writer *newest = nullptr;
    for (const Writer &writer : writers[field])
      if (mayReach(writer, step) && (!newest || places.at(writer.step) < places.at(&step)))
        newest = &writer;
    if (!newest)
      return find(step, Outcome::Fault,
                  [this, &step, &work, &name] { diags.report(step.loc, NotWritten, work, name); });
    const auto guard = llvm::find_if(newest->path, [&](const Around &around) {
      return !llvm::is_contained(path, around) && !certainlyRuns(*around.step);
    });
    const bool isGuarded = guard != newest->path.end();
    const plan::Step &why = isGuarded ? *guard->step : *newest->step;
    const plan::StepKind kind = why.kind;
    const Reason &reason = !isOfAll(*newest->step)               ? BySome
                           : kind == plan::StepKind::If          ? IfWritten
                           : kind == plan::StepKind::For         ? LoopWritten
                           : kind == plan::StepKind::ParallelFor ? SpreadWritten
                                                                 : LaterWritten;
    const SourceRange there = &reason == &BySome ? newest->step->loc : why.loc;
    find(step, Outcome::NotShown, [=, this, &step, &work, &name, &reason] {
      diags.report(step.loc, NotShownWritten, work, name, reason.text)
          .note(there, "{}", reason.note);
    });
  }

  // One finding a step, the worst: what is known only grows less until a loop's head has settled.
  void find(const plan::Step &step, Outcome what, std::function<void()> report) {
    outcome = std::max(outcome, what);
    auto [known, isNew] = findings.try_emplace(places.at(&step), Finding{what, report});
    if (!isNew && known->second.what < what)
      known->second = {what, std::move(report)};
  }

  const plan::Plan &plan;
  const proof::Facts &facts;
  DiagnosticEngine &diags;
  std::vector<std::string> &assumptions;
  std::map<ir::FieldId, bool> isInMemory;
  std::set<ir::FieldId> accumulators; // of any task
  Known now;
  bool isOneLane = false;
  std::set<Guard> under;                              // which conditions hold here
  std::vector<Around> path;                           // what stands around this step
  std::map<ir::FieldId, std::vector<Writer>> writers; // … in the order of the text
  std::map<const plan::Step *, size_t> places;        // in the text
  plan::LoopHeads<Known> loops;
  struct Finding {
    Outcome what;
    std::function<void()> report;
  };
  std::map<size_t, Finding> findings;    // by place
  std::map<size_t, std::string> assumed; // by place
  Outcome outcome = Outcome::Right;
};

} // namespace

Outcome checkInFlight(const plan::Plan &plan, DiagnosticEngine &diags,
                      std::vector<std::string> &assumptions) {
  Outcome outcome = Outcome::Right;
  const proof::Facts facts(plan);
  for (const plan::Task &task : plan.tasks)
    outcome = std::max(outcome, Checker(plan, facts, diags, assumptions).run(task));
  return outcome;
}

} // namespace tsk::verify
