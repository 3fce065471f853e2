// What a kernel is made of besides resources. Include Ast.h.
#pragma once

#include "compiler/syntax/AstDecl.h"

namespace tsk::ast {

struct RequiresDecl : Decl {
  RequiresDecl() : Decl(Kind::Requires) {}
  List<const Expr *> conditions;
  TSK_AST_NODE(Requires, Decl)
};
struct GridDecl : Decl { // grid (x, y); or grid persistent(n);
  GridDecl() : Decl(Kind::Grid) {}
  bool isPersistent = false;
  List<const Expr *> values; // extents, or CTAs per SM (may be empty: 1)
  TSK_AST_NODE(Grid, Decl)
};
struct ClusterDecl : Decl {
  ClusterDecl() : Decl(Kind::Cluster) {}
  List<const Expr *> extents;
  List<const Expr *> fallback; // empty: none
  TSK_AST_NODE(Cluster, Decl)
};
struct TargetDecl : Decl {
  TargetDecl() : Decl(Kind::Target) {}
  List<Name> names;
  TSK_AST_NODE(Target, Decl)
};
enum class QueueKind : uint8_t { Static, Clc, Atomic };
llvm::StringRef spelling(QueueKind kind);
struct QueueAttr {
  enum class Kind : uint8_t { Order, Stages, PerCta, PerCluster, As };
  Kind kind = Kind::Order;
  Name name; // Order: row, column, grouped, hilbert; As: the function
  List<Arg> args;
  bool hasArgs = false;
  const Expr *value = nullptr; // Stages
  SourceRange range;
};
struct QueueDecl : Decl {
  QueueDecl() : Decl(Kind::Queue) {}
  Name name;
  QueueKind queueKind = QueueKind::Static;
  List<const Expr *> extents;
  List<QueueAttr> attrs;
  TSK_AST_NODE(Queue, Decl)
};
struct BarrierDecl : Decl { // barrier b[2] : named;   barrier m : mbarrier arrivals n stages s;
  BarrierDecl() : Decl(Kind::Barrier) {}
  Name name;
  const Expr *count = nullptr; // optional
  bool isNamed = true;
  const Expr *arrivals = nullptr;
  const Expr *stages = nullptr; // optional
  TSK_AST_NODE(Barrier, Decl)
};
enum class GroupMode : uint8_t { Merge, Fork, Fused };
llvm::StringRef spelling(GroupMode mode);
struct GroupDecl : Decl {
  GroupDecl() : Decl(Kind::Group) {}
  Name name;
  GroupMode mode = GroupMode::Merge;
  List<Name> members;
  TSK_AST_NODE(Group, Decl)
};
struct OverlayDecl : Decl { // overlay { ab.a, ab.b } with { D.st };
  OverlayDecl() : Decl(Kind::Overlay) {}
  struct Set {
    List<Path> paths;
    bool isBraced = true;
    SourceRange range;
  };
  List<Set> sets;
  TSK_AST_NODE(Overlay, Decl)
};
struct ScheduleDecl : Decl {
  ScheduleDecl() : Decl(Kind::Schedule) {}
  Name name;
  List<Param> params;
  bool hasParams = false; // written with parentheses
  Block body;
  TSK_AST_NODE(Schedule, Decl)
};
struct TaskDecl : Decl { // task Math[2] on warps 4 .. 12 regs 240 of pair leader runs math(x);
  TaskDecl() : Decl(Kind::Task) {}
  enum class Rank : uint8_t { All, PairLeader, ClusterLeader, Rank };
  Name name;
  const Expr *instances = nullptr; // optional
  const Expr *firstWarp = nullptr; // `warps a .. b`
  const Expr *endWarp = nullptr;
  const Expr *warpCount = nullptr; // or `n warps`
  const Expr *regs = nullptr;      // optional
  SourceRange regsRange;
  Rank rank = Rank::All;
  const Expr *rankValue = nullptr;
  Name schedule;
  List<Arg> args;
  bool hasArgs = false;
  TSK_AST_NODE(Task, Decl)
};
struct OrderDecl : Decl {
  OrderDecl() : Decl(Kind::Order) {}
  Name name;
  List<Path> paths;
  TSK_AST_NODE(Order, Decl)
};
struct DependsDecl : Decl {
  DependsDecl() : Decl(Kind::Depends) {}
  struct Edge { // downstream <- upstream, upstream;
    Path downstream;
    List<Path> upstream;
    SourceRange range;
  };
  List<Edge> edges;
  TSK_AST_NODE(Depends, Decl)
};
struct TestStmt {
  enum class Kind : uint8_t { Run, ExpectFault, Expect, Cpp, Let, Tensor, Expr };
  Kind kind = Kind::Run;
  List<Arg> args;                    // Run
  Name name;                         // ExpectFault: V1; Let, Tensor
  const Expr *expr = nullptr;        // Expect, Let, Expr
  Body body;                         // Cpp
  const Type *elementType = nullptr; // Tensor
  List<const Expr *> dims;
  SourceRange range;
};
struct TestDecl : Decl {
  TestDecl() : Decl(Kind::Test) {}
  Name name;
  List<TemplateArg> compileTimeArgs;
  List<Arg> args;
  List<TestStmt> stmts;
  TSK_AST_NODE(Test, Decl)
};
struct StaticIfDecl : Decl {
  StaticIfDecl() : Decl(Kind::StaticIf) {}
  List<Branch<List<const Decl *>>> branches; // at least one
  List<const Decl *> elseDecls;
  bool hasElse = false;
  TSK_AST_NODE(StaticIf, Decl)
};
struct KernelDecl : Decl {
  KernelDecl() : Decl(Kind::Kernel) {}
  Name name;
  List<CompileTimeParam> compileTimeParams;
  List<KernelParam> params;
  List<const Decl *> items;
  TSK_AST_NODE(Kernel, Decl)
};
struct InstantiateDecl : Decl { // instantiate gemm<BM = 64> as gemm_64 when (M <= 128);
  InstantiateDecl() : Decl(Kind::Instantiate) {}
  Name kernel;
  List<TemplateArg> args;
  Name alias;
  const Expr *condition = nullptr; // optional
  TSK_AST_NODE(Instantiate, Decl)
};

} // namespace tsk::ast
