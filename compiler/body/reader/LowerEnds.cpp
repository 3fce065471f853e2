// Destructors: what runs where a block ends, or where a statement leaves it.
#include "compiler/body/reader/Lowering.h"

namespace tsk::body {

StmtId Lowering::destruction(ExprId object, const clang::CXXDestructorDecl *destructor,
                             Place place) {
  Expr call;
  call.kind = ExprKind::Call;
  call.type = typeOf(context.VoidTy);
  call.function = functionOf(destructor);
  call.place = place;
  call.operands.push_back(
      make(destructor->getThisType(), false, ExprKind::AddressOf, {object}, {}));
  Stmt result = makeStmt(StmtKind::Expr);
  result.exprs.push_back(tree.exprs.add(std::move(call)));
  return add(std::move(result));
}

// The objects but the first ones, the last made first.
void Lowering::endObjects(size_t first, llvm::SmallVectorImpl<StmtId> &statements) {
  for (size_t i = objects.size(); i-- > first;) {
    const Object object = objects[i];
    const ExprId name = make(object.type, true, ExprKind::Variable, {}, {});
    tree.exprs[name].variable = object.variable;
    statements.push_back(destruction(name, object.destructor, object.place));
  }
}

// Behind a destructor's own text, those of the members.
void Lowering::lowerMemberDestructors(const clang::CXXDestructorDecl *decl, Stmt &block) {
  const clang::CXXRecordDecl *record = decl->getParent();
  auto end = [&](clang::QualType type, unsigned number) {
    const clang::CXXRecordDecl *part = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if (!part || part->hasTrivialDestructor() || !part->getDestructor())
      return;
    const ExprId pointer = make(decl->getThisType(), false, ExprKind::This, {}, {});
    const ExprId whole = make(context.getRecordType(record), true, ExprKind::Deref, {pointer}, {});
    const ExprId member = make(type, true, ExprKind::Member, {whole}, {});
    tree.exprs[member].value = number;
    block.statements.push_back(destruction(member, part->getDestructor(), {}));
  };
  for (const clang::FieldDecl *field : record->fields())
    end(field->getType(), *memberNumber(field));
  for (const clang::CXXBaseSpecifier &base : record->bases())
    end(base.getType(), baseNumber(record, base.getType()->getAsCXXRecordDecl()));
}

// `return`, `break`, `continue`: the value first, then the destructors, then away.
StmtId Lowering::leaving(const clang::Stmt *s, StmtKind kind, size_t first) {
  Stmt result = makeStmt(kind);
  result.place = placeOf(s->getBeginLoc());
  if (const auto *returned = dyn_cast<clang::ReturnStmt>(s))
    if (const clang::Expr *value = returned->getRetValue())
      result.exprs.push_back(expr(value));
  endObjects(first, result.statements);
  return add(std::move(result));
}

} // namespace tsk::body
