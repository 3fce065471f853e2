// What a file may declare, and what a resource is made of. Include Ast.h.
#pragma once

#include "compiler/syntax/AstStmt.h"

namespace tsk::ast {

struct Decl {
  enum class Kind : uint8_t {
    // file level only
    Import,
    Kernel,
    Instantiate,
    // file level and in kernels
    Cpp,
    Const,
    Function,
    ResourceType,
    // in kernels
    Requires,
    Grid,
    Cluster,
    Target,
    Queue,
    Barrier,
    Resource,
    Group,
    Overlay,
    Schedule,
    Task,
    Order,
    Depends,
    Test,
    StaticIf
  };
  Kind kind;
  SourceRange range;

protected:
  explicit Decl(Kind k) : kind(k) {}
};

struct ImportDecl : Decl { // import tsk.sm90; import "path.tsk" as p;
  ImportDecl() : Decl(Kind::Import) {}
  bool isPath = false;    // written as a string
  llvm::StringRef target; // "path.tsk" without quotes, or "tsk.sm90"
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

struct Space {
  SpaceKind kind = SpaceKind::Smem;
  Name tensor; // gmem of tensor; optional
  SourceRange range;
};

struct FieldAttr {
  enum class Kind : uint8_t { Align, Swizzle, Per, Of, Multicast, View };
  Kind kind = Kind::Align;
  const Expr *value = nullptr; // Align; View: the column (optional)
  Swizzle swizzle = Swizzle::None;
  PerUnit per = PerUnit::Thread;
  List<Name> tensors; // Of
  char axis = 'x';    // Multicast
  Name viewed;        // View
  SourceRange range;
};

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
struct StaticIfMember {                        // static if around fields, works and the pipeline
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

} // namespace tsk::ast
