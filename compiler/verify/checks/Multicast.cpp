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
        definitions[step.results[0]] = {definitions.size(), {step.args[0]}};
      if (step.kind == StepKind::For)
        definitions[step.loop.variable] = {definitions.size(),
                                           {step.loop.lower, step.loop.upper, step.loop.step}};
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

  // Whether an expression has one value in the CTAs that differ in one of these axes alone: all
  // that it is made of has. A chain of `let`s may be long.
  bool isSame(ExprId root, plan::Axes axes) {
    std::set<uint32_t> &seen = same[axes.bits];
    llvm::SmallVector<Part> open{{root, SIZE_MAX}};
    while (!open.empty())
      if (const Part part = open.pop_back_val(); seen.insert(part.expr.index).second)
        if (!isSame(part, axes, open)) {
          seen.clear(); // not all of them
          return false;
        }
    return true;
  }

  struct Part {
    ExprId expr;
    size_t before; // what is defined there or later, in a faulty text, has no value
  };

  bool isSame(const Part &part, plan::Axes axes, llvm::SmallVectorImpl<Part> &open) const {
    const ir::Expr &expr = plan.tables.exprs[part.expr];
    switch (expr.op) {
    case ExprOp::Builtin:
      return isSameBuiltin(expr.builtin, axes);
    case ExprOp::Value: {
      const auto known = definitions.find(expr.valueRef);
      if (known == definitions.end() || known->second.number >= part.before)
        return false;
      for (ExprId of : known->second.from)
        open.push_back({of, known->second.number});
      return true;
    }
    case ExprOp::Call:
      return false;
    default:
      break;
    }
    if (expr.op != ExprOp::Div || !isOfCluster(expr))
      for (ExprId operand : expr.operands)
        open.push_back({operand, part.before});
    return true;
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

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  proof::Facts facts;
  struct Definition {
    size_t number = 0;                 // in the order of the text
    llvm::SmallVector<ExprId, 3> from; // a `let`; a loop's range
  };
  std::map<ir::ValueId, Definition> definitions;
  std::map<uint8_t, std::set<uint32_t>> same; // by axes: expressions that are known to be
  std::vector<const Step *> around;
  std::set<const Step *> reported;
  bool isGood = true;
};

} // namespace

bool checkMulticast(const plan::Plan &plan, DiagnosticEngine &diags) {
  return Checker(plan, diags).run();
}

} // namespace tsk::verify
