// V2 for registers: what a running multiplication writes is touched by nobody until a wait says
// that it is over. Each thread has its own registers and its own queue, so a task's steps in their
// order decide it; loops are followed until nothing new is in flight.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, llvm::StringRef, std::string> RegistersInFlight{
    kind::RegistersInFlight,
    "`{}` {} `{}`, which a multiplication that is still running writes; wait for it first"};

class Checker {
public:
  Checker(const plan::Plan &judged, DiagnosticEngine &engine) : plan(judged), diags(engine) {
    for (const plan::Allocation &allocation : plan.allocations)
      isInMemory[allocation.field] = true;
  }

  bool run(const plan::Task &task) {
    flying.clear();
    visit(task.body);
    return isGood;
  }

private:
  // The newest group that writes a field's registers: how many have been committed since it began.
  struct Flight {
    const plan::Step *call = nullptr;
    unsigned age = 0;
  };
  using Flights = std::map<ir::FieldId, Flight>;
  static constexpr unsigned Oldest = 8; // no wait lets so many be in flight

  void visit(plan::RegionId region) {
    if (region)
      for (const plan::Step &step : plan.regions[region].steps)
        visit(step);
  }

  void visit(const plan::Step &step) {
    switch (step.kind) {
    case plan::StepKind::Call:
      return call(step);
    case plan::StepKind::CommitGroup:
      if (step.queue == plan::Queue::Wgmma)
        for (auto &[field, flight] : flying)
          flight.age = std::min(flight.age + 1, Oldest);
      return;
    case plan::StepKind::WaitGroup:
      if (step.queue == plan::Queue::Wgmma)
        for (auto it = flying.begin(); it != flying.end();)
          it = it->second.age > step.pending ? flying.erase(it) : std::next(it);
      return;
    case plan::StepKind::If: {
      const Flights before = flying;
      visit(step.body);
      const Flights taken = std::exchange(flying, before);
      visit(step.elseBody);
      join(taken);
      return;
    }
    case plan::StepKind::For:
    case plan::StepKind::ParallelFor:
      // Ages only fall where paths meet, so this ends.
      for (bool isNew = true; isNew;) {
        const Flights before = flying;
        visit(step.body);
        isNew = join(before) || !isSame(before);
      }
      return;
    default:
      return;
    }
  }

  bool isSame(const Flights &other) const {
    return flying.size() == other.size() &&
           std::equal(flying.begin(), flying.end(), other.begin(), [](auto &a, auto &b) {
             return a.first == b.first && a.second.age == b.second.age;
           });
  }

  // What is in flight on one path or the other, as young as on either.
  bool join(const Flights &other) {
    bool hasChanged = false;
    for (const auto &[field, flight] : other) {
      auto [known, isNew] = flying.try_emplace(field, flight);
      if (!isNew && flight.age < known->second.age) {
        known->second = flight;
        hasChanged = true;
      }
    }
    return hasChanged;
  }

  void call(const plan::Step &step) {
    for (const plan::Access &access : step.accesses) {
      if (!access.field || isInMemory.count(access.field))
        continue;
      if (access.mechanism == ir::Mechanism::Wgmma)
        continue; // multiplications of one queue are in order
      auto it = flying.find(access.field);
      if (it != flying.end() && llvm::none_of(reported, [&](auto *s) { return s == &step; }))
        report(step, access, *it->second.call);
    }
    for (const plan::Access &access : step.accesses)
      if (access.field && access.isWrite && access.mechanism == ir::Mechanism::Wgmma)
        flying[access.field] = {&step, 0};
  }

  void report(const plan::Step &step, const plan::Access &access, const plan::Step &writer) {
    reported.push_back(&step);
    isGood = false;
    diags
        .report(step.loc, RegistersInFlight, plan.works[step.work],
                access.isWrite ? "writes" : "reads", plan.fields[access.field])
        .note(writer.loc, "`{}` begins here, and no wait between them covers it",
              plan.works[writer.work]);
  }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  std::map<ir::FieldId, bool> isInMemory;
  Flights flying;
  std::vector<const plan::Step *> reported;
  bool isGood = true;
};

} // namespace

bool checkInFlight(const plan::Plan &plan, DiagnosticEngine &diags) {
  bool isGood = true;
  for (const plan::Task &task : plan.tasks)
    isGood &= Checker(plan, diags).run(task);
  return isGood;
}

} // namespace tsk::verify
