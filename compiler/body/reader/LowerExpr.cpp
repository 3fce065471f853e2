// Expressions of Clang's AST as nodes of the tree.
#include "compiler/body/reader/Lowering.h"

namespace tsk::body {

ExprId Lowering::make(clang::QualType type, bool isLValue, ExprKind kind,
                      std::initializer_list<ExprId> operands, Place place) {
  Expr result;
  result.kind = kind;
  result.isLValue = isLValue;
  result.type = typeOf(type);
  result.operands = operands;
  result.place = place;
  return tree.exprs.add(std::move(result));
}

ExprId Lowering::make(const clang::Expr *e, ExprKind kind, std::initializer_list<ExprId> operands) {
  return make(e->getType(), e->isGLValue(), kind, operands, placeOf(e));
}

// What computes a value from the values of its operands.
static bool isHarmless(const clang::Expr *e) {
  if (const auto *two = dyn_cast<clang::BinaryOperator>(e))
    return two->isPtrMemOp();
  return isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::StringLiteral,
             clang::CharacterLiteral, clang::CXXBoolLiteralExpr, clang::ImaginaryLiteral,
             clang::PredefinedExpr, clang::SourceLocExpr, clang::UnaryExprOrTypeTraitExpr,
             clang::TypeTraitExpr, clang::CXXNoexceptExpr, clang::SizeOfPackExpr,
             clang::OffsetOfExpr, clang::DeclRefExpr, clang::MemberExpr, clang::UnaryOperator,
             clang::BinaryConditionalOperator, clang::CastExpr, clang::ExtVectorElementExpr,
             clang::ShuffleVectorExpr, clang::ConvertVectorExpr, clang::NoInitExpr,
             clang::ArrayInitLoopExpr, clang::ArrayInitIndexExpr, clang::OpaqueValueExpr,
             clang::UnresolvedLookupExpr, clang::UnresolvedMemberExpr, clang::CXXTypeidExpr,
             clang::CXXStdInitializerListExpr, clang::CXXDefaultInitExpr>(e);
}

// Any value; an lvalue of this kind leads nowhere that is known.
ExprId Lowering::unknown(const clang::Expr *e) {
  Expr result;
  result.type = typeOf(e->getType());
  result.place = placeOf(e);
  for (const clang::Stmt *child : e->children())
    if (const auto *operand = dyn_cast_or_null<clang::Expr>(child))
      result.operands.push_back(expr(operand));
  result.value = isa<clang::RecoveryExpr>(e) ? 1 : isHarmless(e) ? 0 : 2;
  const ExprId value = tree.exprs.add(std::move(result));
  return e->isGLValue() ? make(e, ExprKind::Deref, {value}) : value;
}

ExprId Lowering::zero(const clang::Expr *e) {
  return make(e, e->getType()->isRecordType() || e->getType()->isArrayType() ? ExprKind::Aggregate
                                                                             : ExprKind::Constant);
}

// Whether the first operand of the chain of operators `e` is known. Clang evaluates the whole chain
// to find out that it is not, so each link would cost as much as all before it.
bool Lowering::startsKnown(const clang::Expr *e) {
  llvm::SmallVector<const clang::Expr *> links;
  const clang::Expr *first = e->IgnoreParenImpCasts();
  while (!knownStarts.contains(first)) {
    links.push_back(first);
    const auto *operation = dyn_cast<clang::BinaryOperator>(first);
    if (!operation)
      break;
    first = operation->getLHS()->IgnoreParenImpCasts();
  }
  auto found = knownStarts.find(first);
  const bool isKnown = found != knownStarts.end() ? found->second : first->isEvaluatable(context);
  for (const clang::Expr *link : links)
    knownStarts[link] = isKnown;
  return isKnown;
}

std::optional<ExprId> Lowering::constant(const clang::Expr *e) {
  if (!e->isPRValue() || !e->getType()->isIntegralOrEnumerationType() || e->isValueDependent() ||
      e->containsErrors() ||
      (isa<clang::BinaryOperator>(e->IgnoreParenImpCasts()) && !startsKnown(e)))
    return std::nullopt;
  clang::Expr::EvalResult result;
  if (!e->EvaluateAsInt(result, context) || result.HasSideEffects)
    return std::nullopt;
  const ExprId id = make(e, ExprKind::Constant);
  tree.exprs[id].value = result.Val.getInt().isRepresentableByInt64()
                             ? result.Val.getInt().getExtValue()
                             : static_cast<int64_t>(result.Val.getInt().getZExtValue());
  return id;
}

ExprId Lowering::expr(const clang::Expr *e) {
  if (std::optional<ExprId> folded = constant(e))
    return *folded;
  return exprOfKind(e);
}

// The expression that another only stands around; null: it is none of these.
const clang::Expr *Lowering::wrappedIn(const clang::Expr *e) {
  if (const auto *inner = dyn_cast<clang::ParenExpr>(e))
    return inner->getSubExpr();
  if (const auto *inner = dyn_cast<clang::FullExpr>(e))
    return inner->getSubExpr();
  if (const auto *inner = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return inner->getReplacement();
  if (const auto *inner = dyn_cast<clang::CXXDefaultArgExpr>(e))
    return inner->getExpr();
  if (const auto *inner = dyn_cast<clang::CXXDefaultInitExpr>(e))
    return inner->getExpr();
  if (const auto *choice = dyn_cast<clang::GenericSelectionExpr>(e))
    return choice->getResultExpr();
  if (const auto *choice = dyn_cast<clang::ChooseExpr>(e))
    return choice->getChosenSubExpr();
  if (const auto *inner = dyn_cast<clang::CXXRewrittenBinaryOperator>(e))
    return inner->getSemanticForm();
  if (const auto *inner = dyn_cast<clang::OpaqueValueExpr>(e); inner && inner->getSourceExpr())
    return inner->getSourceExpr();
  return nullptr;
}

ExprId Lowering::exprOfKind(const clang::Expr *e) {
  if (const clang::Expr *inner = wrappedIn(e))
    return expr(inner);
  if (const auto *inner = dyn_cast<clang::CXXBindTemporaryExpr>(e))
    return inner->getType()->isRecordType() ? temporaryWithEnd(inner) : expr(inner->getSubExpr());
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(e))
    return placed(made);
  if (const auto *inner = dyn_cast<clang::MaterializeTemporaryExpr>(e))
    return bind(e, inner->getSubExpr());
  if (const auto *inner = dyn_cast<clang::CompoundLiteralExpr>(e))
    return inner->isGLValue() ? bind(e, inner->getInitializer()) : expr(inner->getInitializer());
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(e))
    return reference(name);
  if (const auto *access = dyn_cast<clang::MemberExpr>(e))
    return member(access);
  if (const auto *index = dyn_cast<clang::ArraySubscriptExpr>(e)) {
    const auto *decayed = dyn_cast<clang::ImplicitCastExpr>(index->getBase());
    const bool isArray = decayed && decayed->getCastKind() == clang::CK_ArrayToPointerDecay;
    const ExprId base = expr(isArray ? decayed->getSubExpr() : index->getBase());
    return make(e, ExprKind::Element, {base, expr(index->getIdx())});
  }
  if (const auto *one = dyn_cast<clang::UnaryOperator>(e))
    return unary(one);
  if (const auto *two = dyn_cast<clang::BinaryOperator>(e))
    return binary(two);
  if (const auto *choice = dyn_cast<clang::ConditionalOperator>(e))
    return make(
        e, ExprKind::Conditional,
        {expr(choice->getCond()), expr(choice->getTrueExpr()), expr(choice->getFalseExpr())});
  if (const auto *conversion = dyn_cast<clang::CastExpr>(e))
    return castOf(conversion);
  if (const auto *made = dyn_cast<clang::CXXConstructExpr>(e))
    return construct(made);
  if (const auto *called = dyn_cast<clang::CallExpr>(e))
    return call(called);
  if (const auto *list = dyn_cast<clang::InitListExpr>(e))
    return aggregate(list);
  if (const auto *function = dyn_cast<clang::LambdaExpr>(e))
    return lambda(function);
  if (isa<clang::CXXThisExpr>(e))
    return thisPointer(e);
  if (isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr, clang::GNUNullExpr,
          clang::CXXNullPtrLiteralExpr>(e))
    return zero(e);
  return unknown(e);
}

ExprId Lowering::bind(const clang::Expr *e, const clang::Expr *value) {
  const ExprId inner = expr(value);
  const ExprId id = make(e, ExprKind::Bind, {inner});
  tree.exprs[id].isLValue = true;
  tree.exprs[id].variable = temporary(e->getType());
  return id;
}

ExprId Lowering::thisPointer(const clang::Expr *e) {
  if (closure && capturedThis) {
    const ExprId pointer = make(e, ExprKind::This);
    const ExprId whole = make(context.getRecordType(closure), true, ExprKind::Deref, {pointer}, {});
    const ExprId field = make(capturedThis->getType(), true, ExprKind::Member, {whole}, placeOf(e));
    tree.exprs[field].value = *memberNumber(capturedThis);
    return make(e, ExprKind::Load, {field});
  }
  return make(e, ExprKind::This);
}

ExprId Lowering::capture(const clang::Expr *e, const clang::ValueDecl *captured) {
  const clang::FieldDecl *field = captures.lookup(captured);
  const ExprId pointer =
      make(context.getPointerType(context.getRecordType(closure)), false, ExprKind::This, {}, {});
  const ExprId whole = make(context.getRecordType(closure), true, ExprKind::Deref, {pointer}, {});
  const ExprId id = make(e, ExprKind::Member, {whole});
  tree.exprs[id].isLValue = true;
  tree.exprs[id].value = *memberNumber(field);
  return id;
}

ExprId Lowering::reference(const clang::DeclRefExpr *e) {
  if (closure && captures.count(e->getDecl()))
    return capture(e, e->getDecl());
  if (const auto *binding = dyn_cast<clang::BindingDecl>(e->getDecl())) {
    if (binding->getHoldingVar()) {
      const ExprId id = make(e, ExprKind::Variable);
      tree.exprs[id].variable = variableOf(binding->getHoldingVar());
      return id;
    }
    return binding->getBinding() ? expr(binding->getBinding()) : unknown(e);
  }
  const auto *variable = dyn_cast<clang::VarDecl>(e->getDecl());
  if (!variable)
    return unknown(e);
  const ExprId id = make(e, ExprKind::Variable);
  tree.exprs[id].isLValue = true;
  tree.exprs[id].variable = variableOf(variable);
  return id;
}

ExprId Lowering::member(const clang::MemberExpr *e) {
  if (const auto *variable = dyn_cast<clang::VarDecl>(e->getMemberDecl())) { // a static one
    const ExprId id = make(e, ExprKind::Variable);
    tree.exprs[id].variable = variableOf(variable);
    return id;
  }
  const auto *field = dyn_cast<clang::FieldDecl>(e->getMemberDecl());
  if (!field)
    return unknown(e);
  ExprId base = expr(e->getBase());
  if (e->isArrow())
    base = make(e->getBase()->getType()->getPointeeType(), true, ExprKind::Deref, {base}, {});
  const ExprId id = make(e, ExprKind::Member, {base});
  tree.exprs[id].isLValue = tree.exprs[base].isLValue || field->getType()->isReferenceType();
  tree.exprs[id].value = *memberNumber(field);
  return id;
}

} // namespace tsk::body
