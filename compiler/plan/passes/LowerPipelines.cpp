// lower-pipelines: operations on pipelines become waits, arrivals and cursors; calls get their
// stage.
//
// Needs the barriers of plan-barriers and a task graph whose brackets are closed and whose holds
// are static (verify::checkStructure). Makes every task's steps, one operation after the other, in
// the order in which they were written.
//
//               tma producer                                async producer        async consumer
//   acquire     wait empty[c]; arrive_expect full[c] bytes  wait empty[c]
//   commit                                                  arrive full[c]
//   wait                                                                          wait full[c]
//   release                                                                       arrive empty[c]
//   skip        the item is another task's: the cursor passes it by
//
// A pipeline `remote -> …`: `full` of the CTA that is written to, `empty` of the one that has
// written; waits are for the CTA's own.
//
// A field that is multicast: each CTA loads a slice into all, so each expects the whole field's
// bytes, and whoever has read a stage gives it back to all of them.
//
// In a task of several lanes, only the leader of a tma producer waits: the others do not act on the
// free stage, and a wait by warps that nobody counts on could be overtaken by two phases.
// Where the bytes of a stage depend on the path, each load is announced by an `expect` of its own
// and the leader arrives at commit.
//
// Cursors. `front` is at the newest stage that is held, `oldest` at the one that commit or release
// gives back; both are at the next free stage when none is held. So an acquire advances `front`
// only if a stage is held already, and the hand-over of the last held stage brings them together. A
// task that never holds two has one cursor for both, advanced after the hand-over, its last use.
// A work that names a stage b behind the newest, and not the oldest, has a cursor for it: at the
// oldest stage as long as no more than b are held, then b behind `front`.
//
// Stands here because arrival counts must be known and everything later looks at steps.
#include "compiler/ir/Text.h"
#include "compiler/plan/Issue.h"
#include "compiler/plan/Names.h"
#include "compiler/plan/Participants.h"
#include "compiler/plan/PlanDiagnostics.h"
#include "compiler/plan/StageBytes.h"
#include "compiler/plan/StageReads.h"

#include <algorithm>
#include <map>
#include <set>

namespace tsk::plan {

namespace {

constexpr Diagnostic<std::string, unsigned, std::string> SingleIssueByAll{
    kind::SingleIssueByAll,
    "`{}` starts a bulk copy and would be run by all {} threads of `{}`; a bulk copy is issued by "
    "one thread: declare the work `by leader`"};
constexpr Diagnostic<int64_t, int64_t> BytesContradict{
    kind::BytesContradict, "`bytes {}` is stated, but the loads into one stage bring {} "
                           "bytes; correct the number or leave "
                           "it out, it is derived"};
constexpr Diagnostic<int64_t> BytesVary{
    kind::BytesVary,
    "`bytes {}` is stated, but how much is loaded into a stage depends on the path taken; leave it "
    "out, the barrier is then armed load by load"};

// One side of one pipeline in one task.
struct Side {
  unsigned held = 0;    // at the operation that is being lowered
  unsigned maxHeld = 0; // anywhere in the task
  CursorId front;
  CursorId oldest;
  std::map<unsigned, CursorId> between; // how far behind the newest: the stages that works name
  bool isArmedByLoads = false;          // tma: the bytes of a stage are not static
  std::vector<std::pair<const ir::Op *, int64_t>> armed; // tma: acquires and their bytes
  std::set<const ir::Op *>
      together; // releases at which the warp's lanes have been brought together
};

struct Sides {
  Side producer;
  Side consumer;
};

class TaskLowering {
public:
  TaskLowering(PassContext &pass, TaskId taskId)
      : context(pass), kernel(pass.kernel), plan(pass.plan), id(taskId),
        sides(kernel.resources.size()) {}

  bool run() {
    findLoads(kernel.tasks[id].body);
    measure(kernel.tasks[id].body);
    for (size_t i = 0; i < sides.size(); ++i)
      makeCursors(kernel.resources.idAt(i));
    RegionId body = lower(kernel.tasks[id].body);
    plan.tasks[id].body = body;
    return isGood;
  }

  const Side &producerOf(ir::ResourceId resource) const { return sides[resource.index].producer; }

private:
  // ---- before lowering: how many stages are held, how many bytes are loaded
  // ----------------------

  // Loads into a stage that is not the newest are announced one by one.
  void findLoads(ir::RegionId region) {
    if (!region)
      return;
    for (const ir::Op &op : kernel.regions[region].ops) {
      findLoads(op.body);
      findLoads(op.elseBody);
      if (op.kind == ir::OpKind::Call && op.stagesBehind(kernel.works[op.work].resource) &&
          isTmaPipeline(resourceOf(op)) && kernel.works[op.work].kind == ir::WorkKind::Produce)
        sides[kernel.works[op.work].resource.index].producer.isArmedByLoads = true;
    }
  }

  const ir::Resource &resourceOf(const ir::Op &call) const {
    return kernel.resources[kernel.works[call.work].resource];
  }

  void measure(ir::RegionId region) {
    if (!region)
      return;
    const std::vector<ir::Op> &ops = kernel.regions[region].ops;
    for (size_t i = 0; i < ops.size(); ++i) {
      const ir::Op &op = ops[i];
      switch (op.kind) {
      case ir::OpKind::Acquire:
        take(sides[op.resource.index].producer);
        if (isTmaPipeline(kernel.resources[op.resource]))
          measureBytes(region, i);
        break;
      case ir::OpKind::Wait:
        take(sides[op.resource.index].consumer);
        break;
      case ir::OpKind::Call: {
        for (const auto &[resource, stages] : op.behind)
          if (Side *side = sideOf(kernel.works[op.work], resource); side && stages + 1 < side->held)
            side->between[stages];
        break;
      }
      case ir::OpKind::Commit:
        --sides[op.resource.index].producer.held;
        break;
      case ir::OpKind::Release:
        --sides[op.resource.index].consumer.held;
        if (isReadBehindMultiplication(kernel, kernel.tasks[id].body, ops, i))
          sides[op.resource.index].consumer.together.insert(&op);
        break;
      case ir::OpKind::If: {
        std::vector<Sides> before = sides;
        measure(op.body);
        for (size_t r = 0; r < sides.size(); ++r) {
          sides[r].producer.held = before[r].producer.held;
          sides[r].consumer.held = before[r].consumer.held;
        }
        // Both branches end with the same holds; without an `else` with those before.
        if (op.elseBody)
          measure(op.elseBody);
        break;
      }
      default:
        measure(op.body);
        break;
      }
    }
  }

  static void take(Side &side) { side.maxHeld = std::max(side.maxHeld, ++side.held); }

  void measureBytes(ir::RegionId region, size_t acquire) {
    const ir::Op &op = kernel.regions[region].ops[acquire];
    Side &side = sides[op.resource.index].producer;
    if (std::optional<int64_t> bytes = stageBytes(kernel, region, acquire, op.resource))
      side.armed.push_back({&op, *bytes});
    else
      side.isArmedByLoads = true;
  }

  CursorId makeCursor(std::string name, ir::ResourceId resource, unsigned parity) {
    return plan.cursors.add(
        {std::move(name), id, kernel.resources[resource].pipeline->stages, parity});
  }

  void makeCursors(ir::ResourceId resource) {
    const ir::Resource &owner = kernel.resources[resource];
    Side &producer = sides[resource.index].producer;
    Side &consumer = sides[resource.index].consumer;
    bool isBoth = producer.maxHeld && consumer.maxHeld;
    auto make = [&](Side &side, CursorSide which, llvm::StringRef handOver, unsigned parity) {
      side.held = 0;
      if (side.maxHeld == 0)
        return;
      side.front = side.oldest = makeCursor(cursorName(owner, which), resource, parity);
      if (side.maxHeld > 1)
        side.oldest = makeCursor(cursorName(owner, which, handOver), resource, parity);
      for (auto &[behind, cursor] : side.between)
        cursor =
            makeCursor(cursorName(owner, which, fmt::format("behind{}", behind)), resource, parity);
    };
    make(producer, isBoth ? CursorSide::Producer : CursorSide::Only, "commit", 1);
    make(consumer, isBoth ? CursorSide::Consumer : CursorSide::Only, "release", 0);
  }

  // ---- lowering
  // ----------------------------------------------------------------------------------

  RegionId lower(ir::RegionId region) {
    if (!region)
      return {};
    std::vector<Step> steps;
    for (const ir::Op &op : kernel.regions[region].ops)
      lower(op, steps);
    return plan.regions.add({std::move(steps)});
  }

  void lower(const ir::Op &op, std::vector<Step> &steps) {
    switch (op.kind) {
    case ir::OpKind::Acquire:
    case ir::OpKind::TryAcquire:
      return lowerAcquire(op, steps);
    case ir::OpKind::Commit:
      return lowerCommit(op, steps);
    case ir::OpKind::Wait:
    case ir::OpKind::TryWait:
      return lowerWait(op, steps);
    case ir::OpKind::Release:
      return lowerRelease(op, steps);
    case ir::OpKind::Skip:
      return lowerSkip(op, steps);
    case ir::OpKind::Call:
      return lowerCall(op, steps);
    case ir::OpKind::Let:
      return copyValues(op, StepKind::Let, steps);
    case ir::OpKind::Var:
      return copyValues(op, StepKind::Var, steps);
    case ir::OpKind::Assign:
      return copyValues(op, StepKind::Assign, steps);
    case ir::OpKind::For:
      return lowerLoop(op, StepKind::For, steps);
    case ir::OpKind::ParallelFor:
      return lowerLoop(op, StepKind::ParallelFor, steps);
    case ir::OpKind::If:
      return lowerIf(op, steps);
    case ir::OpKind::Sync:
      makeStep(op, StepKind::Sync, steps).scope = op.scope;
      return;
    case ir::OpKind::Await:
      return lowerAwait(op, steps);
    }
  }

  static Step &makeStep(const ir::Op &op, StepKind kind, std::vector<Step> &steps) {
    Step &step = steps.emplace_back();
    step.kind = kind;
    step.loc = op.loc;
    return step;
  }

  static Step &barrierStep(const ir::Op &op, StepKind kind, BarrierId barrier, CursorId cursor,
                           By by, std::vector<Step> &steps) {
    Step &step = makeStep(op, kind, steps);
    step.barrier = barrier;
    step.at.cursor = cursor;
    step.by = by;
    return step;
  }

  static void advance(const ir::Op &op, CursorId cursor, std::vector<Step> &steps) {
    makeStep(op, StepKind::Advance, steps).cursor = cursor;
  }

  // The cursor stands on the stage to take; false if the hint would have to look past held ones.
  bool prepareTake(const ir::Op &op, Side &side, bool isHint, std::vector<Step> &steps) {
    if (isHint) {
      if (side.held) {
        context.diags.report(op.loc, PlanNotYetCompiled,
                             fmt::format("`{}.{}()` while a stage is held",
                                         kernel.resources[op.resource].name, mnemonic(op.kind)));
        isGood = false;
      }
      return !side.held;
    }
    if (side.held)
      advance(op, side.front, steps);
    for (const auto &[behind, cursor] : side.between)
      if (side.held > behind)
        advance(op, cursor, steps);
    ++side.held;
    return true;
  }

  void handOver(const ir::Op &op, Side &side, std::vector<Step> &steps) {
    TSK_CHECK(side.held, "a hand-over without a hold passed the structural checks");
    for (const auto &[behind, cursor] : side.between)
      if (side.held <= behind + 1)
        advance(op, cursor, steps);
    --side.held;
    advance(op, side.oldest, steps);
    if (side.held == 0 && side.front != side.oldest)
      advance(op, side.front, steps);
  }

  void lowerAcquire(const ir::Op &op, std::vector<Step> &steps) {
    bool isTma = isTmaPipeline(kernel.resources[op.resource]);
    bool isHint = op.kind == ir::OpKind::TryAcquire;
    Side &side = sides[op.resource.index].producer;
    if (!prepareTake(op, side, isHint, steps))
      return;
    PipelineBarriers barriers = barriersOf(context, op.resource);
    By waiter = isTma && !isSingleLane() ? By::Leader : By::All;
    barrierStep(op, isHint ? StepKind::TryWait : StepKind::Wait, barriers.empty, side.front, waiter,
                steps);
    if (!isTma || isHint || side.isArmedByLoads)
      return;
    auto armed = std::find_if(side.armed.begin(), side.armed.end(),
                              [&](const auto &entry) { return entry.first == &op; });
    barrierStep(op, StepKind::ArriveExpect, barriers.full, side.front, By::Leader, steps).bytes =
        static_cast<uint32_t>(armed->second);
  }

  void lowerCommit(const ir::Op &op, std::vector<Step> &steps) {
    bool isTma = isTmaPipeline(kernel.resources[op.resource]);
    Side &side = sides[op.resource.index].producer;
    const bool isOfPeer = bool(op.peer);
    if (isOfPeer && !isSingleLane())
      makeStep(op, StepKind::Sync, steps).scope = ir::SyncScope::Warp; // one lane speaks for all
    if (!isTma || side.isArmedByLoads)
      barrierStep(op, StepKind::Arrive, barriersOf(context, op.resource).full, side.oldest,
                  isTma ? By::Leader : arrivers(isOfPeer), steps)
          .peer = op.peer;
    handOver(op, side, steps);
  }

  void lowerWait(const ir::Op &op, std::vector<Step> &steps) {
    bool isHint = op.kind == ir::OpKind::TryWait;
    Side &side = sides[op.resource.index].consumer;
    if (prepareTake(op, side, isHint, steps))
      barrierStep(op, isHint ? StepKind::TryWait : StepKind::Wait,
                  barriersOf(context, op.resource).full, side.front, By::All, steps);
  }

  void lowerRelease(const ir::Op &op, std::vector<Step> &steps) {
    Side &side = sides[op.resource.index].consumer;
    const Axes peers = peersOf(kernel, op.resource);
    const bool reaches = peers || op.peer;
    if (reaches && !isSingleLane() && !side.together.count(&op))
      makeStep(op, StepKind::Sync, steps).scope = ir::SyncScope::Warp; // one lane speaks for all
    Step &step = barrierStep(op, StepKind::Arrive, barriersOf(context, op.resource).empty,
                             side.oldest, arrivers(reaches), steps);
    step.peers = peers;
    step.peer = op.peer;
    handOver(op, side, steps);
  }

  // Arrivals at other CTAs are made by one lane of each warp.
  By arrivers(bool atPeers) const {
    return atPeers && !isSingleLane() ? By::WarpLeader : allThreads();
  }

  // Another task waits for this stage and gives it back: all cursors pass it by.
  void lowerSkip(const ir::Op &op, std::vector<Step> &steps) {
    Side &side = sides[op.resource.index].consumer;
    if (side.held) {
      context.diags.report(
          op.loc, PlanNotYetCompiled,
          fmt::format("`share` while a stage of `{}` is held", kernel.resources[op.resource].name));
      isGood = false;
      return;
    }
    for (const auto &[behind, cursor] : side.between)
      advance(op, cursor, steps);
    advance(op, side.oldest, steps);
    if (side.front != side.oldest)
      advance(op, side.front, steps);
  }

  bool isSingleLane() const { return plan.tasks[id].isSingleLane; }
  By allThreads() const { return isSingleLane() ? By::Leader : By::All; }

  void copyValues(const ir::Op &op, StepKind kind, std::vector<Step> &steps) {
    Step &step = makeStep(op, kind, steps);
    step.args = op.args;
    step.results = op.results;
  }

  void lowerLoop(const ir::Op &op, StepKind kind, std::vector<Step> &steps) {
    RegionId body = lower(op.body);
    Step &step = makeStep(op, kind, steps);
    step.loop = op.loop;
    step.across = op.across;
    step.body = body;
  }

  void lowerIf(const ir::Op &op, std::vector<Step> &steps) {
    std::vector<Sides> before = sides;
    RegionId body = lower(op.body);
    if (op.elseBody)
      sides = before;
    RegionId elseBody = lower(op.elseBody);
    Step &step = makeStep(op, StepKind::If, steps);
    step.args = op.args;
    step.body = body;
    step.elseBody = elseBody;
  }

  static void lowerAwait(const ir::Op &op, std::vector<Step> &steps) { // the rest: plan-groups
    Step &step = makeStep(op, StepKind::WaitGroup, steps);
    step.work = op.work;
    step.pending = op.pending;
    step.isRead = op.isRead;
  }

  void lowerCall(const ir::Op &op, std::vector<Step> &steps) {
    const ir::Work &work = kernel.works[op.work];
    std::optional<By> by = checkIssuer(op, work);
    if (!by || !checkStores(op, work))
      return;
    Step call;
    call.kind = StepKind::Call;
    call.loc = op.loc;
    call.work = op.work;
    call.args = op.args;
    call.results = op.results;
    call.by = *by;
    call.peer = op.peer;
    for (const ir::Access &access : work.accesses)
      call.accesses.push_back(lowerAccess(op, access));
    for (Access &access : call.accesses)
      access.isAtPeer =
          op.peer && access.field && kernel.fields[access.field].resource == work.resource;
    for (const Access &access : call.accesses)
      if (access.completes && isArmedByLoads(access))
        barrierStep(op, StepKind::Expect, access.completes, access.at.cursor, By::Leader, steps)
            .bytes = access.bytes * countAlong(plan.cluster, access.multicast); // and the peers'
    steps.push_back(std::move(call));
  }

  bool isArmedByLoads(const Access &access) const {
    return sides[kernel.fields[access.field].resource.index].producer.isArmedByLoads;
  }

  std::optional<By> checkIssuer(const ir::Op &op, const ir::Work &work) {
    const Task &task = plan.tasks[id];
    std::optional<By> by = issuerOf(work, task.warps);
    if (!by) {
      context.diags
          .report(op.loc, SingleIssueByAll, ir::workName(kernel, op.work),
                  task.warps * target::WarpThreads, task.name)
          .note(work.loc, "`{}` is declared here", ir::workName(kernel, op.work));
      isGood = false;
    } else if (*by == By::WarpLeader && isSingleIssue(work)) {
      context.diags.report(op.loc, PlanNotYetCompiled,
                           fmt::format("`{}`: a bulk copy `by warp` in a task of {} warps",
                                       ir::workName(kernel, op.work), task.warps));
      isGood = false;
      by = std::nullopt;
    }
    return by;
  }

  // An arrival at a peer, and the peer's wait, have the scope of a CTA: they do not order what
  // threads have stored here before what the peer loads here.
  bool checkStores(const ir::Op &op, const ir::Work &work) {
    for (const ir::Access &access : work.accesses)
      if (access.field && access.isWrite && access.mechanism != ir::Mechanism::Tma &&
          multicastOf(kernel, kernel.fields[access.field])) {
        context.diags.report(
            op.loc, PlanNotYetCompiled,
            fmt::format("a store by `{}` into the multicast field `{}.{}`",
                        ir::workName(kernel, op.work),
                        kernel.resources[kernel.fields[access.field].resource].name,
                        kernel.fields[access.field].name));
        isGood = false;
        return false;
      }
    return true;
  }

  // Which stage a body sees: of its own resource the side that its kind names, of another one the
  // stage that the task has waited for, else the one it has acquired.
  Side *sideOf(const ir::Work &work, ir::ResourceId resource) {
    if (!kernel.resources[resource].pipeline)
      return nullptr;
    Sides &both = sides[resource.index];
    if (work.resource == resource && work.kind == ir::WorkKind::Produce)
      return &both.producer;
    if (work.resource == resource && work.kind == ir::WorkKind::Consume)
      return &both.consumer;
    return both.consumer.held ? &both.consumer : &both.producer;
  }

  static CursorId cursorAt(const Side &side, unsigned behind) {
    if (behind == 0)
      return side.front;
    return behind + 1 == side.held ? side.oldest : side.between.at(behind);
  }

  Access lowerAccess(const ir::Op &op, const ir::Access &access) {
    Access result;
    result.field = access.field;
    result.tensor = access.tensor;
    result.isWrite = access.isWrite;
    result.mechanism = access.mechanism;
    result.elements = access.elements;
    if (!access.field)
      return result;
    ir::ResourceId resource = kernel.fields[access.field].resource;
    if (const Side *side = sideOf(kernel.works[op.work], resource))
      result.at.cursor = cursorAt(*side, op.stagesBehind(resource));
    bool isLoad = access.isWrite && access.mechanism == ir::Mechanism::Tma;
    if (isLoad && kernel.resources[resource].pipeline) {
      result.completes = barriersOf(context, resource).full;
      result.completesAt = result.at;
      result.multicast = multicastOf(kernel, kernel.fields[access.field]);
      result.bytes = static_cast<uint32_t>(kernel.fields[access.field].stageBytes() /
                                           countAlong(plan.cluster, result.multicast));
    }
    return result;
  }

  PassContext &context;
  const ir::Kernel &kernel;
  Plan &plan;
  TaskId id;
  std::vector<Sides> sides; // by resource
  bool isGood = true;
};

// The option `bytes N` states what all producers together load into one stage.
bool checkAssertedBytes(PassContext &context, ir::ResourceId id,
                        const std::vector<TaskLowering> &tasks) {
  const ir::Resource &resource = context.kernel.resources[id];
  if (!isTmaPipeline(resource) || !resource.pipeline->assertedBytes)
    return true;
  int64_t asserted = *resource.pipeline->assertedBytes;
  int64_t sum = 0;
  const ir::Op *example = nullptr;
  bool varies = false;
  for (const TaskLowering &task : tasks) {
    const Side &side = task.producerOf(id);
    varies |= side.isArmedByLoads;
    for (const auto &[op, bytes] : side.armed) {
      varies |= bytes != side.armed.front().second;
      example = op;
    }
    sum += side.armed.empty() ? 0 : side.armed.front().second;
  }
  if (!varies && sum == asserted)
    return true;
  if (varies) {
    context.diags.report(resource.pipeline->bytesLoc, BytesVary, asserted);
  } else {
    ReportBuilder report =
        context.diags.report(resource.pipeline->bytesLoc, BytesContradict, asserted, sum);
    if (example)
      report.note(example->loc, "the stage is taken here");
    report.fixit(resource.pipeline->bytesLoc, fmt::format("{}", sum),
                 fmt::format("change the number to {}", sum));
  }
  return false;
}

} // namespace

bool lowerPipelines(PassContext &context) {
  bool isGood = true;
  std::vector<TaskLowering> tasks;
  for (size_t i = 0; i < context.kernel.tasks.size(); ++i) {
    tasks.emplace_back(context, context.kernel.tasks.idAt(i));
    isGood &= tasks.back().run();
  }
  for (size_t i = 0; i < context.kernel.resources.size(); ++i)
    isGood &= checkAssertedBytes(context, context.kernel.resources.idAt(i), tasks);
  return isGood;
}

} // namespace tsk::plan
