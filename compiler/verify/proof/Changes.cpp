// What the values of expressions change with: loops, and what is another one each time.
#include "compiler/verify/proof/Facts.h"

#include "llvm/ADT/SmallVector.h"

namespace tsk::proof {

using ir::Expr;
using ir::ExprId;
using ir::ExprOp;

// A variable is its number in its loop, times the step, from where the loop begins.
void Facts::collectRange(const ir::Loop &loop, std::set<uint32_t> &seen, Variables &result) const {
  result.loops.insert(loop.variable);
  collectVariables(loop.lower, seen, result);
  collectVariables(loop.step, seen, result);
  if (loop.isReversed)
    collectVariables(loop.upper, seen, result);
}

void Facts::collectVariables(ExprId root, std::set<uint32_t> &seen, Variables &result) const {
  llvm::SmallVector<ExprId> open{root};
  while (!open.empty())
    if (const ExprId id = open.pop_back_val(); seen.insert(id.index).second)
      collectVariables(id, seen, result, open);
}

// A chain of `let`s may be long: what is next goes into `open`.
void Facts::collectVariables(ExprId id, std::set<uint32_t> &seen, Variables &result,
                             llvm::SmallVectorImpl<ExprId> &open) const {
  const Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Value) {
    auto work = resultsIn.find(expr.valueRef.index);
    if (ExprId let = definition(expr.valueRef))
      open.push_back(let);
    else if (auto loop = loops.find(expr.valueRef.index); loop != loops.end())
      collectRange(loop->second.loop, seen, result);
    else if (work != resultsIn.end())
      result.loops.insert(work->second.begin(), work->second.end());
    else
      result.changing = fmt::format("`{}`", plan.tables.values[expr.valueRef].name);
  } else if (isOpaque(expr)) {
    auto place = evaluations.find(id.index);
    if (place == evaluations.end() || place->second.isRepeated)
      result.changing = fmt::format("`{}`", text(id));
    else
      result.loops.insert(place->second.loops.begin(), place->second.loops.end());
  }
  open.append(expr.operands.rbegin(), expr.operands.rend());
}

Facts::Variables Facts::variables(ExprId id) const {
  std::set<uint32_t> seen;
  Variables result;
  collectVariables(id, seen, result);
  return result;
}

std::string Facts::changing(llvm::ArrayRef<ExprId> exprs) const {
  for (ExprId id : exprs)
    if (Variables on = variables(id); !on.changing.empty())
      return on.changing;
  return {};
}

} // namespace tsk::proof
