// Calls in expressions: built-in functions, functions of a loop's ordinal, works.
#include "compiler/sema/ExprResolver.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;

constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownFunction{kind::UnknownFunction,
                                                                  "unknown function `{}`{}"};
constexpr Diagnostic<llvm::StringRef> NamedArgument{
    kind::NamedArgument, "arguments of `{}` go by position; leave out the name"};
constexpr Diagnostic<llvm::StringRef> NotALoopVariable{
    kind::NotALoopVariable,
    "`{}` asks about a loop: its argument must be the variable of an enclosing `for`"};
constexpr Diagnostic<llvm::StringRef> FunctionOfNoKernel{
    kind::NotConstant, "a constant must be known while compiling, but what `{}` computes is not"};
constexpr Diagnostic<llvm::StringRef> TypeAsFunction{
    kind::NotCallable, "the type `{0}` cannot be called to convert; declare a `var v : {0} = …;`"};
constexpr Diagnostic<> WorkOutsideSchedule{kind::WorkOutsideSchedule,
                                           "a work can only be called in a schedule"};
constexpr Diagnostic<> ConditionalWork{
    kind::ConditionalWork,
    "this work would be called before the condition that guards it; call it in a `let` or an `if`"};

bool ExprResolver::checkArgumentCount(const ast::CallExpr &call, llvm::StringRef callee,
                                      size_t expected) {
  bool ok = true;
  if (call.args.size() != expected) {
    context.report(call.range, WrongArgumentCount, callee, Count{expected, "argument"},
                   call.args.size());
    ok = false;
  }
  for (const ast::Arg &arg : call.args)
    if (arg.name) {
      reportNamedArgument(context, arg, callee);
      ok = false;
    }
  return ok;
}

static std::optional<ExprOp> builtinFunction(llvm::StringRef name) {
  for (ExprOp op :
       {ExprOp::CeilDiv, ExprOp::Min, ExprOp::Max, ExprOp::First, ExprOp::Last, ExprOp::Every})
    if (ir::spelling(op) == name)
      return op;
  return std::nullopt;
}

void reportNamedArgument(Context &context, const ast::Arg &arg, llvm::StringRef callee) {
  ReportBuilder report = context.report(arg.name.range, NamedArgument, callee);
  if (arg.value)
    report.fixit({arg.name.range.begin, arg.value->range.begin}, "",
                 fmt::format("leave out `{} =`", arg.name.text));
}

bool isBuiltinFunction(llvm::StringRef name) { return builtinFunction(name).has_value(); }

ExprId ExprResolver::resolveCall(const ast::CallExpr &call) {
  if (call.callee->kind == ast::Expr::Kind::Error)
    return {};
  if (llvm::isa<ast::MemberExpr>(call.callee)) {
    if (!works) {
      context.report(call.range, WorkOutsideSchedule);
      return {};
    }
    if (conditional) {
      context.report(call.range, ConditionalWork);
      return {};
    }
    return works->callAsOperand(call);
  }
  const auto *name = llvm::dyn_cast<ast::NameExpr>(call.callee);
  if (!name) {
    context.report(call.callee->range, NotCallable);
    return {};
  }
  if (name->parts.size() == 1)
    if (std::optional<ExprOp> op = builtinFunction(name->parts[0].text)) {
      bool isLoopFunction = *op == ExprOp::First || *op == ExprOp::Last || *op == ExprOp::Every;
      return isLoopFunction ? resolveLoopFunction(call, *op) : resolveBuiltinCall(call, *op);
    }
  if (typeName(name)) {
    context.report(name->range, TypeAsFunction, name->parts[0].text);
    return {};
  }
  if (name->parts.size() == 1 && !scope.find(name->parts[0].text)) {
    context.report(name->range, UnknownFunction, name->parts[0].text,
                   suggestion(context, scope, name->parts[0].text, std::nullopt,
                              {"ceil_div", "min", "max", "first", "last", "every"}));
    return {};
  }
  const Symbol *symbol = lookUpQualified(context, scope, name->parts);
  if (symbol && symbol->kind == Symbol::Kind::Function)
    return resolveFunctionCall(call, *symbol);
  if (symbol)
    reportWrongKind(context, name->range, *symbol, "a function");
  return {};
}

ExprId ExprResolver::resolveFunctionCall(const ast::CallExpr &call, const Symbol &symbol) {
  if (!functions) {
    context.report(call.range, FunctionOfNoKernel, symbol.name);
    return {};
  }
  std::optional<ir::FunctionId> id = functions->find(symbol);
  if (!id)
    return {};
  // A copy: arguments may call functions that are not made yet.
  const std::vector<ir::Type> params = tables.functions[*id].params;
  bool ok = checkArgumentCount(call, symbol.name, params.size());
  llvm::SmallVector<ExprId, 4> operands;
  for (size_t i = 0; i < call.args.size(); ++i) {
    ExprId value = resolve(call.args[i].value);
    if (value && i < params.size())
      value = convertTo(value, params[i], call.args[i].value->range,
                        fmt::format("argument {} of `{}`", i + 1, symbol.name));
    ok &= bool(value);
    operands.push_back(value);
  }
  ExprId made = ok ? ir::makeCall(tables, *id, operands, call.range) : ExprId{};
  return made && checkDepth(made, call.range) ? made : ExprId{};
}

ExprId ExprResolver::resolveBuiltinCall(const ast::CallExpr &call, ExprOp op) {
  if (!checkArgumentCount(call, ir::spelling(op), static_cast<size_t>(ir::operandCount(op))))
    return {};
  llvm::SmallVector<ExprId, 2> operands;
  for (const ast::Arg &arg : call.args)
    operands.push_back(resolve(arg.value));
  for (ExprId operand : operands)
    if (!operand)
      return {};
  return apply(op, operands, call.range);
}

ExprId ExprResolver::resolveLoopFunction(const ast::CallExpr &call, ExprOp op) {
  if (!checkArgumentCount(call, ir::spelling(op), static_cast<size_t>(ir::operandCount(op))))
    return {};
  const auto *name = llvm::dyn_cast<ast::NameExpr>(call.args[0].value);
  const Symbol *symbol =
      name && name->parts.size() == 1 ? scope.find(name->parts[0].text) : nullptr;
  if (symbol && symbol->kind == Symbol::Kind::StaticValue && symbol->ordinals > 0)
    return foldLoopFunction(call, op, *symbol);
  if (!symbol || !symbol->isLoopVariable) {
    if (symbol || !name)
      context.report(call.args[0].value->range, NotALoopVariable, ir::spelling(op));
    else
      lookUp(context, scope, name->parts[0]); // reports the unknown name
    return {};
  }
  llvm::SmallVector<ExprId, 2> operands = {resolve(call.args[0].value)};
  if (op == ExprOp::Every) {
    operands.push_back(resolveInteger(call.args[1].value, "the second argument of `every`"));
    if (operands[1])
      if (std::optional<ConstantScalar> known = constantOf(operands[1]);
          known && known->value < 1) {
        constantInteger(call.args[1].value, "the second argument of `every`", 1, INT32_MAX);
        return {};
      }
  }
  for (ExprId operand : operands)
    if (!operand)
      return {};
  return apply(op, operands, call.range);
}

// In `static for` the ordinal is known.
ExprId ExprResolver::foldLoopFunction(const ast::CallExpr &call, ExprOp op,
                                      const Symbol &variable) {
  variable.isUsed = true;
  bool value =
      op == ExprOp::First ? variable.ordinal == 0 : variable.ordinal + 1 == variable.ordinals;
  if (op == ExprOp::Every) {
    std::optional<int64_t> every =
        constantInteger(call.args[1].value, "the second argument of `every`", 1, INT32_MAX);
    if (!every)
      return {};
    value = variable.ordinal % *every == 0;
  }
  return ir::makeConstant(tables, ConstantScalar::ofBool(value), call.range);
}

} // namespace tsk::sema
