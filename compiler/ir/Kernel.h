// The task graph: one kernel instance with all compile-time parameters bound, `static` constructs
// unfolded and schedules inlined into the tasks that run them. Made by sema, printed by
// --emit=ir, read back by tsk-opt, turned into a plan::Plan by the passes of compiler/plan.
#pragma once

#include "compiler/ir/Elements.h"
#include "compiler/ir/Expr.h"
#include "compiler/support/Words.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tsk::ir {

using ParamId = Id<struct ParamTag>;
using ResourceId = Id<struct ResourceTag>;
using FieldId = Id<struct FieldTag>; // of the kernel, not of the resource
using WorkId = Id<struct WorkTag>;   // likewise
using RegionId = Id<struct RegionTag>;
using TaskId = Id<struct TaskTag>;

using words::Across;
using words::Direction;
using words::IssueBy;
using words::Mechanism;
using words::PerUnit;
using words::SpaceKind;
using words::Swizzle;
using words::WorkKind;

// A compile-time constant that bodies may name; emitted as `constexpr`.
struct Constant {
  std::string name;
  Type type;           // I32, I64, F64, Bool; or a type parameter, see `isType`
  bool isType = false; // `T = f16`: emitted as `using T = tsk::f16;`
  int64_t value = 0;   // integers and bool; ScalarType's number if isType
  double real = 0;
  SourceRange loc;
};

// A kernel-uniform run-time scalar: a dimension of a tensor, a stride, or a scalar parameter.
// Dimensions are i32, strides i64. Two tensors that name one dimension share its scalar.
struct Scalar {
  std::string name;
  ScalarType type = ScalarType::I32;
  bool isDimension = false; // 0 .. 2^31 - 1, checked by the launcher
  SourceRange loc;
};

struct Param {
  enum class Shape : uint8_t { Tensor, Pointer, Scalar };
  std::string name;
  Shape shape = Shape::Tensor;
  Direction direction = Direction::In;
  ScalarType element = ScalarType::F32;
  std::vector<ExprId> dims;    // outermost first; elements
  std::vector<ExprId> strides; // elements; empty: packed row-major
  ScalarId scalar;             // Shape::Scalar
  bool fromHost = false;
  SourceRange loc;
};

struct Field {
  std::string name;
  ResourceId resource;
  ScalarType element = ScalarType::F32;
  std::vector<int64_t> dims; // of one stage, outermost first; elements
  unsigned align = 0;        // bytes, 0: the space's default
  Swizzle swizzle = Swizzle::None;
  std::vector<ParamId> tensors; // `of`: TMA moves between this field and these tensors
  std::optional<char> multicast;
  std::optional<PerUnit> per;
  FieldId viewOf;
  int64_t viewColumn = 0;
  ExprId init; // optional; constant: what each element holds when its task starts
  SourceRange loc;

  int64_t stageBytes() const; // product of dims × element size
};

struct Pipeline {
  std::vector<Mechanism> producers;
  std::vector<Mechanism> consumers;
  bool isExchange = false;
  unsigned stages = 1;
  std::optional<int64_t> assertedBytes; // option `bytes N`, checked against what is derived
  SourceRange bytesLoc;
  SourceRange loc;
};

bool isRemote(const Pipeline &pipeline); // filled by peers

struct WorkParam {
  std::string name;
  Type type;
  bool isConst = false;   // a template parameter of the emitted function
  bool isUniform = false; // results only: may steer conditions
  SourceRange loc;
  SourceRange typeLoc; // not of what was read from IR text
};

// `op: r::stage`: no value, but the name by which a body sees the stage of `r` that its call names.
// A work has at most one a resource, and none of its own.
struct HoldParam {
  std::string name;
  ResourceId resource;
  unsigned position = 0; // among all parameters
  SourceRange loc;
};

// What one body does to one field or tensor. Filled by compiler/body from the body's text.
struct Access {
  FieldId field; // or
  ParamId tensor;
  bool isWrite = false;
  Mechanism mechanism = Mechanism::Async; // Async: plain loads and stores
  bool isStore = false;                   // Tma only: from the field to memory
  Elements elements = {};                 // which ones
};

struct Work {
  std::string name;
  ResourceId resource;
  WorkKind kind = WorkKind::Produce;
  IssueBy by = IssueBy::Unsaid;
  std::vector<WorkParam> params;
  std::vector<HoldParam> holds;
  std::vector<WorkParam> results;
  std::string body; // C++ text between the braces
  SourceRange bodyLoc;
  SourceRange loc;

  // `reads(…) writes(…)`: what it says that it does, where nobody can see it.
  std::vector<Access> declared;
  SourceRange declaredLoc;

  // Found in the body.
  std::vector<Access> accesses;
  std::vector<ParamId> usedParams;   // kernel parameters that the text names
  std::vector<ScalarId> usedScalars; // dimensions and scalar parameters, likewise
  // What it does follows from its arguments, the kernel's scalars, `in` tensors and its threads'
  // numbers: nothing tells it which CTA runs it.
  bool isBlind = false;
  // A thread may wait there for what other CTAs write.
  bool mayAwaitCtas = true;
  // What it does not spell and names all the same: through a macro or a file that it includes.
  std::set<std::string> hiddenNames;

  // The parameter that names the stage of another resource, if there is one.
  const HoldParam *holdOf(ResourceId other) const {
    for (const HoldParam &hold : holds)
      if (hold.resource == other)
        return &hold;
    return nullptr;
  }
};

// A function of the user's, called in schedules. Pure: it reads its arguments, `in` tensors and
// scalars of the kernel, and writes nothing. Name and types are in ValueTables::functions.
struct Function {
  std::vector<std::string> params; // names
  // Of the file that declares it, where that is not the kernel's: the body sees them.
  std::vector<Constant> constants;
  std::string body; // C++ text between the braces
  SourceRange bodyLoc;
  SourceRange loc;
  std::vector<ParamId> usedParams;   // tensors and pointers that the body names
  std::vector<ScalarId> usedScalars; // dimensions and scalar parameters, likewise
  std::set<std::string> hiddenNames; // as a work's
};

// The name that a resource type gives to a kernel's tensor: X in `resource Ring<T>(X: tensor<T>)`.
struct ParamAlias {
  std::string name;
  ParamId param;
};

struct Resource {
  std::string name;
  SpaceKind space = SpaceKind::Smem;
  ParamId tensor; // gmem of tensor
  // A turn that two tasks take: a pipeline of one stage without memory. The first of them enters by
  // an acquire and leaves by a commit, the second by a wait and a release.
  bool isOrder = false;
  // What the bodies of a resource type's instance see besides the kernel's names: its compile-time
  // parameters and its tensors. Empty for resources that are declared in place.
  std::vector<Constant> constants;
  std::vector<ParamAlias> aliases;
  std::vector<FieldId> fields;
  std::vector<WorkId> works;
  std::optional<Pipeline> pipeline;
  SourceRange loc;
};

enum class OpKind : uint8_t {
#define TSK_OP(Name, Mnemonic) Name,
#include "compiler/ir/Ops.def"
};
llvm::StringRef mnemonic(OpKind kind);

enum class SyncScope : uint8_t { Warp, Warpgroup, Task, Cta, Cluster };
llvm::StringRef spelling(SyncScope scope);

struct Loop {
  ValueId variable;
  ExprId lower;
  ExprId upper;
  ExprId step; // always set; a positive constant or kernel-uniform expression
  bool isReversed = false;
  unsigned unroll = 0; // as stated; 0: the C++ compiler decides
};

struct Op {
  OpKind kind = OpKind::Call;
  SourceRange loc;
  ResourceId resource;
  WorkId work;
  llvm::SmallVector<ExprId, 4> args;
  llvm::SmallVector<ValueId, 2> results;
  Loop loop;
  Across across = Across::Grid;
  SyncScope scope = SyncScope::Cta;
  // Of a `remote` pipeline: the rank of the CTA whose stage a produce work writes and a commit
  // publishes, or to which a release gives it back. Computed of the CTA's place alone.
  ExprId peer;
  // Call: which of the stages that the task holds, counted from the newest: the work's own
  // resource, and those of its hold parameters. Where it is the newest, nothing.
  struct Behind {
    ResourceId resource;
    unsigned stages = 0;
  };
  llvm::SmallVector<Behind, 1> behind;
  unsigned stagesBehind(ResourceId held) const {
    for (const Behind &each : behind)
      if (each.resource == held)
        return each.stages;
    return 0;
  }
  unsigned pending = 0;
  bool isRead = false;
  RegionId body;
  RegionId elseBody; // optional
};

struct Region {
  std::vector<Op> ops;
};

struct Task {
  std::string name;
  std::string schedule; // the name it runs, for reports
  unsigned firstWarp = 0;
  unsigned warps = 1;
  std::optional<unsigned> instance; // which one of `task T[n]`: `inst` in its bodies
  std::optional<unsigned> regs;     // registers a thread
  SourceRange regsLoc;
  SourceRange warpsLoc;
  RegionId body;
  SourceRange loc;
};

struct Edge { // downstream <- upstream
  ResourceId downstream;
  ResourceId upstream;
  SourceRange loc;
};

struct Requirement {
  ExprId condition;
  std::string text; // as written, for the launcher's message
  SourceRange loc;
};

struct Grid {
  bool isPersistent = false;
  std::vector<ExprId> extents; // 1 to 3, kernel-uniform
  unsigned ctasPerSm = 1;      // persistent
  SourceRange loc;
};

// CTAs that run at the same time and reach each other's shared memory. Ranks count x first.
struct Cluster {
  std::array<unsigned, 3> extents = {1, 1, 1};
  SourceRange loc;

  unsigned size() const { return extents[0] * extents[1] * extents[2]; }
  // Its place along an axis.
  unsigned coordinate(unsigned rank, unsigned axis) const;
  // The CTAs that differ from this one in no other axis: a set of ranks.
  uint32_t line(unsigned rank, unsigned axis) const;
};

struct Kernel {
  std::string name;                 // of this instance, unique in the module, a C++ identifier
  std::string templateName;         // of the declaration
  std::vector<std::string> targets; // "sm_90a"; empty: what the command line says
  // How messages call elements of arrays: `ring[0]` for `ring_0`.
  std::map<std::string, std::string> shownNames;
  Table<ConstantId, Constant> constants;
  Table<ScalarId, Scalar> scalars;
  Table<ParamId, Param> params;
  Table<FunctionId, Function> functions; // those that are called
  Table<ResourceId, Resource> resources;
  Table<FieldId, Field> fields;
  Table<WorkId, Work> works;
  ValueTables tables;
  Table<RegionId, Region> regions;
  Table<TaskId, Task> tasks;
  std::vector<Requirement> requirements;
  Grid grid;
  Cluster cluster;
  std::optional<std::vector<Edge>> depends; // the contract, if one is stated
  SourceRange dependsLoc;
  ExprId instanceCondition; // `when (…)`
  bool isTestOnly = false;  // exists for a test's compile-time arguments
  SourceRange loc;

  // By which name a work's body knows another resource's stage.
  const std::string &nameIn(const Work &work, ResourceId other) const {
    const HoldParam *hold = work.holdOf(other);
    return hold ? hold->name : resources[other].name;
  }
};

} // namespace tsk::ir
