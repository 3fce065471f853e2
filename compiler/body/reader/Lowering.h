// The walk over Clang's AST, for the files that implement it. Nobody else includes this.
#pragma once

#include "compiler/body/reader/Lower.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

class Lowering {
public:
  Lowering(clang::ASTContext &c, const Homes &h)
      : context(c), sources(c.getSourceManager()), homes(h) {}

  void addRoot(const clang::FunctionDecl *decl, unsigned number) {
    Tree::Root root;
    root.number = number;
    root.function = functionOf(decl);
    findNamed(decl, root);
    findHidden(decl, root);
    tree.roots.push_back(std::move(root));
  }

  void addCheck(const clang::VarDecl *decl, unsigned number) {
    Tree::ArgumentCheck check;
    check.number = number;
    if (const clang::APValue *value = decl->evaluateValue(); value && value->isInt())
      check.isConvertible = value->getInt().getBoolValue();
    if (const auto *trait = dyn_cast<clang::TypeTraitExpr>(decl->getInit()->IgnoreParenCasts())) {
      check.given = typeName(trait->getArg(0)->getType());
      check.wanted = typeName(trait->getArg(1)->getType());
    }
    tree.arguments.push_back(std::move(check));
  }

  // Bodies are lowered one after the other: each may call further functions.
  Tree take() {
    while (!pending.empty()) {
      auto [id, decl] = pending.pop_back_val();
      lowerBody(id, decl);
    }
    return std::move(tree);
  }

private:
  void findNamed(const clang::FunctionDecl *decl, Tree::Root &root);
  void findHidden(const clang::FunctionDecl *decl, Tree::Root &root);

  // ---- Places, types, declarations ----
  Place placeOf(clang::SourceLocation begin, clang::SourceRange range);
  Place placeOf(const clang::Expr *e);
  Place placeOf(clang::SourceLocation loc) { return placeOf(loc, {loc, loc}); }
  std::string typeName(clang::QualType type) const;
  static std::string qualifiedName(const clang::NamedDecl *decl);
  Function::Home homeOf(clang::SourceLocation declared) const;
  TypeId typeOf(clang::QualType type);
  RecordId recordOf(const clang::RecordDecl *decl);
  void setOffsets(const clang::RecordDecl *definition, Record &record);
  VariableId variableOf(const clang::VarDecl *decl);
  VariableId temporary(clang::QualType type);
  FunctionId functionOf(const clang::FunctionDecl *decl);
  void lowerBody(FunctionId id, const clang::FunctionDecl *decl);
  void lowerInitializers(const clang::CXXConstructorDecl *decl, Stmt &block);
  std::optional<unsigned> memberNumber(const clang::FieldDecl *field);
  static unsigned baseNumber(const clang::CXXRecordDecl *derived, const clang::CXXRecordDecl *base);

  // ---- Expressions ----
  ExprId expr(const clang::Expr *e);
  ExprId exprOfKind(const clang::Expr *e);
  static const clang::Expr *wrappedIn(const clang::Expr *e);
  bool startsKnown(const clang::Expr *e);
  std::optional<ExprId> constant(const clang::Expr *e);
  ExprId make(const clang::Expr *e, ExprKind kind, std::initializer_list<ExprId> operands = {});
  ExprId make(clang::QualType type, bool isLValue, ExprKind kind,
              std::initializer_list<ExprId> operands, Place place);
  ExprId unknown(const clang::Expr *e);
  ExprId zero(const clang::Expr *e);
  ExprId reference(const clang::DeclRefExpr *e);
  ExprId capture(const clang::Expr *e, const clang::ValueDecl *captured);
  ExprId member(const clang::MemberExpr *e);
  ExprId unary(const clang::UnaryOperator *e);
  ExprId binary(const clang::BinaryOperator *e);
  ExprId castOf(const clang::CastExpr *e);
  ExprId toBase(const clang::CastExpr *e);
  ExprId call(const clang::CallExpr *e);
  ExprId construct(const clang::CXXConstructExpr *e);
  ExprId aggregate(const clang::InitListExpr *e);
  ExprId lambda(const clang::LambdaExpr *e);
  ExprId bind(const clang::Expr *e, const clang::Expr *value);
  ExprId temporaryWithEnd(const clang::CXXBindTemporaryExpr *e);
  ExprId placed(const clang::CXXNewExpr *e);
  ExprId thisPointer(const clang::Expr *e);

  // ---- Statements ----
  StmtId stmt(const clang::Stmt *s);
  StmtId strange(const clang::Stmt *s, llvm::StringRef what);
  StmtId strangeAt(clang::SourceLocation loc, llvm::StringRef what);
  StmtId inside(const clang::Stmt *s, bool isSwitch = false);
  void declare(const clang::VarDecl *decl, Stmt &block);
  void endObjects(size_t first, llvm::SmallVectorImpl<StmtId> &statements);
  StmtId destruction(ExprId object, const clang::CXXDestructorDecl *destructor, Place place);
  void lowerMemberDestructors(const clang::CXXDestructorDecl *decl, Stmt &block);
  StmtId leaving(const clang::Stmt *s, StmtKind kind, size_t first);
  StmtId declarations(const clang::DeclStmt *s);
  StmtId forLoop(const clang::ForStmt *s);
  StmtId whileLoop(const clang::WhileStmt *s);
  StmtId rangeLoop(const clang::CXXForRangeStmt *s);
  StmtId switchOver(const clang::SwitchStmt *s);
  StmtId branch(const clang::IfStmt *s);
  StmtId declaredBefore(const clang::Stmt *init, const clang::DeclStmt *variable, StmtId inner);
  StmtId assembly(const clang::GCCAsmStmt *s);
  StmtId attributed(const clang::AttributedStmt *s);
  StmtId add(Stmt s) { return tree.stmts.add(std::move(s)); }
  static Stmt makeStmt(StmtKind kind) {
    Stmt s;
    s.kind = kind;
    return s;
  }

  clang::ASTContext &context;
  const clang::SourceManager &sources;
  const Homes &homes;
  Tree tree;
  uint32_t sites = 0; // that have a number
  llvm::DenseMap<const void *, TypeId> types;
  llvm::DenseMap<const clang::RecordDecl *, RecordId> records;
  llvm::DenseMap<const clang::VarDecl *, VariableId> variables;
  llvm::DenseMap<const clang::Expr *, bool> knownStarts; // of chains of operators
  llvm::DenseMap<const clang::FunctionDecl *, FunctionId> functions;
  llvm::SmallVector<std::pair<FunctionId, const clang::FunctionDecl *>, 8> pending;
  // Objects with destructors around the current statement, and how many of them stand around the
  // loop or switch that it may leave.
  struct Object {
    VariableId variable;
    clang::QualType type;
    const clang::CXXDestructorDecl *destructor;
    Place place;
  };
  std::vector<Object> objects;
  size_t objectsAroundBreak = 0, objectsAroundContinue = 0;
  // Of the lambda whose call operator is being lowered.
  const clang::CXXRecordDecl *closure = nullptr;
  llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> captures;
  clang::FieldDecl *capturedThis = nullptr;
};

} // namespace tsk::body
