// Calls, and expressions that make an object: constructors, lists, lambdas, placement new.
#include "compiler/body/reader/Lowering.h"

namespace tsk::body {

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
