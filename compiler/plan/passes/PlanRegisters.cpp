// plan-registers: the register count of each warpgroup, and how many CTAs a SM has to hold.
//
// Needs warps and shared memory. Sets the registers and minCtasPerSm. setmaxnreg moves registers
// between the warpgroups of one CTA: what some give up, others may take. The pool is what the
// launch gave to all warpgroups together, and ptxas only honours the instruction when the launch
// bounds tell it how much that is, hence the second argument of __launch_bounds__. Raising beyond
// the pool never returns, so the sum is checked here. A task that shares a warpgroup with one that
// says `regs` has its count, in all its warps: it is one code.
//
// Stands last: it decides nothing that another pass needs, and a kernel that fails here has been
// found sound in all else.
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

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

constexpr Diagnostic<unsigned, unsigned, unsigned, std::string, unsigned> RegistersTied{
    kind::RegistersDiffer, "`regs {}` on warps {} .. {}, and task `{}` at {}: tasks across their "
                           "warpgroups tie these together, and a task has one value"};

// Consecutive warpgroups that tasks tie together: a task that spans two of them is one code, so
// both have its register count.
struct Section {
  unsigned firstGroup = 0, endGroup = 0;
  unsigned regs = 0;              // 0: keeps what it was launched with
  const ir::Task *from = nullptr; // who asked for it

  unsigned firstWarp() const { return firstGroup * WarpgroupWarps; }
  unsigned warps() const { return (endGroup - firstGroup) * WarpgroupWarps; }
  bool has(const ir::Task &task) const {
    return task.firstWarp >= firstWarp() && task.firstWarp < firstWarp() + warps();
  }
};

unsigned firstGroup(const ir::Task &task) { return task.firstWarp / WarpgroupWarps; }
unsigned lastGroup(const ir::Task &task) {
  return (task.firstWarp + task.warps - 1) / WarpgroupWarps;
}

class RegisterPlanner {
public:
  explicit RegisterPlanner(PassContext &pass)
      : context(pass), kernel(pass.kernel), plan(pass.plan) {}

  bool run() {
    const bool moves = asksForRegisters(kernel);
    plan.minCtasPerSm = !moves                     ? 0
                        : kernel.grid.isPersistent ? std::max(kernel.grid.ctasPerSm, 1u)
                                                   : 1;
    bool isGood = checkResidency();
    if (!moves)
      return isGood;
    launch = context.target.registersAtLaunch(plan.warps * WarpThreads, plan.minCtasPerSm);
    divide();
    isGood &= collect();
    isGood = isGood && checkPool();
    if (isGood)
      assign();
    return isGood;
  }

private:
  bool checkResidency() {
    if (!kernel.grid.isPersistent)
      return true;
    unsigned wanted = kernel.grid.ctasPerSm;
    unsigned byThreads =
        std::min(context.target.smThreads / (plan.warps * WarpThreads), context.target.smCtas);
    // The system keeps 1 KiB of each resident CTA's shared memory.
    unsigned byMemory =
        context.target.smSharedBytes / (plan.sharedBytes + target::ReservedSharedBytes);
    if (wanted <= std::min(byThreads, byMemory))
      return true;
    std::string reason = byThreads <= byMemory
                             ? fmt::format("{} threads", plan.warps * WarpThreads)
                             : fmt::format("{} bytes of shared memory", plan.sharedBytes);
    context.diags.report(kernel.grid.loc, PersistentDoesNotFit, wanted,
                         std::min(byThreads, byMemory), reason);
    return false;
  }

  void divide() {
    const unsigned groups = plan.warps / WarpgroupWarps;
    std::vector<bool> isTied(groups); // to the next one
    for (const ir::Task &task : kernel.tasks)
      std::fill(isTied.begin() + firstGroup(task), isTied.begin() + lastGroup(task), true);
    for (unsigned g = 0; g < groups; ++g)
      if (g && isTied[g - 1])
        ++sections.back().endGroup;
      else
        sections.push_back({g, g + 1});
  }

  bool collect() {
    bool isGood = true;
    for (const ir::Task &task : kernel.tasks)
      if (task.regs)
        isGood &= checkRange(task) && join(task);
    for (Section &section : sections)
      if (llvm::none_of(kernel.tasks, [&](const ir::Task &task) { return section.has(task); }))
        section.regs = MinRegisters;
    return isGood;
  }

  bool checkRange(const ir::Task &task) {
    const unsigned regs = *task.regs;
    if (regs >= MinRegisters && regs <= MaxRegisters && regs % RegisterStep == 0)
      return true;
    context.diags.report(task.regsLoc, RegistersRange, regs, MinRegisters, MaxRegisters,
                         RegisterStep);
    return false;
  }

  bool join(const ir::Task &task) {
    Section &section =
        *llvm::find_if(sections, [&](const Section &item) { return item.has(task); });
    if (!section.from || section.regs == *task.regs) {
      section.regs = *task.regs;
      section.from = &task;
      return true;
    }
    const ir::Task &other = *section.from;
    const bool shares =
        firstGroup(task) <= lastGroup(other) && firstGroup(other) <= lastGroup(task);
    ReportBuilder report =
        context.diags.report(task.regsLoc, shares ? RegistersDiffer : RegistersTied, *task.regs,
                             task.firstWarp, task.firstWarp + task.warps, other.name, section.regs);
    report.note(other.regsLoc, "`{}` asks for {} here", other.name, section.regs);
    if (!shares)
      for (const ir::Task &tie : kernel.tasks)
        if (section.has(tie) && firstGroup(tie) != lastGroup(tie))
          report.note(tie.warpsLoc, "`{}` takes warps {} .. {} here", tie.name, tie.firstWarp,
                      tie.firstWarp + tie.warps);
    return false;
  }

  unsigned countOf(const Section &section) const { return section.regs ? section.regs : launch; }

  bool checkPool() {
    const unsigned groups = plan.warps / WarpgroupWarps;
    const unsigned pool = launch * groups;
    unsigned sum = 0;
    const Section *greediest = nullptr;
    for (const Section &section : sections) {
      sum += countOf(section) * (section.endGroup - section.firstGroup);
      if (section.from && (!greediest || section.regs > greediest->regs))
        greediest = &section;
    }
    if (sum <= pool)
      return true;
    ReportBuilder report = context.diags.report(greediest->from->regsLoc, RegistersExceeded, sum,
                                                groups, launch, pool);
    for (const Section &section : sections)
      report.note(section.from ? section.from->regsLoc : placeOf(section),
                  "{:>4} registers: warps {} .. {}{}", countOf(section), section.firstWarp(),
                  section.firstWarp() + section.warps(), section.regs ? "" : ", as launched");
    return false;
  }

  // Where a section that asks for nothing comes from: its first task, else the kernel.
  SourceRange placeOf(const Section &section) const {
    for (const ir::Task &task : kernel.tasks)
      if (section.has(task))
        return task.warpsLoc;
    return kernel.loc;
  }

  // Every warp of a section executes its setmaxnreg, whoever asked for it.
  void assign() {
    using Change = Registers::Change;
    for (const Section &section : sections) {
      const unsigned count = countOf(section);
      const Change change = count > launch   ? Change::Raise
                            : count < launch ? Change::Lower
                                             : Change::Keep;
      plan.registers.push_back({section.firstWarp(), section.warps(), count, change,
                                section.from ? section.from->regsLoc : SourceRange()});
    }
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
  unsigned launch = 0; // registers of a thread at the start
  std::vector<Section> sections;
};

} // namespace

bool asksForRegisters(const ir::Kernel &kernel) {
  return llvm::any_of(kernel.tasks, [](const ir::Task &task) { return task.regs.has_value(); });
}

bool planRegisters(PassContext &context) { return RegisterPlanner(context).run(); }

} // namespace tsk::plan
