// `test` blocks: parameters by name, statements in the vocabulary of ir::TestStep.
#include "compiler/sema/KernelBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TestChecks.h"
#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownTestArgument{
    kind::UnknownTestArgument, "the kernel has no dimension or scalar `{}`{}"};
constexpr Diagnostic<> UnnamedTestArgument{kind::UnnamedTestArgument,
                                           "arguments of a test go by name: `rows = 256`"};
constexpr Diagnostic<llvm::StringRef, std::string> MissingTestArgument{
    kind::MissingTestArgument, "test `{}` gives no value to {}"};
constexpr Diagnostic<llvm::StringRef> TestWithoutExpectation{
    kind::TestWithoutExpectation, "test `{}` expects nothing: it cannot fail"};
constexpr Diagnostic<> TestStatement{
    kind::TestStatement,
    "not a statement of a test; there are `x.fill_random(seed = n)`, `x.fill(n)`, "
    "`x.fill_index()`, `name : tensor<T>[d];`, `run;`, `expect …;` and `cpp {{ }}`"};
constexpr Diagnostic<> ExpectForm{
    kind::ExpectForm,
    "an expectation is `a == b`, `close(a, b, rtol = r, atol = a)` or `fault V1`"};
constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownTensor{kind::UnknownTensor,
                                                                "unknown tensor `{}`{}"};
constexpr Diagnostic<llvm::StringRef> UnknownFault{
    kind::UnknownFault, "`{}` is no fault: expected `V1` … `V10` or `launch`"};
constexpr Diagnostic<llvm::StringRef, std::string> UnknownTestOption{kind::UnknownTestOption,
                                                                     "`{}` has no option `{}`"};
constexpr Diagnostic<std::string, std::string> ShapeMismatch{
    kind::ShapeMismatch, "these tensors have different shapes: {} and {}"};

namespace {

class TestBuilder {
public:
  TestBuilder(KernelState &kernelState, const ast::TestDecl &decl)
      : state(kernelState), kernel(*kernelState.kernel), context(kernelState.context), test(decl) {}

  ir::TestCase build();

private:
  void bindArguments();
  void bindArgument(const ast::Arg &arg);
  void checkComplete();
  void addParams();

  void addStmt(const ast::TestStmt &stmt);
  void addCall(const ast::TestStmt &stmt);
  void addFill(const ast::TestStmt &stmt, const ast::CallExpr &call, llvm::StringRef member);
  bool checkFill(const ir::TestStep &fill, const ir::ConstantScalar &value, SourceRange range);
  void addTensor(const ast::TestStmt &stmt);
  void addLet(const ast::TestStmt &stmt);
  void addExpect(const ast::TestStmt &stmt);
  void addClose(const ast::TestStmt &stmt, const ast::CallExpr &call);
  void addFault(const ast::TestStmt &stmt);
  std::string operand(const ast::Expr &expr);
  std::string referenceCall(const ast::CallExpr &call);
  void checkShapes(const ir::TestStep &step);
  const ir::TestTensor *findTensor(llvm::StringRef name) const;
  bool requireTensor(llvm::StringRef name, SourceRange range);
  std::optional<double> number(const ast::Expr *expr, llvm::StringRef what);
  ir::TestStep &step(ir::TestStep::Kind kind, SourceRange loc);

  KernelState &state;
  ir::Kernel &kernel;
  Context &context;
  const ast::TestDecl &test;
  ir::TestCase result;
  Scope names{&state.global};          // constants, and the test's values of the kernel's scalars
  llvm::StringMap<size_t> tensorIndex; // into result.tensors
  unsigned errorsBefore = 0;
  bool expectsAnything = false;
};

} // namespace

// ---- Arguments --------------------------------------------------------------------------------

void TestBuilder::bindArguments() {
  // First the kernel's constants, which arguments may name; then its scalars as they are in this
  // test.
  for (const std::string &name : state.scope.names())
    if (const Symbol *symbol = state.scope.find(name); symbol->kind == Symbol::Kind::Constant)
      names.insert(*symbol);
  for (const ast::Arg &arg : test.args)
    bindArgument(arg);
  for (const std::string &name : state.scope.names()) {
    Symbol symbol = *state.scope.find(name);
    if (symbol.kind == Symbol::Kind::Constant)
      continue;
    if (symbol.kind == Symbol::Kind::Scalar) {
      symbol.kind = Symbol::Kind::Constant;
      auto it = result.scalars.find(name);
      auto real = result.reals.find(name);
      if (it != result.scalars.end())
        symbol.constant = ir::ConstantScalar::ofInt(it->second, symbol.type);
      else if (real != result.reals.end())
        symbol.constant = ir::ConstantScalar::ofReal(real->second, symbol.type);
      else
        symbol.kind = Symbol::Kind::Broken;
    }
    names.insert(std::move(symbol));
  }
}

void TestBuilder::bindArgument(const ast::Arg &arg) {
  if (!arg.name) {
    context.report(arg.range, UnnamedTestArgument);
    return;
  }
  const ir::Scalar *scalar = nullptr;
  std::vector<llvm::StringRef> known;
  for (const ir::Scalar &candidate : kernel.scalars) {
    known.push_back(candidate.name);
    if (candidate.name == arg.name.text)
      scalar = &candidate;
  }
  if (!scalar) {
    context.report(arg.name.range, UnknownTestArgument, arg.name.text,
                   suggestion(arg.name.text, known));
    return;
  }
  if (result.scalars.count(scalar->name) || result.reals.count(scalar->name)) {
    context.report(arg.name.range, DuplicateArgument, arg.name.text);
    return;
  }
  std::string what = fmt::format("`{}`", scalar->name);
  ExprResolver resolver(context, kernel.tables, names);
  auto value = resolver.constant(arg.value, what);
  if (!value)
    return;
  if (scalar->isDimension && value->value < 0) {
    resolver.constantInteger(arg.value, "a dimension", 0, INT32_MAX); // reports
    return;
  }
  ir::ExprId id = resolver.convertTo(ir::makeConstant(kernel.tables, *value, arg.value->range),
                                     ir::Type::ofScalar(scalar->type), arg.value->range, what);
  if (!id)
    return;
  ir::ConstantScalar fitted = *resolver.constantOf(id);
  if (fitted.isReal())
    result.reals[scalar->name] = fitted.real;
  else
    result.scalars[scalar->name] = fitted.value;
}

void TestBuilder::checkComplete() {
  if (context.diags.errorCount() != errorsBefore)
    return; // a value that is wrong is not missing too
  std::string missing;
  for (const ir::Scalar &scalar : kernel.scalars)
    if (!result.scalars.count(scalar.name) && !result.reals.count(scalar.name))
      missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", scalar.name);
  if (!missing.empty())
    context.report(test.name.range, MissingTestArgument, test.name.text, missing);
}

void TestBuilder::addParams() {
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    ir::ParamId id = kernel.params.idAt(i);
    const ir::Param &param = kernel.params[id];
    if (param.shape != ir::Param::Shape::Tensor)
      continue;
    ir::TestTensor tensor;
    tensor.name = param.name;
    tensor.element = param.element;
    tensor.param = id;
    tensor.loc = param.loc;
    for (ir::ExprId dim : param.dims)
      if (auto extent = evaluate(kernel, result, dim))
        tensor.dims.push_back(extent->value);
    for (ir::ExprId stride : param.strides)
      if (auto distance = evaluate(kernel, result, stride))
        tensor.strides.push_back(distance->value);
    tensorIndex[tensor.name] = result.tensors.size();
    result.tensors.push_back(std::move(tensor));
  }
}

// ---- Statements -------------------------------------------------------------------------------

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

// ---- Expectations -----------------------------------------------------------------------------

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

// `matmul_nt(A, B)`: the same in C++, where the tensors' namespace has the function. Shapes that do
// not fit together are reported when the test runs.
std::string TestBuilder::referenceCall(const ast::CallExpr &call) {
  const auto *callee = llvm::dyn_cast<ast::NameExpr>(call.callee);
  llvm::StringRef name = callee ? callee->parts.back().text : "";
  if (!llvm::is_contained({"matmul_nn", "matmul_nt", "matmul_tn", "matmul_tt"}, name)) {
    context.notYetCompiled(Construct::ReferenceLibrary, call.range);
    return {};
  }
  if (call.args.size() != 2) {
    context.report(call.range, WrongArgumentCount, name, Count{2, "argument"}, call.args.size());
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

ir::TestCase TestBuilder::build() {
  errorsBefore = context.diags.errorCount();
  result.name = test.name.text.str();
  result.kernel = kernel.name;
  result.loc = test.name.range;
  bindArguments();
  checkComplete();
  addParams();
  for (const ast::TestStmt &stmt : test.stmts)
    addStmt(stmt);
  if (!expectsAnything)
    context.report(test.name.range, TestWithoutExpectation, test.name.text);
  else if (context.diags.errorCount() == errorsBefore)
    checkCanFail(context, kernel, result);
  return std::move(result);
}

void buildTest(KernelState &state, const ast::TestDecl &test, TestNames &names,
               ir::Module &module) {
  if (!llvm::is_contained(state.items, static_cast<const ast::Decl *>(&test)))
    return;
  auto [earlier, isFirst] = names.try_emplace({&state.decl, test.name.text.str()}, test.name.range);
  if (!isFirst) {
    state.context.report(test.name.range, Redeclared, test.name.text)
        .note(earlier->second, "the first is declared here");
    return;
  }
  module.tests.push_back(TestBuilder(state, test).build());
}

} // namespace tsk::sema
