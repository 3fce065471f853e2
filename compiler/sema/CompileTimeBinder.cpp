#include "compiler/sema/ExprResolver.h"
#include "compiler/sema/Instance.h"
#include "compiler/sema/Literals.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> ArgumentKind{
    kind::ArgumentKind, "compile-time parameter `{}` is {}, found {}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BadDefine{
    kind::BadDefine, "`-D {}={}`: expected a number, `true`, `false` or a scalar type"};
constexpr Diagnostic<llvm::StringRef> UnknownCompileTimeType{
    kind::UnknownCompileTimeType,
    "a compile-time parameter is a `type`, an integer, `f32`, `f64` or `bool`, not `{}`"};

std::optional<CompileTimeValue> parseDefine(llvm::StringRef text) {
  CompileTimeValue result;
  if (std::optional<ir::ScalarType> type = ir::scalarTypeByName(text)) {
    result.isType = true;
    result.type = *type;
    return result;
  }
  if (text == "true" || text == "false") {
    result.constant = ir::ConstantScalar::ofBool(text == "true");
    return result;
  }
  std::optional<ir::ConstantScalar> number = parseNumber(text);
  if (!number)
    return std::nullopt;
  result.constant = *number;
  return result;
}

std::optional<CompileTimeValue>
CompileTimeBinder::evaluate(const ast::Expr *expr, const Scope &names, llvm::StringRef param) {
  ir::ValueTables scratch;
  ExprResolver resolver(context, scratch, names);
  CompileTimeValue result;
  if (std::optional<ir::ScalarType> type = resolver.typeName(expr)) {
    result.isType = true;
    result.type = *type;
    return result;
  }
  std::optional<ir::ConstantScalar> constant =
      resolver.constant(expr, fmt::format("compile-time parameter `{}`", param));
  if (!constant)
    return std::nullopt;
  result.constant = *constant;
  return result;
}

// Makes `value` what the parameter wants: by its written type, else by its default.
bool CompileTimeBinder::fit(CompileTimeValue &value, const ast::CompileTimeParam &param,
                            const std::optional<CompileTimeValue> &fallback, SourceRange range) {
  std::optional<ir::ScalarType> wanted;
  bool wantsType = false;
  if (param.type) {
    llvm::StringRef text = context.text(param.type->range);
    wantsType = text == "type";
    wanted = ir::scalarTypeByName(text);
    bool isPossible =
        wanted && (*wanted == ir::ScalarType::Bool || ir::commonType(*wanted, *wanted));
    if (!wantsType && !isPossible) {
      context.report(param.type->range, UnknownCompileTimeType, text);
      return false;
    }
  } else if (fallback) {
    wantsType = fallback->isType;
    if (!wantsType)
      wanted = fallback->constant.type;
  } else {
    return true;
  }
  if (wantsType != value.isType) {
    context.report(range, ArgumentKind, param.name.text, wantsType ? "a type" : "a value",
                   value.isType ? "a type" : "a value");
    return false;
  }
  if (wantsType)
    return true;
  ir::ValueTables scratch;
  ExprResolver resolver(context, scratch, scope);
  ir::ExprId id = resolver.convertTo(ir::makeConstant(scratch, value.constant, range),
                                     ir::Type::ofScalar(*wanted), range,
                                     fmt::format("compile-time parameter `{}`", param.name.text));
  if (!id)
    return false;
  value.constant = *resolver.constantOf(id);
  return true;
}

std::optional<CompileTimeValue> CompileTimeBinder::bind(const ast::CompileTimeParam &param,
                                                        const ast::Expr *written,
                                                        const Scope &argumentScope,
                                                        const std::string *define) {
  std::optional<CompileTimeValue> fallback;
  if (param.defaultValue) {
    fallback = evaluate(param.defaultValue, scope, param.name.text);
    if (!fallback || !fit(*fallback, param, std::nullopt, param.defaultValue->range))
      return std::nullopt;
  }
  std::optional<CompileTimeValue> value = fallback;
  SourceRange range = param.range;
  if (written) {
    value = evaluate(written, argumentScope, param.name.text);
    range = written->range;
  } else if (define) {
    value = parseDefine(*define);
    range = {};
    if (!value)
      context.report({}, BadDefine, param.name.text, *define);
  }
  if (!value || !fit(*value, param, fallback, range))
    return std::nullopt;
  declareValue(param, *value);
  return value;
}

void CompileTimeBinder::declareBroken(const ast::CompileTimeParam &param) {
  context.sawBroken = true;
  Symbol symbol;
  symbol.name = param.name.text.str();
  symbol.loc = param.name.range;
  scope.insert(std::move(symbol));
}

void CompileTimeBinder::declareValue(const ast::CompileTimeParam &param,
                                     const CompileTimeValue &value) {
  Symbol symbol;
  symbol.kind = value.isType ? Symbol::Kind::TypeConstant : Symbol::Kind::Constant;
  symbol.name = param.name.text.str();
  symbol.loc = param.name.range;
  symbol.type = value.type;
  symbol.constant = value.constant;
  scope.insert(std::move(symbol));
}

} // namespace tsk::sema
