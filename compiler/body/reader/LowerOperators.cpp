// Operators and casts.
#include "compiler/body/reader/Lowering.h"

namespace tsk::body {

ExprId Lowering::unary(const clang::UnaryOperator *e) {
  const clang::Expr *operand = e->getSubExpr();
  auto withOp = [&](Op op) {
    const ExprId id = make(e, ExprKind::Unary, {expr(operand)});
    tree.exprs[id].op = op;
    return id;
  };
  switch (e->getOpcode()) {
  case clang::UO_Deref:
    return make(e, ExprKind::Deref, {expr(operand)});
  case clang::UO_AddrOf:
    return operand->isGLValue() && !operand->getType()->isFunctionType() &&
                   !e->getType()->isMemberPointerType()
               ? make(e, ExprKind::AddressOf, {expr(operand)})
               : make(e, ExprKind::Unknown);
  case clang::UO_Plus:
  case clang::UO_Extension:
    return expr(operand);
  case clang::UO_Minus:
    return withOp(Op::Minus);
  case clang::UO_Not:
    return withOp(Op::Complement);
  case clang::UO_LNot:
    return withOp(Op::Not);
  case clang::UO_PostInc:
  case clang::UO_PostDec:
  case clang::UO_PreInc:
  case clang::UO_PreDec: {
    const ExprId id = make(e, ExprKind::Step, {expr(operand)});
    tree.exprs[id].value = e->isIncrementOp() ? 1 : -1;
    tree.exprs[id].isPostfix = e->isPostfix();
    return id;
  }
  default:
    return unknown(e);
  }
}

static Op opOf(clang::BinaryOperatorKind kind) {
  switch (kind) {
  case clang::BO_Add:
  case clang::BO_AddAssign:
    return Op::Add;
  case clang::BO_Sub:
  case clang::BO_SubAssign:
    return Op::Sub;
  case clang::BO_Mul:
  case clang::BO_MulAssign:
    return Op::Mul;
  case clang::BO_Div:
  case clang::BO_DivAssign:
    return Op::Div;
  case clang::BO_Rem:
  case clang::BO_RemAssign:
    return Op::Rem;
  case clang::BO_Shl:
  case clang::BO_ShlAssign:
    return Op::Shl;
  case clang::BO_Shr:
  case clang::BO_ShrAssign:
    return Op::Shr;
  case clang::BO_And:
  case clang::BO_AndAssign:
    return Op::And;
  case clang::BO_Or:
  case clang::BO_OrAssign:
    return Op::Or;
  case clang::BO_Xor:
  case clang::BO_XorAssign:
    return Op::Xor;
  case clang::BO_LT:
    return Op::Less;
  case clang::BO_LE:
    return Op::LessEqual;
  case clang::BO_GT:
    return Op::Greater;
  case clang::BO_GE:
    return Op::GreaterEqual;
  case clang::BO_EQ:
    return Op::Equal;
  case clang::BO_NE:
    return Op::NotEqual;
  default:
    return Op::None;
  }
}

ExprId Lowering::binary(const clang::BinaryOperator *e) {
  const clang::BinaryOperatorKind kind = e->getOpcode();
  ExprKind made = ExprKind::Binary;
  if (kind == clang::BO_Assign)
    made = ExprKind::Assign;
  else if (e->isCompoundAssignmentOp())
    made = ExprKind::Compound;
  else if (kind == clang::BO_LAnd)
    made = ExprKind::And;
  else if (kind == clang::BO_LOr)
    made = ExprKind::Or;
  else if (kind == clang::BO_Comma)
    made = ExprKind::Comma;
  else if (opOf(kind) == Op::None)
    return unknown(e);
  const ExprId left = expr(e->getLHS());
  const ExprId right = expr(e->getRHS());
  const ExprId id = make(e, made, {left, right});
  tree.exprs[id].op = opOf(kind);
  return id;
}

ExprId Lowering::toBase(const clang::CastExpr *e) {
  ExprId value = expr(e->getSubExpr());
  clang::QualType type = e->getSubExpr()->getType();
  const bool isPointer = type->isPointerType();
  if (isPointer) {
    type = type->getPointeeType();
    value = make(type, true, ExprKind::Deref, {value}, {});
  }
  const bool isLValue = tree.exprs[value].isLValue;
  for (const clang::CXXBaseSpecifier *step : e->path()) {
    const unsigned number =
        baseNumber(type->getAsCXXRecordDecl(), step->getType()->getAsCXXRecordDecl());
    type = step->getType();
    value = make(type, isLValue, ExprKind::Member, {value}, placeOf(e));
    tree.exprs[value].value = number;
  }
  return isPointer ? make(e, ExprKind::AddressOf, {value}) : value;
}

ExprId Lowering::castOf(const clang::CastExpr *e) {
  const clang::Expr *operand = e->getSubExpr();
  switch (e->getCastKind()) {
  case clang::CK_LValueToRValue:
    return make(e, ExprKind::Load, {expr(operand)});
  case clang::CK_NoOp:
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion:
  case clang::CK_ToVoid:
    return expr(operand);
  case clang::CK_ArrayToPointerDecay:
    return make(e, ExprKind::Decay, {expr(operand)});
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
    return toBase(e);
  case clang::CK_NullToPointer:
    return make(e, ExprKind::Constant);
  case clang::CK_BitCast:
  case clang::CK_LValueBitCast:
  case clang::CK_LValueToRValueBitCast:
  case clang::CK_BaseToDerived:
  case clang::CK_IntegralToPointer:
  case clang::CK_PointerToIntegral:
  case clang::CK_AddressSpaceConversion:
    return make(e, ExprKind::Reinterpret, {expr(operand)});
  case clang::CK_IntegralCast:
  case clang::CK_IntegralToBoolean:
  case clang::CK_PointerToBoolean:
  case clang::CK_FloatingToBoolean:
  case clang::CK_IntegralToFloating:
  case clang::CK_FloatingToIntegral:
  case clang::CK_FloatingCast:
  case clang::CK_BooleanToSignedIntegral:
    return make(e, ExprKind::Convert, {expr(operand)});
  case clang::CK_FunctionToPointerDecay:
    return make(e, ExprKind::Unknown);
  default:
    return unknown(e);
  }
}

} // namespace tsk::body
