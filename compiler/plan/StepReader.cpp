#include "compiler/plan/PlanDiagnostics.h"
#include "compiler/plan/PlanReader.h"
#include "compiler/plan/TextDefaults.h"
#include "compiler/target/Limits.h"

namespace tsk::plan {

constexpr Diagnostic<unsigned> PlanTextTooDeep{kind::PlanTextTooDeep, "blocks nest deeper than {}"};
constexpr Diagnostic<std::string, unsigned, unsigned> PlanTextStageOutside{
    kind::PlanTextStageOutside, "`{}` has {} stages, there is no stage {}"};
constexpr Diagnostic<std::string, unsigned, std::string, unsigned> PlanTextCursorStages{
    kind::PlanTextCursorStages, "cursor `{}` walks {} stages, `{}` has {}"};

// task Store warps 0 .. 4 [single_lane] { cursor …; step; … }
void PlanReader::readTask(SourceLoc begin) {
  Task task;
  task.name = reader.name("the task's name");
  std::tie(task.firstWarp, task.warps) = readWarps();
  task.isSingleLane = reader.accept("single_lane");
  task.loc = reader.rangeFrom(begin);
  if (!taskNames.insert(task.name).second)
    return reader.fail(task.loc, ir::TextDuplicateName, task.name);
  cursors.clear();
  scope.values.clear();
  currentTask = plan->tasks.idAt(plan->tasks.size());
  task.body = {}; // known once the block is read, which makes regions of its own
  plan->tasks.add(std::move(task));
  RegionId body = readBlock();
  plan->tasks[currentTask].body = body;
}

void PlanReader::readCursor() {
  Cursor cursor;
  cursor.task = currentTask;
  SourceRange place = reader.peek().range;
  cursor.name = dotted("the cursor's name");
  if (reader.accept("stages"))
    cursor.stages = number("the number of stages", 1, MaxStages);
  if (reader.accept("parity"))
    cursor.startParity = number("the parity", 0, 1);
  std::string name = cursor.name;
  if (!cursors.try_emplace(name, plan->cursors.idAt(plan->cursors.size())).second)
    return reader.fail(place, ir::TextDuplicateName, name);
  plan->cursors.add(std::move(cursor));
  reader.expect(";");
}

RegionId PlanReader::readBlock() {
  std::vector<Step> steps;
  if (++depth > ir::MaxTextBlockDepth)
    reader.fail(reader.peek().range, PlanTextTooDeep, ir::MaxTextBlockDepth);
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}")) {
    if (reader.accept("cursor"))
      readCursor();
    else
      steps.push_back(readStep());
  }
  reader.expect("}");
  --depth;
  return plan->regions.add({std::move(steps)});
}

Step PlanReader::readStep() {
  Step step;
  SourceLoc begin = reader.peek().range.begin;
  bool isBlock = readStepBody(step);
  if (!isBlock) {
    step.loc = reader.rangeFrom(begin);
    reader.expect(";");
  }
  return step;
}

// True if the step is one with blocks: no `;` follows, and `loc` is set to its head.
bool PlanReader::readStepBody(Step &step) {
  for (StepKind kind : {StepKind::Wait, StepKind::TryWait, StepKind::Arrive, StepKind::ArriveExpect,
                        StepKind::Expect})
    if (reader.accept(mnemonic(kind))) {
      step.kind = kind;
      readBarrierStep(step);
      return false;
    }
  if (reader.accept("advance")) {
    step.kind = StepKind::Advance;
    step.cursor = find(cursors, "cursor");
  } else if (reader.accept("sync")) {
    readSync(step);
  } else if (reader.accept("fence")) {
    step.kind = StepKind::Fence;
    if (reader.accept(spelling(FenceKind::Wgmma)))
      step.fence = FenceKind::Wgmma;
    else
      reader.expect(spelling(FenceKind::ProxyAsync));
  } else if (reader.accept("commit_group")) {
    step.kind = StepKind::CommitGroup;
    step.queue = readQueue();
    step.by = readBy();
  } else if (reader.accept("wait_group")) {
    readWaitGroup(step);
  } else if (reader.accept("call")) {
    readCall(step);
  } else if (reader.accept("let")) {
    readLet(step);
  } else if (reader.accept("var")) {
    readVar(step);
  } else if (reader.at("for") || reader.at("parallel")) {
    readLoop(step);
    return true;
  } else if (reader.at("if")) {
    readIf(step);
    return true;
  } else {
    readAssign(step);
  }
  return false;
}

void PlanReader::readBarrierStep(Step &step) {
  bool hasParity = step.kind == StepKind::Wait || step.kind == StepKind::TryWait;
  bool hasBytes = step.kind == StepKind::ArriveExpect || step.kind == StepKind::Expect;
  step.barrier = find(barriers, "barrier");
  if (reader.failed())
    return;
  const Barrier &barrier = plan->barriers[step.barrier];
  if (barrier.kind == Barrier::Kind::Named && step.kind != StepKind::Arrive)
    return reader.unexpected("an mbarrier; a named one has only `arrive` and `sync`");
  if (barrier.kind == Barrier::Kind::Mbarrier)
    step.at = readAt(barrier.name, barrier.stages);
  if (hasParity && !step.at.cursor) {
    reader.expect("parity");
    step.at.parity = number("the parity", 0, 1);
  }
  if (hasBytes) {
    reader.expect("bytes");
    step.bytes = number("the number of bytes", 0, MaxBytes);
  }
  if (barrier.kind == Barrier::Kind::Mbarrier && step.kind == StepKind::Arrive &&
      reader.accept("along"))
    step.peers = readAxes();
  if (barrier.kind == Barrier::Kind::Mbarrier && step.kind == StepKind::Arrive)
    step.peer = ir::readPeer(reader, plan->tables, scope);
  step.by = readBy();
}

Axes PlanReader::readAxes() { // x, y
  Axes axes;
  do {
    unsigned axis = 0;
    while (axis < 3 && !reader.accept(llvm::StringRef("xyz").substr(axis, 1)))
      ++axis;
    if (axis == 3) {
      reader.unexpected("an axis of the cluster: x, y or z");
      break;
    }
    axes |= Axes::of(axis);
  } while (reader.accept(","));
  return axes;
}

At PlanReader::readAt(const std::string &owner, unsigned stages) { // [cursor] or [2]; none: stage 0
  At at;
  if (!reader.accept("["))
    return at;
  if (reader.peek().kind == ir::TextToken::Kind::Number) {
    SourceRange place = reader.peek().range;
    at.stage = number("a stage", 0, MaxStages);
    if (at.stage >= stages)
      reader.fail(place, PlanTextStageOutside, owner, stages, at.stage);
  } else {
    at.cursor = find(cursors, "cursor");
    if (!reader.failed() && plan->cursors[at.cursor].stages != stages)
      reader.fail(lastName, PlanTextCursorStages, plan->cursors[at.cursor].name,
                  plan->cursors[at.cursor].stages, owner, stages);
  }
  reader.expect("]");
  return at;
}

By PlanReader::readBy() {
  if (!reader.accept("by"))
    return By::All;
  for (By by : {By::All, By::Leader, By::WarpLeader})
    if (reader.accept(spelling(by)))
      return by;
  reader.unexpected("an issuer: all, leader or warp");
  return By::All;
}

Queue PlanReader::readQueue() {
  for (Queue queue : {Queue::Wgmma, Queue::Bulk})
    if (reader.accept(spelling(queue)))
      return queue;
  reader.unexpected("a queue: wgmma or bulk");
  return Queue::Wgmma;
}

void PlanReader::readWaitGroup(Step &step) { // wait_group wgmma 0 [read] [by …] [defines acc.c]
  step.kind = StepKind::WaitGroup;
  step.queue = readQueue();
  step.pending = number("the number of groups that may be in flight", 0, target::MaxPendingGroups);
  step.isRead = reader.accept("read");
  step.by = readBy();
  if (reader.accept("defines"))
    do
      step.defines.push_back(declareOnUse(fields, plan->fields, dotted("a field")));
    while (reader.accept(","));
}

void PlanReader::readSync(Step &step) { // sync cta; sync turn
  step.kind = StepKind::Sync;
  const std::string name = dotted("a named barrier"); // `cta.sync` is one, `cta` is not
  for (ir::SyncScope scopeKind : {ir::SyncScope::Warp, ir::SyncScope::Warpgroup,
                                  ir::SyncScope::Task, ir::SyncScope::Cta, ir::SyncScope::Cluster})
    if (name == ir::spelling(scopeKind)) {
      step.scope = scopeKind;
      return;
    }
  step.barrier = lookUp(barriers, "named barrier", name);
  if (!reader.failed() && plan->barriers[step.barrier].kind != Barrier::Kind::Named)
    reader.fail(lastName, ir::TextUnknownName, "named barrier", plan->barriers[step.barrier].name);
}

// call box.load(args) [by …] {reads|writes …}
void PlanReader::readCall(Step &step) {
  step.kind = StepKind::Call;
  callee(step, dotted("a work"));
}

// let x [uniform u] = e, let v : T = call …, let (a : T, b : T) = call …
void PlanReader::readLet(Step &step) {
  step.kind = StepKind::Let;
  bool isTuple = reader.at("(");
  auto result = [&] {
    std::string name = dotted("a name");
    step.results.push_back(readDeclared(name, ir::Value::Kind::Result, Unstated));
  };
  if (isTuple)
    reader.list("(", ")", result);
  else
    result();
  reader.expect("=");
  if (isTuple && !reader.at("call"))
    return reader.unexpected("`call`");
  bool isCall = reader.accept("call");
  if (isCall)
    readCall(step);
  else
    step.args.push_back(expr());
  ir::Uniformity fallback = isCall ? ResultUniformity : plan->tables.exprs[step.args[0]].uniformity;
  for (ValueId id : step.results) {
    ir::Value &value = plan->tables.values[id];
    value.kind = isCall ? ir::Value::Kind::Result : ir::Value::Kind::Let;
    if (value.uniformity == Unstated)
      value.uniformity = fallback;
  }
  publishValues();
}

void PlanReader::callee(Step &step, const std::string &name) {
  step.work = declareOnUse(works, plan->works, name);
  reader.list("(", ")", [&] { step.args.push_back(expr()); });
  step.peer = ir::readPeer(reader, plan->tables, scope);
  step.by = readBy();
  while (reader.at("reads") || reader.at("writes"))
    step.accesses.push_back(readAccess());
}

// reads box.data[box] by tma completes box.full[box] bytes 16384; reads param src
Access PlanReader::readAccess() {
  Access access;
  access.isWrite = reader.take().text == "writes";
  if (reader.accept("param")) {
    access.tensor = find(params, "parameter");
  } else {
    std::string name = dotted("a field");
    access.field = declareOnUse(fields, plan->fields, name);
    auto allocation = allocationOf.find(access.field.index);
    unsigned stages = allocation == allocationOf.end()
                          ? 1
                          : plan->allocations[plan->allocations.idAt(allocation->second)].stages;
    access.at = readAt(name, stages);
    if (reader.accept("at")) {
      reader.expect("peer");
      access.isAtPeer = true;
    }
  }
  if (reader.accept("by"))
    access.mechanism = readMechanism();
  if (reader.accept("completes")) {
    access.completes = find(barriers, "barrier");
    if (!reader.failed())
      access.completesAt =
          readAt(plan->barriers[access.completes].name, plan->barriers[access.completes].stages);
    reader.expect("bytes");
    access.bytes = number("the number of bytes", 0, MaxBytes);
    if (reader.accept("multicast"))
      access.multicast = readAxes();
  }
  return access;
}

ir::Mechanism PlanReader::readMechanism() {
  for (unsigned i = 0; i <= static_cast<unsigned>(ir::Mechanism::Cta); ++i)
    if (reader.accept(words::spelling(static_cast<ir::Mechanism>(i))))
      return static_cast<ir::Mechanism>(i);
  reader.unexpected("a mechanism");
  return ir::Mechanism::Async;
}

ExprId PlanReader::expr() {
  ExprId id = ir::readExpr(reader, plan->tables, scope);
  // After an error the plan is thrown away; until then every id must be one.
  return id ? id : ir::makeConstant(plan->tables, ir::ConstantScalar::ofInt(0), {});
}

ir::ScalarType PlanReader::readScalarType() {
  ir::TextToken token = reader.word("a scalar type");
  std::optional<ir::ScalarType> type = ir::scalarTypeByName(token.text);
  if (!type && !reader.failed())
    reader.fail(token.range, ir::TextUnknownName, "scalar type", token.text);
  return type.value_or(ir::ScalarType::I32);
}

// [uniform u] [: type], after the name. The name can be used after publishValues().
ValueId PlanReader::readDeclared(const std::string &name, ir::Value::Kind kind,
                                 ir::Uniformity fallback) {
  ir::Value value;
  value.name = name;
  value.kind = kind;
  value.loc = lastName;
  value.uniformity = reader.accept("uniform") ? readUniformity() : fallback;
  if (reader.accept(":"))
    value.type = kind == ir::Value::Kind::LoopVariable ? ir::Type::ofScalar(readScalarType())
                                                       : ir::readType(reader);
  if (scope.values.count(name) || scope.scalars.count(name))
    reader.fail(lastName, ir::TextDuplicateName, name);
  ValueId id = plan->tables.values.add(std::move(value));
  pendingValues.push_back(id);
  return id;
}

ir::Uniformity PlanReader::readUniformity() {
  for (ir::Uniformity u : {ir::Uniformity::Const, ir::Uniformity::Kernel, ir::Uniformity::Cluster,
                           ir::Uniformity::Cta, ir::Uniformity::Thread})
    if (reader.accept(ir::spelling(u)))
      return u;
  reader.unexpected("a uniformity: const, kernel, cluster, cta or thread");
  return ir::Uniformity::Thread;
}

void PlanReader::publishValues() {
  for (ValueId id : pendingValues)
    scope.values[plan->tables.values[id].name] = id;
  pendingValues.clear();
}

void PlanReader::readVar(Step &step) { // var s [uniform u] : T = e
  step.kind = StepKind::Var;
  std::string name = dotted("a name");
  step.results.push_back(readDeclared(name, ir::Value::Kind::Var, VarUniformity));
  reader.expect("=");
  step.args.push_back(expr());
  publishValues();
}

void PlanReader::readAssign(Step &step) { // s = e
  step.kind = StepKind::Assign;
  ir::TextToken token = reader.word("a step");
  if (reader.failed())
    return;
  auto known = scope.values.find(token.text);
  if (known == scope.values.end() || !reader.at("="))
    return reader.fail(token.range, ir::TextUnknownName, "step", token.text);
  reader.expect("=");
  step.results.push_back(known->second);
  step.args.push_back(expr());
}

// [parallel] for i in [reversed] lo .. hi [step s] [across grid] [unroll n] { … }
void PlanReader::readLoop(Step &step) {
  SourceLoc begin = reader.peek().range.begin;
  step.kind = reader.accept("parallel") ? StepKind::ParallelFor : StepKind::For;
  reader.expect("for");
  std::string name = dotted("the loop's variable");
  ValueId variable = readDeclared(name, ir::Value::Kind::LoopVariable, Unstated);
  reader.expect("in");
  ir::Loop &loop = step.loop;
  loop.variable = variable;
  loop.isReversed = reader.accept("reversed");
  loop.lower = expr();
  reader.expect("..");
  loop.upper = expr();
  loop.step = reader.accept("step")
                  ? expr()
                  : ir::makeConstant(plan->tables, ir::ConstantScalar::ofInt(1), {});
  if (step.kind == StepKind::ParallelFor) {
    reader.expect("across");
    step.across = readAcross();
  }
  if (reader.accept("unroll"))
    loop.unroll = number("the unroll factor", 1, ir::MaxUnrolling);
  if (plan->tables.values[variable].uniformity == Unstated)
    plan->tables.values[variable].uniformity = loopUniformity(plan->tables, step);
  step.loc = reader.rangeFrom(begin);
  publishValues();
  step.body = readBlock();
}

ir::Across PlanReader::readAcross() {
  for (ir::Across across : {ir::Across::Grid, ir::Across::Cta, ir::Across::Task, ir::Across::Warp})
    if (reader.accept(words::spelling(across)))
      return across;
  reader.unexpected("grid, cta, task or warp");
  return ir::Across::Grid;
}

void PlanReader::readIf(Step &step) {
  SourceLoc begin = reader.peek().range.begin;
  step.kind = StepKind::If;
  reader.expect("if");
  reader.expect("(");
  step.args.push_back(expr());
  reader.expect(")");
  step.loc = reader.rangeFrom(begin);
  step.body = readBlock();
  if (reader.accept("else"))
    step.elseBody = readBlock();
}

} // namespace tsk::plan
