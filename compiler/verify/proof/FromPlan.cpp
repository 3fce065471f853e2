#include "compiler/verify/proof/FromPlan.h"

#include "compiler/verify/proof/TripCounts.h"

#include <algorithm>

namespace tsk::proof {

using protocol::NodeKind;
using protocol::Op;
using protocol::OpKind;
using protocol::Region;

namespace {

constexpr int WarpLanes = 32;
constexpr int FirstTaskBarrier = 64; // named barriers of syncs to which the plan gives no number
constexpr unsigned WarpgroupWarps = 4;

class Translator {
public:
  explicit Translator(const plan::Plan &judged) : plan(judged), trips(judged, result.program) {}
  Translation run();

private:
  void addMemory();
  void addTask(plan::TaskId id);
  void region(plan::RegionId id, Region &into);
  void step(const plan::Step &step, Region &into);
  void loop(const plan::Step &step, Region &into);
  void branch(const plan::Step &step, Region &into);
  void condition(ir::ExprId expr, const plan::Step &step, Region body, Region other, Region &into);
  void call(const plan::Step &step, Region &into);
  void barrierStep(const plan::Step &step, Region &into);
  void sync(const plan::Step &step, Region &into);
  void add(const plan::Step &step, Op op, Region &into);
  void byWhom(const plan::Step &step, Op op, Region &into);
  protocol::Index indexOf(const plan::At &at) const;
  protocol::BarrierRef barrierRef(plan::BarrierId barrier, const plan::At &at) const;
  void fail(std::string why, SourceRange where) {
    if (result.unsupported.empty()) {
      result.unsupported = std::move(why);
      result.unsupportedAt = where;
    }
  }
  unsigned provenance(const plan::Step &step) {
    result.places.push_back(step.loc);
    result.program.places.push_back(plan::mnemonic(step.kind).str());
    return static_cast<unsigned>(result.places.size() - 1);
  }
  int lanes(const plan::Step &step) const {
    return isSingleLane || step.by != plan::By::All ? 1 : WarpLanes;
  }

  const plan::Plan &plan;
  Translation result;
  TripCounts trips;
  std::vector<int> mbarriers;   // by barrier: array, or -1 for a named one
  std::vector<int> cells;       // by field: array, or -1
  std::vector<int> cursorIndex; // by cursor: of its task
  protocol::Task *task = nullptr;
  unsigned taskIndex = 0;
  bool isSingleLane = false;
  std::vector<ir::ValueId> loops; // variables of the loops around
};

} // namespace

void Translator::addMemory() {
  for (size_t i = 0; i < plan.barriers.size(); ++i) {
    const plan::Barrier &bar = plan.barriers[plan.barriers.idAt(i)];
    mbarriers.push_back(-1);
    if (bar.kind != plan::Barrier::Kind::Mbarrier)
      continue;
    mbarriers.back() = static_cast<int>(result.program.barriers.size());
    protocol::BarrierArray array;
    array.name = bar.name;
    array.stages = bar.stages;
    array.arrivals = bar.arrivals;
    result.program.barriers.push_back(std::move(array));
  }
  cells.assign(plan.fields.size(), -1);
  for (size_t i = 0; i < plan.allocations.size(); ++i) {
    const plan::Allocation &memory = plan.allocations[plan.allocations.idAt(i)];
    cells[memory.field.index] = static_cast<int>(result.program.cells.size());
    protocol::CellArray cell;
    cell.name = memory.name;
    cell.stages = memory.stages;
    cell.hasAddress = memory.stageBytes > 0;
    cell.address = memory.offset;
    cell.stageBytes = std::max(1u, memory.stageBytes);
    result.program.cells.push_back(std::move(cell));
  }
}

protocol::Index Translator::indexOf(const plan::At &at) const {
  if (at.cursor)
    return {cursorIndex[at.cursor.index], 0};
  return {-1, static_cast<int>(at.stage)};
}

protocol::BarrierRef Translator::barrierRef(plan::BarrierId barrier, const plan::At &at) const {
  return {mbarriers[barrier.index], indexOf(at), {}};
}

void Translator::add(const plan::Step &step, Op op, Region &into) {
  protocol::Node node;
  op.provenance = provenance(step);
  node.op = std::move(op);
  into.push_back(std::move(node));
}

// A leader's step is one of the task's first warp.
void Translator::byWhom(const plan::Step &step, Op op, Region &into) {
  if (step.by != plan::By::Leader || task->warps == 1)
    return add(step, std::move(op), into);
  protocol::Node node;
  node.kind = NodeKind::Leader;
  add(step, std::move(op), node.body);
  into.push_back(std::move(node));
}

void Translator::barrierStep(const plan::Step &step, Region &into) {
  const plan::Barrier &bar = plan.barriers[step.barrier];
  Op op;
  if (bar.kind == plan::Barrier::Kind::Named) {
    op.kind = OpKind::NamedArrive;
    op.named = static_cast<int>(bar.namedId);
    op.n = static_cast<int>(bar.arrivals);
    if (step.kind != plan::StepKind::Arrive)
      fail("a named barrier used as an mbarrier", step.loc);
    return byWhom(step, std::move(op), into);
  }
  op.bar = barrierRef(step.barrier, step.at);
  switch (step.kind) {
  case plan::StepKind::Wait:
  case plan::StepKind::TryWait:
    op.kind = step.kind == plan::StepKind::Wait ? OpKind::Wait : OpKind::TryWait;
    if (step.at.cursor) {
      const plan::Cursor &cursor = plan.cursors[step.at.cursor];
      op.parity = {cursorIndex[step.at.cursor.index], 0, cursor.stages, cursor.startParity == 1};
    } else {
      op.parity.inverted = step.at.parity == 1;
    }
    break;
  case plan::StepKind::Arrive:
    op.kind = OpKind::Arrive;
    op.n = lanes(step);
    break;
  case plan::StepKind::ArriveExpect:
    if (lanes(step) == 1) {
      op.kind = OpKind::ArriveExpect;
      op.n = static_cast<int>(step.bytes);
      break;
    }
    op.kind = OpKind::Expect;
    op.n = static_cast<int>(step.bytes) * WarpLanes;
    byWhom(step, op, into);
    op.kind = OpKind::Arrive;
    op.n = WarpLanes;
    break;
  default:
    op.kind = OpKind::Expect;
    op.n = static_cast<int>(step.bytes) * lanes(step);
    break;
  }
  byWhom(step, std::move(op), into);
}

void Translator::sync(const plan::Step &step, Region &into) {
  Op op;
  op.kind = OpKind::Sync;
  if (step.barrier) {
    op.named = static_cast<int>(plan.barriers[step.barrier].namedId);
    op.n = static_cast<int>(plan.barriers[step.barrier].arrivals);
  } else if (step.scope == ir::SyncScope::Warp ||
             (task->warps == 1 && step.scope != ir::SyncScope::Cta)) {
    return; // lanes of one warp are one agent
  } else if (step.scope == ir::SyncScope::Cta) {
    op.named = 0;
    for (size_t i = 0; i < plan.tasks.size(); ++i)
      op.n += WarpLanes * static_cast<int>(plan.tasks[plan.tasks.idAt(i)].warps);
    op.n -= 1;
  } else if (step.scope == ir::SyncScope::Task ||
             (step.scope == ir::SyncScope::Warpgroup && task->warps <= WarpgroupWarps)) {
    op.named = FirstTaskBarrier + static_cast<int>(taskIndex);
    op.n = WarpLanes * static_cast<int>(task->warps);
  } else {
    return fail("a sync of warpgroups or of the cluster", step.loc);
  }
  add(step, std::move(op), into);
}

// Reads and writes by the calling threads are one access; each asynchronous copy is one more.
void Translator::call(const plan::Step &step, Region &into) {
  Op threads;
  for (const plan::Access &access : step.accesses) {
    if (!access.field || cells[access.field.index] < 0)
      continue;
    protocol::CellRef ref;
    ref.array = cells[access.field.index];
    ref.at = indexOf(access.at);
    ref.isWrite = access.isWrite;
    ref.isVersioned = true;
    if (access.mechanism == ir::Mechanism::Async) {
      threads.cells.push_back(ref);
      continue;
    }
    if (access.mechanism != ir::Mechanism::Tma || !access.isWrite || !access.completes) {
      fail("an access by this mechanism", step.loc);
      continue;
    }
    Op load;
    load.kind = OpKind::Load;
    load.cells.push_back(ref);
    bool ownStage = access.completesAt.cursor || plan.barriers[access.completes].stages == 1;
    load.bar = barrierRef(access.completes, ownStage ? access.completesAt : access.at);
    load.n = static_cast<int>(access.bytes) * lanes(step);
    byWhom(step, std::move(load), into);
  }
  if (!threads.cells.empty())
    byWhom(step, std::move(threads), into);
}

void Translator::loop(const plan::Step &step, Region &into) {
  protocol::Node node;
  node.kind = NodeKind::Loop;
  loops.push_back(step.loop.variable);
  region(step.body, node.body);
  loops.pop_back();
  if (node.body.empty())
    return;
  bool isPerThread = step.kind == plan::StepKind::ParallelFor && step.across != ir::Across::Grid;
  if (trips.varies(step.loop.lower) || trips.varies(step.loop.upper) ||
      trips.varies(step.loop.step))
    fail("a loop whose bounds change with the loop around it", step.loc);
  node.count = trips.count(step.loop);
  node.provenance = provenance(step);
  auto uniformity = [&](ir::ExprId expr) { return plan.tables.exprs[expr].uniformity; };
  isPerThread |= uniformity(step.loop.lower) == ir::Uniformity::Thread ||
                 uniformity(step.loop.upper) == ir::Uniformity::Thread ||
                 uniformity(step.loop.step) == ir::Uniformity::Thread;
  if (!isPerThread) {
    into.push_back(std::move(node));
    return;
  }
  // Threads may disagree on how often: what synchronises inside is a fault whatever the count.
  protocol::Node guard;
  guard.kind = NodeKind::If;
  guard.isUniform = false;
  guard.symbol = trips.choice(step.loop.upper);
  guard.body.push_back(std::move(node));
  into.push_back(std::move(guard));
}

void Translator::condition(ir::ExprId id, const plan::Step &step, Region body, Region other,
                           Region &into) {
  id = trips.resolve(id);
  const ir::Expr &expr = plan.tables.exprs[id];
  if (std::optional<int64_t> value = ir::constantValue(plan.tables, id)) {
    Region &taken = *value ? body : other;
    std::move(taken.begin(), taken.end(), std::back_inserter(into));
    return;
  }
  protocol::Node node;
  node.provenance = provenance(step);
  switch (expr.op) {
  case ir::ExprOp::Not:
    return condition(expr.operands[0], step, std::move(other), std::move(body), into);
  case ir::ExprOp::And: {
    Region inner;
    condition(expr.operands[1], step, std::move(body), other, inner);
    return condition(expr.operands[0], step, std::move(inner), std::move(other), into);
  }
  case ir::ExprOp::First:
  case ir::ExprOp::Last:
  case ir::ExprOp::Every: {
    const ir::Expr &variable = plan.tables.exprs[expr.operands[0]];
    if (loops.empty() || variable.valueRef != loops.back())
      return fail("a guard of a loop that is not the innermost one around it", step.loc);
    node.kind = expr.op == ir::ExprOp::First  ? NodeKind::First
                : expr.op == ir::ExprOp::Last ? NodeKind::Last
                                              : NodeKind::Every;
    if (expr.op == ir::ExprOp::Every) {
      std::optional<int64_t> modulus = ir::constantValue(plan.tables, expr.operands[1]);
      if (!modulus || *modulus < 1 || *modulus > 1024)
        return fail("`every` with a number that is not constant", step.loc);
      node.modulus = static_cast<int>(*modulus);
    }
    break;
  }
  default:
    if (trips.varies(id))
      return fail("a condition that changes from one iteration to the next", step.loc);
    node.kind = NodeKind::If;
    node.isUniform = expr.uniformity != ir::Uniformity::Thread;
    node.symbol = trips.choice(id);
  }
  node.body = std::move(body);
  node.elseBody = std::move(other);
  into.push_back(std::move(node));
}

void Translator::branch(const plan::Step &step, Region &into) {
  Region body, other;
  region(step.body, body);
  if (step.elseBody)
    region(step.elseBody, other);
  if (!body.empty() || !other.empty())
    condition(step.args[0], step, std::move(body), std::move(other), into);
}

void Translator::step(const plan::Step &step, Region &into) {
  switch (step.kind) {
  case plan::StepKind::Wait:
  case plan::StepKind::TryWait:
  case plan::StepKind::Arrive:
  case plan::StepKind::ArriveExpect:
  case plan::StepKind::Expect:
    return barrierStep(step, into);
  case plan::StepKind::Advance: {
    Op op;
    op.kind = OpKind::Next;
    op.cursor = cursorIndex[step.cursor.index];
    return add(step, std::move(op), into);
  }
  case plan::StepKind::Sync:
    return sync(step, into);
  case plan::StepKind::Fence: {
    Op op;
    op.kind = OpKind::ProxyFence;
    return byWhom(step, std::move(op), into);
  }
  case plan::StepKind::Call:
    return call(step, into);
  case plan::StepKind::Let:
    trips.define(step.results[0], step.args[0]);
    return;
  case plan::StepKind::Var:
  case plan::StepKind::Assign:
    return;
  case plan::StepKind::For:
  case plan::StepKind::ParallelFor:
    return loop(step, into);
  case plan::StepKind::If:
    return branch(step, into);
  }
}

void Translator::region(plan::RegionId id, Region &into) {
  if (id)
    for (const plan::Step &one : plan.regions[id].steps)
      step(one, into);
}

void Translator::addTask(plan::TaskId id) {
  const plan::Task &from = plan.tasks[id];
  protocol::Task added;
  added.name = from.name;
  isSingleLane = from.isSingleLane;
  added.warps = isSingleLane ? 1 : from.warps;
  for (size_t i = 0; i < plan.cursors.size(); ++i) {
    const plan::Cursor &cursor = plan.cursors[plan.cursors.idAt(i)];
    if (cursor.task != id)
      continue;
    cursorIndex[i] = static_cast<int>(added.cursors.size());
    added.cursors.push_back(cursor.name);
  }
  task = &added;
  taskIndex = id.index;
  region(from.body, added.body);
  result.program.tasks.push_back(std::move(added));
}

Translation Translator::run() {
  addMemory();
  cursorIndex.assign(plan.cursors.size(), -1);
  for (size_t i = 0; i < plan.tasks.size(); ++i)
    addTask(plan.tasks.idAt(i));
  return std::move(result);
}

Translation fromPlan(const plan::Plan &plan) { return Translator(plan).run(); }

} // namespace tsk::proof
