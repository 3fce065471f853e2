// The plan: one kernel with pipelines turned into real barriers, stages, phases, shared-memory
// offsets and warps. The verifier judges the plan and the code generator prints it, so what is
// proved is what is emitted. Printed by --emit=plan, read back by tsk-opt, complete by itself
// except for the text of bodies.
#pragma once

#include "compiler/ir/Kernel.h"

namespace tsk::plan {

using ir::ExprId;
using ir::FieldId;
using ir::ParamId;
using ir::TaskId;
using ir::ValueId;
using ir::WorkId;
using BarrierId = Id<struct BarrierTag>;
using CursorId = Id<struct CursorTag>;
using AllocationId = Id<struct AllocationTag>;
using TensorMapId = Id<struct TensorMapTag>;
using RegionId = Id<struct PlanRegionTag>;

// A piece of dynamic shared memory: `stages` copies of one field, stage after stage.
struct Allocation {
  std::string name; // "box.data"
  FieldId field;
  unsigned stages = 1;
  uint32_t offset = 0;     // bytes from the start of dynamic shared memory
  uint32_t stageBytes = 0; // stride between stages, a multiple of `align`
  uint32_t align = 16;     // bytes
};

// An array of mbarriers, one a stage, or a hardware named barrier.
struct Barrier {
  enum class Kind : uint8_t { Mbarrier, Named };
  std::string name; // "box.full"
  Kind kind = Kind::Mbarrier;
  unsigned stages = 1;
  unsigned arrivals = 1; // expected a phase (mbarrier), or threads (named)
  // Mbarrier: threads of other CTAs arrive on it and hand over what they have written.
  bool isOfCluster = false;
  uint32_t offset = 0;  // mbarrier: bytes from the start of dynamic shared memory
  unsigned namedId = 0; // named
  std::string resource; // whose pipeline it guards; empty: declared by the user
  SourceRange loc;
};

// A stage index and a phase parity kept in registers by one task. Starts at stage 0 with
// `startParity`: 0 for a consumer, 1 for a producer (a fresh empty barrier lets a wait on parity 1
// pass).
struct Cursor {
  std::string name; // "box" or, where one task has several, "box.commit"
  TaskId task;
  unsigned stages = 1;
  unsigned startParity = 0;
};

// Which stage of a barrier or allocation a step is about. With a cursor: its stage and parity.
// Without: constants, for barriers used by hand.
struct At {
  CursorId cursor;
  unsigned stage = 0;
  unsigned parity = 0;
};

// Axes of a cluster, and with them CTAs: those that differ from this one in one of the axes alone,
// and this one. None: this one.
struct Axes {
  uint8_t bits = 0; // x: 1, y: 2, z: 4

  static Axes of(unsigned axis) { return {static_cast<uint8_t>(1u << axis)}; }
  explicit operator bool() const { return bits != 0; }
  bool operator==(const Axes &) const = default;
  Axes &operator|=(Axes other) {
    bits |= other.bits;
    return *this;
  }
  bool has(unsigned axis) const { return bits >> axis & 1; }
};
std::string spelling(Axes axes); // "x, y"
// A set of ranks.
uint32_t ranksAlong(const ir::Cluster &cluster, unsigned rank, Axes axes);
unsigned countAlong(const ir::Cluster &cluster, Axes axes);

// A tensor map that the launcher encodes and TMA uses.
struct TensorMap {
  std::string name; // "box.data.map"
  ParamId tensor;
  FieldId field;
  std::vector<uint32_t> box; // elements, outermost first
  ir::Swizzle swizzle = ir::Swizzle::None;
};

// Who executes a step of a task that has more than one thread. A task that runs on one lane
// (Task::isSingleLane) has nobody else: there, all three mean that lane.
enum class By : uint8_t {
  All,       // every thread of the task
  Leader,    // one elected lane of the task's first warp
  WarpLeader // one elected lane of each warp
};
llvm::StringRef spelling(By by);

enum class FenceKind : uint8_t {
  ProxyAsync, // generic writes to shared memory become visible to the async proxy
  Wgmma       // the warpgroup's accesses to registers are over before its next wgmma touches them
};
llvm::StringRef spelling(FenceKind kind);

// Work that runs behind the back of the threads that issue it and completes in groups, in order.
enum class Queue : uint8_t { Wgmma, Bulk };
llvm::StringRef spelling(Queue queue);

// What a call does to memory. A field without allocation (gmem, regs) has no `at`.
struct Access {
  FieldId field; // or
  ParamId tensor;
  bool isWrite = false;
  ir::Mechanism mechanism = ir::Mechanism::Async;
  At at;
  BarrierId completes;   // asynchronous: whose transaction bytes it completes
  At completesAt;        // its stage; passes use the field's
  uint32_t bytes = 0;    // with `completes`; in each CTA that it writes to
  bool isAtPeer = false; // by threads, to the memory of the step's peer
  // One axis or none: all CTAs along it load a slice each, into the same place of all of them, and
  // complete the barrier of each.
  Axes multicast;
  // Which ones. Not in the plan's text: there, nothing is known of them.
  ir::Elements elements;
};

enum class StepKind : uint8_t {
#define TSK_STEP(Name, Mnemonic) Name,
#include "compiler/plan/Steps.def"
};
llvm::StringRef mnemonic(StepKind kind);

struct Step {
  StepKind kind = StepKind::Call;
  SourceRange loc; // of the statement it comes from
  BarrierId barrier;
  At at;
  Axes peers; // Arrive: on the barriers of these CTAs too
  // Arrive: on the barrier of the CTA with this rank instead; Call: the stage of that CTA.
  ExprId peer;
  CursorId cursor;
  uint32_t bytes = 0;
  By by = By::All;
  ir::SyncScope scope = ir::SyncScope::Cta;
  FenceKind fence = FenceKind::ProxyAsync;
  Queue queue = Queue::Wgmma;
  unsigned pending = 0;
  bool isRead = false;
  llvm::SmallVector<FieldId, 2> defines;
  WorkId work;
  llvm::SmallVector<ExprId, 4> args;
  llvm::SmallVector<ValueId, 2> results;
  std::vector<Access> accesses;
  ir::Loop loop;
  ir::Across across = ir::Across::Grid;
  RegionId body;
  RegionId elseBody;
};

struct Region {
  std::vector<Step> steps;
};

struct Task {
  std::string name;
  unsigned firstWarp = 0;
  unsigned warps = 1;
  // The whole task runs on one elected lane: every step is a leader's and nothing needs the others.
  bool isSingleLane = false;
  RegionId body;
  SourceRange loc;
};

// Warps without a task: they fill a warpgroup for setmaxnreg or a gap between tasks' ranges. They
// give up their registers and exit. Never across a warpgroup's end.
struct Padding {
  unsigned firstWarp = 0;
  unsigned warps = 0;
};

// Whole warpgroups whose warps, those without a task too, start with one setmaxnreg. A task runs
// in one of them.
struct Registers {
  enum class Change : uint8_t { Keep, Raise, Lower };
  unsigned firstWarp = 0;
  unsigned warps = 0;
  unsigned count = 0; // a thread, from then on
  Change change = Change::Keep;
  SourceRange loc; // who asked for them
};
llvm::StringRef spelling(Registers::Change change); // "keep", "inc", "dec"

struct Plan {
  std::string kernel; // the instance's name
  std::string target; // "sm_90a"
  // Ids of expressions, values, fields, works, params, scalars and tasks are the kernel's.
  ir::ValueTables tables;
  // Names, so that a plan can be printed, read and judged without its kernel.
  Table<ir::ScalarId, ir::Scalar> scalars;
  Table<ParamId, std::string> params;
  Table<FieldId, std::string> fields; // "box.data"
  Table<WorkId, std::string> works;   // "box.load"
  std::vector<ExprId> assumptions;    // the kernel's `requires`: bool, checked by the launcher
  ir::Cluster cluster;
  // All threads of the cluster meet once the barriers are initialised: nobody reaches a peer's
  // before. And before any of its CTAs ends: nobody reaches memory that is gone.
  bool meetsAtStart = false, meetsAtEnd = false;
  unsigned warps = 1;        // of the CTA, padding included
  unsigned minCtasPerSm = 1; // second argument of __launch_bounds__, 0: none
  uint32_t sharedBytes = 0;  // dynamic shared memory
  Table<AllocationId, Allocation> allocations;
  Table<BarrierId, Barrier> barriers;
  Table<CursorId, Cursor> cursors;
  Table<TensorMapId, TensorMap> tensorMaps;
  Table<TaskId, Task> tasks; // ids equal the kernel's
  std::vector<Padding> padding;
  std::vector<Registers> registers; // all warps in their order; none: without setmaxnreg
  Table<RegionId, Region> regions;

  // Of a thread of this warp, if it is said.
  std::optional<unsigned> registersOf(unsigned warp) const;
};

} // namespace tsk::plan
