// One run of the engine in the plan's words: which step each operation comes from, in which
// iterations, on which stages, and when.
//
// Time is counted in steps: a step comes after the one before it in its task, and a wait after what
// it waited for. So two steps in one row of a timeline may happen at once.
#pragma once

#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/protocol/Machine.h"
#include "compiler/verify/protocol/Scenario.h"

namespace tsk::verify {

struct Iteration {
  const plan::Step *loop = nullptr;
  int64_t ordinal = 0;
};

struct Touched {
  int cell = -1; // element of a field
  bool isWrite = false;
  bool isCopy = false; // asynchronous, not by the calling threads
  uint32_t ranks = 0;  // of the CTAs whose memory it is; the element is the first one's
};

// One step executed by one agent, which is a warp of a task or several that do the same.
struct Moment {
  int agent = -1;
  const plan::Step *step = nullptr; // null: there is no such moment
  int element = -1;                 // of a barrier
  uint32_t ranks = 0;               // of the CTAs whose barriers they are
  int phase = 0;                    // of a wait: the phase it passes on, 0: none; else the open one
  std::vector<Touched> cells;
  std::vector<Iteration> iterations; // innermost first
  unsigned time = 0;
};

class Trace {
public:
  // Runs the program in a scenario, up to its first fault.
  Trace(const plan::Plan &judged, const proof::Translation &translation,
        const protocol::Model &program, const protocol::Scenario &values);

  static constexpr size_t MaxRemaining = 20000;

  const plan::Plan &plan;
  const proof::Translation &translation;
  const protocol::Model &model;
  std::optional<protocol::Fault> fault;

  const std::vector<Moment> &moments() const { return all; }
  // The newest execution of the operation at `pc`.
  Moment newest(int agent, int pc) const;
  // The newest time that an agent did such a thing to a barrier's element.
  Moment newest(int agent, int element, llvm::ArrayRef<protocol::OpKind> kinds) const;
  // The access that the fault names besides the one at its place.
  Moment otherAccess() const;
  // Whether the moment is about that element of a barrier, of whichever CTA.
  bool isAt(const Moment &moment, int element) const;
  // The elements of a field, one a CTA.
  std::vector<int> elementsOf(const Touched &touched) const;
  // What completed the newest phase of a barrier.
  Moment completion(int element) const;
  bool isFinished(int agent) const { return machine.state.agents[agent].atBoundary; }
  // Where an agent stands that has not finished.
  Moment next(int agent) const;
  // What it has still to do, that one first, but no more than `limit` steps.
  std::vector<Moment> remaining(int agent, size_t limit = MaxRemaining) const;
  const protocol::State &state() const { return machine.state; }
  int phases(int element) const { return record.phases[element]; }
  plan::TaskId taskOf(int agent) const { return plan.tasks.idAt(taskIndex(agent)); }
  size_t taskIndex(int agent) const { return model.agents[agent].task % plan.tasks.size(); }
  bool hasRanks() const { return model.program->clusterSize > 1; }
  const protocol::Instr &instruction(const protocol::Fault &at) const {
    return model.agents[at.agent].code[at.pc];
  }

  // Words.
  std::string taskName(int agent) const; // "Load", of the CTA with rank 1: "Load@1"
  // "box.full[2]", of a cluster's CTAs "box.full[2]@0,1"; no ranks: the element's own.
  std::string barrierName(int element, uint32_t ranks = 0) const;
  std::string cellName(int cell, uint32_t ranks = 0) const;
  std::string iteration(const Moment &at) const; // " in iteration 3 of `r`"; empty outside loops
  std::string operation(const Moment &at) const; // "wait box.full[2]", "call box.load"
  std::string waitedFor(const Moment &at) const; // "box.full[2]", "sync cta"
  std::string threadBarrier(const Moment &at) const; // "n", "cta"

private:
  std::string ofRanks(std::string name, uint32_t ranks) const;
  Moment moment(const protocol::Event &event) const;
  void addIterations(const protocol::Event &event, Moment &to) const;
  void collect();
  int64_t trips(const protocol::Count &count, int stage) const;

  const protocol::Scenario &scenario;
  protocol::Machine machine;
  protocol::Record record;
  std::vector<std::pair<int, int>> stages; // part, tile
  std::vector<Moment> all;
  std::vector<int> momentOf; // by event; -1: not shown
};

} // namespace tsk::verify
