#include "compiler/verify/report/ScheduleTable.h"
#include "compiler/plan/Layout.h"
#include "compiler/verify/report/Explain.h"
#include "compiler/verify/report/Timeline.h"

#include <algorithm>
#include <map>

namespace tsk::verify {

namespace {

constexpr size_t MaxRows = 60;
constexpr int64_t MaxTrips = 16; // of a run that is shown

protocol::Scenario representative(const plan::Plan &plan, const protocol::Program &program,
                                  const protocol::Model &model) {
  int64_t deepest = 1;
  for (const plan::Cursor &cursor : plan.cursors)
    deepest = std::max<int64_t>(deepest, cursor.stages);
  int64_t trips = std::min(deepest + 1, MaxTrips);
  protocol::Scenario scenario;
  for (const protocol::Symbol &symbol : program.symbols)
    scenario.values.push_back(static_cast<int>(
        symbol.isCondition ? 1 : std::clamp<int64_t>(trips, symbol.min, symbol.max)));
  for (const protocol::Part &part : model.parts)
    if (part.tiles >= 0)
      scenario.tiles[part.tiles].assign(scenario.values[part.tiles], scenario.values);
  return scenario;
}

class TablePrinter {
public:
  TablePrinter(const plan::Plan &thePlan, const VerifyResult &theResult, llvm::raw_ostream &stream)
      : plan(thePlan), result(theResult), os(stream) {}

  void print() {
    os << fmt::format("{} on {}\n\n", plan.kernel, plan.target);
    printRun();
    printTasks();
    printRegisters();
    printShared();
    printBarriers();
    printProved();
  }

private:
  void printRun() {
    std::optional<Timeline> timeline = showRun(plan);
    if (!timeline) {
      os << "  (no run is shown: the verifier has no model of this plan)\n\n";
      return;
    }
    os << render(*timeline) << '\n';
    if (!timeline->title.empty())
      os << fmt::format("  {}\n", timeline->title);
    os << '\n';
  }

  void row(llvm::StringRef label, llvm::StringRef text) {
    os << fmt::format("{:<12}{}\n", label, text);
  }

  static std::string warps(unsigned first, unsigned count) {
    return count == 1 ? fmt::format("warp {}", first)
                      : fmt::format("warps {} .. {}", first, first + count);
  }

  std::string registers(unsigned warp) const {
    std::optional<unsigned> count = plan.registersOf(warp);
    return count ? fmt::format(", {} registers a thread", *count) : "";
  }

  void printTasks() {
    llvm::StringRef label = "tasks";
    for (const plan::Task &task : plan.tasks) {
      row(label, fmt::format("{}: {}{}{}", task.name, warps(task.firstWarp, task.warps),
                             task.isSingleLane ? ", one lane" : "", registers(task.firstWarp)));
      label = "";
    }
    for (const plan::Padding &padding : plan.padding)
      row("", fmt::format("padding: {}{}", warps(padding.firstWarp, padding.warps),
                          registers(padding.firstWarp)));
  }

  // Of the register file, as setmaxnreg deals it out to warpgroups.
  void printRegisters() {
    const target::Target *target = target::findTarget(plan.target);
    uint64_t total = 0;
    for (const plan::Registers &item : plan.registers)
      total += uint64_t(item.count) * item.warps * target::WarpThreads;
    if (total && target)
      row("registers", fmt::format("{:>7} of {}", total, target->smRegisters));
  }

  void printShared() {
    const target::Target *target = target::findTarget(plan.target);
    uint32_t limit = target ? target->ctaSharedBytes : plan.sharedBytes;
    llvm::StringRef label = "shared";
    for (const plan::Allocation &a : plan.allocations) {
      row(label, fmt::format("{:>7} bytes: {}, {} stage{} of {}", plan::totalBytes(a), a.name,
                             a.stages, a.stages == 1 ? "" : "s", a.stageBytes));
      label = "";
    }
    uint64_t barriers = 0;
    for (const plan::Barrier &barrier : plan.barriers)
      barriers += plan::totalBytes(barrier);
    if (barriers) {
      row(label, fmt::format("{:>7} bytes: barriers", barriers));
      label = "";
    }
    if (plan.sharedBytes)
      row(label, fmt::format("{:>7} of {} bytes", plan.sharedBytes, limit));
  }

  void printBarriers() {
    llvm::StringRef label = "barriers";
    for (const plan::Barrier &barrier : plan.barriers) {
      bool isNamed = barrier.kind == plan::Barrier::Kind::Named;
      std::string what = isNamed
                             ? fmt::format("{} threads, id {}", barrier.arrivals, barrier.namedId)
                             : fmt::format("{} stage{}, {} arrival{} a phase", barrier.stages,
                                           barrier.stages == 1 ? "" : "s", barrier.arrivals,
                                           barrier.arrivals == 1 ? "" : "s");
      row(label, fmt::format("{}: {}", barrier.name, what));
      label = "";
    }
  }

  void printProved() {
    if (result.verdict != VerifyResult::Verdict::Proved)
      return row("verdict", llvm::StringRef(describe(result)).rtrim());
    llvm::StringRef label = "proved";
    for (const Property *property : result.proved) {
      row(label, fmt::format("{:<4}{}: {}", property->id, property->name, property->sentence));
      label = "";
    }
    label = "for every";
    for (const std::string &range : result.ranges) {
      row(label, range);
      label = "";
    }
    label = "assuming";
    for (const std::string &assumption : result.assumptions) {
      row(label, assumption);
      label = "";
    }
  }

  const plan::Plan &plan;
  const VerifyResult &result;
  llvm::raw_ostream &os;
};

} // namespace

std::optional<Timeline> showRun(const plan::Plan &plan) {
  proof::Translation translation = proof::fromPlan(plan);
  protocol::Model model = protocol::buildModel(translation.program);
  if (!translation.unsupported.empty() || !model.unsupported.empty())
    return std::nullopt;
  protocol::Scenario scenario = representative(plan, translation.program, model);
  Trace trace(plan, translation, model, scenario);
  TimelineOptions options;
  options.showsPhases = true;
  options.showsBlocked = trace.fault && trace.fault->kind == protocol::FaultKind::Hang;
  Timeline timeline = timelineOf(trace, options);
  timeline.maxRows = MaxRows;
  timeline.keepsFirstRows = true;
  std::string shown = describeCase(translation.program, scenario);
  timeline.title = shown.empty() ? "" : fmt::format("one run, with {}", shown);
  return timeline;
}

void printScheduleTable(const plan::Plan &plan, const VerifyResult &result, llvm::raw_ostream &os) {
  TablePrinter(plan, result, os).print();
}

} // namespace tsk::verify
