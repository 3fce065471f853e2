// Statements of schedules. Include Ast.h.
#pragma once

#include "compiler/syntax/AstExpr.h"

namespace tsk::ast {

struct Stmt {
  enum class Kind : uint8_t {
    Let,
    Var,
    Assign,
    Expr,
    For,
    QueueFor,
    ParallelFor,
    StaticFor,
    If,
    StaticIf,
    Await
  };
  Kind kind;
  SourceRange range;

protected:
  explicit Stmt(Kind k) : kind(k) {}
};

struct Block {
  List<const Stmt *> stmts;
  SourceRange range; // braces included
};

struct LetStmt : Stmt { // let v = e; let (a, b) = e;
  LetStmt() : Stmt(Kind::Let) {}
  List<Name> names;
  bool isTuple = false; // written with parentheses
  const tsk::ast::Expr *value = nullptr;
  TSK_AST_NODE(Let, Stmt)
};
struct VarStmt : Stmt { // var s : T = e;
  VarStmt() : Stmt(Kind::Var) {}
  Name name;
  const Type *type = nullptr;
  const tsk::ast::Expr *value = nullptr;
  TSK_AST_NODE(Var, Stmt)
};
struct AssignStmt : Stmt { // s = e; (a, b) = e;
  AssignStmt() : Stmt(Kind::Assign) {}
  List<Name> names;
  bool isTuple = false;
  const tsk::ast::Expr *value = nullptr;
  TSK_AST_NODE(Assign, Stmt)
};
struct ExprStmt : Stmt { // box.acquire();
  ExprStmt() : Stmt(Kind::Expr) {}
  const tsk::ast::Expr *expr = nullptr;
  TSK_AST_NODE(Expr, Stmt)
};
struct ForStmt : Stmt { // for i in [reversed] lo .. hi [step s] [unroll n] { }
  ForStmt() : Stmt(Kind::For) {}
  Name variable;
  bool isReversed = false;
  const tsk::ast::Expr *lower = nullptr;
  const tsk::ast::Expr *upper = nullptr;
  const tsk::ast::Expr *step = nullptr;   // optional
  const tsk::ast::Expr *unroll = nullptr; // optional
  Block body;
  TSK_AST_NODE(For, Stmt)
};
struct QueueForStmt : Stmt { // for t in q [share i of n] { }
  QueueForStmt() : Stmt(Kind::QueueFor) {}
  Name variable;
  const tsk::ast::Expr *queue = nullptr;
  const tsk::ast::Expr *shareIndex = nullptr; // optional, with shareCount
  const tsk::ast::Expr *shareCount = nullptr;
  Block body;
  TSK_AST_NODE(QueueFor, Stmt)
};
struct ParallelForStmt : Stmt { // parallel for i in 0 .. n [step s] across grid [unroll n] { }
  ParallelForStmt() : Stmt(Kind::ParallelFor) {}
  Name variable;
  const tsk::ast::Expr *lower = nullptr;
  const tsk::ast::Expr *upper = nullptr;
  const tsk::ast::Expr *step = nullptr; // optional
  Across across = Across::Grid;
  const tsk::ast::Expr *unroll = nullptr; // optional
  Block body;
  TSK_AST_NODE(ParallelFor, Stmt)
};
struct StaticForStmt : Stmt { // static for p in 0 .. N [step s] { }
  StaticForStmt() : Stmt(Kind::StaticFor) {}
  Name variable;
  const tsk::ast::Expr *lower = nullptr;
  const tsk::ast::Expr *upper = nullptr;
  const tsk::ast::Expr *step = nullptr; // optional
  Block body;
  TSK_AST_NODE(StaticFor, Stmt)
};
// One of a chain's: `if (c) { … }`, and what follows it behind `else if`.
template <typename Content> struct Branch {
  const Expr *condition = nullptr;
  Content content;
  SourceRange range; // from its `if` to the end of the chain
};
struct IfStmt : Stmt { // if (c) { } [else if (c) { }]… [else { }]
  IfStmt() : Stmt(Kind::If) {}
  List<Branch<Block>> branches; // at least one
  std::optional<Block> elseBlock;
  TSK_AST_NODE(If, Stmt)
};
struct StaticIfStmt : Stmt { // the same while compiling
  StaticIfStmt() : Stmt(Kind::StaticIf) {}
  List<Branch<Block>> branches;
  std::optional<Block> elseBlock;
  TSK_AST_NODE(StaticIf, Stmt)
};
struct AwaitStmt : Stmt { // await acc.mma [but n] [read];
  AwaitStmt() : Stmt(Kind::Await) {}
  Path target;
  const tsk::ast::Expr *but = nullptr; // optional
  bool read = false;
  TSK_AST_NODE(Await, Stmt)
};

} // namespace tsk::ast
