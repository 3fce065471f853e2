// What a `test` block does: values, tensors, fills, runs.
#include "compiler/sema/TestBuilder.h"

namespace tsk::sema {

constexpr Diagnostic<> TestStatement{
    kind::TestStatement,
    "not a statement of a test; there are `x.fill_random(seed = n)`, `x.fill(n)`, "
    "`x.fill_index()`, `name : tensor<T>[d];`, `run;`, `expect …;` and `cpp {{ }}`"};
constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownTensor{kind::UnknownTensor,
                                                                "unknown tensor `{}`{}"};

ir::TestStep &TestBuilder::step(ir::TestStep::Kind kind, SourceRange loc) {
  ir::TestStep built;
  built.kind = kind;
  built.loc = loc;
  result.steps.push_back(std::move(built));
  return result.steps.back();
}

const ir::TestTensor *TestBuilder::findTensor(llvm::StringRef name) const {
  auto it = tensorIndex.find(name);
  return it == tensorIndex.end() ? nullptr : &result.tensors[it->second];
}

bool TestBuilder::requireTensor(llvm::StringRef name, SourceRange range) {
  if (findTensor(name))
    return true;
  // A tensor whose declaration is wrong has had its message.
  if (const Symbol *symbol = names.find(name); symbol && symbol->kind == Symbol::Kind::Broken)
    return false;
  std::vector<llvm::StringRef> known;
  for (const ir::TestTensor &tensor : result.tensors)
    known.push_back(tensor.name);
  context.report(range, UnknownTensor, name, suggestion(name, known));
  return false;
}

std::optional<double> TestBuilder::number(const ast::Expr *expr, llvm::StringRef what) {
  ExprResolver resolver(context, kernel.tables, names);
  auto value = resolver.constant(expr, what);
  if (!value)
    return std::nullopt;
  return value->isReal() ? value->real : static_cast<double>(value->value);
}

void TestBuilder::addStmt(const ast::TestStmt &stmt) {
  switch (stmt.kind) {
  case ast::TestStmt::Kind::Run:
    if (!stmt.args.empty())
      return context.notYetCompiled(Construct::RunArguments, stmt.range);
    step(ir::TestStep::Kind::Run, stmt.range);
    return;
  case ast::TestStmt::Kind::ExpectFault:
    return addFault(stmt);
  case ast::TestStmt::Kind::Expect:
    return addExpect(stmt);
  case ast::TestStmt::Kind::Cpp:
    step(ir::TestStep::Kind::Cpp, stmt.body.range).text = stmt.body.text.str();
    return;
  case ast::TestStmt::Kind::Let:
    return addLet(stmt);
  case ast::TestStmt::Kind::Tensor:
    return addTensor(stmt);
  case ast::TestStmt::Kind::Expr:
    return addCall(stmt);
  }
}

void TestBuilder::addLet(const ast::TestStmt &stmt) {
  ExprResolver resolver(context, kernel.tables, names);
  auto value = resolver.constant(stmt.expr, "a value in a test");
  Symbol *symbol =
      declare(context, names, stmt.name, value ? Symbol::Kind::Constant : Symbol::Kind::Broken);
  if (symbol && value)
    symbol->constant = *value;
}

void TestBuilder::addTensor(const ast::TestStmt &stmt) {
  TypeResolver types(state, names);
  auto element = types.element(stmt.elementType, fmt::format("elements of `{}`", stmt.name.text));
  ir::TestTensor tensor;
  tensor.name = stmt.name.text.str();
  tensor.loc = stmt.range;
  ExprResolver resolver(context, kernel.tables, names);
  for (const ast::Expr *dim : stmt.dims)
    if (auto extent = resolver.constantInteger(dim, "a dimension", 0, INT32_MAX))
      tensor.dims.push_back(*extent);
  bool ok = element && tensor.dims.size() == stmt.dims.size();
  if (!declare(context, names, stmt.name, ok ? Symbol::Kind::Tensor : Symbol::Kind::Broken) || !ok)
    return;
  tensor.element = *element;
  tensorIndex[tensor.name] = result.tensors.size();
  result.tensors.push_back(std::move(tensor));
}

void TestBuilder::addCall(const ast::TestStmt &stmt) {
  const auto *call = llvm::dyn_cast_or_null<ast::CallExpr>(stmt.expr);
  const auto *member = call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
  const auto *base = member ? llvm::dyn_cast<ast::NameExpr>(member->base) : nullptr;
  if (!base || base->parts.size() != 1) {
    if (!stmt.expr || stmt.expr->kind != ast::Expr::Kind::Error)
      context.report(stmt.range, TestStatement);
    return;
  }
  llvm::StringRef name = member->member.text;
  if (name != "fill_random" && name != "fill" && name != "fill_index") {
    context.report(member->member.range, TestStatement);
    return;
  }
  if (requireTensor(base->parts[0].text, base->range))
    addFill(stmt, *call, name);
}

void TestBuilder::addFill(const ast::TestStmt &stmt, const ast::CallExpr &call,
                          llvm::StringRef member) {
  const auto *base = llvm::cast<ast::NameExpr>(llvm::cast<ast::MemberExpr>(call.callee)->base);
  ir::TestStep built;
  built.loc = stmt.range;
  built.tensor = base->parts[0].text.str();
  built.kind = member == "fill"         ? ir::TestStep::Kind::Fill
               : member == "fill_index" ? ir::TestStep::Kind::FillIndex
                                        : ir::TestStep::Kind::FillRandom;
  size_t wanted = built.kind == ir::TestStep::Kind::FillIndex ? 0 : 1;
  if (call.args.size() != wanted) {
    context.report(call.range, TestStatement);
    return;
  }
  if (wanted == 1) {
    const ast::Arg &arg = call.args[0];
    llvm::StringRef option = member == "fill" ? "value" : "seed";
    if (arg.name && arg.name.text != option) {
      context.report(arg.name.range, UnknownTestOption, member,
                     fmt::format("{}`; it has `{}", arg.name.text, option));
      return;
    }
    const auto value = ExprResolver(context, kernel.tables, names).constant(arg.value, option);
    if (!value || !checkFill(built, *value, arg.value->range))
      return;
    built.value = *value;
  }
  result.steps.push_back(std::move(built));
}

// A seed is an integer; the elements can hold what they are filled with.
bool TestBuilder::checkFill(const ir::TestStep &fill, const ir::ConstantScalar &value,
                            SourceRange range) {
  ir::ScalarType wanted = findTensor(fill.tensor)->element;
  if (fill.kind == ir::TestStep::Kind::FillRandom)
    wanted = ir::ScalarType::U64;
  else if (ir::scalarClass(wanted) == ir::ScalarClass::Float && wanted != ir::ScalarType::F64)
    wanted = ir::ScalarType::F32; // no narrower one reaches further
  const bool isSigned = ir::isInteger(value.type) && value.value < 0;
  if (wanted == ir::ScalarType::Bool || value.type == ir::ScalarType::Bool ||
      (fill.kind == ir::TestStep::Kind::FillRandom && isSigned) || ir::convert(value, wanted))
    return true;
  ExprResolver resolver(context, kernel.tables, names);
  resolver.convertTo(ir::makeConstant(kernel.tables, value, range), ir::Type::ofScalar(wanted),
                     range, fill.kind == ir::TestStep::Kind::FillRandom ? "a seed" : "the value");
  return false;
}

} // namespace tsk::sema
