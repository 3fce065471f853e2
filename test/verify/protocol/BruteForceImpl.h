// How explore() proceeds: BruteForce.cpp for states and the search, BruteForceSteps.cpp for what a
// warp does and what happens by itself, BruteForceChecks.cpp for what must not be.
#pragma once

#include "BruteForce.h"
#include "Proxies.h"
#include "StateSet.h"

#include <memory>

namespace tsk::protocol::oracle {

// One asynchronous piece of a step: a load's landing at one barrier, a commit's arrival.
struct Part {
  int pc = 0;
  int bar = 0;
  int index = 0; // of the step's barriers
};

// What a warp keeps in the state, as offsets from its place there. Warps of a class do the same.
enum Field {
  Pc,
  Blocked,
  Cluster,
  Probe,
  ProbePhase,
  MmaDone,
  GroupDone,
  StoreRead = GroupDone + 3
};
constexpr int FirstPart = StoreRead + 1; // then one bit a part, 15 to a number

struct Shape { // of the warps of a class
  std::vector<Part> parts;
  std::vector<std::vector<int>> groupCommits;  // per queue: commits before each operation
  std::vector<int> groupOps[QueueCount], mmas; // their steps
  std::vector<int> committed[QueueCount];      // per step: commits before it
  std::vector<int> issued[QueueCount + 1];     // per step: operations before it; last: mma
  std::vector<int> registers;                  // per step: before it
};

class Explorer {
public:
  Explorer(const Expanded &expanded, size_t maxStates, bool untilTheEnd, bool withProxies)
      : program(expanded), limit(maxStates), all(untilTheEnd), hasProxies(withProxies) {}
  Exploration run();
  std::vector<std::set<std::string>> reads();

private:
  using State = std::vector<int16_t>;
  void lay();
  void shape(size_t warp);
  State initial() const;
  int16_t &at(State &state, size_t warp, int field) const { return state[base[warp] + field]; }
  int get(size_t warp, int field) const { return now[base[warp] + field]; }
  bool isDone(size_t warp, size_t part) const {
    return now[base[warp] + FirstPart + part / 15] >> part % 15 & 1;
  }
  void setDone(State &state, size_t warp, size_t part) const {
    at(state, warp, FirstPart + static_cast<int>(part / 15)) |=
        static_cast<int16_t>(1 << part % 15);
  }
  const Step *next(size_t warp) const {
    const auto &steps = program.warps[warp].steps;
    return get(warp, Pc) < static_cast<int>(steps.size()) ? &steps[get(warp, Pc)] : nullptr;
  }
  void fault(const char *property, const std::string &what) {
    if (result.faults.empty())
      result.why = what;
    result.faults.insert(property);
  }
  bool isEnabled(size_t warp) const;
  bool registersFit(size_t warp, const Step &step) const;
  bool groupsDone(size_t warp, const Step &step) const;
  void successors();
  void completions(size_t warp);
  void order(State &after, size_t warp);
  void takeStep(size_t warp);
  bool arrive(State &after, size_t warp, const Step &step);
  void takeWait(State &after, size_t warp, const Step &step);
  void takeProbe(size_t warp, const Step &step);
  void contribute(State &after, int bar, int arrivals, int bytes, size_t warp, int pc, int part);
  void arriveNamed(State &after, size_t warp, const Step &step);
  void tag(size_t warp, int pc, int part, int phase);
  void checkState();
  void checkRaces();
  void checkExit();
  void checkUse(size_t warp, const Step &step);
  void checkItems(State &after, size_t warp, const Step &step);
  bool collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const;
  void push(State state);
  void sortTwins(State &state);

  struct Flight { // something asynchronous that is not over yet
    size_t warp;
    const Step *step;
    int rank; // of the cells concerned; -1: all
    bool onlyWrites;
  };
  std::vector<Flight> inFlight() const;

  int pending(int bar) const { return barrierBase + 4 * bar; } // then bytes, phases, readiness
  int named(int index) const { return namedBase + 3 * (index + 1); } // count, wanted, generation

  const Expanded &program;
  size_t limit;
  bool all, hasProxies;
  std::unique_ptr<Proxies> proxies; // null: memory order between proxies is left out
  Exploration result;
  std::vector<Shape> shapes; // per warp
  std::vector<int> base;     // per warp
  std::vector<int> classOf;  // per warp: the first one that does the same
  std::vector<std::vector<size_t>> classes;
  int barrierBase = 0, namedBase = 0, cellBase = 0, allocBase = 0, globals = 0, size = 0;
  bool hasPdlWait = false, hasPredecessor = false;
  State now;
  bool moved = false;
  StateSet seen;
  std::vector<std::vector<std::vector<int>>> tags; // class, pc, part: the phase it always meets
};

} // namespace tsk::protocol::oracle
