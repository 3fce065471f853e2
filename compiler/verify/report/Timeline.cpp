#include "compiler/verify/report/Timeline.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <map>

namespace tsk::verify {

namespace {

bool isSame(Place a, Place b) { return a.warp == b.warp && a.op == b.op; }

class Renderer {
public:
  Renderer(const Model &theModel, const Program &theProgram, const CanonicalRun &theRun,
           const TimelineOptions &theOptions)
      : model(theModel), program(theProgram), run(theRun), options(theOptions),
        describe(theModel, theProgram), shown(theModel.plan().tasks.size()) {}

  std::string render() {
    chooseWarps();
    for (const Event &event : run.events())
      if (isShown(event.place.warp))
        put(event.time, event.place);
    if (options.showsBlocked)
      putBlocked();
    else
      putUnfinished();
    return print();
  }

private:
  // Warps of a task do the same; its first stands for all, unless another one is the culprit.
  void chooseWarps() {
    for (unsigned warp = static_cast<unsigned>(model.warps.size()); warp-- > 0;)
      shown[model.warps[warp].task.index] = warp;
    for (Place place : options.marked)
      shown[model.warps[place.warp].task.index] = place.warp;
  }

  bool isShown(unsigned warp) const { return shown[model.warps[warp].task.index] == warp; }

  void put(unsigned time, Place place) {
    std::string text = describe.operation(place) + touched(place);
    bool isMarked =
        llvm::any_of(options.marked, [&](Place marked) { return isSame(marked, place); });
    std::string &entry = rows[time][model.warps[place.warp].task.index];
    entry += (entry.empty() ? "" : "; ") + ((isMarked ? "> " : "") + text);
  }

  // " -> box.data[1]" for what a call writes, " <- …" for what it reads.
  std::string touched(Place place) const {
    const Op &op = describe.op(place);
    const TaskProgram &task = program.tasks[model.warps[place.warp].task.index];
    std::string text;
    for (unsigned i = 0; i < op.accessCount; ++i) {
      const CellAccess &access = task.accesses[op.firstAccess + i];
      text += fmt::format(" {} {}", access.isWrite ? "->" : "<-", model.cellName(access.cell));
    }
    return text;
  }

  void putBlocked() {
    unsigned last = rows.empty() ? 0 : rows.rbegin()->first;
    for (unsigned warp : shown)
      if (!run.isFinished(warp)) {
        Place place{warp, run.warps()[warp].pc};
        rows[last + 1][model.warps[warp].task.index] = "> " + describe.operation(place) + " ...";
      }
  }

  // A marked step that the run did not get past is not among its events.
  void putUnfinished() {
    for (Place place : options.marked) {
      const CanonicalRun::WarpState &warp = run.warps()[place.warp];
      if (warp.pc == place.op && !run.isFinished(place.warp))
        put(warp.time + 1, place);
    }
  }

  std::string print() {
    size_t skipped = rows.size() > options.maxRows ? rows.size() - options.maxRows : 0;
    for (size_t i = 0; i < skipped; ++i)
      rows.erase(options.keepsFirstRows ? std::prev(rows.end()) : rows.begin());
    std::string omission = fmt::format("   ...  ({} {} rows)\n", skipped,
                                       options.keepsFirstRows ? "later" : "earlier");
    std::string result = header();
    if (skipped && !options.keepsFirstRows)
      result += omission;
    for (const auto &[time, entries] : rows) {
      result += fmt::format("{:>6}", time);
      for (unsigned column = 0; column < shown.size(); ++column) {
        auto entry = entries.find(column);
        cell(result, entry == entries.end() ? "" : entry->second, width(column));
      }
      endLine(result);
    }
    if (skipped && options.keepsFirstRows)
      result += omission;
    result.pop_back();
    return result;
  }

  std::string header() const {
    std::string line = "  time";
    for (unsigned column = 0; column < shown.size(); ++column)
      cell(line, nameOf(column), width(column));
    endLine(line);
    return line;
  }

  const std::string &nameOf(unsigned column) const {
    return model.plan().tasks[model.plan().tasks.idAt(column)].name;
  }

  size_t width(unsigned column) const {
    size_t result = nameOf(column).size();
    for (const auto &[time, entries] : rows)
      if (auto entry = entries.find(column); entry != entries.end())
        result = std::max(result, entry->second.size());
    return result;
  }

  static void cell(std::string &line, const std::string &text, size_t width) {
    line += fmt::format("  {:<{}}", text, width);
  }

  static void endLine(std::string &text) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }

  const Model &model;
  const Program &program;
  const CanonicalRun &run;
  const TimelineOptions &options;
  Describe describe;
  std::vector<unsigned> shown; // by task: the warp
  std::map<unsigned, std::map<unsigned, std::string>> rows;
};

} // namespace

std::string renderTimeline(const Model &model, const Program &program, const CanonicalRun &run,
                           const TimelineOptions &options) {
  return Renderer(model, program, run, options).render();
}

} // namespace tsk::verify
