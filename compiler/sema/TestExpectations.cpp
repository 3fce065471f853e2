// What a `test` block expects: equal or close tensors, a fault.
#include "compiler/sema/TestBuilder.h"

namespace tsk::sema {

constexpr Diagnostic<> ExpectForm{
    kind::ExpectForm,
    "an expectation is `a == b`, `close(a, b, rtol = r, atol = a)` or `fault V1`"};
constexpr Diagnostic<llvm::StringRef> UnknownFault{
    kind::UnknownFault, "`{}` is no fault: expected `V1` … `V10` or `launch`"};
constexpr Diagnostic<std::string, std::string> ShapeMismatch{
    kind::ShapeMismatch, "these tensors have different shapes: {} and {}"};
constexpr Diagnostic<> NegativeTolerance{kind::ExpectForm, "a tolerance below 0 is met by nothing"};

// A tensor's name or a call of the reference library; empty after a report.
TestBuilder::Operand TestBuilder::operand(const ast::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr); name && name->parts.size() == 1) {
    if (!requireTensor(name->parts[0].text, name->range))
      return {};
    const ir::TestTensor &tensor = *findTensor(name->parts[0].text);
    return {tensor.name, tensor.dims};
  }
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(&expr))
    return referenceCall(*call);
  if (expr.kind != ast::Expr::Kind::Error)
    context.report(expr.range, ExpectForm);
  return {};
}

// An argument of a function of the reference library; null after a report.
const ir::TestTensor *TestBuilder::referenceArgument(const ast::Arg &arg) {
  const auto *tensor = llvm::dyn_cast<ast::NameExpr>(arg.value);
  if (!tensor || arg.name || tensor->parts.size() != 1) {
    context.report(arg.range, ExpectForm);
    return nullptr;
  }
  return requireTensor(tensor->parts[0].text, tensor->range) ? findTensor(tensor->parts[0].text)
                                                             : nullptr;
}

// Takes both sides, if they can be compared.
bool TestBuilder::addOperands(ir::TestStep &built, const ast::Expr &left, const ast::Expr &right) {
  const Operand a = operand(left), b = operand(right);
  if (a.text.empty() || b.text.empty())
    return false;
  if (a.dims != b.dims) {
    context.report(built.loc, ShapeMismatch, shapeText(a.text, a.dims), shapeText(b.text, b.dims));
    return false;
  }
  built.left = a.text;
  built.right = b.text;
  return true;
}

void TestBuilder::addExpect(const ast::TestStmt &stmt) {
  expectsAnything = true;
  if (!stmt.expr || stmt.expr->kind == ast::Expr::Kind::Error)
    return;
  const ast::Expr *expr = stmt.expr;
  while (const auto *paren = llvm::dyn_cast<ast::ParenExpr>(expr))
    expr = paren->inner;
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(expr)) {
    const auto *name = llvm::dyn_cast<ast::NameExpr>(call->callee);
    if (name && name->parts.size() == 1 && name->parts[0].text == "close")
      return addClose(stmt, *call);
  }
  const auto *binary = llvm::dyn_cast<ast::BinaryExpr>(expr);
  if (!binary || binary->op != ast::BinaryOp::Eq) {
    context.report(expr->range, ExpectForm);
    return;
  }
  ir::TestStep built;
  built.kind = ir::TestStep::Kind::ExpectEqual;
  built.loc = stmt.range;
  if (addOperands(built, *binary->left, *binary->right))
    result.steps.push_back(std::move(built));
}

void TestBuilder::addClose(const ast::TestStmt &stmt, const ast::CallExpr &call) {
  ir::TestStep built;
  built.kind = ir::TestStep::Kind::ExpectClose;
  built.loc = stmt.range;
  std::vector<const ast::Expr *> positional;
  for (const ast::Arg &arg : call.args) {
    if (!arg.name) {
      positional.push_back(arg.value);
      continue;
    }
    bool isRelative = arg.name.text == "rtol";
    if (!isRelative && arg.name.text != "atol") {
      context.report(arg.name.range, UnknownTestOption, "close",
                     fmt::format("{}`; it has `rtol` and `atol", arg.name.text));
      continue;
    }
    if (auto value = number(arg.value, "a tolerance"))
      (isRelative ? built.rtol : built.atol) = *value;
  }
  if (positional.size() < 2 || positional.size() > 4) {
    context.report(call.range, ExpectForm);
    return;
  }
  if (positional.size() > 2)
    built.rtol = number(positional[2], "a tolerance").value_or(0);
  if (positional.size() > 3)
    built.atol = number(positional[3], "a tolerance").value_or(0);
  if (built.rtol < 0 || built.atol < 0) {
    context.report(call.range, NegativeTolerance);
    return;
  }
  if (addOperands(built, *positional[0], *positional[1]))
    result.steps.push_back(std::move(built));
}

void TestBuilder::addFault(const ast::TestStmt &stmt) {
  expectsAnything = true;
  if (!stmt.name)
    return;
  unsigned number = 0;
  llvm::StringRef text = stmt.name.text;
  bool isProperty =
      text.consume_front("V") && !text.getAsInteger(10, number) && number >= 1 && number <= 10;
  if (!isProperty && stmt.name.text != "launch") {
    context.report(stmt.name.range, UnknownFault, stmt.name.text);
    return;
  }
  step(ir::TestStep::Kind::ExpectFault, stmt.range).text = stmt.name.text.str();
}

} // namespace tsk::sema
