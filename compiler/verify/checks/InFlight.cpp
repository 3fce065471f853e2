// V2 for registers: what a running multiplication writes is touched by nobody until a wait says
// that it is over and defines them; a fence stands between the threads' own accesses and the next
// multiplication; and nothing is read that no way there has written. Each thread has its own
// registers and its own queue, so a task's steps in their order decide it; loops are followed until
// nothing new is in flight.
#include "compiler/plan/LoopHeads.h"
#include "compiler/target/Limits.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/checks/TensorOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

#include <algorithm>
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

// The newest group that writes a field's registers: how many have been committed since it began.
struct Flight {
  const plan::Step *call = nullptr;
  unsigned age = 0;
  bool isOver = false; // by a wait that does not define the registers
  std::pair<unsigned, bool> rank() const { return {age, isOver}; }
};

struct Guarded { // a field that is written if a condition holds
  ir::FieldId field;
  proof::TermId condition;
  ir::ExprId expr;
  auto operator<=>(const Guarded &) const = default;
};

// What is known at a step.
struct Known {
  std::map<ir::FieldId, Flight> flying;
  std::set<ir::FieldId> written; // on every way here
  std::set<Guarded> writtenIf;   // … where that holds
  bool isFenced = false;         // since threads last touched registers

  // What is in flight on one way or the other, as young as on either, and over only if on both;
  // what is written on both.
  bool join(const Known &other) {
    bool isChanged = isFenced && !other.isFenced;
    isFenced &= other.isFenced;
    for (const auto &[field, flight] : other.flying) {
      auto [known, isNew] = flying.try_emplace(field, flight);
      const bool isLess = flight.rank() < known->second.rank();
      if (isLess)
        known->second = flight;
      isChanged |= isNew || isLess;
    }
    const size_t before = written.size() + writtenIf.size();
    llvm::set_intersect(written, other.written);
    llvm::set_intersect(writtenIf, other.writtenIf);
    return isChanged || written.size() + writtenIf.size() != before;
  }
};

class Checker {
public:
  Checker(const plan::Plan &judged, const proof::Facts &known, DiagnosticEngine &engine)
      : plan(judged), facts(known), diags(engine) {
    for (const plan::Allocation &allocation : plan.allocations)
      isInMemory[allocation.field] = true;
    for (const plan::Region &region : plan.regions)
      for (const plan::Step &step : region.steps)
        for (const plan::Access &access : step.accesses)
          if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Wgmma)
            accumulators.insert(access.field);
  }

  Outcome run(const plan::Task &task) {
    now = {};
    writers.clear();
    visit(task.body);
    return outcome;
  }

private:
  static constexpr unsigned Oldest = target::MaxPendingGroups + 1;

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
      now.isFenced |= step.fence == plan::FenceKind::Wgmma;
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
    const proof::TermId contrary = facts.all().negation(condition);
    const Known before = now;
    under.push_back(condition);
    path.push_back({&step, false});
    visit(step.body);
    under.back() = contrary;
    path.back().isElse = true;
    const Known taken = std::exchange(now, before);
    visit(step.elseBody);
    path.pop_back();
    under.pop_back();
    const std::set<ir::FieldId> writtenElse = now.written;
    now.join(taken);
    if (!facts.variables(step.args[0]).changing.empty())
      return;
    for (ir::FieldId field : taken.written)
      now.writtenIf.insert({field, condition, step.args[0]});
    for (ir::FieldId field : writtenElse)
      now.writtenIf.insert({field, contrary, step.args[0]});
  }

  // Always, or under a condition that holds here.
  bool isWritten(ir::FieldId field) const {
    return now.written.count(field) || llvm::any_of(now.writtenIf, [&](const Guarded &each) {
             return each.field == field && llvm::is_contained(under, each.condition);
           });
  }

  // What the body writes is written behind the loop if it certainly runs.
  void loop(const plan::Step &step) {
    path.push_back({&step, false});
    const auto &[head, end] = loops.settle(step, now, [&](Known before) {
      now = std::move(before);
      visit(step.body);
      return now;
    });
    path.pop_back();
    now = head;
    if (certainlyRuns(step))
      now.written = end.written, now.writtenIf = end.writtenIf;
    // The next round's condition is another one.
    std::erase_if(now.writtenIf, [&](const Guarded &each) {
      return facts.variables(each.expr).loops.count(step.loop.variable) != 0;
    });
  }

  bool certainlyRuns(const plan::Step &step) const {
    return step.kind != plan::StepKind::If && facts.all().range(facts.trips(step.loop)).low >= 1;
  }

  using Flights = std::map<ir::FieldId, Flight>;
  Flights::iterator over(Flights::iterator it, const plan::Step &wait) {
    if (llvm::is_contained(wait.defines, it->first))
      return now.flying.erase(it);
    it->second.isOver = true;
    return std::next(it);
  }

  void call(const plan::Step &step) {
    for (const plan::Access &access : step.accesses) {
      if (!access.field || isInMemory.count(access.field))
        continue;
      if (access.mechanism == ir::Mechanism::Wgmma)
        continue; // multiplications of one queue are in order
      auto it = now.flying.find(access.field);
      if (llvm::any_of(step.accesses, [&](const plan::Access &other) {
            return other.field == access.field && other.mechanism == ir::Mechanism::Wgmma;
          }))
        fail(step, OwnAccess, plan.works[step.work], plan.fields[access.field]);
      else if (it != now.flying.end() && it->second.isOver)
        fail(step, NotDefined, plan.works[step.work], access.isWrite ? "writes" : "reads",
             plan.fields[access.field]);
      else if (it != now.flying.end())
        report(step, access, *it->second.call);
      else if (!access.isWrite && accumulators.count(access.field) && !isWritten(access.field))
        reportUnwritten(step, access.field);
      if (access.isWrite)
        write(access.field);
      now.isFenced = false;
    }
    for (const plan::Access &access : step.accesses) {
      if (!access.field || isInMemory.count(access.field) || !access.isWrite ||
          access.mechanism != ir::Mechanism::Wgmma)
        continue;
      if (!now.isFenced)
        fail(step, NotFenced, plan.works[step.work]);
      now.flying[access.field] = {&step, 0, false};
      write(access.field);
    }
  }

  void write(ir::FieldId field) {
    now.written.insert(field);
    writers[field] = path;
  }

  // Nothing before writes it: a fault. Else what stands around the write and not around the read.
  void reportUnwritten(const plan::Step &step, ir::FieldId field) {
    const std::string &work = plan.works[step.work], &name = plan.fields[field];
    const std::vector<Around> &writer = writers[field];
    const auto guard = llvm::find_if(writer, [&](const Around &around) {
      return !llvm::is_contained(path, around) && !certainlyRuns(*around.step);
    });
    if (guard == writer.end())
      return fail(step, NotWritten, work, name);
    if (!isFirst(step, Outcome::NotShown))
      return;
    const bool isLoop = guard->step->kind != plan::StepKind::If;
    diags
        .report(step.loc, NotShownWritten, work, name,
                isLoop ? "the loop that writes it may not run; `requires` can say that it runs at "
                         "least once"
                       : "the condition under which it is written may not hold; read it under the "
                         "same one")
        .note(guard->step->loc, "written in this {}", isLoop ? "loop" : "`if`");
  }

  // One finding a step.
  bool isFirst(const plan::Step &step, Outcome what = Outcome::Fault) {
    outcome = std::max(outcome, what);
    if (llvm::is_contained(reported, &step))
      return false;
    reported.push_back(&step);
    return true;
  }

  template <typename... Args>
  void fail(const plan::Step &step, const Diagnostic<Args...> &diagnostic,
            const std::type_identity_t<Args> &...args) {
    if (isFirst(step))
      diags.report(step.loc, diagnostic, args...);
  }

  void report(const plan::Step &step, const plan::Access &access, const plan::Step &writer) {
    if (!isFirst(step))
      return;
    diags
        .report(step.loc, RegistersInFlight, plan.works[step.work],
                access.isWrite ? "writes" : "reads", plan.fields[access.field])
        .note(writer.loc, "`{}` begins here, and no wait between them covers it",
              plan.works[writer.work]);
  }

  const plan::Plan &plan;
  const proof::Facts &facts;
  DiagnosticEngine &diags;
  std::map<ir::FieldId, bool> isInMemory;
  std::set<ir::FieldId> accumulators; // of any task
  Known now;
  std::vector<proof::TermId> under;                   // which conditions hold here
  std::vector<Around> path;                           // what stands around this step
  std::map<ir::FieldId, std::vector<Around>> writers; // … around the newest one before it
  plan::LoopHeads<Known> loops;
  std::vector<const plan::Step *> reported;
  Outcome outcome = Outcome::Right;
};

} // namespace

Outcome checkInFlight(const plan::Plan &plan, DiagnosticEngine &diags) {
  Outcome outcome = Outcome::Right;
  const proof::Facts facts(plan);
  for (const plan::Task &task : plan.tasks)
    outcome = std::max(outcome, Checker(plan, facts, diags).run(task));
  return outcome;
}

} // namespace tsk::verify
