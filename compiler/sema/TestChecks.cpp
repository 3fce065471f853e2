#include "compiler/sema/TestChecks.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<> TestRequirementFalse{
    kind::TestRequirementFalse,
    "this test breaks a requirement of the kernel; say `expect fault launch;` if that is meant"};
constexpr Diagnostic<> ExpectBeforeRun{
    kind::ExpectBeforeRun, "nothing has run yet: an expectation stands behind a `run;`"};
constexpr Diagnostic<llvm::StringRef> ExpectItself{
    kind::ExpectItself, "`{}` is compared with itself: this expectation cannot fail"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ExpectUnwritten{
    kind::ExpectUnwritten,
    "neither `{}` nor `{}` is an output of the kernel: this expectation says nothing about it"};
constexpr Diagnostic<> TestNeverRuns{
    kind::TestNeverRuns,
    "a test that expects a fault of the kernel never runs; nothing else stands in it"};

using Kind = ir::TestStep::Kind;

// ---- Values -----------------------------------------------------------------------------------

static std::optional<ir::ConstantScalar> valueOf(const ir::Scalar &scalar,
                                                 const ir::TestCase &test) {
  if (auto it = test.scalars.find(scalar.name); it != test.scalars.end())
    return ir::ConstantScalar::ofInt(it->second, scalar.type);
  if (auto it = test.reals.find(scalar.name); it != test.reals.end())
    return ir::ConstantScalar::ofReal(it->second, scalar.type);
  return std::nullopt;
}

std::optional<ir::ConstantScalar> evaluate(const ir::Kernel &kernel, const ir::TestCase &test,
                                           ir::ExprId id) {
  const ir::Expr &expr = kernel.tables.exprs[id];
  if (expr.op == ir::ExprOp::Scalar)
    return valueOf(kernel.scalars[expr.scalarRef], test);
  if (expr.operands.empty()) {
    ir::Folded folded = ir::foldExpr(kernel.tables, id);
    return folded ? std::optional(folded.constant) : std::nullopt;
  }
  llvm::SmallVector<ir::ConstantScalar, 3> operands;
  for (ir::ExprId operand : expr.operands) {
    auto value = evaluate(kernel, test, operand);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
    if (ir::decides(expr.op, operands))
      return value;
  }
  ir::Folded folded = ir::fold(expr.op, operands);
  return folded ? std::optional(folded.constant) : std::nullopt;
}

// ---- Tests that cannot fail -------------------------------------------------------------------

static bool isOutput(const ir::Kernel &kernel, const ir::TestCase &test, llvm::StringRef name) {
  return llvm::any_of(test.tensors, [&](const ir::TestTensor &tensor) {
    return tensor.name == name && tensor.param &&
           kernel.params[*tensor.param].direction != ir::Direction::In;
  });
}

void checkCanFail(Context &context, const ir::Kernel &kernel, const ir::TestCase &test) {
  bool isOfKernel =
      llvm::any_of(test.steps, [](const ir::TestStep &s) { return s.isFaultOfKernel(); });
  bool hasRun = false;
  bool hasCode = false; // host code behind a run may bring outputs into any tensor
  for (const ir::TestStep &step : test.steps) {
    bool isComparison = step.kind == Kind::ExpectEqual || step.kind == Kind::ExpectClose;
    if (isOfKernel && (isComparison || step.kind == Kind::Run || step.isFaultOfLaunch()))
      context.report(step.loc, TestNeverRuns);
    else if (isComparison && !hasRun)
      context.report(step.loc, ExpectBeforeRun);
    else if (isComparison && step.left == step.right)
      context.report(step.loc, ExpectItself, step.left);
    else if (isComparison && !hasCode && !isOutput(kernel, test, step.left) &&
             !isOutput(kernel, test, step.right))
      context.report(step.loc, ExpectUnwritten, step.left, step.right);
    hasRun |= step.kind == Kind::Run;
    hasCode |= hasRun && step.kind == Kind::Cpp;
  }
}

// ---- Requirements -----------------------------------------------------------------------------

namespace {

// The kernel that a test's launch leads to: a launcher prefers its variants, in their order. Null
// where a condition has no value.
const ir::Kernel *launchedBy(const ir::Module &module, const ir::TestCase &test) {
  auto first = [&](auto isWanted) -> const ir::Kernel * {
    auto found = llvm::find_if(module.kernels, [&](const auto &k) { return isWanted(*k); });
    return found == module.kernels.end() ? nullptr : found->get();
  };
  const ir::Kernel *named = first([&](const ir::Kernel &k) { return k.name == test.kernel; });
  if (!named || named->name != named->templateName)
    return named;
  for (const auto &variant : module.kernels) {
    if (variant->templateName != named->templateName || !variant->instanceCondition)
      continue;
    auto applies = evaluate(*variant, test, variant->instanceCondition);
    if (!applies)
      return nullptr;
    if (applies->value)
      return variant.get();
  }
  return named;
}

} // namespace

void checkTestRequirements(Context &context, const ir::Module &module) {
  for (const ir::TestCase &test : module.tests) {
    if (llvm::any_of(test.steps,
                     [](const ir::TestStep &step) { return step.kind == Kind::ExpectFault; }))
      continue;
    const ir::Kernel *kernel = launchedBy(module, test);
    if (!kernel)
      continue;
    for (const ir::Requirement &requirement : kernel->requirements) {
      auto value = evaluate(*kernel, test, requirement.condition);
      if (value && value->value == 0)
        context.report(test.loc, TestRequirementFalse)
            .note(requirement.loc, "`{}` does not hold for `{}`", requirement.text, kernel->name);
    }
  }
}

} // namespace tsk::sema
