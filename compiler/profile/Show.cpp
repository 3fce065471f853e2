#include "compiler/profile/Show.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace tsk::profile {

namespace {

// "1,234,567"
std::string grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0)
      result += ',';
    result += digits[i];
  }
  return result;
}

llvm::StringRef nameOfOperation(llvm::StringRef kind) {
  return llvm::StringSwitch<llvm::StringRef>(kind)
      .Case("fma", "multiply-add")
      .Case("add", "addition")
      .Case("multiply", "multiplication")
      .Default("other operation");
}

std::string plural(uint64_t number, llvm::StringRef noun) {
  return grouped(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

std::string rounded(double number) { return grouped(static_cast<uint64_t>(std::llround(number))); }

double ratio(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

// "32", "2.5"
std::string each(uint64_t a, uint64_t b) {
  std::string text = fmt::format("{:.2f}", ratio(a, b));
  return llvm::StringRef(text).rtrim('0').rtrim('.').str();
}

// Lines that would hold what is asked for: one an instruction at least.
uint64_t fewestLines(const Accesses &row) {
  return std::max((row.accesses * row.bytes + 127) / 128, row.instructions);
}

struct Totals {
  uint64_t lines = 0, fewestLines = 0, wavefronts = 0, withoutConflicts = 0;
  uint64_t fma = 0, otherOperations = 0, memory = 0, barriers = 0, tma = 0, tensor = 0;
};

Totals totalsOf(const Launch &launch) {
  Totals sum;
  for (const Accesses &row : launch.accesses) {
    sum.memory += row.instructions;
    sum.lines += row.lines;
    if (!row.isShared)
      sum.fewestLines += fewestLines(row);
    sum.wavefronts += row.wavefronts;
    sum.withoutConflicts += row.withoutConflicts;
  }
  for (const Arithmetic &row : launch.arithmetic)
    (row.kind == "fma" ? sum.fma : sum.otherOperations) += row.operations;
  for (const Event &row : launch.events) {
    if (llvm::StringRef(row.what).starts_with("tma_"))
      sum.tma += row.bytes;
    else if (isMultiplication(row))
      sum.tensor += row.bytes;
    else
      sum.barriers += row.instructions;
  }
  return sum;
}

std::string describe(Resource resource, const Totals &sum) {
  switch (resource) {
  case Resource::Fp32:
    return fmt::format("{} multiply-adds, {}", grouped(sum.fma),
                       plural(sum.otherOperations, "other operation"));
  case Resource::Tensor:
    return grouped(sum.tensor) + " FLOP";
  case Resource::Issue:
    return fmt::format("{} memory instructions, {} of arithmetic, {}", grouped(sum.memory),
                       grouped((sum.fma + sum.otherOperations) / 32),
                       plural(sum.barriers, "barrier operation"));
  case Resource::L1:
    return fmt::format("{} of 128 bytes; {} would hold what is asked for",
                       plural(sum.lines, "line"), grouped(sum.fewestLines));
  case Resource::Shared:
    return fmt::format("{}, {} without bank conflicts", plural(sum.wavefronts, "wavefront"),
                       grouped(sum.withoutConflicts));
  case Resource::Tma:
    return plural(sum.tma, "byte");
  }
  return {};
}

// ---- Lines
// ------------------------------------------------------------------------------------

struct Row {
  double cycles = 0;
  Resource resource = Resource::Issue;
  const Line *at = nullptr;
  std::string what;
  std::string hint; // on a line of its own
};

std::string describe(const Accesses &row) {
  std::string text =
      fmt::format("{} {}{} of {}", grouped(row.instructions), row.isStore ? "store" : "load",
                  row.instructions == 1 ? "" : "s", plural(row.bytes, "byte"));
  if (row.isShared)
    return text + fmt::format(", {} wavefront{} each", each(row.wavefronts, row.instructions),
                              row.wavefronts == row.instructions ? "" : "s");
  text += fmt::format(", {} line{} each", each(row.lines, row.instructions),
                      row.lines == row.instructions ? "" : "s");
  if (row.lines > 2 * fewestLines(row))
    text += fmt::format(" ({} would hold it)", each(fewestLines(row), row.instructions));
  return text;
}

std::string hintOn(const Accesses &row, const Launch &launch, llvm::ArrayRef<FieldLayout> fields) {
  if (!row.isShared || row.wavefronts <= row.withoutConflicts)
    return {};
  std::string text =
      fmt::format("{}-way bank conflicts", each(row.wavefronts, row.withoutConflicts));
  const Advice advice = adviseOn(row, launch, fields);
  if (advice.field == nullptr)
    return text;
  if (advice.change.empty())
    return text +
           fmt::format(" in `{}`; no swizzle or padding of its rows helps", advice.field->name);
  return text + fmt::format(" in `{}`; {}: {} wavefronts in all instead of {}", advice.field->name,
                            advice.change, grouped(advice.after), grouped(advice.before));
}

std::string describe(const Event &row) {
  std::string text = fmt::format("{} {}", grouped(row.instructions), row.what);
  if (isMultiplication(row))
    return text + fmt::format(", {} FLOP", grouped(row.bytes));
  if (row.bytes != 0)
    text += fmt::format(", {}", plural(row.bytes, "byte"));
  if (row.waits != 0)
    text += fmt::format(", {} of {} threads waited", grouped(row.waits), grouped(row.calls));
  return text;
}

std::vector<Row> rowsOf(const Launch &launch, const Gpu &gpu, llvm::ArrayRef<FieldLayout> fields) {
  std::vector<Row> rows;
  const auto add = [&](const auto &item, std::string what, std::string hint) {
    const Cost cost = costOf(item, gpu);
    rows.push_back({cost[cost.bound()], cost.bound(), &item.at, std::move(what), std::move(hint)});
  };
  for (const Accesses &row : launch.accesses)
    add(row, (row.isShared ? "shared: " : "global: ") + describe(row), hintOn(row, launch, fields));
  for (const Arithmetic &row : launch.arithmetic)
    add(row, plural(row.operations, nameOfOperation(row.kind)), "");
  for (const Event &row : launch.events)
    add(row, describe(row), "");
  llvm::stable_sort(rows, [](const Row &a, const Row &b) { return a.cycles > b.cycles; });
  return rows;
}

std::string extent(const std::array<uint64_t, 3> &grid) {
  std::string text = std::to_string(grid[0]);
  for (unsigned d = 1; d < 3; ++d)
    if (grid[d] != 1 || (d == 1 && grid[2] != 1))
      text += fmt::format(" x {}", grid[d]);
  return text;
}

} // namespace

void showSummary(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu) {
  const Totals sum = totalsOf(launch);
  const Cost cost = costOf(launch, gpu);
  out << fmt::format("\n{}, test {}: {} CTA{} of {} threads{}\n", launch.kernel, launch.test,
                     extent(launch.grid), launch.ctas() == 1 ? "" : "s", launch.threads(),
                     launch.hasEnded ? "" : "; counted up to the fault");
  out << fmt::format("  {:<8} {:>12}  on one multiprocessor of {}\n", "resource", "cycles",
                     gpu.title);
  std::vector<Resource> order;
  for (unsigned i = 0; i < ResourceCount; ++i)
    if (cost.cycles[i] != 0)
      order.push_back(static_cast<Resource>(i));
  llvm::stable_sort(order, [&](Resource a, Resource b) { return cost[a] > cost[b]; });
  for (Resource resource : order)
    out << fmt::format("  {:<8} {:>12}  {}\n", nameOf(resource), rounded(cost[resource]),
                       describe(resource, sum));
  if (!order.empty())
    out << fmt::format("  bound by {}\n", nameOf(order.front()));
}

void showLines(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu,
               llvm::ArrayRef<FieldLayout> fields) {
  const std::vector<Row> rows = rowsOf(launch, gpu, fields);
  size_t placeWidth = 4, taskWidth = 4;
  for (const Row &row : rows) {
    placeWidth =
        std::max(placeWidth, row.at->file.size() + 1 + std::to_string(row.at->line).size());
    taskWidth = std::max(taskWidth, row.at->task.size());
  }
  out << fmt::format("  {:>12}  {:<8} {:<{}}  {:<{}}  what\n", "cycles", "of", "line", placeWidth,
                     "task", taskWidth);
  for (const Row &row : rows) {
    const std::string place = fmt::format("{}:{}", row.at->file, row.at->line);
    out << fmt::format("  {:>12}  {:<8} {:<{}}  {:<{}}  {}\n", rounded(row.cycles),
                       nameOf(row.resource), place, placeWidth, row.at->task, taskWidth, row.what);
    if (!row.hint.empty())
      out << fmt::format("  {:>12}  {}\n", "", row.hint);
  }
}

void showEstimate(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu,
                  const Estimate &estimate, llvm::StringRef arguments) {
  out << fmt::format("\n{} on {}, {}: an estimate from test {}\n", launch.kernel, gpu.title,
                     arguments, launch.test);
  std::vector<std::pair<double, llvm::StringRef>> times{{estimate.memorySeconds, "memory"}};
  if (estimate.waitSeconds != 0)
    times.emplace_back(estimate.waitSeconds, "latency");
  for (unsigned i = 0; i < ResourceCount; ++i)
    if (estimate.seconds.cycles[i] != 0)
      times.emplace_back(estimate.seconds.cycles[i], nameOf(static_cast<Resource>(i)));
  llvm::stable_sort(times, [](const auto &a, const auto &b) { return a.first > b.first; });
  const bool isShort = times.front().first < 1e-4;
  out << fmt::format("  {:<8} {:>10}\n", "resource", isShort ? "us" : "ms");
  for (const auto &[seconds, name] : times)
    out << fmt::format("  {:<8} {:>10.3f}\n", name, seconds * (isShort ? 1e6 : 1e3));
  // Where nothing is multiplied or added the bytes that move are the work.
  const bool moves = estimate.operations == 0;
  out << fmt::format("  bound by {}: {} {}\n", estimate.bound(),
                     rounded(moves ? estimate.gigabytes() : estimate.gflops()),
                     moves ? "GB/s" : "GFLOP/s");
  const Occupancy &fit = estimate.occupancy;
  out << fmt::format(
      "  an SM holds {} CTA{}, {} of {} warps, by its {}; registers are not counted\n", fit.ctas,
      fit.ctas == 1 ? "" : "s", fit.warps, fit.mostWarps, fit.limit);
}

} // namespace tsk::profile
