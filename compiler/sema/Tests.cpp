// `test` blocks: parameters by name, statements in the vocabulary of ir::TestStep.
#include "compiler/sema/TestBuilder.h"
#include "compiler/sema/TestChecks.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownTestArgument{
    kind::UnknownTestArgument, "the kernel has no dimension or scalar `{}`{}"};
constexpr Diagnostic<> UnnamedTestArgument{kind::UnnamedTestArgument,
                                           "arguments of a test go by name: `rows = 256`"};
constexpr Diagnostic<llvm::StringRef, std::string> MissingTestArgument{
    kind::MissingTestArgument, "test `{}` gives no value to {}"};
constexpr Diagnostic<llvm::StringRef> TestWithoutExpectation{
    kind::TestWithoutExpectation, "test `{}` expects nothing: it cannot fail"};

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
  if (const Symbol *symbol = state.scope.find(arg.name.text);
      symbol && symbol->kind == Symbol::Kind::Broken)
    return; // a parameter of an unknown type is there nevertheless
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
