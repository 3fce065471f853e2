// Statements of Clang's AST. What is left out becomes Strange, a statement nobody follows, never
// silence.
#include "compiler/body/reader/Lowering.h"

namespace tsk::body {

StmtId Lowering::strangeAt(clang::SourceLocation loc, llvm::StringRef what) {
  Stmt result = makeStmt(StmtKind::Strange);
  result.text = what.str();
  result.place = placeOf(loc);
  return add(std::move(result));
}

StmtId Lowering::strange(const clang::Stmt *s, llvm::StringRef what) {
  return strangeAt(s->getBeginLoc(), what);
}

// The body of a loop, or of a `switch`, which `continue` does not leave.
StmtId Lowering::inside(const clang::Stmt *s, bool isSwitch) {
  const auto before = std::pair(objectsAroundBreak, objectsAroundContinue);
  objectsAroundBreak = objects.size();
  if (!isSwitch)
    objectsAroundContinue = objects.size();
  const StmtId result = stmt(s);
  std::tie(objectsAroundBreak, objectsAroundContinue) = before;
  return result;
}

void Lowering::declare(const clang::VarDecl *decl, Stmt &block) {
  Stmt result = makeStmt(StmtKind::Declare);
  result.variable = variableOf(decl);
  result.place = placeOf(decl->getLocation());
  if (const clang::Expr *init = decl->getInit())
    result.exprs.push_back(expr(init));
  const VariableId variable = result.variable;
  block.statements.push_back(add(std::move(result)));
  if (!decl->hasLocalStorage() ||
      decl->needsDestruction(context) != clang::QualType::DK_cxx_destructor)
    return;
  const clang::CXXRecordDecl *record = decl->getType()->getAsCXXRecordDecl();
  if (record && record->getDestructor())
    objects.push_back(
        {variable, decl->getType(), record->getDestructor(), placeOf(decl->getLocation())});
  else
    block.statements.push_back(strangeAt(decl->getLocation(), "an array with a destructor"));
}

StmtId Lowering::declarations(const clang::DeclStmt *s) {
  Stmt block = makeStmt(StmtKind::Block);
  for (const clang::Decl *decl : s->decls()) {
    if (const auto *variable = dyn_cast<clang::VarDecl>(decl))
      declare(variable, block);
    if (const auto *parts = dyn_cast<clang::DecompositionDecl>(decl))
      for (const clang::BindingDecl *binding : parts->bindings())
        if (const clang::VarDecl *holding = binding->getHoldingVar())
          declare(holding, block);
  }
  return add(std::move(block));
}

StmtId Lowering::forLoop(const clang::ForStmt *s) {
  Stmt result = makeStmt(StmtKind::For);
  result.place = placeOf(s->getForLoc());
  result.statements.push_back(s->getInit() ? stmt(s->getInit()) : add(makeStmt(StmtKind::Block)));
  result.exprs.push_back(s->getCond() ? expr(s->getCond()) : ExprId{});
  result.exprs.push_back(s->getInc() ? expr(s->getInc()) : ExprId{});
  result.statements.push_back(inside(s->getBody()));
  return add(std::move(result));
}

StmtId Lowering::rangeLoop(const clang::CXXForRangeStmt *s) {
  Stmt init = makeStmt(StmtKind::Block);
  for (const clang::Stmt *part : {s->getInit(), static_cast<const clang::Stmt *>(s->getRangeStmt()),
                                  static_cast<const clang::Stmt *>(s->getBeginStmt()),
                                  static_cast<const clang::Stmt *>(s->getEndStmt())})
    if (part)
      init.statements.push_back(stmt(part));
  Stmt body = makeStmt(StmtKind::Block);
  body.statements.push_back(stmt(s->getLoopVarStmt()));
  body.statements.push_back(inside(s->getBody()));
  Stmt result = makeStmt(StmtKind::For);
  result.place = placeOf(s->getForLoc());
  result.statements.push_back(add(std::move(init)));
  result.exprs.push_back(expr(s->getCond()));
  result.exprs.push_back(expr(s->getInc()));
  result.statements.push_back(add(std::move(body)));
  return add(std::move(result));
}

StmtId Lowering::switchOver(const clang::SwitchStmt *s) {
  const auto *body = dyn_cast<clang::CompoundStmt>(s->getBody());
  if (!body)
    return strange(s, "a `switch` without a block");
  Stmt result = makeStmt(StmtKind::Switch);
  result.place = placeOf(s->getSwitchLoc());
  result.exprs.push_back(expr(s->getCond()));
  for (const clang::Stmt *child : body->body()) {
    std::optional<Stmt::Label> label;
    while (const auto *labelled = dyn_cast<clang::SwitchCase>(child)) {
      if (!label)
        label.emplace();
      if (const auto *one = dyn_cast<clang::CaseStmt>(labelled)) {
        clang::Expr::EvalResult value;
        if (one->getLHS()->EvaluateAsInt(value, context) && !one->getRHS())
          label->values.push_back(value.Val.getInt().getExtValue());
        else
          label->isDefault = true; // a range: any value
      } else {
        label->isDefault = true;
      }
      child = labelled->getSubStmt();
    }
    result.labels.push_back(std::move(label));
    result.statements.push_back(inside(child, /*isSwitch=*/true));
  }
  return add(std::move(result));
}

StmtId Lowering::assembly(const clang::GCCAsmStmt *s) {
  Stmt result = makeStmt(StmtKind::Asm);
  result.place = placeOf(s->getAsmLoc());
  result.text = s->getAsmString()->getString().str();
  result.isVolatile = s->isVolatile();
  for (unsigned i = 0; i < s->getNumClobbers(); ++i)
    result.touchesMemory |= s->getClobber(i) == "memory";
  result.outputs = s->getNumOutputs();
  for (unsigned i = 0; i < s->getNumOutputs(); ++i)
    result.exprs.push_back(expr(s->getOutputExpr(i)));
  for (unsigned i = 0; i < s->getNumOutputs(); ++i)
    result.isReadToo.push_back(s->isOutputPlusConstraint(i));
  for (unsigned i = 0; i < s->getNumInputs(); ++i)
    result.exprs.push_back(expr(s->getInputExpr(i)));
  return add(std::move(result));
}

StmtId Lowering::attributed(const clang::AttributedStmt *s) {
  const StmtId inner = stmt(s->getSubStmt());
  for (const clang::Attr *attribute : s->getAttrs())
    if (const auto *hint = dyn_cast<clang::LoopHintAttr>(attribute)) {
      const bool isOff = hint->getState() == clang::LoopHintAttr::Disable;
      clang::Expr::EvalResult count;
      const bool isOne = hint->getOption() == clang::LoopHintAttr::UnrollCount &&
                         hint->getValue() && hint->getValue()->EvaluateAsInt(count, context) &&
                         count.Val.getInt() == 1;
      tree.stmts[inner].isNotUnrolled |= isOff || isOne;
    }
  return inner;
}

// `if (int x = f(); x > 0)`: what is declared there comes first.
StmtId Lowering::declaredBefore(const clang::Stmt *init, const clang::DeclStmt *variable,
                                StmtId inner) {
  Stmt block = makeStmt(StmtKind::Block);
  for (const clang::Stmt *part : {init, static_cast<const clang::Stmt *>(variable)})
    if (part)
      block.statements.push_back(stmt(part));
  block.statements.push_back(inner);
  return add(std::move(block));
}

StmtId Lowering::branch(const clang::IfStmt *s) {
  if (std::optional<const clang::Stmt *> taken = s->getNondiscardedCase(context))
    return declaredBefore(s->getInit(), s->getConditionVariableDeclStmt(),
                          *taken ? stmt(*taken) : add(makeStmt(StmtKind::Block)));
  const bool isDeclaring = s->getInit() || s->getConditionVariableDeclStmt();
  Stmt result = makeStmt(StmtKind::If);
  result.place = placeOf(s->getBeginLoc());
  result.exprs.push_back(expr(s->getCond()));
  result.statements.push_back(stmt(s->getThen()));
  if (s->getElse())
    result.statements.push_back(stmt(s->getElse()));
  const StmtId id = add(std::move(result));
  return isDeclaring ? declaredBefore(s->getInit(), s->getConditionVariableDeclStmt(), id) : id;
}

StmtId Lowering::whileLoop(const clang::WhileStmt *s) {
  if (s->getConditionVariable())
    return strange(s, "a `while` that declares a variable");
  Stmt result = makeStmt(StmtKind::While);
  result.place = placeOf(s->getBeginLoc());
  result.exprs.push_back(expr(s->getCond()));
  result.statements.push_back(inside(s->getBody()));
  return add(std::move(result));
}

StmtId Lowering::stmt(const clang::Stmt *s) {
  Stmt result = makeStmt(StmtKind::Block);
  result.place = placeOf(s->getBeginLoc());
  auto finish = [&](StmtKind kind) {
    result.kind = kind;
    return add(std::move(result));
  };
  if (const auto *value = dyn_cast<clang::Expr>(s)) {
    result.exprs.push_back(expr(value));
    return finish(StmtKind::Expr);
  }
  switch (s->getStmtClass()) {
  case clang::Stmt::NullStmtClass:
    return finish(StmtKind::Block);
  case clang::Stmt::CompoundStmtClass: {
    const size_t first = objects.size();
    for (const clang::Stmt *child : cast<clang::CompoundStmt>(s)->body())
      result.statements.push_back(stmt(child));
    endObjects(first, result.statements);
    objects.resize(first);
    return finish(StmtKind::Block);
  }
  case clang::Stmt::DeclStmtClass:
    return declarations(cast<clang::DeclStmt>(s));
  case clang::Stmt::IfStmtClass:
    return branch(cast<clang::IfStmt>(s));
  case clang::Stmt::ForStmtClass:
    return forLoop(cast<clang::ForStmt>(s));
  case clang::Stmt::CXXForRangeStmtClass:
    return rangeLoop(cast<clang::CXXForRangeStmt>(s));
  case clang::Stmt::WhileStmtClass:
    return whileLoop(cast<clang::WhileStmt>(s));
  case clang::Stmt::DoStmtClass:
    result.statements.push_back(inside(cast<clang::DoStmt>(s)->getBody()));
    result.exprs.push_back(expr(cast<clang::DoStmt>(s)->getCond()));
    return finish(StmtKind::Do);
  case clang::Stmt::SwitchStmtClass: {
    const auto *choice = cast<clang::SwitchStmt>(s);
    return declaredBefore(choice->getInit(), choice->getConditionVariableDeclStmt(),
                          switchOver(choice));
  }
  case clang::Stmt::ReturnStmtClass:
    return leaving(s, StmtKind::Return, 0);
  case clang::Stmt::BreakStmtClass:
    return leaving(s, StmtKind::Break, objectsAroundBreak);
  case clang::Stmt::ContinueStmtClass:
    return leaving(s, StmtKind::Continue, objectsAroundContinue);
  case clang::Stmt::GCCAsmStmtClass:
    return assembly(cast<clang::GCCAsmStmt>(s));
  case clang::Stmt::AttributedStmtClass:
    return attributed(cast<clang::AttributedStmt>(s));
  case clang::Stmt::GotoStmtClass:
  case clang::Stmt::IndirectGotoStmtClass:
  case clang::Stmt::LabelStmtClass:
    return strange(s, "`goto`");
  default:
    return strange(s, "a statement of a rare kind");
  }
}

} // namespace tsk::body
