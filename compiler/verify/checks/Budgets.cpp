// V8: warps, registers, shared memory and barriers of the plan fit the target.
//
// The passes refuse most of this where it was written; a plan from a text has not been through
// them, and what the passes compute is checked here once more.
#include "compiler/plan/Layout.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include <algorithm>
#include <map>

namespace tsk::verify {

namespace {

using namespace target;

constexpr Diagnostic<std::string> PlanTargetUnknown{kind::PlanTargetUnknown, "unknown target `{}`"};
constexpr Diagnostic<std::string, std::string, unsigned> TasksShareWarp{
    kind::TasksShareWarp, "tasks `{}` and `{}` both run on warp {}"};
constexpr Diagnostic<std::string, unsigned, std::string, unsigned> WarpsExceeded{
    kind::WarpsExceeded, "`{}` ends at warp {}, but {} {}"};
constexpr Diagnostic<uint64_t, std::string, uint64_t> SharedBytesExceeded{
    kind::SharedBytesExceeded,
    "the plan takes {} bytes of shared memory; a CTA on `{}` has at most {}"};
constexpr Diagnostic<std::string, uint64_t, uint64_t, uint64_t> OutsideShared{
    kind::OutsideShared,
    "`{}` lies at {} .. {}, outside the {} bytes of shared memory that the plan takes"};
constexpr Diagnostic<std::string, std::string> BarrierOverlap{
    kind::BarrierOverlap, "`{}` and `{}` share bytes; a barrier's belong to it alone"};
constexpr Diagnostic<std::string, uint64_t, unsigned> Misaligned{
    kind::Misaligned, "`{}` at {} is not aligned to {} bytes"};
constexpr Diagnostic<std::string, unsigned, unsigned> NamedBarrierId{
    kind::NamedBarrierId, "`{}` has id {}; barriers of threads have ids 0 to {}"};
constexpr Diagnostic<std::string, std::string, unsigned> NamedBarrierShared{
    kind::NamedBarrierShared, "`{}` and `{}` both have id {}"};
constexpr Diagnostic<std::string, unsigned, unsigned> NamedBarrierThreads{
    kind::NamedBarrierThreads, "`{}` counts {} threads; the hardware counts whole warps of {}"};
constexpr Diagnostic<unsigned, unsigned, unsigned> RegisterValue{
    kind::RegisterValue, "warps {} .. {} have {} registers a thread; setmaxnreg takes 24 to 256 in "
                         "steps of 8"};
constexpr Diagnostic<unsigned, unsigned, std::string> RegisterWarps{
    kind::RegisterWarps, "registers of warps {} .. {}: {}"};
constexpr Diagnostic<unsigned, unsigned, unsigned, std::string, unsigned> RegisterChange{
    kind::RegisterChange, "warps {} .. {}: {} registers are not `{}` from the {} at launch"};
constexpr Diagnostic<unsigned, unsigned, unsigned> RegisterPool{
    kind::RegisterPool, "the warps ask for {} registers in all and the CTA is launched with {}, {} "
                        "a thread: one that asks for more would wait for ever"};

class Checker {
public:
  Checker(const plan::Plan &thePlan, DiagnosticEngine &engine) : plan(thePlan), diags(engine) {}

  bool run() {
    const Target *target = findTarget(plan.target);
    if (!target) {
      fail(SourceRange(), PlanTargetUnknown, plan.target);
      return false;
    }
    checkWarps(*target);
    checkRegisters(*target);
    if (plan.sharedBytes > target->ctaSharedBytes)
      fail(SourceRange(), SharedBytesExceeded, plan.sharedBytes, plan.target,
           target->ctaSharedBytes);
    checkPlaces();
    checkNamed();
    return isGood;
  }

private:
  template <typename... Args>
  void fail(SourceRange place, const Diagnostic<Args...> &diagnostic,
            const std::type_identity_t<Args> &...args) {
    diags.report(place, diagnostic, args...);
    isGood = false;
  }

  void checkWarps(const Target &target) {
    std::map<unsigned, const plan::Task *> owners;
    unsigned limit = target.ctaThreads / WarpThreads;
    for (const plan::Task &task : plan.tasks) {
      unsigned end = task.firstWarp + task.warps;
      if (end > plan.warps)
        fail(task.loc, WarpsExceeded, task.name, end, "the CTA has", plan.warps);
      else if (end > limit)
        fail(task.loc, WarpsExceeded, task.name, end, "the target allows", limit);
      for (unsigned warp = task.firstWarp; warp < end; ++warp)
        if (auto [owner, isNew] = owners.try_emplace(warp, &task); !isNew) {
          fail(task.loc, TasksShareWarp, owner->second->name, task.name, warp);
          break;
        }
    }
  }

  void checkRegisters(const Target &target) {
    if (plan.registers.empty())
      return;
    const unsigned launch =
        target.registersAtLaunch(plan.warps * WarpThreads, std::max(plan.minCtasPerSm, 1u));
    unsigned end = 0; // of the warps so far
    unsigned sum = 0; // a thread of each
    for (const plan::Registers &item : plan.registers) {
      checkItem(item, end, launch);
      end = item.firstWarp + item.warps;
      sum += item.count * item.warps;
    }
    if (end != plan.warps)
      fail(plan.registers.back().loc, RegisterWarps, end, plan.warps, "they are not said");
    if (sum > launch * plan.warps)
      fail(plan.registers.front().loc, RegisterPool, sum * WarpThreads,
           launch * plan.warps * WarpThreads, launch);
  }

  void checkItem(const plan::Registers &item, unsigned begin, unsigned launch) {
    using Change = plan::Registers::Change;
    const unsigned first = item.firstWarp, end = item.firstWarp + item.warps;
    if (item.count < MinRegisters || item.count > MaxRegisters || item.count % RegisterStep != 0)
      fail(item.loc, RegisterValue, first, end, item.count);
    if (first != begin)
      fail(item.loc, RegisterWarps, first, end, fmt::format("warp {} is next", begin));
    if (first % WarpgroupWarps != 0 || end % WarpgroupWarps != 0)
      fail(item.loc, RegisterWarps, first, end, "setmaxnreg is executed by whole warpgroups");
    for (const plan::Task &task : plan.tasks)
      if (task.firstWarp < end && task.firstWarp + task.warps > first &&
          (task.firstWarp < first || task.firstWarp + task.warps > end))
        fail(item.loc, RegisterWarps, first, end,
             fmt::format("a part of task `{}`, which is one code", task.name));
    const Change right = item.count > launch   ? Change::Raise
                         : item.count < launch ? Change::Lower
                                               : Change::Keep;
    if (item.change != right)
      fail(item.loc, RegisterChange, first, end, item.count, plan::spelling(item.change).str(),
           launch);
  }

  struct Piece {
    uint64_t begin, end;
    std::string name;
    bool isBarrier;
    SourceRange loc;
  };

  void checkPlaces() {
    std::vector<Piece> pieces;
    for (const plan::Allocation &a : plan.allocations) {
      pieces.push_back({a.offset, a.offset + totalBytes(a), a.name, false, {}});
      if (a.offset % a.align != 0)
        fail(SourceRange(), Misaligned, a.name, a.offset, a.align);
    }
    for (const plan::Barrier &b : plan.barriers) {
      if (b.kind != plan::Barrier::Kind::Mbarrier)
        continue;
      pieces.push_back({b.offset, b.offset + totalBytes(b), b.name, true, b.loc});
      if (b.offset % MbarrierBytes != 0)
        fail(b.loc, Misaligned, b.name, b.offset, MbarrierBytes);
    }
    std::stable_sort(pieces.begin(), pieces.end(),
                     [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
    for (size_t i = 0; i < pieces.size(); ++i) {
      const Piece &a = pieces[i];
      if (a.end > plan.sharedBytes)
        fail(a.loc, OutsideShared, a.name, a.begin, a.end, plan.sharedBytes);
      // Fields may share bytes with fields: whether their accesses meet is V2's business.
      for (size_t j = i + 1; j < pieces.size() && pieces[j].begin < a.end; ++j)
        if (a.isBarrier || pieces[j].isBarrier)
          fail(pieces[j].isBarrier ? pieces[j].loc : a.loc, BarrierOverlap, a.name, pieces[j].name);
    }
  }

  void checkNamed() {
    std::map<unsigned, std::string> owners;
    for (const plan::Barrier &barrier : plan.barriers) {
      if (barrier.kind != plan::Barrier::Kind::Named)
        continue;
      if (barrier.namedId >= NamedBarriers)
        fail(barrier.loc, NamedBarrierId, barrier.name, barrier.namedId, NamedBarriers - 1);
      if (barrier.arrivals % WarpThreads != 0)
        fail(barrier.loc, NamedBarrierThreads, barrier.name, barrier.arrivals, WarpThreads);
      auto [owner, isNew] = owners.try_emplace(barrier.namedId, barrier.name);
      if (!isNew)
        fail(barrier.loc, NamedBarrierShared, owner->second, barrier.name, barrier.namedId);
    }
  }

  static uint64_t totalBytes(const auto &item) { return plan::totalBytes(item); }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  bool isGood = true;
};

} // namespace

bool checkBudgets(const plan::Plan &plan, DiagnosticEngine &diags) {
  return Checker(plan, diags).run();
}

} // namespace tsk::verify
