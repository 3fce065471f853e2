// One run of the plan, judged for all interleavings.
//
// Warps run in a fixed order: the one that is least far on in time goes next. Asynchronous loads
// complete at once, which is a legal interleaving. If the conditions below hold on this run, every
// interleaving is a linear extension of the same partial order, so all of them complete, and two
// accesses can meet in one of them exactly if neither is known to the other here:
//
//   early arrival  a contribution to a phase comes after the phase before has completed
//   late expect    an expect comes before an arrival of its phase
//   stale pass     a wait comes after the phase before the one that it passes on
//   missed phase   a wait comes before the next phase completes
//
// The first violation is real; the run stops there. Statements and proofs are in docs/verifier.md.
#pragma once

#include "compiler/verify/run/Finding.h"
#include "compiler/verify/run/Items.h"
#include "compiler/verify/run/Knowledge.h"

#include <array>

namespace tsk::verify {

struct BarrierState {
  unsigned pending = 0;   // arrivals that the open phase still needs
  int64_t bytes = 0;      // expected minus loaded in the open phase
  unsigned completed = 0; // phases
  unsigned time = 0;      // when the newest one completed
};

struct ThreadBarrierState {
  unsigned arrived = 0;
  unsigned generations = 0;
  unsigned time = 0;
};

// What has been executed, for timelines and tables.
struct Event {
  Place place;
  unsigned time = 0;
};

class CanonicalRun {
public:
  CanonicalRun(const Model &model, const Items &items, const Program &program);

  // Nothing: the run is complete and no condition was violated.
  std::optional<Finding> run();

  bool recordsEvents = false;
  const std::vector<Event> &events() const { return log; }

  // The state at the end, for explaining a stuck run.
  struct WarpState {
    unsigned pc = 0;
    unsigned time = 0;
    int blockedIn = -1; // a barrier of threads
    bool isReleased = false;
  };
  const std::vector<WarpState> &warps() const { return states; }
  const std::vector<BarrierState> &barriers() const { return barrierStates; }
  const std::vector<ThreadBarrierState> &threadBarriers() const { return threadStates; }
  bool isFinished(unsigned warp) const { return !nextOp(warp); }
  const Op *nextOp(unsigned warp) const;

private:
  // Rows of the matrix: warps, then what each barrier's open phase has collected, then what its
  // newest completed phase gives, then what each barrier of threads has collected.
  unsigned openRow(unsigned cell) const { return static_cast<unsigned>(model.warps.size()) + cell; }
  unsigned phaseRow(unsigned cell) const {
    return openRow(static_cast<unsigned>(model.barriers.size())) + cell;
  }
  unsigned threadRow(unsigned barrier) const {
    return phaseRow(static_cast<unsigned>(model.barriers.size())) + barrier;
  }

  const TaskProgram &programOf(unsigned warp) const;
  void skipOthers(unsigned warp);
  bool isEnabled(unsigned warp) const;
  int pick() const;
  void step(unsigned warp);
  void finish(unsigned warp);

  void wait(unsigned warp, const Op &op);
  void arrive(unsigned warp, const Op &op);
  void expect(unsigned warp, const Op &op);
  void load(unsigned warp, const CellAccess &access);
  void contribute(unsigned warp, unsigned cell, unsigned arrivals, int64_t bytes,
                  Knowledge::Row row, bool isAsync);
  void complete(unsigned warp, unsigned cell);
  int lateExpect(unsigned cell) const;
  bool knowsPhase(const Knowledge::Row &row, unsigned cell, unsigned age) const;

  void signal(unsigned warp, const Op &op);
  void completeThreads(unsigned barrier);

  void call(unsigned warp, const Op &op);
  void access(unsigned warp, const CellAccess &access);
  bool checkRaces(unsigned warp, const CellAccess &access, unsigned cell);
  void write(const CellAccess &access);
  bool checkVersion(unsigned warp, const CellAccess &access);
  void checkOpenPhases();
  void checkExit();

  Finding &report(FindingKind kind, unsigned warp);

  const Model &model;
  const Items &items;
  const Program &program;
  Knowledge known;
  std::vector<WarpState> states;
  std::vector<BarrierState> barrierStates;
  std::vector<ThreadBarrierState> threadStates;
  // [cell][age]: had the phase contributions that no warp stands for?
  std::vector<std::array<bool, 3>> hasAsync;
  struct Last { // of an item: for reports, and to know a sibling's part of the same call
    int op = -1;
    unsigned warp = 0;
  };
  std::vector<std::vector<Last>> lastAccess; // as items.accesses
  std::vector<std::vector<int>> lastWait;    // [cell][user]: op
  // Expects without arrival in the open phase of a barrier, and what else there is in it.
  struct Expect {
    unsigned user = 0; // in BarrierItems::users
    unsigned op = 0;
    bool isCovered = false; // an arrival comes after it; of a user's newest the matrix knows
  };
  struct Contribution {
    int64_t bytes = 0;
    uint64_t after = 0; // the expects that come before it or are it: a bit each
    bool isLoad = false;
  };
  struct OpenPhase {
    std::vector<Expect> expects;
    std::vector<Contribution> contributions;
  };
  bool isCovered(unsigned cell, size_t expect) const;
  std::vector<OpenPhase> openPhases; // by cell; only where there are such expects
  struct Version {
    enum State : uint8_t { Unwritten, Written, Clobbered } state = Unwritten;
    int64_t position = -1; // of the cursor that the write went by
  };
  std::vector<Version> versions; // by cell
  std::optional<Finding> finding;
  std::vector<Event> log;
};

} // namespace tsk::verify
