// CTAs that load slices of one tile for each other must name the same tile. So what a multicast
// copy computes its coordinates from, and what it stands under, must be the same in all of them.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/proof/Facts.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace tsk::verify {

using ir::Builtin;
using ir::ExprId;
using ir::ExprOp;
using plan::Step;
using plan::StepKind;

namespace {

constexpr Diagnostic<std::string, std::string, std::string> OtherTile{
    kind::OtherTile, "not proved: that the CTAs along {} load slices of one tile by `{}`: {} may "
                     "be another in each; "
                     "compute it from `cluster.index`, loops and scalars alone"};

class Checker {
public:
  Checker(const plan::Plan &p, DiagnosticEngine &d) : plan(p), diags(d), facts(p) {}

  bool run() {
    for (const plan::Task &task : plan.tasks)
      define(task.body);
    for (const plan::Task &task : plan.tasks)
      visit(task.body);
    return isGood;
  }

private:
  void define(plan::RegionId id) {
    if (!id)
      return;
    for (const Step &step : plan.regions[id].steps) {
      if (step.kind == StepKind::Let)
        lets[step.results[0]] = step.args[0];
      if (step.kind == StepKind::For || step.kind == StepKind::ParallelFor)
        loops[step.loop.variable] = &step;
      define(step.body);
      define(step.elseBody);
    }
  }

  void visit(plan::RegionId id) {
    if (!id)
      return;
    for (const Step &step : plan.regions[id].steps) {
      if (step.kind == StepKind::Call)
        for (const plan::Access &access : step.accesses)
          if (access.field && countAlong(plan.cluster, access.multicast) > 1)
            check(step, access);
      around.push_back(&step);
      visit(step.body);
      visit(step.elseBody);
      around.pop_back();
    }
  }

  void check(const Step &step, const plan::Access &access) {
    const plan::Axes axes = access.multicast;
    auto report = [&](const std::string &what) {
      isGood = false;
      if (reported.insert(&step).second)
        diags.report(step.loc, OtherTile, spelling(axes), plan.works[step.work], what);
    };
    for (const Step *outer : around) {
      const bool isIf = outer->kind == StepKind::If;
      for (ExprId id : isIf ? llvm::SmallVector<ExprId, 3>{outer->args[0]}
                            : llvm::SmallVector<ExprId, 3>{outer->loop.lower, outer->loop.upper,
                                                           outer->loop.step})
        if (!isSame(id, axes))
          return report(fmt::format("`{}`, on which it depends,", facts.text(id)));
    }
    if (access.elements.forms.empty())
      return report("where its body says that the tile begins");
    for (const ir::ElementForm &form : access.elements.forms)
      for (const ir::ElementIndex &index : form.dims) {
        for (const auto &[name, weight] : index.others)
          if (!llvm::StringRef(name).starts_with("scalar "))
            return report("`" + name + "()` in its body");
        for (const auto &[number, weight] : index.args)
          if (number >= step.args.size() || !isSame(step.args[number], axes))
            return report(number < step.args.size()
                              ? fmt::format("`{}`", facts.text(step.args[number]))
                              : "what it is given");
      }
  }

  // Whether an expression has one value in the CTAs that differ in one of these axes alone.
  bool isSame(ExprId id, plan::Axes axes) {
    const ir::Expr &expr = plan.tables.exprs[id];
    switch (expr.op) {
    case ExprOp::Builtin:
      return isSameBuiltin(expr.builtin, axes);
    case ExprOp::Value:
      return isSameValue(expr.valueRef, axes);
    case ExprOp::Call:
      return false;
    default:
      break;
    }
    if (expr.op == ExprOp::Div && isOfCluster(expr))
      return true;
    return llvm::all_of(expr.operands, [&](ExprId operand) { return isSame(operand, axes); });
  }

  // `block.x / 2` in clusters of two.
  bool isOfCluster(const ir::Expr &quotient) const {
    const ir::Expr &block = plan.tables.exprs[quotient.operands[0]];
    const std::optional<int64_t> by = ir::constantValue(plan.tables, quotient.operands[1]);
    if (block.op != ExprOp::Builtin || block.builtin > Builtin::BlockZ || !by || *by <= 0)
      return false;
    return *by % plan.cluster.extents[static_cast<size_t>(block.builtin)] == 0;
  }

  static bool isSameBuiltin(Builtin which, plan::Axes axes) {
    if (which <= Builtin::BlockZ)
      return !axes.has(static_cast<unsigned>(which));
    if (which >= Builtin::ClusterX && which <= Builtin::ClusterZ)
      return !axes.has(static_cast<unsigned>(which) - static_cast<unsigned>(Builtin::ClusterX));
    return which != Builtin::ClusterRank;
  }

  bool isSameValue(ir::ValueId value, plan::Axes axes) {
    // While it is being found out it is not: of what is defined by itself, in a faulty text.
    const auto [known, isNew] = same.try_emplace({value, axes.bits}, false);
    if (!isNew)
      return known->second;
    bool isOne = false;
    if (const auto let = lets.find(value); let != lets.end())
      isOne = isSame(let->second, axes);
    else if (const auto loop = loops.find(value);
             loop != loops.end() && loop->second->kind == StepKind::For)
      isOne = isSame(loop->second->loop.lower, axes) && isSame(loop->second->loop.upper, axes) &&
              isSame(loop->second->loop.step, axes);
    return known->second = isOne;
  }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  proof::Facts facts;
  std::map<ir::ValueId, ExprId> lets;
  std::map<ir::ValueId, const Step *> loops;
  std::map<std::pair<ir::ValueId, uint8_t>, bool> same;
  std::vector<const Step *> around;
  std::set<const Step *> reported;
  bool isGood = true;
};

} // namespace

bool checkMulticast(const plan::Plan &plan, DiagnosticEngine &diags) {
  return Checker(plan, diags).run();
}

} // namespace tsk::verify
