// What a place asks of an expression: a condition, an integer, a constant, a value of some type.
#include "compiler/sema/ExprResolver.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/ir/ExprText.h"

namespace tsk::sema {

using ir::ConstantScalar;
using ir::ExprId;
using ir::Folded;
using ir::ScalarType;
using ir::Type;

constexpr Diagnostic<llvm::StringRef, std::string> ConditionNotBool{
    kind::ConditionNotBool, "{} must be a `bool`, found {}; compare it with something"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, std::string> WrongType{
    kind::WrongType, "{} must be {}, found {}"};
constexpr Diagnostic<llvm::StringRef, std::string, std::string> CannotConvert{kind::CannotConvert,
                                                                              "{} is {}, found {}"};
constexpr Diagnostic<llvm::StringRef, std::string, std::string> LossyConstant{
    kind::LossyConstant, "{} is {}, which cannot hold {}"};
constexpr Diagnostic<llvm::StringRef, std::string, std::string> Narrowing{
    kind::Narrowing, "{} is {}: the {} may not fit"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NotConstant{
    kind::NotConstant, "{} must be known while compiling, but {}"};
constexpr Diagnostic<llvm::StringRef, int64_t, int64_t, int64_t> ConstantRange{
    kind::ConstantRange, "{} must lie in {} .. {}, found {}"};

ExprId ExprResolver::resolveCondition(const ast::Expr *expr, llvm::StringRef what) {
  ExprId id = resolve(expr);
  if (!id || type(id) == Type::ofScalar(ScalarType::Bool))
    return id;
  context.report(expr->range, ConditionNotBool, what, quoted(type(id)));
  return {};
}

ExprId ExprResolver::resolveInteger(const ast::Expr *expr, llvm::StringRef what) {
  ExprId id = resolve(expr);
  if (!id || (type(id).isScalar() && ir::isInteger(type(id).scalar)))
    return id;
  context.report(expr->range, WrongType, what, "an integer", quoted(type(id)));
  return {};
}

// Says which part of the expression is not constant.
void ExprResolver::reportNotConstant(ExprId id, SourceRange range, llvm::StringRef what) {
  const ir::Expr *leaf = &tables.exprs[id];
  while (!leaf->operands.empty()) {
    const ir::Expr *next = leaf;
    for (ExprId operand : leaf->operands)
      if (!constantOf(operand))
        next = &tables.exprs[operand];
    if (next == leaf)
      break;
    leaf = next;
  }
  std::string reason =
      fmt::format("`{}` is only known at run time",
                  leaf->loc.isValid() ? context.text(leaf->loc) : llvm::StringRef("it"));
  context.report(range, NotConstant, what, reason);
}

std::optional<ConstantScalar> ExprResolver::constant(const ast::Expr *expr, llvm::StringRef what) {
  ExprId id = resolve(expr);
  if (!id)
    return std::nullopt;
  std::optional<ConstantScalar> known = constantOf(id);
  if (!known)
    reportNotConstant(id, expr->range, what);
  return known;
}

std::optional<int64_t> ExprResolver::constantInteger(const ast::Expr *expr, llvm::StringRef what,
                                                     int64_t low, int64_t high) {
  std::optional<ConstantScalar> known = constant(expr, what);
  if (!known)
    return std::nullopt;
  if (!ir::isInteger(known->type)) {
    context.report(expr->range, WrongType, what, "an integer", quoted(Type::ofScalar(known->type)));
    return std::nullopt;
  }
  if (known->value < low || known->value > high) {
    context.report(expr->range, ConstantRange, what, low, high, known->value);
    return std::nullopt;
  }
  return known->value;
}

std::optional<bool> ExprResolver::constantCondition(const ast::Expr *expr, llvm::StringRef what) {
  ExprId id = resolveCondition(expr, what);
  if (!id)
    return std::nullopt;
  std::optional<ConstantScalar> known = constantOf(id);
  if (!known) {
    reportNotConstant(id, expr->range, what);
    return std::nullopt;
  }
  return known->value != 0;
}

std::optional<ScalarType> ExprResolver::typeName(const ast::Expr *expr) const {
  const auto *name = llvm::dyn_cast_or_null<ast::NameExpr>(expr);
  if (!name || name->parts.size() != 1)
    return std::nullopt;
  if (std::optional<ScalarType> type = ir::scalarTypeByName(name->parts[0].text))
    return type;
  const Symbol *symbol = scope.find(name->parts[0].text);
  if (symbol && symbol->kind == Symbol::Kind::TypeConstant)
    return symbol->type;
  return std::nullopt;
}

// Whether a C++ type is none of ours, so that only the C++ compiler can judge it.
static bool isForeign(const Type &type) {
  return !type.isScalar() && !llvm::StringRef(type.cpp).starts_with("tsk::");
}

ExprId ExprResolver::convertTo(ExprId value, const Type &wanted, SourceRange range,
                               llvm::StringRef what) {
  const Type found = type(value);
  if (found == wanted || isForeign(found) || isForeign(wanted))
    return value;
  auto refuse = [&] {
    context.report(range, CannotConvert, what, quoted(wanted), quoted(found));
    return ExprId{};
  };
  if (!found.isScalar() || !wanted.isScalar())
    return refuse();
  bool isNumber = ir::commonType(found.scalar, found.scalar).has_value();
  bool wantsNumber = ir::commonType(wanted.scalar, wanted.scalar).has_value();
  if (std::optional<ConstantScalar> known = constantOf(value); known && isNumber && wantsNumber) {
    Folded converted = ir::convert(*known, wanted.scalar);
    if (!converted) {
      std::string shown;
      llvm::raw_string_ostream os(shown);
      ir::printConstant(os, *known);
      context.report(range, LossyConstant, what, quoted(wanted), shown);
      return {};
    }
    ExprId id = ir::makeConstant(tables, converted.constant, range);
    tables.exprs[id].constantRef = tables.exprs[value].constantRef;
    return id;
  }
  if (!isNumber || !wantsNumber || (!ir::isInteger(found.scalar) && ir::isInteger(wanted.scalar)))
    return refuse();
  if (ir::bitWidth(found.scalar) > ir::bitWidth(wanted.scalar) &&
      ir::isInteger(found.scalar) == ir::isInteger(wanted.scalar))
    context.report(range, Narrowing, what, quoted(wanted), quoted(found));
  return value;
}

} // namespace tsk::sema
