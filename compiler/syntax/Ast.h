// The syntax tree of a .tsk file: what was written, nothing resolved.
//
// Nodes live in the tree's arena and are immutable once parsed; lists are arrays in the same arena.
// A node's `range` covers its text. Every keyword-led construct of lang/grammar.ebnf has one node
// of the same name. A rule with alternatives is a base class with a kind; use llvm::isa / dyn_cast.
#pragma once

#include "compiler/support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"

#include <memory>
#include <optional>

namespace tsk::ast {

template <typename T> using List = llvm::ArrayRef<T>;

// An identifier as written. Empty text: absent (an optional name) or missing (after an error).
struct Name {
  llvm::StringRef text;
  SourceRange range;
  explicit operator bool() const { return !text.empty(); }
};

// C++ text between braces. `range` includes the braces, `text` does not.
struct Body {
  llvm::StringRef text;
  SourceRange range;
  SourceLoc textBegin() const { return range.begin.advanced(1); }
};

// ---- Expressions ------------------------------------------------------------------------------

enum class UnaryOp : uint8_t { Negate, Not, Complement };
enum class BinaryOp : uint8_t {
  Add, Sub, Xor, Mul, Div, Rem, Eq, Ne, Lt, Le, Gt, Ge, And, Or
};
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);

struct Expr {
  enum class Kind : uint8_t {
    Int, Float, String, Name, Member, Call, Index, Unary, Binary, Conditional, Paren, List, Error
  };
  Kind kind;
  // Levels of nesting from here down, which the parser bounds. What a chain `a + b + c` or `a.b().c`
  // repeats is one level, however long it is: walk along it in a loop.
  uint16_t height = 1;
  SourceRange range;

protected:
  explicit Expr(Kind k) : kind(k) {}
};

#define TSK_AST_NODE(Class, Base)                                                                  \
  static bool classof(const Base *node) { return node->kind == Kind::Class; }

struct IntExpr : Expr { // 128, 0x80, 1'000
  IntExpr() : Expr(Kind::Int) {}
  uint64_t value = 0;
  TSK_AST_NODE(Int, Expr)
};
struct FloatExpr : Expr { // spelled text; value as a double
  FloatExpr() : Expr(Kind::Float) {}
  double value = 0;
  TSK_AST_NODE(Float, Expr)
};
struct StringExpr : Expr { // value without quotes, escapes resolved
  StringExpr() : Expr(Kind::String) {}
  llvm::StringRef value;
  TSK_AST_NODE(String, Expr)
};
struct NameExpr : Expr { // a or a::b::c
  NameExpr() : Expr(Kind::Name) {}
  List<Name> parts; // at least one
  TSK_AST_NODE(Name, Expr)
};
struct MemberExpr : Expr { // base.name
  MemberExpr() : Expr(Kind::Member) {}
  const Expr *base = nullptr;
  Name member;
  TSK_AST_NODE(Member, Expr)
};
struct Arg { // expr or name = expr
  Name name;
  const Expr *value = nullptr;
  SourceRange range;
};
struct CallExpr : Expr { // callee(args)
  CallExpr() : Expr(Kind::Call) {}
  const Expr *callee = nullptr;
  List<Arg> args;
  TSK_AST_NODE(Call, Expr)
};
struct IndexExpr : Expr { // base[index]
  IndexExpr() : Expr(Kind::Index) {}
  const Expr *base = nullptr;
  const Expr *index = nullptr;
  TSK_AST_NODE(Index, Expr)
};
struct UnaryExpr : Expr {
  UnaryExpr() : Expr(Kind::Unary) {}
  UnaryOp op = UnaryOp::Negate;
  const Expr *operand = nullptr;
  TSK_AST_NODE(Unary, Expr)
};
struct BinaryExpr : Expr {
  BinaryExpr() : Expr(Kind::Binary) {}
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  const Expr *left = nullptr;
  const Expr *right = nullptr;
  TSK_AST_NODE(Binary, Expr)
};
struct ConditionalExpr : Expr { // c ? a : b
  ConditionalExpr() : Expr(Kind::Conditional) {}
  const Expr *condition = nullptr;
  const Expr *whenTrue = nullptr;
  const Expr *whenFalse = nullptr;
  TSK_AST_NODE(Conditional, Expr)
};
struct ParenExpr : Expr {
  ParenExpr() : Expr(Kind::Paren) {}
  const Expr *inner = nullptr;
  TSK_AST_NODE(Paren, Expr)
};
struct ListExpr : Expr { // { a, b }
  ListExpr() : Expr(Kind::List) {}
  List<Arg> items;
  TSK_AST_NODE(List, Expr)
};
// What a member, a call or an index stands behind; null for any other expression.
const Expr *postfixBase(const Expr &expr);
struct ErrorExpr : Expr { // stands where no expression could be read; already reported
  ErrorExpr() : Expr(Kind::Error) {}
  TSK_AST_NODE(Error, Expr)
};

// ---- Types, paths, parameters -----------------------------------------------------------------

struct Type;
struct TypeArg { // exactly one is set; a lone name is a type (sema decides)
  const Type *type = nullptr;
  const Expr *expr = nullptr;
};
struct Type { // tsk::array<f16, BOX>*
  List<Name> name; // qualified name, at least one part
  List<TypeArg> args;
  bool hasArgs = false; // `a<>` has arguments, none of them
  unsigned pointerDepth = 0;
  SourceRange range;
};

struct PathPart {
  Name name;
  const Expr *index = nullptr; // set: name[index]
};
struct Path { // operands.a, Math[0], s[1].c
  List<PathPart> parts;
  SourceRange range;
};

struct Param { // of works, functions, schedules
  bool isConst = false;
  bool isUniform = false;
  Name name;
  const Type *type = nullptr;
  SourceRange range;
};

struct CompileTimeParam { // <BM = 128, T: type>
  Name name;
  const Type *type = nullptr;         // optional
  const Expr *defaultValue = nullptr; // optional
  SourceRange range;
};

struct TemplateArg { // BM = 64
  Name name;
  const Expr *value = nullptr;
  SourceRange range;
};

enum class Direction : uint8_t { None, In, Out, InOut };

struct KernelParam { // in A: tensor<bf16>[M, K] strides [s0, s1] from host; ptr<f32>; i32
  enum class Shape : uint8_t { Tensor, Pointer, Scalar };
  Direction direction = Direction::None;
  Name name;
  Shape shape = Shape::Scalar;
  const Type *type = nullptr; // element type of tensors and pointers
  List<const Expr *> dims;
  List<const Expr *> strides; // empty: packed
  bool fromHost = false;
  SourceRange range;
};

// ---- Statements of schedules ------------------------------------------------------------------

struct Stmt {
  enum class Kind : uint8_t {
    Let, Var, Assign, Expr, For, QueueFor, ParallelFor, StaticFor, If, StaticIf, Await
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
enum class Across : uint8_t { Grid, Cta, Task, Warp };
llvm::StringRef spelling(Across across);
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

// ---- Declarations -----------------------------------------------------------------------------

struct Decl {
  enum class Kind : uint8_t {
    // file level only
    Import, Kernel, Instantiate,
    // file level and in kernels
    Cpp, Const, Function, ResourceType,
    // in kernels
    Requires, Grid, Cluster, Target, Queue, Barrier, Resource, Group, Overlay, Schedule, Task,
    Order, Depends, Test, StaticIf
  };
  Kind kind;
  SourceRange range;

protected:
  explicit Decl(Kind k) : kind(k) {}
};

struct ImportDecl : Decl { // import tsk.sm90; import "path.tsk" as p;
  ImportDecl() : Decl(Kind::Import) {}
  bool isPath = false;     // written as a string
  llvm::StringRef target;  // "path.tsk" without quotes, or "tsk.sm90"
  SourceRange targetRange;
  Name alias; // optional
  TSK_AST_NODE(Import, Decl)
};
struct CppDecl : Decl { // cpp { … }
  CppDecl() : Decl(Kind::Cpp) {}
  Body body;
  TSK_AST_NODE(Cpp, Decl)
};
struct ConstDecl : Decl { // const N [: T] = e;
  ConstDecl() : Decl(Kind::Const) {}
  Name name;
  const Type *type = nullptr; // optional
  const Expr *value = nullptr;
  TSK_AST_NODE(Const, Decl)
};
struct FunctionDecl : Decl { // function f(a: T) -> U { … }
  FunctionDecl() : Decl(Kind::Function) {}
  Name name;
  List<Param> params;
  const Type *result = nullptr;
  Body body;
  TSK_AST_NODE(Function, Decl)
};

enum class SpaceKind : uint8_t { Gmem, Smem, Tmem, Regs };
llvm::StringRef spelling(SpaceKind kind);
struct Space {
  SpaceKind kind = SpaceKind::Smem;
  Name tensor; // gmem of tensor; optional
  SourceRange range;
};

enum class Swizzle : uint8_t { None, B32, B64, B128 };
llvm::StringRef spelling(Swizzle swizzle); // "none", "32B", …
enum class PerUnit : uint8_t { Thread, Warp, Warpgroup };
llvm::StringRef spelling(PerUnit unit);

struct FieldAttr {
  enum class Kind : uint8_t { Align, Swizzle, Per, Of, Multicast, View };
  Kind kind = Kind::Align;
  const Expr *value = nullptr; // Align; View: the column (optional)
  Swizzle swizzle = Swizzle::None;
  PerUnit per = PerUnit::Thread;
  List<Name> tensors;  // Of
  char axis = 'x';     // Multicast
  Name viewed;         // View
  SourceRange range;
};

enum class Mechanism : uint8_t { Async, CpAsync, Tma, Wgmma, Umma, Clc, Remote, Cta };
llvm::StringRef spelling(Mechanism mechanism); // "async", "cp_async", …
struct MechanismUse {
  Mechanism mechanism = Mechanism::Async;
  SourceRange range;
};
struct PipelineOption {
  enum class Kind : uint8_t { Bytes, BytesPerWarpPerCta, Signal, Lanes };
  enum class Side : uint8_t { Both, Producer, Consumer, Wait };
  enum class SignalBy : uint8_t { All, CtaLeader, WarpLeader };
  enum class LanesBy : uint8_t { None, Warp, Tile, Rank, Task };
  Kind kind = Kind::Bytes;
  Side side = Side::Both;
  SignalBy signal = SignalBy::All;
  LanesBy lanesBy = LanesBy::None; // None: `lanes` holds one count or a tuple
  const Expr *value = nullptr;     // Bytes…
  List<const Expr *> lanes;
  SourceRange range;
};
struct Pipeline {
  List<MechanismUse> producers;
  List<MechanismUse> consumers;
  bool isExchange = false; // written with <->
  const Expr *stages = nullptr;
  List<PipelineOption> options;
  SourceRange range;
};

enum class WorkKind : uint8_t { Produce, Consume, Update, Setup };
llvm::StringRef spelling(WorkKind kind);
enum class IssueBy : uint8_t { Unsaid, All, Warp, Leader };
llvm::StringRef spelling(IssueBy by);
struct WorkEffect { // reads(a.b) writes(c) [by wgmma] [in flight]
  bool isWrite = false;
  List<Path> paths;
  SourceRange range;
};
struct Work {
  WorkKind kind = WorkKind::Produce;
  Name name;
  List<Param> params;
  List<Param> results;
  IssueBy by = IssueBy::Unsaid;
  SourceRange byRange;
  List<WorkEffect> effects;
  std::optional<MechanismUse> effectMechanism; // `by wgmma` after effects
  bool effectInFlight = false;                 // `in flight`
  Body body;
  SourceRange range;
};
struct Field { // data : f16[BOX][COLS] swizzle 128B of src = 0;
  Name name;
  const Type *type = nullptr;
  List<const Expr *> dims;
  List<FieldAttr> attrs;
  const Expr *init = nullptr; // optional
  SourceRange range;
};
struct StaticIfMember;
struct ResourceMember { // exactly one is set
  const Field *field = nullptr;
  const Work *work = nullptr;
  const Pipeline *pipeline = nullptr;
  const StaticIfMember *staticIf = nullptr;
};
struct StaticIfMember { // static if around fields, works and the pipeline
  List<Branch<List<ResourceMember>>> branches; // at least one
  List<ResourceMember> elseMembers;
  bool hasElse = false;
  SourceRange range;
};
struct ResourceTypeDecl : Decl { // resource Ring<T, S = 4>(X: tensor<T>) : smem { … }
  ResourceTypeDecl() : Decl(Kind::ResourceType) {}
  Name name;
  List<CompileTimeParam> compileTimeParams;
  List<KernelParam> params; // `tensor<T>` without dimensions here
  Space space;
  List<ResourceMember> members;
  TSK_AST_NODE(ResourceType, Decl)
};
struct ResourceDecl : Decl { // resource a[2] : smem { … }   or   resource a = Ring<bf16>(A);
  ResourceDecl() : Decl(Kind::Resource) {}
  Name name;
  const Expr *count = nullptr; // optional
  Space space;                 // of an inline body
  List<ResourceMember> members;
  const Type *instantiated = nullptr; // set: the second form
  List<Arg> args;
  TSK_AST_NODE(Resource, Decl)
};

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
  List<Arg> args;             // Run
  Name name;                  // ExpectFault: V1; Let, Tensor
  const Expr *expr = nullptr; // Expect, Let, Expr
  Body body;                  // Cpp
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

#undef TSK_AST_NODE

// One parsed file. Owns its nodes.
class File {
public:
  List<const Decl *> decls;
  SourceRange range;

  template <typename T> T *make() { return new (arena.Allocate<T>()) T(); }
  template <typename T> List<T> list(llvm::ArrayRef<T> items) {
    T *copy = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
  }
  llvm::StringRef string(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena; // nodes hold no memory of their own: no destructor is run
};

} // namespace tsk::ast
