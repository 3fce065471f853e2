// The plan as a machine: its warps, its barriers stage by stage, the cells of its shared memory.
// The same for all runs; a run adds the operations in their order (Program.h).
#pragma once

#include "compiler/plan/Plan.h"

#include <string>
#include <vector>

namespace tsk::verify {

struct Warp {
  plan::TaskId task;
  unsigned index = 0;  // in its task
  unsigned lanes = 32; // that execute steps `by all`
};

// One stage of an mbarrier array.
struct BarrierCell {
  plan::BarrierId barrier;
  unsigned stage = 0;
  unsigned arrivals = 1;
};

// A barrier of threads: a named one, or what a `sync` of a scope stands for.
struct ThreadBarrier {
  std::string name;
  unsigned threads = 0;
};

// One stage of a field in shared memory.
struct FieldCell {
  plan::AllocationId allocation;
  unsigned stage = 0;
  std::vector<unsigned> overlaps; // other cells that share bytes with it
};

class Model {
public:
  explicit Model(const plan::Plan &plan);

  const plan::Plan &plan() const { return thePlan; }

  std::vector<Warp> warps;
  std::vector<BarrierCell> barriers;
  std::vector<ThreadBarrier> threadBarriers;
  std::vector<FieldCell> cells;

  unsigned barrierCell(plan::BarrierId barrier, unsigned stage) const {
    return barrierBase[barrier.index] + stage;
  }
  // -1: the field has no place in shared memory.
  int fieldCell(plan::FieldId field, unsigned stage) const;
  // The barrier that a Sync or Arrive of `warp` on a barrier of threads is about; -1: a warp's own.
  int threadBarrier(const plan::Step &step, const Warp &warp) const;

  std::string barrierName(unsigned cell) const; // "box.full[2]"
  std::string cellName(unsigned cell) const;    // "box.data[2]"
  const std::string &taskName(unsigned warp) const;

private:
  void addWarps();
  void addBarriers();
  void addCells();
  void findOverlaps();

  const plan::Plan &thePlan;
  std::vector<unsigned> barrierBase; // by barrier: its first cell, or its thread barrier
  std::vector<int> cellBase;         // by field
  std::vector<unsigned> taskBarrier; // by task: of `sync task`, its warpgroups' behind it
};

} // namespace tsk::verify
