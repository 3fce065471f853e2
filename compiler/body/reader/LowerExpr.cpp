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

ExprId Lowering::exprOfKind(const clang::Expr *e) {
  if (const auto *inner = dyn_cast<clang::ParenExpr>(e))
    return expr(inner->getSubExpr());
  if (const auto *inner = dyn_cast<clang::FullExpr>(e))
    return expr(inner->getSubExpr());
  if (const auto *inner = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return expr(inner->getReplacement());
  if (const auto *inner = dyn_cast<clang::CXXDefaultArgExpr>(e))
    return expr(inner->getExpr());
  if (const auto *inner = dyn_cast<clang::CXXDefaultInitExpr>(e))
    return expr(inner->getExpr());
  if (const auto *inner = dyn_cast<clang::CXXBindTemporaryExpr>(e))
    return inner->getType()->isRecordType() ? temporaryWithEnd(inner) : expr(inner->getSubExpr());
  if (const auto *choice = dyn_cast<clang::GenericSelectionExpr>(e))
    return expr(choice->getResultExpr());
  if (const auto *choice = dyn_cast<clang::ChooseExpr>(e))
    return expr(choice->getChosenSubExpr());
  if (const auto *made = dyn_cast<clang::CXXNewExpr>(e))
    return placed(made);
  if (const auto *inner = dyn_cast<clang::CXXRewrittenBinaryOperator>(e))
    return expr(inner->getSemanticForm());
  if (const auto *inner = dyn_cast<clang::OpaqueValueExpr>(e); inner && inner->getSourceExpr())
    return expr(inner->getSourceExpr());
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

// What a destructor does at the end of an expression is not followed, unless nothing.
ExprId Lowering::temporaryWithEnd(const clang::CXXBindTemporaryExpr *e) {
  const ExprId inner = expr(e->getSubExpr());
  const ExprId id = make(e, ExprKind::Comma, {make(e, ExprKind::Unknown), inner});
  tree.exprs[tree.exprs[id].operands[0]].value = 2;
  return id;
}

// `new (p) T(x)` writes what p leads to.
ExprId Lowering::placed(const clang::CXXNewExpr *e) {
  if (e->getNumPlacementArgs() != 1 || e->isArray() ||
      !e->getPlacementArg(0)->getType()->isPointerType())
    return unknown(e);
  const clang::QualType type = e->getAllocatedType();
  const ExprId pointer = expr(e->getPlacementArg(0));
  const ExprId target = make(type, true, ExprKind::Deref, {pointer}, placeOf(e));
  const ExprId value = e->getInitializer() ? expr(e->getInitializer())
                                           : make(type, false, ExprKind::Unknown, {}, placeOf(e));
  const ExprId assigned = make(type, true, ExprKind::Assign, {target, value}, placeOf(e));
  return make(e, ExprKind::AddressOf, {assigned});
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

ExprId Lowering::call(const clang::CallExpr *e) {
  const clang::FunctionDecl *callee = e->getDirectCallee();
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(callee);
  const bool isOperator = isa<clang::CXXOperatorCallExpr>(e);
  Expr result;
  result.kind = ExprKind::Call;
  result.isLValue = e->isGLValue();
  result.type = typeOf(e->getType());
  result.place = placeOf(e);
  unsigned first = 0;
  auto addressOf = [&](const clang::Expr *object) {
    return make(context.getPointerType(object->getType()), false, ExprKind::AddressOf,
                {object->isGLValue() ? expr(object) : bind(object, object)}, {});
  };
  if (const auto *onObject = dyn_cast<clang::CXXMemberCallExpr>(e)) {
    const clang::Expr *object = onObject->getImplicitObjectArgument();
    if (method && !method->isStatic())
      result.operands.push_back(object->getType()->isPointerType() ? expr(object)
                                                                   : addressOf(object));
  } else if (isOperator && method) {
    if (!method->isStatic())
      result.operands.push_back(addressOf(e->getArg(0)));
    first = 1;
  }
  // A trivial assignment copies bytes; its definition is not spelled out.
  if (method && method->isTrivial() && !result.operands.empty() &&
      (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
    const ExprId to = make(method->getThisType()->getPointeeType(), true, ExprKind::Deref,
                           {result.operands[0]}, placeOf(e));
    const clang::Expr *source = e->getArg(first);
    const ExprId from =
        make(source->getType(), false, ExprKind::Load, {expr(source)}, placeOf(source));
    return make(e->getType(), true, ExprKind::Assign, {to, from}, placeOf(e));
  }
  for (unsigned i = first; i < e->getNumArgs(); ++i)
    result.operands.push_back(expr(e->getArg(i)));
  // Which function a virtual one is, is found at run time.
  const auto *member = dyn_cast<clang::MemberExpr>(e->getCallee()->IgnoreParens());
  const bool isChosen = method && method->isVirtual() && !method->hasAttr<clang::FinalAttr>() &&
                        !method->getParent()->hasAttr<clang::FinalAttr>() &&
                        !(member && member->hasQualifier());
  if (callee && !isChosen)
    result.function = functionOf(callee);
  else
    result.operands.push_back(expr(e->getCallee()));
  return tree.exprs.add(std::move(result));
}

ExprId Lowering::construct(const clang::CXXConstructExpr *e) {
  const clang::CXXConstructorDecl *constructor = e->getConstructor();
  if (e->getType()->isArrayType()) {
    const ExprId id = make(e, ExprKind::Unknown);
    tree.exprs[id].value = constructor->isTrivial() ? 0 : 2;
    return id;
  }
  if (constructor->isCopyOrMoveConstructor() &&
      (constructor->isTrivial() || constructor->isImplicit() || constructor->isDefaulted())) {
    const clang::Expr *source = e->getArg(0);
    return source->isGLValue() ? make(e, ExprKind::Load, {expr(source)}) : expr(source);
  }
  if (constructor->isDefaultConstructor() && constructor->isTrivial())
    return e->requiresZeroInitialization() ? zero(e) : make(e, ExprKind::Unknown);
  const ExprId id = make(e, ExprKind::Construct);
  for (const clang::Expr *argument : e->arguments()) {
    const ExprId value = expr(argument);
    tree.exprs[id].operands.push_back(value);
  }
  const FunctionId function = functionOf(constructor);
  const VariableId variable = temporary(e->getType());
  tree.exprs[id].function = function;
  tree.exprs[id].variable = variable;
  return id;
}

ExprId Lowering::aggregate(const clang::InitListExpr *given) {
  const clang::InitListExpr *e = given->isSemanticForm() ? given : given->getSemanticForm();
  if (e->isTransparent())
    return expr(e->getInit(0));
  if (!e->getType()->isRecordType() && !e->getType()->isArrayType())
    return e->getNumInits() ? expr(e->getInit(0)) : zero(e);
  const ExprId id = make(given, ExprKind::Aggregate);
  tree.exprs[id].isLValue = false;
  // How many the text gives: the rest was added as zeros.
  const clang::InitListExpr *written = e->isSyntacticForm() ? e : e->getSyntacticForm();
  tree.exprs[id].value = written ? written->getNumInits() : e->getNumInits();
  for (const clang::Expr *init : e->inits()) {
    const ExprId value = expr(init);
    tree.exprs[id].operands.push_back(value);
  }
  return id;
}

ExprId Lowering::lambda(const clang::LambdaExpr *e) {
  const ExprId id = make(e, ExprKind::Aggregate);
  tree.exprs[id].isLValue = false;
  auto field = e->getLambdaClass()->field_begin();
  for (const clang::Expr *init : e->capture_inits()) {
    const bool isReference = field->getType()->isReferenceType();
    ++field;
    const ExprId value = init ? expr(init) : make(e, ExprKind::Unknown);
    const ExprId kept =
        isReference && tree.exprs[value].isLValue
            ? make(context.getPointerType(init->getType()), false, ExprKind::AddressOf, {value}, {})
            : value;
    tree.exprs[id].operands.push_back(kept);
  }
  return id;
}

} // namespace tsk::body
