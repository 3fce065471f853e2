// plan-registers: the register count of each warpgroup, and how many CTAs a SM has to hold.
//
// Needs warps and shared memory. Sets Task::regs, Padding::regs and minCtasPerSm. setmaxnreg moves
// registers between the warpgroups of one CTA: what some give up, others may take. The pool is what
// the launch gave to all warpgroups together, and ptxas only honours the instruction when the
// launch bounds tell it how much that is, hence the second argument of __launch_bounds__. Raising
// beyond the pool never returns, so the sum is checked here.
//
// Stands last: it decides nothing that another pass needs, and a kernel that fails here has been
// found sound in all else.
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include <algorithm>

namespace tsk::plan {

namespace {

using namespace target;

constexpr Diagnostic<unsigned, unsigned, unsigned, unsigned> RegistersRange{
    kind::RegistersRange, "`regs {}`: registers of a thread are {} to {} in steps of {}"};
constexpr Diagnostic<unsigned, unsigned, unsigned, std::string, unsigned> RegistersDiffer{
    kind::RegistersDiffer, "`regs {}` on warps {} .. {}, which share a warpgroup with "
                           "task `{}` at {}; a warpgroup has one "
                           "value"};
constexpr Diagnostic<unsigned, unsigned, unsigned, unsigned> RegistersExceeded{
    kind::RegistersExceeded,
    "the warpgroups ask for {} registers a thread in all; {} warpgroups launched with {} each have "
    "{} to share: lower some `regs`"};
constexpr Diagnostic<std::string> WarpgroupPadded{
    kind::WarpgroupPadded,
    "warps {} are added without a task: setmaxnreg is executed by whole warpgroups"};
constexpr Diagnostic<unsigned, unsigned, std::string> PersistentDoesNotFit{
    kind::PersistentDoesNotFit,
    "`grid persistent({})`: at most {} CTAs of this kernel fit on a SM, for its {}"};

class RegisterPlanner {
public:
  explicit RegisterPlanner(PassContext &pass)
      : context(pass), kernel(pass.kernel), plan(pass.plan),
        groups((plan.warps + WarpgroupWarps - 1) / WarpgroupWarps) {}

  bool run() {
    bool isGood = checkResidency();
    if (!plan.usesSetmaxnreg)
      return isGood;
    plan.minCtasPerSm = kernel.grid.isPersistent ? std::max(kernel.grid.ctasPerSm, 1u) : 1;
    isGood &= collect();
    isGood = isGood && checkPool();
    if (isGood)
      assign();
    return isGood;
  }

private:
  struct Group {
    unsigned regs = 0; // 0: keeps what it was launched with
    const ir::Task *from = nullptr;
  };

  bool checkResidency() {
    if (!plan.usesSetmaxnreg)
      plan.minCtasPerSm = 0;
    if (!kernel.grid.isPersistent)
      return true;
    unsigned wanted = kernel.grid.ctasPerSm;
    unsigned byThreads =
        std::min(context.target.smThreads / (plan.warps * WarpThreads), context.target.smCtas);
    // The system keeps 1 KiB of each resident CTA's shared memory.
    unsigned byMemory = context.target.smSharedBytes / (plan.sharedBytes + 1024);
    if (wanted <= std::min(byThreads, byMemory))
      return true;
    std::string reason = byThreads <= byMemory
                             ? fmt::format("{} threads", plan.warps * WarpThreads)
                             : fmt::format("{} bytes of shared memory", plan.sharedBytes);
    context.diags.report(kernel.grid.loc, PersistentDoesNotFit, wanted,
                         std::min(byThreads, byMemory), reason);
    return false;
  }

  bool collect() {
    bool isGood = true;
    for (const ir::Task &task : kernel.tasks) {
      if (!task.regs)
        continue;
      unsigned regs = *task.regs;
      if (regs < MinRegisters || regs > MaxRegisters || regs % RegisterStep != 0) {
        context.diags.report(task.regsLoc, RegistersRange, regs, MinRegisters, MaxRegisters,
                             RegisterStep);
        isGood = false;
        continue;
      }
      unsigned firstGroup = task.firstWarp / WarpgroupWarps;
      unsigned lastGroup = (task.firstWarp + task.warps - 1) / WarpgroupWarps;
      for (unsigned g = firstGroup; g <= lastGroup; ++g)
        isGood &= join(groups[g], task, regs);
    }
    return isGood;
  }

  bool join(Group &group, const ir::Task &task, unsigned regs) {
    if (group.from && group.regs != regs) {
      context.diags
          .report(task.regsLoc, RegistersDiffer, regs, task.firstWarp, task.firstWarp + task.warps,
                  group.from->name, group.regs)
          .note(group.from->regsLoc, "`{}` asks for {} here", group.from->name, group.regs);
      return false;
    }
    group = {regs, &task};
    return true;
  }

  // What a thread has at launch: all registers of the SM shared by its threads.
  unsigned launchRegisters() const {
    unsigned threads = plan.warps * WarpThreads * plan.minCtasPerSm;
    unsigned each = context.target.smRegisters / threads / RegisterStep * RegisterStep;
    return std::min(each, MaxRegisters);
  }

  bool checkPool() {
    unsigned launch = launchRegisters();
    unsigned pool = launch * static_cast<unsigned>(groups.size());
    unsigned sum = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
      if (!groups[g].from && isPaddingOnly(g))
        groups[g].regs = MinRegisters;
      sum += groups[g].regs ? groups[g].regs : launch;
    }
    if (sum <= pool)
      return true;
    const ir::Task *greediest = nullptr;
    for (const Group &group : groups)
      if (group.from && (!greediest || group.regs > *greediest->regs))
        greediest = group.from;
    ReportBuilder report = context.diags.report(greediest->regsLoc, RegistersExceeded, sum,
                                                static_cast<unsigned>(groups.size()), launch, pool);
    for (size_t g = 0; g < groups.size(); ++g)
      report.note(groups[g].from ? groups[g].from->regsLoc : SourceRange(),
                  "{:>4} registers: warps {} .. {}{}", groups[g].regs ? groups[g].regs : launch,
                  g * WarpgroupWarps, (g + 1) * WarpgroupWarps,
                  groups[g].regs ? "" : ", as launched");
    return false;
  }

  bool isPaddingOnly(size_t group) const {
    return std::none_of(plan.tasks.begin(), plan.tasks.end(), [&](const Task &task) {
      return task.firstWarp / WarpgroupWarps <= group &&
             (task.firstWarp + task.warps - 1) / WarpgroupWarps >= group;
    });
  }

  // Every warp of a warpgroup executes its setmaxnreg, whoever asked for it.
  void assign() {
    for (Task &task : plan.tasks)
      if (unsigned regs = groups[task.firstWarp / WarpgroupWarps].regs)
        task.regs = regs;
    for (Padding &padding : plan.padding)
      padding.regs = groups[padding.firstWarp / WarpgroupWarps].regs;
    if (!plan.padding.empty())
      context.diags.report(kernel.loc, WarpgroupPadded, paddedWarps());
  }

  // "1 .. 2, 3 .. 9": the pieces of one gap as one range.
  std::string paddedWarps() const {
    std::string list;
    for (size_t i = 0; i < plan.padding.size();) {
      unsigned first = plan.padding[i].firstWarp;
      unsigned end = first;
      for (; i < plan.padding.size() && plan.padding[i].firstWarp == end; ++i)
        end += plan.padding[i].warps;
      list += fmt::format("{}{} .. {}", list.empty() ? "" : ", ", first, end);
    }
    return list;
  }

  PassContext &context;
  const ir::Kernel &kernel;
  Plan &plan;
  std::vector<Group> groups;
};

} // namespace

bool planRegisters(PassContext &context) { return RegisterPlanner(context).run(); }

} // namespace tsk::plan
