// All ways through one stage (a straight part, or one tile): every trip count of every symbol, by
// forking where a run must know one and by pumping certificates (docs/verifier.md, theorem 4).
#pragma once

#include "compiler/verify/protocol/Canon.h"
#include "compiler/verify/protocol/Machine.h"

#include <memory>

namespace tsk::protocol {

// How much work a proof may take before the verdict is `unknown`.
struct Budget {
  int maxTrips = 64;            // largest explicit trip count
  uint64_t maxSteps = 20000000; // executed operations in all
};

enum class Outcome : uint8_t { Covered, Fault, Unknown };

class StageExplorer {
public:
  // `spent`: steps of the budget that other stages have taken.
  StageExplorer(Machine &runner, const Budget &allowed, uint64_t spentSteps)
      : machine(runner), model(runner.model), canon(runner.model), budget(allowed),
        spent(spentSteps) {}

  // Explores everything from the machine's present state; its steps are then all that are spent.
  // `atEnd` is called with each state in which nobody can go on within the stage; it returns false
  // where that is a fault (the machine's) or not judged (`reason`).
  Outcome explore(const std::function<Outcome()> &atEnd);

  std::string reason; // of Unknown

private:
  // A state where the designated loop run came to the end of an iteration.
  struct Snapshot {
    int symbol = -1;
    uint64_t order = 0;
    std::vector<AgentState> agents; // as they were, for places and step counts
    std::vector<int32_t> key;
    Knowledge known;         // canonical, but for the rings that have still to turn
    std::vector<int> shifts; // by how far; none: they have
    uint64_t hash = 0;
    uint64_t weight = 0; // of the matrix, if it was asked for
  };
  struct Segment {
    int symbol = -1;
    uint64_t begin = 0, end = 0; // orders
  };
  struct Covered {
    int agent = -1, instance = -1, symbol = -1, period = 1;
  };
  // What a path has gathered so far; forks copy it.
  struct Path {
    std::vector<std::shared_ptr<Snapshot>> snapshots;
    std::vector<Segment> segments;
    std::vector<Covered> covered;
    std::vector<std::pair<int, int>> designated; // per symbol: agent, instance
    uint64_t order = 0;
  };
  // Per symbol: how many more trips repeat the verdict of this run; 0: not known.
  using Periods = std::vector<int>;

  Outcome run(Path path, Periods &periods);
  Outcome decide(Path &path, Periods &periods);
  Outcome leaf(const Path &path, Periods &periods);
  void iterationEnded(Path &path);
  bool matches(Snapshot &from, Snapshot &to, Path &path);
  void turn(Snapshot &snapshot) const;
  static uint64_t weightOf(Snapshot &snapshot);
  bool moved(const Snapshot &from, const Snapshot &to, int symbol,
             std::vector<Covered> &runs) const;
  int runOf(const AgentState &agent, int symbol) const;
  bool leavesRoom(int agent, int slot) const;
  static int commonPeriod(const std::vector<int> &periods, int first, int next);
  void boundByOthers(int symbol, const std::vector<int> &known, int first, Periods &periods) const;
  Outcome limit();
  Outcome unknown(std::string why) {
    if (reason.empty())
      reason = std::move(why);
    return Outcome::Unknown;
  }

  Machine &machine;
  const Model &model;
  Canon canon;
  State scratch;
  Budget budget;
  uint64_t spent;
  const std::function<Outcome()> *end = nullptr;
};

} // namespace tsk::protocol
