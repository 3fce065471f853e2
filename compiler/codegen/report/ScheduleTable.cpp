#include "compiler/codegen/report/ScheduleTable.h"
#include "compiler/codegen/report/Describe.h"

#include "compiler/ir/ExprText.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

using plan::BarrierId;
using plan::Step;
using plan::StepKind;

namespace {

struct Line {
  std::string text;
  const Step *step = nullptr; // null: `}` and `else`
  size_t row = 0;
};

struct Column {
  std::vector<std::string> head;
  std::vector<Line> lines;
  size_t width = 0;
  size_t shown = 0; // lines already written
};

// Writes one task's steps as lines.
class ColumnWriter {
public:
  ColumnWriter(const plan::Plan &shown, Column &target) : plan(shown), column(target) {
    for (const ir::Scalar &scalar : plan.scalars)
      names.scalars.push_back(scalar.name);
  }

  void write(plan::RegionId region) {
    if (!region)
      return;
    for (const Step &step : plan.regions[region].steps) {
      add(text(step), &step);
      ++depth;
      write(step.body);
      --depth;
      if (!step.elseBody)
        continue;
      add("else", nullptr);
      ++depth;
      write(step.elseBody);
      --depth;
    }
  }

private:
  void add(const std::string &text, const Step *step) {
    if (!text.empty())
      column.lines.push_back({std::string(2 * depth, ' ') + text, step});
  }

  std::string exprs(llvm::ArrayRef<ir::ExprId> ids) const {
    std::string result;
    llvm::raw_string_ostream os(result);
    ir::printExprs(os, plan.tables, names, ids);
    return result;
  }

  // A step on one line; empty for bookkeeping that says nothing about order.
  std::string text(const Step &step) const {
    std::string mnemonic = plan::mnemonic(step.kind).str();
    switch (step.kind) {
    case StepKind::Wait:
    case StepKind::TryWait:
    case StepKind::Arrive:
      return mnemonic + " " + plan.barriers[step.barrier].name;
    case StepKind::ArriveExpect:
    case StepKind::Expect:
      return fmt::format("{} {} {} bytes", mnemonic, plan.barriers[step.barrier].name, step.bytes);
    case StepKind::Advance:
      return {};
    case StepKind::Sync:
      return mnemonic + " " +
             (step.barrier ? plan.barriers[step.barrier].name : ir::spelling(step.scope).str());
    case StepKind::Fence:
      return mnemonic + " " + plan::spelling(step.fence).str();
    case StepKind::Call:
      return results(step) + plan.works[step.work] + "(" + exprs(step.args) + ")";
    case StepKind::Let:
    case StepKind::Var:
    case StepKind::Assign:
      return results(step) + exprs(step.args);
    case StepKind::For:
    case StepKind::ParallelFor:
      return loop(step);
    case StepKind::If:
      return "if " + exprs(step.args);
    }
    TSK_UNREACHABLE("a step outside its enum");
  }

  std::string results(const Step &step) const {
    std::string list;
    for (ir::ValueId value : step.results)
      list += (list.empty() ? "" : ", ") + plan.tables.values[value].name;
    return list.empty() ? "" : list + " = ";
  }

  std::string loop(const Step &step) const {
    std::string text = fmt::format(
        "{}for {} in {}{} .. {}", step.kind == StepKind::ParallelFor ? "parallel " : "",
        plan.tables.values[step.loop.variable].name, step.loop.isReversed ? "reversed " : "",
        exprs(step.loop.lower), exprs(step.loop.upper));
    if (ir::constantValue(plan.tables, step.loop.step) != 1)
      text += " step " + exprs(step.loop.step);
    return text;
  }

  const plan::Plan &plan;
  Column &column;
  ir::ExprNames names;
  size_t depth = 0;
};

} // namespace

// The barrier that `step` is one of the last to touch before its phase is over.
static bool completes(const Step &step, BarrierId barrier) {
  bool arrives = (step.kind == StepKind::Arrive || step.kind == StepKind::ArriveExpect) &&
                 step.barrier == barrier;
  return arrives || llvm::any_of(step.accesses, [&](const plan::Access &access) {
           return access.completes == barrier;
         });
}

// Waits that the first round of a run does not pass by itself: those of consumers.
static bool isBlockedAtFirst(const plan::Plan &plan, const Step &step) {
  if (step.kind != StepKind::Wait)
    return false;
  unsigned parity = step.at.cursor ? plan.cursors[step.at.cursor].startParity : step.at.parity;
  return parity == 0;
}

// The row that `line` must at least have: below what it waits for, in the other columns.
static size_t lowestRow(const plan::Plan &plan, llvm::ArrayRef<Column> columns, const Column &own,
                        const Line &line) {
  if (!line.step || !isBlockedAtFirst(plan, *line.step))
    return 0;
  size_t row = 0;
  for (const Column &other : columns) {
    if (&other == &own)
      continue;
    for (const Line &candidate : other.lines)
      if (candidate.step && completes(*candidate.step, line.step->barrier))
        row = std::max(row, candidate.row + 1);
  }
  return row;
}

// Gives each line a row. A kernel that waits in a circle has no such order: then the search ends
// after as many rounds as there are columns, with lines that stand too high.
static size_t placeRows(const plan::Plan &plan, std::vector<Column> &columns) {
  size_t rows = 0;
  for (size_t round = 0; round <= columns.size(); ++round) {
    for (Column &column : columns) {
      size_t next = 0;
      for (Line &line : column.lines) {
        line.row = std::max({next, line.row, lowestRow(plan, columns, column, line)});
        next = line.row + 1;
      }
      rows = std::max(rows, next);
    }
  }
  return rows;
}

static std::vector<Column> makeColumns(const plan::Plan &plan) {
  std::vector<Column> columns;
  for (const plan::Task &task : plan.tasks) {
    Column column;
    const auto registers = plan.registersOf(task.firstWarp);
    column.head = {task.name, warpRange(task.firstWarp, task.warps) +
                                  (registers ? fmt::format(", {} registers", *registers) : "") +
                                  (task.isSingleLane ? ", one lane" : "")};
    ColumnWriter(plan, column).write(task.body);
    for (const std::string &text : column.head)
      column.width = std::max(column.width, text.size());
    for (const Line &line : column.lines)
      column.width = std::max(column.width, line.text.size());
    columns.push_back(std::move(column));
  }
  return columns;
}

static void writeRow(llvm::MutableArrayRef<Column> columns, llvm::raw_ostream &os,
                     llvm::function_ref<llvm::StringRef(Column &)> cell) {
  std::string row;
  for (Column &column : columns)
    row += fmt::format("{}{:{}}", row.empty() ? "" : " | ", cell(column), column.width);
  os << llvm::StringRef(row).rtrim(' ') << '\n';
}

void writeScheduleTable(const plan::Plan &plan, llvm::raw_ostream &os) {
  os << fmt::format("{} on {}: {} warps, {} bytes of shared memory\n\n", plan.kernel, plan.target,
                    plan.warps, plan.sharedBytes);
  std::vector<Column> columns = makeColumns(plan);
  size_t rows = placeRows(plan, columns);
  for (size_t i : {0, 1})
    writeRow(columns, os, [&](Column &column) { return llvm::StringRef(column.head[i]); });
  std::string rule;
  for (const Column &column : columns)
    rule += (rule.empty() ? "" : "-+-") + std::string(column.width, '-');
  os << rule << '\n';
  for (size_t row = 0; row < rows; ++row)
    writeRow(columns, os, [&](Column &column) {
      bool isHere = column.shown < column.lines.size() && column.lines[column.shown].row == row;
      return isHere ? llvm::StringRef(column.lines[column.shown++].text) : llvm::StringRef();
    });
  for (const plan::Padding &padding : plan.padding) {
    const auto registers = plan.registersOf(padding.firstWarp);
    os << fmt::format("\n{}: padding{}\n", warpRange(padding.firstWarp, padding.warps),
                      registers ? fmt::format(", {} registers", *registers) : "");
  }
}

} // namespace tsk::codegen
