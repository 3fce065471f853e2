// plan-warps: which warps the CTA has and what each of them is for.
//
// Needs the kernel alone. Makes the plan's tasks with their warp ranges, the number of warps and
// the padding: warps without a task between two ranges, and, where registers are reallocated, up to
// the end of the last warpgroup, because setmaxnreg is executed by whole warpgroups. Stands before
// everything that counts threads. Which register counts the warpgroups get is decided last, by
// plan-registers.
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace tsk::plan {

namespace {

constexpr Diagnostic<std::string, std::string, unsigned> WarpsOverlap{
    kind::WarpsOverlap, "tasks `{}` and `{}` both run on warp {}; a warp runs one task"};
constexpr Diagnostic<uint64_t, uint64_t, llvm::StringRef, unsigned> TooManyThreads{
    kind::TooManyThreads,
    "the tasks need {} warps, {} threads; a CTA on `{}` has at most {} threads"};
constexpr Diagnostic<std::string> NoTasks{kind::NoTasks,
                                          "kernel `{}` has no task: nothing would run"};

uint64_t endOf(const ir::Task &task) { return uint64_t(task.firstWarp) + task.warps; }

// One bit a warp would do, but ranges are user input and may be huge: compare them as ranges.
bool checkOverlaps(PassContext &context) {
  std::vector<const ir::Task *> tasks;
  for (const ir::Task &task : context.kernel.tasks)
    tasks.push_back(&task);
  std::stable_sort(tasks.begin(), tasks.end(), [](const ir::Task *a, const ir::Task *b) {
    return a->firstWarp < b->firstWarp;
  });
  bool isGood = true;
  const ir::Task *widest = nullptr; // of those before, the one that reaches furthest
  for (const ir::Task *task : tasks) {
    if (widest && task->firstWarp < endOf(*widest)) {
      context.diags.report(task->warpsLoc, WarpsOverlap, widest->name, task->name, task->firstWarp)
          .note(widest->warpsLoc, "`{}` takes warps {} .. {} here", widest->name, widest->firstWarp,
                endOf(*widest));
      isGood = false;
    }
    if (!widest || endOf(*task) > endOf(*widest))
      widest = task;
  }
  return isGood;
}

void addPadding(Plan &plan, unsigned first, unsigned end) {
  // Never across a warpgroup's end: each piece takes the register count of its own warpgroup.
  while (first < end) {
    unsigned groupEnd = (first / target::WarpgroupWarps + 1) * target::WarpgroupWarps;
    unsigned pieceEnd = std::min(end, groupEnd);
    plan.padding.push_back({first, pieceEnd - first});
    first = pieceEnd;
  }
}

} // namespace

bool planWarps(PassContext &context) {
  const ir::Kernel &kernel = context.kernel;
  Plan &plan = context.plan;
  if (kernel.tasks.empty()) {
    context.diags.report(kernel.loc, NoTasks, kernel.name);
    return false;
  }
  if (!checkOverlaps(context))
    return false;

  uint64_t warps = 0;
  for (const ir::Task &task : kernel.tasks) {
    warps = std::max(warps, endOf(task));
    Task planned;
    planned.name = task.name;
    planned.firstWarp = task.firstWarp;
    planned.warps = task.warps;
    planned.loc = task.loc;
    plan.tasks.add(std::move(planned));
  }
  if (asksForRegisters(kernel))
    warps = llvm::alignTo(warps, target::WarpgroupWarps);
  if (warps * target::WarpThreads > context.target.ctaThreads) {
    const ir::Task &last =
        *std::max_element(kernel.tasks.begin(), kernel.tasks.end(),
                          [](const ir::Task &a, const ir::Task &b) { return endOf(a) < endOf(b); });
    context.diags.report(last.warpsLoc, TooManyThreads, warps, warps * target::WarpThreads,
                         context.target.name, context.target.ctaThreads);
    return false;
  }
  plan.warps = static_cast<unsigned>(warps);

  std::vector<bool> isTaken(plan.warps);
  for (const Task &task : plan.tasks)
    std::fill_n(isTaken.begin() + task.firstWarp, task.warps, true);
  for (unsigned first = 0; first < plan.warps;) {
    unsigned end = first;
    while (end < plan.warps && !isTaken[end])
      ++end;
    addPadding(plan, first, end);
    first = end + 1;
  }
  return true;
}

} // namespace tsk::plan
