#include "compiler/ir/Fold.h"
#include "compiler/verify/model/Program.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using ir::ExprId;
using ir::ExprOp;
using plan::Step;
using plan::StepKind;

size_t Program::size() const {
  size_t sum = 0;
  for (const TaskProgram &task : tasks)
    sum += task.ops.size();
  return sum;
}

namespace {

class TaskExpander {
public:
  TaskExpander(const Model &theModel, const Coordinates &theCoordinates, const Choices &theChoices,
               size_t &theBudget)
      : model(theModel), plan(theModel.plan()), coordinates(theCoordinates), choices(theChoices),
        budget(theBudget), positions(plan.cursors.size()) {}

  std::optional<TaskProgram> run(const plan::Task &task) {
    if (!expand(task.body))
      return std::nullopt;
    return std::move(program);
  }

private:
  bool spend() { return budget > 0 && budget--; }

  bool expand(plan::RegionId region) {
    if (!region)
      return true;
    return llvm::all_of(plan.regions[region].steps, [&](const Step &step) { return expand(step); });
  }

  bool expand(const Step &step) {
    if (!coordinates.isRelevant(step))
      return true;
    switch (step.kind) {
    case StepKind::For:
    case StepKind::ParallelFor:
      return expandLoop(step);
    case StepKind::If:
      return expand(holds(step.args[0]) ? step.body : step.elseBody);
    case StepKind::Advance:
      ++positions[step.cursor.index];
      return true;
    case StepKind::TryWait: // a hint: the wait that follows decides
      return true;
    default:
      return expandOp(step);
    }
  }

  bool expandLoop(const Step &step) {
    TripCount count = coordinates.tripCount(step);
    int64_t trips = count.constant.value_or(0);
    if (!count.constant)
      trips = choices.trips[count.coordinate];
    int parent = frame;
    for (int64_t i = 0; i < trips; ++i) {
      if (!spend())
        return false;
      frame = static_cast<int>(program.frames.size());
      program.frames.push_back({&step, i, trips, parent});
      if (!expand(step.body))
        return false;
    }
    frame = parent;
    return true;
  }

  bool expandOp(const Step &step) {
    if (!spend())
      return false;
    Op op;
    op.step = &step;
    op.by = step.by;
    op.frame = frame;
    op.bytes = step.bytes;
    switch (step.kind) {
    case StepKind::Wait:
      op.kind = OpKind::Wait;
      op.parity = parityAt(step.at);
      break;
    case StepKind::Arrive:
      op.kind = isNamed(step) ? OpKind::Signal : OpKind::Arrive;
      op.bytes = 0;
      break;
    case StepKind::ArriveExpect:
      op.kind = OpKind::Arrive;
      break;
    case StepKind::Expect:
      op.kind = OpKind::Expect;
      break;
    case StepKind::Sync:
      op.kind = OpKind::Sync;
      break;
    case StepKind::Call:
      op.kind = OpKind::Call;
      addAccesses(step, op);
      break;
    default:
      TSK_UNREACHABLE("a step without a part in the protocol");
    }
    if (op.kind != OpKind::Sync && op.kind != OpKind::Signal && op.kind != OpKind::Call)
      op.cell = model.barrierCell(step.barrier, stageAt(step.at));
    program.ops.push_back(op);
    return true;
  }

  bool isNamed(const Step &step) const {
    return plan.barriers[step.barrier].kind == plan::Barrier::Kind::Named;
  }

  void addAccesses(const Step &step, Op &op) {
    op.firstAccess = static_cast<unsigned>(program.accesses.size());
    for (const plan::Access &access : step.accesses) {
      int cell = access.field ? model.fieldCell(access.field, stageAt(access.at)) : -1;
      if (cell < 0)
        continue;
      CellAccess result;
      result.cell = static_cast<unsigned>(cell);
      result.isWrite = access.isWrite;
      result.isLoad = access.isWrite && access.mechanism == ir::Mechanism::Tma;
      result.position = access.at.cursor ? positions[access.at.cursor.index] : -1;
      if (access.completes) {
        result.completes =
            static_cast<int>(model.barrierCell(access.completes, stageAt(access.completesAt)));
        result.bytes = access.bytes;
      }
      program.accesses.push_back(result);
    }
    op.accessCount = static_cast<unsigned>(program.accesses.size()) - op.firstAccess;
  }

  unsigned stageAt(const plan::At &at) const {
    if (!at.cursor)
      return at.stage;
    return static_cast<unsigned>(positions[at.cursor.index] % plan.cursors[at.cursor].stages);
  }

  uint8_t parityAt(const plan::At &at) const {
    if (!at.cursor)
      return static_cast<uint8_t>(at.parity);
    const plan::Cursor &cursor = plan.cursors[at.cursor];
    return (cursor.startParity + positions[at.cursor.index] / cursor.stages) % 2;
  }

  // ---- conditions
  // --------------------------------------------------------------------------------

  bool holds(ExprId id) {
    const ir::Expr &expr = plan.tables.exprs[id];
    if (expr.op == ExprOp::And)
      return holds(expr.operands[0]) && holds(expr.operands[1]);
    if (expr.op == ExprOp::Or)
      return holds(expr.operands[0]) || holds(expr.operands[1]);
    if (expr.op == ExprOp::Not)
      return !holds(expr.operands[0]);
    if (const BranchAtom *atom = coordinates.branch(id))
      return isTaken(choices.branches[atom->coordinate], ordinalFor(atom->variables)) !=
             atom->isNegated;
    if (std::optional<bool> decided = coordinates.decided(id))
      return *decided;
    evaluations = 0;
    return evaluate(id).value_or(0) != 0;
  }

  int64_t ordinalFor(const Facts::Variables &variables) const {
    for (int f = frame; f >= 0; f = program.frames[f].parent)
      if (variables.hasOthers || variables.loops.count(program.frames[f].loop->loop.variable))
        return program.frames[f].ordinal;
    return 0;
  }

  const Frame *frameOf(ir::ValueId variable) const {
    for (int f = frame; f >= 0; f = program.frames[f].parent)
      if (program.frames[f].loop->loop.variable == variable)
        return &program.frames[f];
    return nullptr;
  }

  // Of an expression that Coordinates found computable. Bounded, as chains of `let`s may double.
  std::optional<int64_t> evaluate(ExprId id) {
    if (++evaluations > 10000)
      return std::nullopt;
    const ir::Expr &expr = plan.tables.exprs[id];
    if (std::optional<int64_t> constant = ir::constantValue(plan.tables, id))
      return constant;
    if (expr.op == ExprOp::Value) {
      if (ExprId let = coordinates.definition(expr.valueRef))
        return evaluate(let);
      return valueOf(frameOf(expr.valueRef));
    }
    if (expr.op == ExprOp::First || expr.op == ExprOp::Last || expr.op == ExprOp::Every)
      return evaluateOrdinal(expr);
    llvm::SmallVector<ir::ConstantScalar, 3> operands;
    for (ExprId operand : expr.operands) {
      std::optional<int64_t> value = evaluate(operand);
      if (!value)
        return std::nullopt;
      operands.push_back({plan.tables.exprs[operand].type.scalar, *value, 0});
    }
    ir::Folded folded = ir::fold(expr.op, operands);
    return folded ? std::optional(folded.constant.value) : std::nullopt;
  }

  std::optional<int64_t> valueOf(const Frame *loop) const {
    if (!loop)
      return std::nullopt;
    std::optional<int64_t> lower = ir::constantValue(plan.tables, loop->loop->loop.lower);
    std::optional<int64_t> step = ir::constantValue(plan.tables, loop->loop->loop.step);
    if (!lower || !step)
      return std::nullopt;
    int64_t ordinal = loop->loop->loop.isReversed ? loop->trips - 1 - loop->ordinal : loop->ordinal;
    return *lower + ordinal * *step;
  }

  std::optional<int64_t> evaluateOrdinal(const ir::Expr &expr) {
    const Frame *loop = frameOf(plan.tables.exprs[expr.operands[0]].valueRef);
    if (!loop)
      return std::nullopt;
    if (expr.op == ExprOp::First)
      return loop->ordinal == 0;
    if (expr.op == ExprOp::Last)
      return loop->ordinal == loop->trips - 1;
    std::optional<int64_t> period = evaluate(expr.operands[1]);
    if (!period || *period <= 0)
      return std::nullopt;
    return loop->ordinal % *period == 0;
  }

  const Model &model;
  const plan::Plan &plan;
  const Coordinates &coordinates;
  const Choices &choices;
  size_t &budget;
  std::vector<int64_t> positions; // of cursors: how often each has advanced
  TaskProgram program;
  int frame = -1;
  unsigned evaluations = 0;
};

} // namespace

std::optional<Program> expand(const Model &model, const Coordinates &coordinates,
                              const Choices &choices, size_t limit) {
  Program program;
  for (const plan::Task &task : model.plan().tasks) {
    std::optional<TaskProgram> expanded =
        TaskExpander(model, coordinates, choices, limit).run(task);
    if (!expanded)
      return std::nullopt;
    program.tasks.push_back(std::move(*expanded));
  }
  return program;
}

} // namespace tsk::verify
