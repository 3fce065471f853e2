// Executes one run of a protocol program and checks V1 to V6 on it as it goes. Symbols may be
// unknown yet: a run stops where a decision depends on one.
//
// Any complete run will do, because a run without findings fixes the order of all others
// (docs/verifier.md, theorem 1), and the first finding along a run is real (theorem 2).
#pragma once

#include "compiler/verify/protocol/State.h"

#include <array>
#include <functional>
#include <optional>

namespace tsk::protocol {

enum class Stop : uint8_t {
  Quiet,     // nobody can go on within the newest stage
  Decide,    // somebody must know a symbol: `decision`
  Iteration, // `stopped` came to the end of an iteration of a symbolic loop (only if asked for)
  Fault,
  Limit
};

// One executed operation, for timelines.
struct Event {
  int agent = -1;
  int pc = -1;
  int stage = 0;                                   // number of the stage since the start
  int iteration = -1;                              // of the outermost loop around it; -1: none
  std::array<int32_t, MaxLoopDepth> counters = {}; // of the loops around it, outermost first
  int element = -1;                                // its barrier
  std::vector<int> cells;                          // elements, as in the instruction
  int phase = 0;                                   // how many phases its barrier has behind it
  int after = -1; // of a wait or sync: the event that completed what it waited for
};

// What a run leaves behind for reports.
struct Record {
  std::vector<Event> events;
  // Numbers of events, -1: none.
  std::vector<int> lastAccess;  // per column: the newest instance of each access
  std::vector<int> completedBy; // per element, then per named barrier: the newest phase
  std::vector<int> newest;      // per agent
  std::vector<int> phases;      // per element: how many are complete
};

int parityAt(const State &state, const Parity &parity);

class Machine {
public:
  explicit Machine(const Model &judged);

  // The state at the start, before any stage.
  void reset();
  // Opens the next stage. Agents that stand at the end of theirs go on into it.
  void beginStage(int part, bool isFirstTile);
  Stop run(bool stopAtIterations);
  // After the last stage: nothing may be left in flight, nobody unfinished.
  bool checkEnd();
  bool allAtBoundary() const;
  bool isDetached(int index) const;
  bool hasOpenLoops(int index) const;
  void startRecord(Record &into);
  // What an agent has still to do, whatever stands in its way, and moves it past that. Only where
  // every symbol is known.
  std::vector<Event> skip(int agent, size_t limit);

  const Model &model;
  State state;
  std::optional<Fault> fault;
  int decision = -1; // symbol
  unsigned decisionLag = 0;
  int stopped = -1;
  int stoppedSlot = 0;
  uint64_t steps = 0;
  uint64_t stepLimit = UINT64_MAX;
  std::string beyond;       // of Limit: what the machine cannot follow; empty: the steps
  Record *record = nullptr; // from startRecord() on
  int stageNumber = 0;
  size_t keptStages = 4; // the newest; no agent may be further behind

  // What the stage knows of a symbol, relations to others included.
  int least(const Stage &stage, int symbol) const;
  int most(const Stage &stage, int symbol) const; // INT_MAX: any

  Stage &stageOf(const AgentState &agent) {
    return state.stages[state.stages.size() - 1 - agent.lag];
  }

private:
  enum class Flow : uint8_t { Next, Stay, Decide, Boundary, Iteration };

  // Control (Machine.cpp).
  void advanceAgent(int agent);
  bool isEnabled(int agent);
  int pick();
  void wake(const std::vector<int> &agents);
  Flow step(int agent);
  Flow stepControl(int agent, const Instr &instr);
  std::optional<bool> exceeds(int agent, int symbol, int bound);
  std::optional<bool> continues(int agent, const Count &count, int index);
  Flow guard(int agent, const Instr &instr, std::optional<bool> holds);
  void report(FaultKind kind, int agent, int pc);
  void reportHang();
  Event eventOf(int agent);
  int elementAt(const ElementRef &ref, size_t which);

  // Operations (Barriers.cpp, Access.cpp).
  Flow execute(int agent, const Instr &instr);
  Flow wait(int agent, const Instr &instr);
  void probe(int agent, const Instr &instr);
  void publishNothing();
  void contributeThreads(int agent, const Instr &instr);
  void contributeAsync(int agent, const Instr &instr);
  void contribute(int element, int arrivals, int bytes, int agent, int contributor,
                  bool isPlainExpect);
  void fire(int element, int agent);
  void announce(int element, int agent, int bytes);
  void noteLoad(int element, int bytes);
  void cover(int element);
  int lateExpect(int element);
  bool checkLate(int element, int agent);
  bool knowsPhase(unsigned row, const Element &element, int age) const;
  Flow sync(int agent, const Instr &instr);
  void fireNamed(int index);
  void clusterArrive(int agent, const Instr &instr);
  void useBarrier(int agent, int element, bool isAsync);
  void beginInit(int atom, const AtomItem &newest);
  void initBarrier(int agent, const Instr &instr);
  void access(int agent, const Instr &instr);
  void accessAtom(int agent, int atom, int source, bool isWrite, int call = -1);
  bool isShare(int agent, const Atom &atom, int source, const AtomItem &item, int call);
  bool isSameCall(int source, const AtomItem &item, int call) const;
  void checkProxies(int agent, const Atom &atom, int atomIndex, bool isWrite);
  bool isExempt(int source, const Source &other) const;
  void versions(int agent, const CellUse &use, int atom);
  void groupCommit(int agent, const Instr &instr);
  void groupWait(int agent, const Instr &instr);
  void allocation(int agent, const Instr &instr);
  bool registersAvailable(int agent, const Instr &instr) const;
  void setRegisters(int agent, const Instr &instr);
  void proxyFence(int agent);

  std::vector<Column> completing; // columns of the operation in flight, see contributeAsync
  int currentPc = -1;
};

} // namespace tsk::protocol
