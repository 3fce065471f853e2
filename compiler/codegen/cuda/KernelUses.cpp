#include "compiler/codegen/cuda/KernelUses.h"

#include "compiler/codegen/cuda/Signature.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

namespace {

class Finder {
public:
  Finder(const ir::Kernel &k, const plan::Plan &p) : kernel(k), plan(p) {}

  KernelUses find() {
    for (size_t i = 0; i < plan.tasks.size(); ++i) {
      const ir::TaskId id = plan.tasks.idAt(i);
      uses.works[id];
      region(id, plan.tasks[id].body);
    }
    launcher();
    return std::move(uses);
  }

private:
  void region(ir::TaskId task, plan::RegionId id) {
    if (!id)
      return;
    for (const plan::Step &step : plan.regions[id].steps) {
      for (ir::ExprId arg : step.args)
        device(arg);
      if (step.peer)
        device(step.peer);
      if (step.kind == plan::StepKind::Call)
        call(task, step.work);
      if (step.kind == plan::StepKind::Let)
        uses.lets[step.results[0]] = step.args[0];
      if (step.kind == plan::StepKind::Var)
        names(identifiersIn(plan.tables.values[step.results[0]].type.cpp));
      if (step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor)
        loop(step.loop);
      region(task, step.body);
      region(task, step.elseBody);
    }
  }

  void loop(const ir::Loop &loop) {
    uses.loops[loop.variable] = loop;
    for (ir::ExprId bound : {loop.lower, loop.upper, loop.step})
      device(bound);
  }

  // An expression of a schedule.
  void device(ir::ExprId id) {
    expr(plan.tables, id, uses.constants, &uses.scalars);
    values(id);
  }
  void values(ir::ExprId id) {
    const ir::Expr &expression = plan.tables.exprs[id];
    if (expression.op == ir::ExprOp::Value)
      uses.values.insert(expression.valueRef);
    if (expression.op == ir::ExprOp::Call)
      function(expression.functionRef);
    for (ir::ExprId operand : expression.operands)
      values(operand);
  }

  void function(ir::FunctionId id) {
    if (!uses.functions.insert(id).second)
      return;
    const ir::Function &called = kernel.functions[id];
    uses.scalars.insert(called.usedScalars.begin(), called.usedScalars.end());
    for (ir::ParamId param : called.usedParams)
      tensor(param);
    const ir::Signature &signature = kernel.tables.functions[id];
    names(identifiersOf(called));
    names(identifiersIn(signature.result.cpp));
    for (const ir::Type &type : signature.params)
      names(identifiersIn(type.cpp));
  }

  void call(ir::TaskId task, ir::WorkId id) {
    std::vector<ir::WorkId> &works = uses.works[task];
    if (llvm::is_contained(works, id))
      return;
    works.push_back(id);
    const ir::Work &work = kernel.works[id];
    const WorkSignature signature = signatureOf(kernel, work);
    uses.scalars.insert(signature.scalars.begin(), signature.scalars.end());
    for (const WorkSignature::Param &param : signature.params)
      tensor(param.param);
    names(identifiersOf(work));
  }

  // The constants that a piece of C++ spells.
  void names(const std::set<std::string> &identifiers) {
    for (size_t i = 0; i < kernel.constants.size(); ++i)
      if (identifiers.count(kernel.constants[kernel.constants.idAt(i)].name))
        uses.constants.insert(kernel.constants.idAt(i));
  }

  // A view carries the tensor's extents and strides.
  void tensor(ir::ParamId id) {
    uses.params.insert(id);
    for (const auto *list : {&kernel.params[id].dims, &kernel.params[id].strides})
      for (ir::ExprId extent : *list)
        expr(kernel.tables, extent, uses.constants, &uses.scalars);
  }

  void launcher() {
    std::vector<ir::ExprId> roots = kernel.grid.extents;
    for (const ir::Requirement &requirement : kernel.requirements)
      roots.push_back(requirement.condition);
    if (kernel.instanceCondition)
      roots.push_back(kernel.instanceCondition);
    for (const ir::Param &param : kernel.params) {
      roots.insert(roots.end(), param.dims.begin(), param.dims.end());
      roots.insert(roots.end(), param.strides.begin(), param.strides.end());
    }
    for (ir::ExprId root : roots)
      expr(kernel.tables, root, uses.launcherConstants, nullptr);
    for (const auto &[variable, loop] : uses.loops)
      for (ir::ExprId bound : {loop.upper, loop.step})
        expr(plan.tables, bound, uses.launcherConstants, nullptr);
  }

  static void expr(const ir::ValueTables &tables, ir::ExprId id,
                   std::set<ir::ConstantId> &constants, std::set<ir::ScalarId> *scalars) {
    if (!id)
      return;
    const ir::Expr &expression = tables.exprs[id];
    if (expression.constantRef)
      constants.insert(expression.constantRef);
    if (expression.op == ir::ExprOp::Scalar && scalars)
      scalars->insert(expression.scalarRef);
    for (ir::ExprId operand : expression.operands)
      expr(tables, operand, constants, scalars);
  }

  const ir::Kernel &kernel;
  const plan::Plan &plan;
  KernelUses uses;
};

} // namespace

KernelUses findUses(const ir::Kernel &kernel, const plan::Plan &plan) {
  return Finder(kernel, plan).find();
}

} // namespace tsk::codegen
