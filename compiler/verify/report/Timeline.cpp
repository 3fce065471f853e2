#include "compiler/verify/report/Timeline.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

class Maker {
public:
  Maker(const Trace &shown, const TimelineOptions &theOptions) : trace(shown), options(theOptions) {
    for (unsigned rank = 0; rank < trace.model.program->clusterSize; ++rank)
      for (const plan::Task &task : trace.plan.tasks)
        timeline.columns.push_back(trace.hasRanks() ? fmt::format("{}@{}", task.name, rank)
                                                    : task.name);
    chooseAgents();
  }

  Timeline make() {
    unsigned last = 0;
    for (const Moment &moment : trace.moments())
      if (isShown(moment.agent)) {
        put(moment, moment.time);
        last = std::max(last, moment.time);
      }
    for (int agent : agents)
      if (options.showsBlocked && agent >= 0 && !trace.isFinished(agent)) {
        put(trace.next(agent), last + 1);
        timeline.entries.back().isMarked = timeline.entries.back().isBlocked = true;
      }
    llvm::stable_sort(timeline.entries, [](const Timeline::Entry &a, const Timeline::Entry &b) {
      return std::pair(a.time, a.column) < std::pair(b.time, b.column);
    });
    return std::move(timeline);
  }

private:
  // Warps of a task do the same; its first stands for all, unless another one is the culprit.
  void chooseAgents() {
    agents.assign(timeline.columns.size(), -1);
    for (int agent = static_cast<int>(trace.model.agents.size()); agent-- > 0;)
      agents[columnOf(agent)] = agent;
    for (const Moment &moment : options.marked)
      if (moment.agent >= 0)
        agents[columnOf(moment.agent)] = moment.agent;
  }

  unsigned columnOf(int agent) const { return trace.model.agents[agent].task; }
  bool isShown(int agent) const { return agents[columnOf(agent)] == agent; }

  bool isMarked(const Moment &moment) const {
    return llvm::any_of(options.marked, [&](const Moment &guilty) {
      return guilty.agent == moment.agent && guilty.step == moment.step &&
             trace.iteration(guilty) == trace.iteration(moment);
    });
  }

  // " -> box.data[1]" for what a call writes, " <- …" for what it reads.
  std::string touched(const Moment &moment) const {
    std::string text;
    std::string last;
    for (const Touched &each : moment.cells) { // slices of a field have its name
      std::string next =
          fmt::format(" {} {}", each.isWrite ? "->" : "<-", trace.cellName(each.cell, each.ranks));
      text += next == last ? "" : next;
      last = std::move(next);
    }
    return text;
  }

  // " #2": of the second phase. A wait on a fresh barrier is of none.
  std::string phase(const Moment &moment) const {
    bool isOwn = moment.element >= 0 && moment.step->barrier;
    if (!options.showsPhases || !isOwn)
      return "";
    return moment.phase ? fmt::format(" #{}", moment.phase) : " fresh";
  }

  void put(const Moment &moment, unsigned time) {
    Timeline::Entry entry;
    entry.column = columnOf(moment.agent);
    entry.time = time;
    entry.text = trace.operation(moment) + phase(moment) + touched(moment);
    entry.detail = trace.iteration(moment);
    entry.range = moment.step->loc;
    entry.isMarked = isMarked(moment);
    timeline.entries.push_back(std::move(entry));
  }

  const Trace &trace;
  const TimelineOptions &options;
  std::vector<int> agents; // by column
  Timeline timeline;
};

} // namespace

Timeline timelineOf(const Trace &trace, const TimelineOptions &options) {
  return Maker(trace, options).make();
}

} // namespace tsk::verify
