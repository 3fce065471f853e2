#include "compiler/verify/model/Coordinates.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace tsk::verify {

using ir::ExprOp;
using plan::Step;
using plan::StepKind;

llvm::StringRef spelling(BranchPattern pattern) {
  switch (pattern) {
  case BranchPattern::Never:
    return "never";
  case BranchPattern::Always:
    return "always";
  case BranchPattern::EvenIterations:
    return "in even iterations";
  case BranchPattern::OddIterations:
    return "in odd iterations";
  }
  TSK_UNREACHABLE("pattern outside its enumeration");
}

Coordinates::Coordinates(const plan::Plan &thePlan) : plan(thePlan), facts(thePlan) {
  for (const plan::Task &task : plan.tasks)
    mark(task.body);
  for (const plan::Task &task : plan.tasks)
    collect(task.body);
}

bool Coordinates::mark(plan::RegionId region) {
  bool any = false;
  if (region)
    for (const Step &step : plan.regions[region].steps)
      any |= mark(step);
  return any;
}

bool Coordinates::mark(const Step &step) {
  bool matters = false;
  switch (step.kind) {
  case StepKind::Let:
  case StepKind::Var:
  case StepKind::Assign:
  case StepKind::Fence:
    break;
  case StepKind::Call:
    matters = llvm::any_of(step.accesses, [](const plan::Access &a) { return bool(a.field); });
    break;
  case StepKind::For:
  case StepKind::ParallelFor:
  case StepKind::If:
    matters = mark(step.body);
    matters |= mark(step.elseBody);
    break;
  default:
    matters = true;
  }
  // A call that touches no shared memory is shown where it stands, but makes no loop matter.
  if (matters || step.kind == StepKind::Call)
    relevant[&step] = true;
  return matters;
}

void Coordinates::collect(plan::RegionId region) {
  if (!region)
    return;
  for (const Step &step : plan.regions[region].steps) {
    if (!isRelevant(step))
      continue;
    if (step.kind == StepKind::For || step.kind == StepKind::ParallelFor)
      addLoop(step);
    if (step.kind == StepKind::If)
      addCondition(step.args[0]);
    collect(step.body);
    collect(step.elseBody);
  }
}

unsigned Coordinates::add(const std::string &key, Coordinate coordinate) {
  auto [it, isNew] = byKey.try_emplace(key, coordinates.size());
  if (isNew)
    coordinates.push_back(std::move(coordinate));
  return it->second;
}

void Coordinates::addLoop(const Step &step) {
  const ir::Loop &loop = step.loop;
  // Threads run different trips of a parallel loop; it holds no protocol, so one pass shows its
  // accesses.
  if (step.kind == StepKind::ParallelFor) {
    trips[&step].constant = 1;
    return;
  }
  Interval range = facts.tripBounds(loop);
  if (range.high && *range.high <= *range.low) {
    trips[&step].constant = *range.low;
    return;
  }
  Coordinate coordinate;
  coordinate.text = facts.tripText(loop);
  coordinate.range = range;
  coordinate.dependsOnLoop = facts.dependsOnLoop(loop.lower) || facts.dependsOnLoop(loop.upper) ||
                             facts.dependsOnLoop(loop.step);
  coordinate.loc = step.loc;
  trips[&step].coordinate = add("trips " + facts.tripKey(loop), std::move(coordinate));
}

// Whether a run can compute the expression from its loops' ordinals alone.
bool Coordinates::isComputable(ir::ExprId id) {
  auto [entry, isNew] = computable.try_emplace(id.index, false);
  if (!isNew)
    return entry->second;
  const ir::Expr &expr = plan.tables.exprs[id];
  bool result = true;
  switch (expr.op) {
  case ExprOp::First:
  case ExprOp::Last:
    break;
  case ExprOp::Every:
    result = isComputable(expr.operands[1]);
    break;
  case ExprOp::Scalar:
  case ExprOp::Builtin:
    result = false;
    break;
  case ExprOp::Value: {
    ir::ExprId let = facts.definition(expr.valueRef);
    result = let ? isComputable(let) : facts.isCountable(expr.valueRef);
    break;
  }
  default:
    result = llvm::all_of(expr.operands, [&](ir::ExprId operand) { return isComputable(operand); });
  }
  return computable[id.index] = result;
}

void Coordinates::addCondition(ir::ExprId id) {
  const ir::Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::And || expr.op == ExprOp::Or || expr.op == ExprOp::Not) {
    for (ir::ExprId operand : expr.operands)
      addCondition(operand);
    return;
  }
  if (isComputable(id))
    return;
  if (std::optional<bool> outcome = facts.decide(id)) {
    settled[id.index] = *outcome;
    return;
  }
  std::string key = facts.key(id);
  bool isNegated = expr.op == ExprOp::Ne || expr.op == ExprOp::Ge || expr.op == ExprOp::Le;
  if (expr.operands.size() == 2) {
    std::string left = facts.key(expr.operands[0]);
    std::string right = facts.key(expr.operands[1]);
    if (expr.op == ExprOp::Eq || expr.op == ExprOp::Ne)
      key = fmt::format("(== {} {})", std::min(left, right), std::max(left, right));
    else if (expr.op == ExprOp::Lt || expr.op == ExprOp::Ge)
      key = fmt::format("(< {} {})", left, right);
    else if (expr.op == ExprOp::Gt || expr.op == ExprOp::Le)
      key = fmt::format("(< {} {})", right, left);
  }
  Coordinate coordinate;
  coordinate.kind = Coordinate::Kind::Branch;
  coordinate.text = facts.text(id);
  coordinate.dependsOnLoop = facts.dependsOnLoop(id);
  coordinate.loc = expr.loc;
  branches[id.index] = {add("branch " + key, std::move(coordinate)), isNegated,
                        facts.variables(id)};
}

std::optional<bool> Coordinates::decided(ir::ExprId condition) const {
  auto it = settled.find(condition.index);
  return it == settled.end() ? std::nullopt : std::optional(it->second);
}

const BranchAtom *Coordinates::branch(ir::ExprId condition) const {
  auto it = branches.find(condition.index);
  return it == branches.end() ? nullptr : &it->second;
}

} // namespace tsk::verify
