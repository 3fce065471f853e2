// Which of its function's parameters a body names, and which of their names it hides.
#include "compiler/body/reader/Lowering.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace tsk::body {

namespace {

// The function around a body first makes `box` of `box_data`, `box_other`, … for each resource but
// the body's own. What the body names is then a member of a local, and the others are not named.
class NameFinder : public clang::RecursiveASTVisitor<NameFinder> {
public:
  explicit NameFinder(const clang::FunctionDecl *decl)
      : function(decl), named(decl->getNumParams()) {}

  bool shouldVisitImplicitCode() const { return true; }

  std::vector<bool> find(clang::CompoundStmt *outer) {
    for (const clang::Stmt *child : outer->body())
      if (const auto *declared = dyn_cast_or_null<clang::DeclStmt>(child))
        for (const clang::Decl *local : declared->decls())
          addBundle(local);
    TraverseStmt(outer->body_back());
    // Elsewhere than in the body (a result's type): by Clang's own count.
    for (unsigned i = 0; i < named.size(); ++i)
      named[i] = named[i] || (function->getParamDecl(i)->isReferenced() && !isBundled(i));
    return named;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr *expr) {
    if (const std::optional<unsigned> param = paramOf(expr))
      named[*param] = true;
    else if (auto bundle = bundles.find(expr->getDecl()); bundle != bundles.end())
      for (const std::optional<unsigned> &member : bundle->second)
        mark(member);
    return true;
  }

  bool TraverseMemberExpr(clang::MemberExpr *expr) {
    const auto *base = dyn_cast<clang::DeclRefExpr>(expr->getBase()->IgnoreParenImpCasts());
    const auto bundle = base ? bundles.find(base->getDecl()) : bundles.end();
    const auto *member = dyn_cast<clang::FieldDecl>(expr->getMemberDecl());
    if (bundle == bundles.end() || !member || member->getFieldIndex() >= bundle->second.size())
      return RecursiveASTVisitor::TraverseMemberExpr(expr);
    mark(bundle->second[member->getFieldIndex()]);
    return true;
  }

private:
  std::optional<unsigned> paramOf(const clang::Expr *expr) const {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expr);
    const auto *param = name ? dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
    if (!param || param->getDeclContext() != function)
      return std::nullopt;
    return param->getFunctionScopeIndex();
  }

  void mark(std::optional<unsigned> param) {
    if (param)
      named[*param] = true;
  }

  void addBundle(const clang::Decl *local) {
    const auto *variable = dyn_cast<clang::VarDecl>(local);
    const auto *list = variable && variable->getInit()
                           ? dyn_cast<clang::InitListExpr>(variable->getInit()->IgnoreImplicit())
                           : nullptr;
    if (!list)
      return;
    std::vector<std::optional<unsigned>> &params = bundles[variable];
    for (const clang::Expr *init : list->inits()) {
      init = init->IgnoreImplicit();
      if (const auto *copy = dyn_cast<clang::CXXConstructExpr>(init); copy && copy->getNumArgs())
        init = copy->getArg(0)->IgnoreParenImpCasts();
      params.push_back(paramOf(init));
    }
  }

  bool isBundled(unsigned param) const {
    return llvm::any_of(bundles, [&](const auto &bundle) {
      return llvm::is_contained(bundle.second, std::optional<unsigned>(param));
    });
  }

  const clang::FunctionDecl *function;
  std::vector<bool> named;
  llvm::DenseMap<const clang::ValueDecl *, std::vector<std::optional<unsigned>>> bundles;
};

} // namespace

// `{ what the compiler adds; { the body } }`
static clang::CompoundStmt *outerBlock(const clang::FunctionDecl *decl) {
  auto *outer = dyn_cast_or_null<clang::CompoundStmt>(decl->getBody());
  return outer && !outer->body_empty() ? outer : nullptr;
}

void Lowering::findNamed(const clang::FunctionDecl *decl, Tree::Root &root) {
  if (clang::CompoundStmt *outer = outerBlock(decl))
    root.named = NameFinder(decl).find(outer);
  root.named.resize(decl->getNumParams(), true);
}

// Locals of a body with the name of one of the function's parameters: here the body is a block
// further in, and they may.
void Lowering::findHidden(const clang::FunctionDecl *decl, Tree::Root &root) {
  const clang::CompoundStmt *outer = outerBlock(decl);
  const auto *body = outer ? dyn_cast<clang::CompoundStmt>(outer->body_back()) : nullptr;
  if (!body)
    return;
  for (const clang::Stmt *child : body->body()) {
    const auto *declared = dyn_cast_or_null<clang::DeclStmt>(child);
    if (!declared)
      continue;
    for (const clang::Decl *local : declared->decls())
      for (unsigned i = 0; i < decl->getNumParams(); ++i)
        if (const auto *variable = dyn_cast<clang::VarDecl>(local);
            variable && variable->getDeclName() == decl->getParamDecl(i)->getDeclName())
          root.hidden.push_back({i, placeOf(variable->getLocation()), variable->getNameAsString()});
  }
}

} // namespace tsk::body
