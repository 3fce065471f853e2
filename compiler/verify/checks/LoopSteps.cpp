// V1 for single loops: none goes on for ever because its step may be 0. What the launcher can
// compute it checks; the rest must be above 0 by what is known of it.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/proof/Facts.h"

#include <set>

namespace tsk::verify {

constexpr Diagnostic<std::string, std::string> StepMayBeZero{
    kind::StepMayBeZero,
    "the step of this loop, `{}`, may be less than 1, and then it does not end; "
    "write `max({}, 1)` or a number"};

// Whether the launcher knows the value: no loop's variable, no `var`, nothing that only a CTA or a
// function computes.
static bool isLaunchs(const plan::Plan &plan, const proof::Facts &facts, ir::ExprId id,
                      std::set<uint32_t> &seen) {
  if (!seen.insert(id.index).second)
    return true;
  const ir::Expr &expr = plan.tables.exprs[id];
  if (expr.uniformity > ir::Uniformity::Kernel || expr.op == ir::ExprOp::Call)
    return false;
  if (expr.op == ir::ExprOp::Value) {
    const ir::ExprId let = facts.definition(expr.valueRef);
    return let && isLaunchs(plan, facts, let, seen);
  }
  for (ir::ExprId operand : expr.operands)
    if (!isLaunchs(plan, facts, operand, seen))
      return false;
  return true;
}

static bool checkRegion(const plan::Plan &plan, const proof::Facts &facts, plan::RegionId region,
                        DiagnosticEngine &diags) {
  bool isGood = true;
  if (!region)
    return isGood;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor) {
      const ir::ExprId by = step.loop.step;
      std::set<uint32_t> seen;
      if (!isLaunchs(plan, facts, by, seen) && facts.all().range(facts.term(by)).low < 1) {
        const SourceRange &place = plan.tables.exprs[by].loc;
        diags.report(place.isValid() ? place : step.loc, StepMayBeZero, facts.text(by),
                     facts.text(by));
        isGood = false;
      }
    }
    isGood &= checkRegion(plan, facts, step.body, diags);
    isGood &= checkRegion(plan, facts, step.elseBody, diags);
  }
  return isGood;
}

bool checkLoopSteps(const plan::Plan &plan, DiagnosticEngine &diags) {
  const proof::Facts facts(plan);
  bool isGood = true;
  for (const plan::Task &task : plan.tasks)
    isGood &= checkRegion(plan, facts, task.body, diags);
  return isGood;
}

} // namespace tsk::verify
