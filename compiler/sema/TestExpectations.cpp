// What a `test` block expects: equal or close tensors, a fault.
#include "compiler/sema/TestBuilder.h"

#include "llvm/ADT/StringSwitch.h"

namespace tsk::sema {

constexpr Diagnostic<> ExpectForm{
    kind::ExpectForm,
    "an expectation is `a == b`, `close(a, b, rtol = r, atol = a)` or `fault V1`"};
constexpr Diagnostic<llvm::StringRef> UnknownFault{
    kind::UnknownFault, "`{}` is no fault: expected `V1` … `V10` or `launch`"};
constexpr Diagnostic<llvm::StringRef> UnknownReference{
    kind::UnknownReference,
    "the reference library has no `{}`; it has `matmul_nn`, `matmul_nt`, `matmul_tn`, "
    "`matmul_tt`, `softmax`, `attention`, `sum` and `row_sums`"};
constexpr Diagnostic<std::string, std::string> ShapeMismatch{
    kind::ShapeMismatch, "these tensors have different shapes: {} and {}"};

// A tensor's name or a call of the reference library; empty after a report.
std::string TestBuilder::operand(const ast::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr); name && name->parts.size() == 1)
    return requireTensor(name->parts[0].text, name->range) ? name->parts[0].text.str()
                                                           : std::string();
  if (const auto *call = llvm::dyn_cast<ast::CallExpr>(&expr))
    return referenceCall(*call);
  if (expr.kind != ast::Expr::Kind::Error)
    context.report(expr.range, ExpectForm);
  return {};
}

// How many tensors a function of the reference library takes; nothing where none has that name.
static std::optional<size_t> referenceArity(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<size_t>>(name)
      .Cases("matmul_nn", "matmul_nt", "matmul_tn", "matmul_tt", 2)
      .Cases("softmax", "sum", "row_sums", 1)
      .Case("attention", 3)
      .Default(std::nullopt);
}

// `matmul_nt(A, B)`: the same in C++, where the tensors' namespace has the function. Shapes that do
// not fit together are reported when the test runs.
std::string TestBuilder::referenceCall(const ast::CallExpr &call) {
  const auto *callee = llvm::dyn_cast<ast::NameExpr>(call.callee);
  llvm::StringRef name = callee ? callee->parts.back().text : "";
  const std::optional<size_t> arity = referenceArity(name);
  if (!arity) {
    context.report(call.range, UnknownReference, name);
    return {};
  }
  if (call.args.size() != *arity) {
    context.report(call.range, WrongArgumentCount, name, Count{*arity, "argument"},
                   call.args.size());
    return {};
  }
  std::vector<std::string> tensors;
  for (const ast::Arg &arg : call.args) {
    const auto *tensor = llvm::dyn_cast<ast::NameExpr>(arg.value);
    if (!tensor || arg.name || tensor->parts.size() != 1) {
      context.report(arg.range, ExpectForm);
      return {};
    }
    if (!requireTensor(tensor->parts[0].text, tensor->range))
      return {};
    tensors.push_back(tensor->parts[0].text.str());
  }
  return fmt::format("{}({})", name.str(), fmt::join(tensors, ", "));
}

static std::string shapeText(const ir::TestTensor &tensor) {
  std::string text = "`" + tensor.name;
  for (int64_t extent : tensor.dims)
    text += fmt::format("[{}]", extent);
  return text + "`";
}

void TestBuilder::checkShapes(const ir::TestStep &built) {
  const ir::TestTensor *left = findTensor(built.left);
  const ir::TestTensor *right = findTensor(built.right);
  if (left && right && left->dims != right->dims)
    context.report(built.loc, ShapeMismatch, shapeText(*left), shapeText(*right));
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
  built.left = operand(*binary->left);
  built.right = operand(*binary->right);
  checkShapes(built);
  if (!built.left.empty() && !built.right.empty())
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
  built.left = operand(*positional[0]);
  built.right = operand(*positional[1]);
  checkShapes(built);
  if (!built.left.empty() && !built.right.empty())
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
