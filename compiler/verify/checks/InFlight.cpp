// V2 for registers: what a running multiplication writes is touched by nobody until a wait says
// that it is over and defines them; a fence stands between the threads' own accesses and the next
// multiplication; and nothing is read that no way there has written. Each thread has its own
// registers and its own queue, so a task's steps in their order decide it; loops are followed until
// nothing new is in flight.
#include "compiler/plan/LoopHeads.h"
#include "compiler/target/Limits.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/proof/Facts.h"

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
    kind::RegistersInFlight,
    "`{}` reads `{}`, and on some way there this task has written nothing into it; `requires` can "
    "say that a loop runs at least once, and what is written under a condition is read under the "
    "same one"};
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

  bool run(const plan::Task &task) {
    now = {};
    visit(task.body);
    return isGood;
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
    visit(step.body);
    under.back() = contrary;
    const Known taken = std::exchange(now, before);
    visit(step.elseBody);
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
    const auto &[head, end] = loops.settle(step, now, [&](Known before) {
      now = std::move(before);
      visit(step.body);
      return now;
    });
    now = head;
    if (facts.all().range(facts.trips(step.loop)).low >= 1)
      now.written = end.written, now.writtenIf = end.writtenIf;
    // The next round's condition is another one.
    std::erase_if(now.writtenIf, [&](const Guarded &each) {
      return facts.variables(each.expr).loops.count(step.loop.variable) != 0;
    });
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
        fail(step, NotWritten, plan.works[step.work], plan.fields[access.field]);
      if (access.isWrite)
        now.written.insert(access.field);
      now.isFenced = false;
    }
    for (const plan::Access &access : step.accesses) {
      if (!access.field || isInMemory.count(access.field) || !access.isWrite ||
          access.mechanism != ir::Mechanism::Wgmma)
        continue;
      if (!now.isFenced)
        fail(step, NotFenced, plan.works[step.work]);
      now.flying[access.field] = {&step, 0, false};
      now.written.insert(access.field);
    }
  }

  // One finding a step.
  bool isFirst(const plan::Step &step) {
    isGood = false;
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
  std::vector<proof::TermId> under; // which conditions hold here
  plan::LoopHeads<Known> loops;
  std::vector<const plan::Step *> reported;
  bool isGood = true;
};

} // namespace

bool checkInFlight(const plan::Plan &plan, DiagnosticEngine &diags) {
  bool isGood = true;
  const proof::Facts facts(plan);
  for (const plan::Task &task : plan.tasks)
    isGood &= Checker(plan, facts, diags).run(task);
  return isGood;
}

} // namespace tsk::verify
