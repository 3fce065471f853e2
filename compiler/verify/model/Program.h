// One run's operations, task by task, in program order: loops unrolled, branches taken, stages and
// parities as numbers. The warps of a task share one list; each skips what is not for it.
#pragma once

#include "compiler/verify/model/Coordinates.h"
#include "compiler/verify/model/Model.h"

namespace tsk::verify {

// The values of the coordinates in one run.
struct Choices {
  std::vector<int64_t> trips;          // by coordinate; branches unused
  std::vector<BranchPattern> branches; // likewise
};

// An access of a call, to one cell.
struct CellAccess {
  unsigned cell = 0;
  bool isWrite = false;
  bool isLoad = false; // by the copy engine; the rest by the calling threads
  int completes = -1;  // loads: barrier cell whose bytes it completes
  uint32_t bytes = 0;
  int64_t position = -1; // how far the cursor of its stage has come; -1: a constant stage
};

enum class OpKind : uint8_t {
  Wait,   // cell, parity
  Arrive, // cell, arrivals a lane, bytes expected
  Expect, // cell, bytes
  Sync,   // a barrier of threads, blocking
  Signal, // likewise, not blocking
  Call    // accesses
};

struct Op {
  OpKind kind = OpKind::Call;
  plan::By by = plan::By::All;
  unsigned cell = 0; // barrier cell
  uint8_t parity = 0;
  uint32_t bytes = 0;
  unsigned firstAccess = 0; // in TaskProgram::accesses
  unsigned accessCount = 0;
  int frame = -1; // innermost loop iteration, in TaskProgram::frames
  const plan::Step *step = nullptr;
};

// One iteration of one loop in progress.
struct Frame {
  const plan::Step *loop = nullptr;
  int64_t ordinal = 0;
  int64_t trips = 0;
  int parent = -1;
};

struct TaskProgram {
  std::vector<Op> ops;
  std::vector<CellAccess> accesses;
  std::vector<Frame> frames;
};

struct Program {
  std::vector<TaskProgram> tasks;
  size_t size() const;
};

// Nothing if the run has more than `limit` operations (or iterations without any).
std::optional<Program> expand(const Model &model, const Coordinates &coordinates,
                              const Choices &choices, size_t limit);

} // namespace tsk::verify
