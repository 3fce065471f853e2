// Tasks: their warps and what they run.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/body/BodyScan.h"
#include "compiler/body/BodyTokens.h"
#include "compiler/ir/CppText.h"
#include "compiler/ir/Text.h"
#include "compiler/target/Target.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> NoTask{kind::NoTask,
                                             "kernel `{}` has no task: nothing would run"};
constexpr Diagnostic<int64_t, int64_t> WarpRangeEmpty{
    kind::WarpRangeEmpty, "warps {} .. {} are none; the range is half-open"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, std::string> WarpOverlap{
    kind::WarpOverlap, "tasks `{}` and `{}` both have {}"};
constexpr Diagnostic<llvm::StringRef, unsigned> NoRoomForTask{
    kind::NoRoomForTask, "there is no room for task `{}`: a CTA has {} warps"};
constexpr Diagnostic<llvm::StringRef> UnusedSchedule{
    kind::UnusedSchedule, "no task runs schedule `{}`; it is not checked"};
constexpr Diagnostic<llvm::StringRef> UnusedValue{
    kind::UnusedValue, "`{0}` is never used; call it `_{0}` if that is meant"};

constexpr Diagnostic<llvm::StringRef> UnusedVariable{
    kind::UnusedValue, "`{}` is assigned and its value is never used"};

constexpr Diagnostic<llvm::StringRef, unsigned, unsigned> WarpsOfInstances{
    kind::WarpsOfInstances, "the {1} warps of `{0}` cannot be shared equally by {2} instances"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> InstanceInBody{
    kind::NotInInstance, "the body of `{}` reads `inst`, but task `{}` has no instances"};

namespace {

class TaskBuilder {
public:
  explicit TaskBuilder(KernelState &kernelState)
      : state(kernelState), kernel(*kernelState.kernel) {}
  void build();

private:
  void addTask(const ast::TaskDecl &decl);
  void addInstances(const ast::TaskDecl &decl, ir::Task whole, bool hasRange);
  void add(const ast::TaskDecl &decl, ir::Task task, bool hasRange);
  bool setWarps(ir::Task &task, const ast::TaskDecl &decl);
  void checkOverlap(const ir::Task &task, SourceRange range);
  void placeTasks();
  void place(ir::Task &task);
  void buildBodies();
  void setInstance(std::optional<unsigned> instance);
  void checkBodies(const ir::Task &task, ir::RegionId region);
  const ast::ScheduleDecl *scheduleOf(const ast::TaskDecl &decl);
  void warnUnused();

  KernelState &state;
  ir::Kernel &kernel;
  std::vector<const ast::TaskDecl *> decls; // of kernel.tasks
  std::vector<bool> isPlaced;
  bool hasTooMany = false;
};

} // namespace

void TaskBuilder::build() {
  for (const ast::Decl *item : state.items)
    if (const auto *decl = llvm::dyn_cast<ast::TaskDecl>(item))
      addTask(*decl);
  bool anyTask = llvm::any_of(state.items,
                              [](const ast::Decl *item) { return llvm::isa<ast::TaskDecl>(item); });
  if (!anyTask)
    state.context.report(state.decl.name.range, NoTask, state.decl.name.text);
  placeTasks();
  buildBodies();
  warnUnused();
}

// ---- Warps ------------------------------------------------------------------------------------

void TaskBuilder::addTask(const ast::TaskDecl &decl) {
  const Symbol *symbol = decl.name ? state.scope.find(decl.name.text) : nullptr;
  if (!symbol || symbol->loc != decl.name.range)
    return;                                              // a second declaration of its name
  if (decls.size() == size_t(2) * target::MaxCtaWarps) { // each has a warp at least
    state.context.report(decl.range, NoRoomForTask, decl.name.text, target::MaxCtaWarps);
    hasTooMany = true;
  }
  if (hasTooMany)
    return;
  if (decl.rank != ast::TaskDecl::Rank::All)
    state.context.notYetCompiled(Construct::Ranks, decl.range);
  ir::Task task;
  task.name = decl.name.text.str();
  task.schedule = decl.schedule.text.str();
  task.loc = decl.name.range;
  bool hasRange = setWarps(task, decl);
  if (decl.regs) {
    task.regsLoc = decl.regsRange.isValid() ? decl.regsRange : decl.regs->range;
    if (auto regs = state.resolver().constantInteger(decl.regs, "the registers of a thread", 0,
                                                     target::SmRegisters))
      task.regs = static_cast<unsigned>(*regs);
  }
  if (decl.instances)
    return addInstances(decl, std::move(task), hasRange);
  if (hasRange)
    checkOverlap(task, task.warpsLoc);
  add(decl, std::move(task), hasRange);
}

void TaskBuilder::add(const ast::TaskDecl &decl, ir::Task task, bool hasRange) {
  decls.push_back(&decl);
  isPlaced.push_back(hasRange);
  kernel.tasks.add(std::move(task));
}

// `task Math[2] on warps 4 .. 12`: tasks Math_0 and Math_1 of four warps each.
void TaskBuilder::addInstances(const ast::TaskDecl &decl, ir::Task whole, bool hasRange) {
  auto count = state.resolver().constantInteger(decl.instances, "the number of instances", 1,
                                                target::MaxCtaWarps);
  if (!count)
    return;
  const auto instances = static_cast<unsigned>(*count);
  if (whole.warps % instances != 0) {
    state.context.report(whole.warpsLoc, WarpsOfInstances, decl.name.text, whole.warps, instances);
    return;
  }
  if (hasRange)
    checkOverlap(whole, whole.warpsLoc);
  whole.warps /= instances;
  for (unsigned i = 0; i < instances; ++i) {
    ir::Task task = whole;
    task.name = elementName(decl.name.text, i);
    task.instance = i;
    task.firstWarp += i * whole.warps;
    if (declare(state.context, state.scope, {task.name, decl.name.range}, Symbol::Kind::Task))
      kernel.shownNames[task.name] = fmt::format("{}[{}]", decl.name.text, i);
    add(decl, std::move(task), hasRange);
  }
}

// True if the range is written; false if the compiler places the task (or after a report).
bool TaskBuilder::setWarps(ir::Task &task, const ast::TaskDecl &decl) {
  ExprResolver resolver = state.resolver();
  if (decl.warpCount) {
    task.warpsLoc = decl.warpCount->range;
    auto count =
        resolver.constantInteger(decl.warpCount, "the number of warps", 1, target::MaxCtaWarps);
    task.warps = count ? static_cast<unsigned>(*count) : 0;
    return false;
  }
  if (!decl.firstWarp || !decl.endWarp) {
    task.warps = 0;
    return false;
  }
  task.warpsLoc = SourceRange::join(decl.firstWarp->range, decl.endWarp->range);
  auto first =
      resolver.constantInteger(decl.firstWarp, "the first warp", 0, target::MaxCtaWarps - 1);
  auto end =
      resolver.constantInteger(decl.endWarp, "the warp behind the last", 0, target::MaxCtaWarps);
  task.warps = 0;
  if (!first || !end)
    return false;
  if (*first >= *end) {
    state.context.report(task.warpsLoc, WarpRangeEmpty, *first, *end);
    return false;
  }
  task.firstWarp = static_cast<unsigned>(*first);
  task.warps = static_cast<unsigned>(*end - *first);
  return true;
}

void TaskBuilder::checkOverlap(const ir::Task &task, SourceRange range) {
  for (size_t i = 0; i < decls.size(); ++i) {
    if (!isPlaced[i])
      continue;
    const ir::Task &other = kernel.tasks[kernel.tasks.idAt(i)];
    unsigned first = std::max(task.firstWarp, other.firstWarp);
    unsigned end = std::min(task.firstWarp + task.warps, other.firstWarp + other.warps);
    if (first >= end)
      continue;
    std::string shared = end - first == 1 ? fmt::format("warp {}", first)
                                          : fmt::format("warps {} .. {}", first, end);
    state.context.report(range, WarpOverlap, other.name, task.name, shared)
        .note(other.warpsLoc, "`{}` is placed here", other.name);
  }
}

// Tasks without a range take the lowest free warps, in the order of declaration, after all that
// have one. Register counts are a warpgroup's: a task that states one, or fills a warpgroup, starts
// one.
void TaskBuilder::placeTasks() {
  for (size_t i = 0; i < decls.size(); ++i) {
    ir::Task &task = kernel.tasks[kernel.tasks.idAt(i)];
    if (!isPlaced[i] && task.warps > 0) {
      place(task);
      isPlaced[i] = true;
    }
  }
}

void TaskBuilder::place(ir::Task &task) {
  bool taken[target::MaxCtaWarps] = {};
  for (size_t i = 0; i < decls.size(); ++i)
    if (isPlaced[i]) {
      const ir::Task &other = kernel.tasks[kernel.tasks.idAt(i)];
      for (unsigned warp = 0; warp < other.warps; ++warp)
        taken[other.firstWarp + warp] = true;
    }
  bool starts = task.regs || task.warps >= target::WarpgroupWarps;
  unsigned step = starts ? target::WarpgroupWarps : 1;
  for (unsigned first = 0; first + task.warps <= target::MaxCtaWarps; first += step) {
    if (std::any_of(taken + first, taken + first + task.warps, [](bool t) { return t; }))
      continue;
    task.firstWarp = first;
    return;
  }
  state.context.report(task.warpsLoc, NoRoomForTask, task.name, target::MaxCtaWarps);
}

// ---- Bodies -----------------------------------------------------------------------------------

const ast::ScheduleDecl *TaskBuilder::scheduleOf(const ast::TaskDecl &decl) {
  if (!decl.schedule)
    return nullptr;
  if (!state.scope.find(decl.schedule.text)) {
    state.context.report(
        decl.schedule.range, UnknownSchedule, decl.schedule.text,
        suggestion(state.context, state.scope, decl.schedule.text, Symbol::Kind::Schedule));
    return nullptr;
  }
  const Symbol *symbol = lookUp(state.context, state.scope, decl.schedule);
  if (!symbol)
    return nullptr;
  if (symbol->kind != Symbol::Kind::Schedule) {
    reportWrongKind(state.context, decl.schedule.range, *symbol, "a schedule");
    return nullptr;
  }
  return symbol->schedule;
}

void TaskBuilder::buildBodies() {
  for (size_t i = 0; i < decls.size(); ++i) {
    ir::TaskId id = kernel.tasks.idAt(i);
    setInstance(kernel.tasks[id].instance);
    if (const ast::ScheduleDecl *schedule = scheduleOf(*decls[i])) {
      RaisedVars raised;
      // Each round raises a variable at least, so there are not many.
      for (;;) {
        ir::Kernel before = kernel;
        auto functions = state.functions;
        size_t unfolded = state.unfolded, shares = state.shares.size();
        ScheduleBuilder builder(state, raised, id);
        ir::RegionId body = builder.build(*decls[i], *schedule);
        if (!builder.mustRepeat()) {
          kernel.tasks[id].body = body;
          break;
        }
        kernel = std::move(before);
        state.functions = std::move(functions);
        state.unfolded = unfolded;
        state.shares.resize(shares);
      }
    } else {
      kernel.tasks[id].body = kernel.regions.add({});
    }
  }
  setInstance(std::nullopt);
  finishShares(state);
  for (const ir::Task &task : kernel.tasks)
    if (!task.instance)
      checkBodies(task, task.body);
  for (const body::UnfilledField &unfilled : state.unfilled)
    if (!state.lackPipeline.count(kernel.fields[unfilled.field].resource))
      body::reportUnfilled(kernel, unfilled, state.context.tokenDiags());
  body::checkIssuers(kernel, state.context.tokenDiags());
}

// What `inst` means in the schedules that the next task runs.
void TaskBuilder::setInstance(std::optional<unsigned> instance) {
  if (!instance) {
    state.scope.erase("inst");
    return;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::Constant;
  symbol.name = "inst";
  symbol.constant = ir::ConstantScalar::ofInt(*instance);
  state.scope.insert(std::move(symbol));
}

// Bodies know `inst` from their task, too.
void TaskBuilder::checkBodies(const ir::Task &task, ir::RegionId region) {
  if (!region)
    return;
  for (const ir::Op &op : kernel.regions[region].ops) {
    checkBodies(task, op.body);
    checkBodies(task, op.elseBody);
    if (op.kind != ir::OpKind::Call)
      continue;
    const ir::Work &work = kernel.works[op.work];
    if (body::namesFreely(work, "inst"))
      state.context.report(op.loc, InstanceInBody, ir::workName(kernel, op.work), task.name)
          .note(work.loc, "`{}` is declared here", work.name);
  }
}

void TaskBuilder::warnUnused() {
  if (state.hasErrors())
    return;
  for (const ast::Decl *item : state.items)
    if (const auto *schedule = llvm::dyn_cast<ast::ScheduleDecl>(item)) {
      const Symbol *symbol = state.scope.find(schedule->name.text);
      if (symbol && symbol->loc == schedule->name.range && !symbol->isUsed)
        state.context.report(schedule->name.range, UnusedSchedule, schedule->name.text);
    }
  for (const auto &[place, use] : state.uses) {
    if (use.isUsed || llvm::StringRef(use.name).starts_with("_"))
      continue;
    if (use.isAssigned)
      state.context.report(use.range, UnusedVariable, use.name);
    else
      state.context.report(use.range, UnusedValue, use.name)
          .fixit(use.range, "_" + use.name, fmt::format("call it `_{}`", use.name));
  }
}

void buildTasks(KernelState &state) { TaskBuilder(state).build(); }

} // namespace tsk::sema
