#include "compiler/verify/ScheduleTable.h"
#include "compiler/plan/Layout.h"
#include "compiler/verify/report/Explain.h"
#include "compiler/verify/report/Timeline.h"

#include <algorithm>
#include <map>

namespace tsk::verify {

namespace {

constexpr size_t MaxSteps = 20000;
constexpr size_t MaxRows = 60;

class TablePrinter {
public:
  TablePrinter(const plan::Plan &thePlan, const VerifyResult &theResult, llvm::raw_ostream &stream)
      : plan(thePlan), result(theResult), os(stream) {}

  void print() {
    printRun();
    printRegisters();
    printShared();
    printBarriers();
    printChecked();
  }

private:
  void printRun() {
    Model model(plan);
    Coordinates coordinates(plan);
    Choices choices = representative(coordinates);
    std::optional<Program> program = expand(model, coordinates, choices, MaxSteps);
    if (!program) {
      os << "(a run is too long for a table)\n";
      return;
    }
    Items items(model);
    CanonicalRun run(model, items, *program);
    run.recordsEvents = true;
    std::optional<Finding> finding = run.run();
    TimelineOptions options;
    options.maxRows = MaxRows;
    options.keepsFirstRows = true;
    if (finding)
      options.marked = {finding->place};
    options.showsBlocked = finding && finding->kind == FindingKind::Stuck;
    os << renderTimeline(model, *program, run, options) << '\n';
    std::string shown = describeChoices(coordinates, choices);
    if (!shown.empty())
      os << fmt::format("  one run, with {}\n", shown);
    os << '\n';
  }

  Choices representative(const Coordinates &coordinates) const {
    int64_t deepest = 1;
    for (const plan::Cursor &cursor : plan.cursors)
      deepest = std::max<int64_t>(deepest, cursor.stages);
    Choices choices;
    for (const Coordinate &coordinate : coordinates.all()) {
      int64_t low = coordinate.range.low.value_or(0);
      int64_t high = coordinate.range.high.value_or(INT64_MAX);
      choices.trips.push_back(std::clamp(deepest + 1, low, std::max(low, high)));
      choices.branches.push_back(BranchPattern::Always);
    }
    return choices;
  }

  void row(llvm::StringRef label, llvm::StringRef text) {
    os << fmt::format("{:<12}{}\n", label, text);
  }

  void printRegisters() {
    llvm::StringRef label = "registers";
    for (const plan::Registers &item : plan.registers) {
      std::string tasks;
      for (const plan::Task &task : plan.tasks)
        if (task.firstWarp >= item.firstWarp && task.firstWarp < item.firstWarp + item.warps)
          tasks += (tasks.empty() ? "" : ", ") + task.name;
      row(label, fmt::format("{:>3} a thread, warps {} .. {}: {}{}", item.count, item.firstWarp,
                             item.firstWarp + item.warps, tasks.empty() ? "no task" : tasks,
                             item.change == plan::Registers::Change::Keep ? ", as launched" : ""));
      label = "";
    }
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

  void printChecked() {
    llvm::StringRef label = "checked";
    std::string description = describe(result);
    llvm::StringRef text = description;
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      row(label, line);
      label = "";
      text = rest;
    }
  }

  const plan::Plan &plan;
  const VerifyResult &result;
  llvm::raw_ostream &os;
};

} // namespace

void printScheduleTable(const plan::Plan &plan, const VerifyResult &result, llvm::raw_ostream &os) {
  TablePrinter(plan, result, os).print();
}

} // namespace tsk::verify
