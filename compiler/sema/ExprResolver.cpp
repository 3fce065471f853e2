#include "compiler/sema/ExprResolver.h"
#include "compiler/sema/Literals.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/ir/ExprText.h"
#include "compiler/sema/SourceFile.h"

namespace tsk::sema {

using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;
using ir::Folded;
using ir::FoldError;
using ir::ScalarType;
using ir::Type;

constexpr Diagnostic<llvm::StringRef> ConstantOverflow{
    kind::ConstantOverflow, "this constant does not fit its type; {}compute with less"};
constexpr Diagnostic<> DivisionByZero{kind::DivisionByZero, "division by zero in a constant"};
constexpr Diagnostic<> DivisorIsZero{kind::DivisionByZero, "this divides by zero"};
constexpr Diagnostic<llvm::StringRef, std::string> OperandTypes{
    kind::OperandTypes, "`{}` does not go together with {}"};
constexpr Diagnostic<unsigned> ExpressionTooDeep{
    kind::ExpressionTooDeep,
    "at run time {} operations may stand one inside the other; split this expression"};
constexpr Diagnostic<> NotInInstance{
    kind::NotInInstance, "`inst` has a value only where a task with instances runs a schedule: "
                         "`task T[2] on … runs …`"};
constexpr Diagnostic<std::string, llvm::StringRef> NotAnExpression{kind::NotAnExpression,
                                                                   "{} is no value here{}"};

std::string quoted(const Type &type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '`';
  ir::printType(os, type);
  os << '`';
  return text;
}

const Symbol *lookUpQualified(Context &context, const Scope &scope, ast::List<ast::Name> parts) {
  const Scope *current = &scope;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Symbol *symbol = lookUp(context, *current, parts[i]);
    if (!symbol || i + 1 == parts.size())
      return symbol;
    if (symbol->kind != Symbol::Kind::ImportAlias) {
      reportWrongKind(context, parts[i].range, *symbol, "an imported file before `::`");
      return nullptr;
    }
    current = &symbol->home->exported;
  }
  return nullptr;
}

// ---- Leaves -----------------------------------------------------------------------------------

ExprId ExprResolver::resolve(const ast::Expr *expr) {
  if (!expr)
    return {};
  switch (expr->kind) {
  case ast::Expr::Kind::Int:
    return ir::makeConstant(
        tables, integerLiteral(llvm::cast<ast::IntExpr>(expr)->value, context.text(expr->range)),
        expr->range);
  case ast::Expr::Kind::Float:
    return ir::makeConstant(
        tables, realLiteral(llvm::cast<ast::FloatExpr>(expr)->value, context.text(expr->range)),
        expr->range);
  case ast::Expr::Kind::Name:
    return resolveName(*llvm::cast<ast::NameExpr>(expr));
  case ast::Expr::Kind::Member:
    return resolveMember(*llvm::cast<ast::MemberExpr>(expr));
  case ast::Expr::Kind::Call:
    return resolveCall(*llvm::cast<ast::CallExpr>(expr));
  case ast::Expr::Kind::Unary: {
    const auto &unary = *llvm::cast<ast::UnaryExpr>(expr);
    ExprId operand = resolve(unary.operand);
    ExprOp op = unary.op == ast::UnaryOp::Negate ? ExprOp::Negate
                : unary.op == ast::UnaryOp::Not  ? ExprOp::Not
                                                 : ExprOp::Complement;
    return operand ? apply(op, operand, expr->range) : ExprId{};
  }
  case ast::Expr::Kind::Binary:
    return resolveBinary(*llvm::cast<ast::BinaryExpr>(expr));
  case ast::Expr::Kind::Conditional:
    return resolveConditional(*llvm::cast<ast::ConditionalExpr>(expr));
  case ast::Expr::Kind::Paren:
    return resolve(llvm::cast<ast::ParenExpr>(expr)->inner);
  case ast::Expr::Kind::String:
    context.report(expr->range, NotAnExpression, "a string", "");
    return {};
  case ast::Expr::Kind::Index:
    context.report(expr->range, NotAnExpression, fmt::format("`{}`", context.text(expr->range)),
                   "; elements of resources are named to call their works");
    return {};
  case ast::Expr::Kind::List:
    context.notYetCompiled(Construct::Lists, expr->range);
    return {};
  case ast::Expr::Kind::Error:
    return {};
  }
  TSK_UNREACHABLE("kind of expression outside its enumeration");
}

ExprId ExprResolver::resolveName(const ast::NameExpr &name) {
  if (name.parts.size() == 1) {
    llvm::StringRef text = name.parts[0].text;
    if (text == "true" || text == "false")
      return ir::makeConstant(tables, ConstantScalar::ofBool(text == "true"), name.range);
    if (text == "inst" && !scope.find(text)) {
      context.report(name.range, NotInInstance);
      return {};
    }
  }
  if (name.parts.size() == 1 && ir::scalarTypeByName(name.parts[0].text)) {
    context.report(name.range, NotAnExpression, fmt::format("type `{}`", name.parts[0].text), "");
    return {};
  }
  const Symbol *symbol = lookUpQualified(context, scope, name.parts);
  return symbol ? reference(*symbol, name.range) : ExprId{};
}

ExprId ExprResolver::reference(const Symbol &symbol, SourceRange range) {
  switch (symbol.kind) {
  case Symbol::Kind::Constant:
  case Symbol::Kind::StaticValue: {
    ExprId id = ir::makeConstant(tables, symbol.constant, range);
    tables.exprs[id].constantRef = symbol.constantId;
    return id;
  }
  case Symbol::Kind::Scalar: {
    ir::Expr leaf;
    leaf.op = ExprOp::Scalar;
    leaf.type = Type::ofScalar(symbol.type);
    leaf.uniformity = ir::Uniformity::Kernel;
    leaf.scalarRef = symbol.scalar;
    leaf.loc = range;
    return tables.exprs.add(std::move(leaf));
  }
  case Symbol::Kind::Value:
    return copyOf(symbol.expr, range);
  case Symbol::Kind::Var:
    return ir::makeValueRef(tables, symbol.value, range);
  default:
    reportWrongKind(context, range, symbol, "a value");
    return {};
  }
}

// So that the place is that of the use.
ExprId ExprResolver::copyOf(ExprId id, SourceRange range) {
  if (!id)
    return {};
  ir::Expr copy = tables.exprs[id];
  copy.loc = range;
  return tables.exprs.add(std::move(copy));
}

ExprId ExprResolver::resolveMember(const ast::MemberExpr &member) {
  const auto *base = llvm::dyn_cast<ast::NameExpr>(member.base);
  if (base && base->parts.size() == 1 && member.member) {
    std::string full = fmt::format("{}.{}", base->parts[0].text, member.member.text);
    for (unsigned i = 0; i < static_cast<unsigned>(ir::Builtin::Instance); ++i)
      if (ir::spelling(static_cast<ir::Builtin>(i)) == full)
        return ir::makeBuiltin(tables, static_cast<ir::Builtin>(i), member.range);
    llvm::StringRef name = base->parts[0].text;
    if (name == "block" || name == "grid") {
      context.report(member.member.range, NotAnExpression, fmt::format("`{}`", full),
                     "; there are `x`, `y` and `z`");
      return {};
    }
    if (name == "cluster" || name == "stage") {
      context.report(member.range, NotAnExpression, fmt::format("`{}`", full),
                     name == "stage" ? "; only bodies see their stage"
                                     : "; there are `rank`, `x`, `y`, `z`, `index` and `count`");
      return {};
    }
    const Symbol *symbol = lookUp(context, scope, base->parts[0]);
    if (!symbol)
      return {};
    if (symbol->kind == Symbol::Kind::Tile) {
      const size_t which = llvm::StringRef("xy").find(member.member.text);
      if (member.member.text.size() == 1 && which < symbol->members.size())
        return copyOf(symbol->members[which], member.range);
      context.report(member.range, NotAnExpression, fmt::format("`{}`", full),
                     "; a tile has `x`, its row, and `y`, its column");
      return {};
    }
    if (symbol->kind == Symbol::Kind::Resource)
      context.report(member.range, NotAnExpression, fmt::format("`{}`", full),
                     "; a work is called with parentheses");
    else
      context.report(
          member.range, NotAnExpression, fmt::format("`{}`", full),
          fmt::format("; `{}` is {}, which has no members", name, describe(symbol->kind)));
    return {};
  }
  // No value has a member: of a chain `a.b.c`, which may be long, what is wrong at its begin
  // counts.
  const ast::MemberExpr *outer = &member;
  const ast::Expr *inner = member.base;
  for (; const auto *next = llvm::dyn_cast<ast::MemberExpr>(inner); inner = next->base) {
    if (llvm::isa<ast::NameExpr>(next->base))
      break;
    outer = next;
  }
  if (resolve(inner) && outer->member)
    context.report(outer->range, NotAnExpression, fmt::format("member `{}`", outer->member.text),
                   "; only resources have members");
  return {};
}

// ---- Operators --------------------------------------------------------------------------------

static ExprOp irOp(ast::BinaryOp op) {
  switch (op) {
  case ast::BinaryOp::Add:
    return ExprOp::Add;
  case ast::BinaryOp::Sub:
    return ExprOp::Sub;
  case ast::BinaryOp::Xor:
    return ExprOp::Xor;
  case ast::BinaryOp::Mul:
    return ExprOp::Mul;
  case ast::BinaryOp::Div:
    return ExprOp::Div;
  case ast::BinaryOp::Rem:
    return ExprOp::Rem;
  case ast::BinaryOp::Eq:
    return ExprOp::Eq;
  case ast::BinaryOp::Ne:
    return ExprOp::Ne;
  case ast::BinaryOp::Lt:
    return ExprOp::Lt;
  case ast::BinaryOp::Le:
    return ExprOp::Le;
  case ast::BinaryOp::Gt:
    return ExprOp::Gt;
  case ast::BinaryOp::Ge:
    return ExprOp::Ge;
  case ast::BinaryOp::And:
    return ExprOp::And;
  case ast::BinaryOp::Or:
    return ExprOp::Or;
  }
  TSK_UNREACHABLE("operator outside its enumeration");
}

ExprId ExprResolver::resolveUnevaluated(const ast::Expr *expr) {
  ++unevaluated;
  ExprId id = resolve(expr);
  --unevaluated;
  return id;
}

// A chain may be long: it is walked in a loop.
ExprId ExprResolver::resolveBinary(const ast::BinaryExpr &last) {
  llvm::SmallVector<const ast::BinaryExpr *> chain;
  const ast::Expr *first = &last;
  for (; const auto *binary = llvm::dyn_cast<ast::BinaryExpr>(first); first = binary->left)
    chain.push_back(binary);
  ExprId value = resolve(first);
  for (const ast::BinaryExpr *binary : llvm::reverse(chain))
    value = resolveOperation(*binary, value);
  return value;
}

// `left` is null after a report.
ExprId ExprResolver::resolveOperation(const ast::BinaryExpr &binary, ExprId left) {
  ExprOp op = irOp(binary.op);
  bool isLogical = op == ExprOp::And || op == ExprOp::Or;
  std::optional<ConstantScalar> known = left ? constantOf(left) : std::nullopt;
  bool settled = known && known->type == ScalarType::Bool && ir::decides(op, *known);
  conditional += isLogical && !known;
  ExprId right = settled ? resolveUnevaluated(binary.right) : resolve(binary.right);
  conditional -= isLogical && !known;
  if (!left || !right)
    return {};
  ExprId result = apply(op, {left, right}, binary.range);
  if (!result || !isLogical || !known)
    return result;
  return settled ? left : right; // false && x, true && x
}

ExprId ExprResolver::resolveConditional(const ast::ConditionalExpr &expr) {
  ExprId condition = resolveCondition(expr.condition, "the condition");
  std::optional<ConstantScalar> known = condition ? constantOf(condition) : std::nullopt;
  bool takesTrue = known && known->value;
  bool takesFalse = known && !known->value;
  conditional += !known;
  ExprId whenTrue = takesFalse ? resolveUnevaluated(expr.whenTrue) : resolve(expr.whenTrue);
  ExprId whenFalse = takesTrue ? resolveUnevaluated(expr.whenFalse) : resolve(expr.whenFalse);
  conditional -= !known;
  if (!condition || !whenTrue || !whenFalse)
    return {};
  ExprId result = apply(ExprOp::Select, {condition, whenTrue, whenFalse}, expr.range);
  if (!result || !known)
    return result;
  ExprId chosen = takesTrue ? whenTrue : whenFalse;
  if (type(chosen) == type(result))
    return chosen;
  // The other operand has its say in the type even where it has no value.
  std::optional<ConstantScalar> value = constantOf(chosen);
  Folded converted = value ? ir::promote(*value, type(result).scalar) : Folded{};
  return value && converted && !converted.hasWrapped
             ? ir::makeConstant(tables, converted.constant, expr.range)
             : result;
}

ExprId ExprResolver::apply(ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange range) {
  ExprId id = ir::makeExpr(tables, op, operands, range);
  if (!id) {
    reportOperands(op, operands, range);
    return {};
  }
  llvm::SmallVector<ConstantScalar, 3> constants;
  for (ExprId operand : operands)
    if (std::optional<ConstantScalar> known = constantOf(operand))
      constants.push_back(*known);
  if (constants.size() != operands.size()) {
    bool isRight = checkDepth(id, range) && checkConstantOperands(op, operands, range);
    return isRight ? id : ExprId{};
  }
  if (!checkComparedReals(op, operands))
    return {};
  Folded folded = ir::fold(op, constants);
  if (folded && (!folded.hasWrapped || unevaluated))
    return ir::makeConstant(tables, folded.constant, range);
  if (folded.error == FoldError::NotConstant || unevaluated)
    return id;
  if (folded.error == FoldError::DivisionByZero)
    context.report(range, DivisionByZero);
  else
    context.report(range, ConstantOverflow, widerThan(computedIn(op, operands)));
  return {};
}

// The type that the operands have while `op` computes.
ScalarType ExprResolver::computedIn(ExprOp op, llvm::ArrayRef<ExprId> operands) const {
  const llvm::ArrayRef<ExprId> values = operands.drop_front(op == ExprOp::Select);
  return ir::commonType(type(values.front()).scalar, type(values.back()).scalar)
      .value_or(ScalarType::I32);
}

// What would hold more.
llvm::StringRef ExprResolver::widerThan(ScalarType type) {
  if (type == ScalarType::F32)
    return "make an operand `f64` (5.0) or ";
  return ir::isInteger(type) && ir::bitWidth(type) == 32 ? "make an operand `i64` (5L) or " : "";
}

bool ExprResolver::checkDepth(ExprId id, SourceRange range) {
  const bool isInBounds = tables.exprs[id].depth <= ir::MaxExprDepth;
  if (!isInBounds)
    context.report(range, ExpressionTooDeep, ir::MaxExprDepth);
  return isInBounds;
}

static bool isComparison(ExprOp op) {
  return op == ExprOp::Eq || op == ExprOp::Ne || op == ExprOp::Lt || op == ExprOp::Le ||
         op == ExprOp::Gt || op == ExprOp::Ge;
}

// An integer that is compared as the nearest real number there is.
bool ExprResolver::checkComparedReals(ExprOp op, llvm::ArrayRef<ExprId> operands) {
  if (unevaluated || !isComparison(op))
    return true;
  const ScalarType common = computedIn(op, operands);
  if (ir::isInteger(common))
    return true;
  for (ExprId operand : operands) {
    std::optional<ConstantScalar> known = constantOf(operand);
    if (known && ir::isInteger(known->type) && !ir::convert(*known, common))
      return bool(convertTo(operand, Type::ofScalar(common), tables.exprs[operand].loc,
                            fmt::format("an operand of `{}`", ir::spelling(op)))); // reports
  }
  return true;
}

// What is computed at run time may divide by a constant all the same, or compare with one that
// becomes another number: C++ makes `-1` unsigned before it compares it with an unsigned.
bool ExprResolver::checkConstantOperands(ExprOp op, llvm::ArrayRef<ExprId> operands,
                                         SourceRange range) {
  bool divides = op == ExprOp::Div || op == ExprOp::Rem || op == ExprOp::CeilDiv;
  bool orders = isComparison(op) || op == ExprOp::Min || op == ExprOp::Max;
  if (!checkComparedReals(op, operands))
    return false;
  if (unevaluated || (!divides && !orders))
    return true;
  std::optional<ScalarType> common =
      ir::commonType(type(operands[0]).scalar, type(operands[1]).scalar);
  for (ExprId operand : operands) {
    std::optional<ConstantScalar> known = constantOf(operand);
    if (known && common && ir::isInteger(*common) && !ir::convert(*known, *common))
      return bool(convertTo(operand, Type::ofScalar(*common), tables.exprs[operand].loc,
                            fmt::format("an operand of `{}`", ir::spelling(op)))); // reports
  }
  std::optional<ConstantScalar> divisor = constantOf(operands[1]);
  if (!divides || !divisor || (divisor->isReal() ? divisor->real != 0 : divisor->value != 0))
    return true;
  context.report(range, DivisorIsZero);
  return false;
}

void ExprResolver::reportOperands(ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange range) {
  std::string types;
  for (size_t i = 0; i < operands.size(); ++i)
    types += (i == 0 ? "" : i + 1 == operands.size() ? " and " : ", ") + quoted(type(operands[i]));
  context.report(range, OperandTypes, ir::spelling(op), types);
}

std::optional<ConstantScalar> ExprResolver::constantOf(ExprId id) const {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op != ExprOp::IntConst && expr.op != ExprOp::FloatConst && expr.op != ExprOp::BoolConst)
    return std::nullopt;
  return ConstantScalar{expr.type.scalar, expr.value, expr.real};
}

} // namespace tsk::sema
