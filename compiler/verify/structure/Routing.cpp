// V5, the part that needs no run: the result of a work that one lane executes is known to that lane
// only. Another work of one lane may take it; one of all threads may not, nor may a bound or a
// condition that all threads evaluate.
//
// (Values are assigned once and in scope, so each has one reaching definition by construction.
// Which stage a body sees is checked on the plan, where cursors count.)
#include "compiler/ir/Text.h"
#include "compiler/plan/Issue.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/Structure.h"

#include <map>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string> LaneValue{
    kind::LaneValue,
    "`{}` is known to one lane only, which executed `{}`; {} needs it in every thread"};

class Checker {
public:
  Checker(const ir::Kernel &theKernel, const ir::Task &theTask, DiagnosticEngine &engine)
      : kernel(theKernel), task(theTask), diags(engine) {}

  bool run() {
    walk(task.body);
    return isGood;
  }

private:
  struct Origin {
    ir::WorkId work;
    SourceRange loc;
  };

  void walk(ir::RegionId region) {
    if (!region)
      return;
    for (const ir::Op &op : kernel.regions[region].ops)
      visit(op);
  }

  void visit(const ir::Op &op) {
    switch (op.kind) {
    case ir::OpKind::Call: {
      const ir::Work &work = kernel.works[op.work];
      bool byAll = plan::issuerOf(work, task.warps) == plan::By::All;
      for (ir::ExprId arg : op.args)
        if (byAll)
          check(arg, fmt::format("`{}`", ir::workName(kernel, op.work)), op.loc);
      for (ir::ValueId result : op.results)
        if (!byAll)
          oneLane[result] = {op.work, op.loc};
      return;
    }
    case ir::OpKind::Let:
    case ir::OpKind::Var:
    case ir::OpKind::Assign:
      if (const Origin *origin = find(op.args[0]))
        oneLane[op.results[0]] = *origin;
      return;
    case ir::OpKind::For:
    case ir::OpKind::ParallelFor:
      for (ir::ExprId bound : {op.loop.lower, op.loop.upper, op.loop.step})
        check(bound, "this loop", op.loc);
      return walk(op.body);
    case ir::OpKind::If:
      check(op.args[0], "this condition", op.loc);
      walk(op.body);
      return walk(op.elseBody);
    default:
      return;
    }
  }

  void check(ir::ExprId expr, const std::string &user, SourceRange place) {
    ir::ValueId value;
    const Origin *origin = find(expr, &value);
    if (!origin || !hasOtherLanes())
      return;
    diags
        .report(place, LaneValue, kernel.tables.values[value].name,
                ir::workName(kernel, origin->work), user)
        .note(origin->loc, "it is computed here");
    isGood = false;
  }

  // A task that does nothing else runs on that lane as a whole (infer-single-lane).
  bool hasOtherLanes() {
    if (!otherLanes)
      otherLanes = task.warps > 1 || hasWorkOfAll(task.body);
    return *otherLanes;
  }

  bool hasWorkOfAll(ir::RegionId region) const {
    if (!region)
      return false;
    for (const ir::Op &op : kernel.regions[region].ops) {
      if (op.kind == ir::OpKind::ParallelFor || op.kind == ir::OpKind::Sync ||
          (op.kind == ir::OpKind::Call &&
           plan::issuerOf(kernel.works[op.work], task.warps) == plan::By::All) ||
          hasWorkOfAll(op.body) || hasWorkOfAll(op.elseBody))
        return true;
    }
    return false;
  }

  const Origin *find(ir::ExprId id, ir::ValueId *which = nullptr) const {
    const ir::Expr &expr = kernel.tables.exprs[id];
    if (expr.op == ir::ExprOp::Value) {
      auto it = oneLane.find(expr.valueRef);
      if (it == oneLane.end())
        return nullptr;
      if (which)
        *which = expr.valueRef;
      return &it->second;
    }
    for (ir::ExprId operand : expr.operands)
      if (const Origin *origin = find(operand, which))
        return origin;
    return nullptr;
  }

  const ir::Kernel &kernel;
  const ir::Task &task;
  DiagnosticEngine &diags;
  std::map<ir::ValueId, Origin> oneLane; // values that only the issuing lane has
  std::optional<bool> otherLanes;
  bool isGood = true;
};

} // namespace

bool checkRouting(const ir::Kernel &kernel, DiagnosticEngine &diags) {
  bool isGood = true;
  for (const ir::Task &task : kernel.tasks)
    isGood &= Checker(kernel, task, diags).run();
  return isGood;
}

} // namespace tsk::verify
