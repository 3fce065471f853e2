// The body of one task: the schedule that it runs, with the schedules that those call inlined and
// `static` unfolded.
#pragma once

#include "compiler/sema/Elements.h"
#include "compiler/sema/Holds.h"
#include "compiler/sema/KernelState.h"

namespace tsk::sema {

// How far each `var` had to be raised, by its declaration: assigning a thread's value to a variable
// makes every use of it vary by thread, those before the assignment too. A task in which that was
// found is built again.
using RaisedVars = std::map<const ast::VarStmt *, ir::Uniformity>;

class ScheduleBuilder final : public WorkCaller {
public:
  ScheduleBuilder(KernelState &kernelState, RaisedVars &raisedVars, ir::TaskId built)
      : state(kernelState), kernel(*kernelState.kernel), context(kernelState.context),
        raised(raisedVars), task(built) {}

  ir::RegionId build(const ast::TaskDecl &decl, const ast::ScheduleDecl &schedule);
  bool mustRepeat() const { return hasRaised; }

  ir::ExprId callAsOperand(const ast::CallExpr &call) override;

private:
  // Statements.cpp
  void buildBlock(const ast::Block &block);
  ir::RegionId buildRegion(const ast::Block &block, Scope &names);
  bool enterBlock(SourceRange range);
  void buildStmts(const ast::Block &block);
  void buildStmt(const ast::Stmt &stmt);
  void buildLet(const ast::LetStmt &let);
  void declareBroken(ast::List<ast::Name> names);
  void buildVar(const ast::VarStmt &var);
  void buildAssign(const ast::AssignStmt &assign);
  const Symbol *assignable(const ast::Name &name);
  void assign(const Symbol &variable, ir::ExprId value, SourceRange loc);
  void buildExprStmt(const ast::ExprStmt &stmt);

  // Control.cpp
  void buildFor(const ast::ForStmt &loop);
  void buildParallelFor(const ast::ParallelForStmt &loop);
  void buildStaticFor(const ast::StaticForStmt &loop);
  void buildIf(const ast::IfStmt &stmt, size_t index);
  void buildStaticIf(const ast::StaticIfStmt &branch);
  ir::RegionId buildBranch(llvm::function_ref<void()> body);
  bool setBounds(ir::Loop &loop, const ast::Expr *lower, const ast::Expr *upper,
                 const ast::Expr *step, ir::Type &type);
  bool fitsLoop(ir::ExprId id, const ir::Type &type, llvm::StringRef what);
  void setUnroll(ir::Loop &loop, const ast::Expr *unroll);
  void checkUniform(ir::ExprId id, ir::Uniformity limit, llvm::StringRef what);
  bool mayUnfold(SourceRange place);

  // Inlining.cpp
  void inlineSchedule(const ast::ScheduleDecl &schedule, ast::List<ast::Arg> args, SourceRange call,
                      const Scope &callerNames);
  bool bindParam(Scope &names, const ast::Param &param, const ast::Expr &arg,
                 const Scope &callerNames);
  bool bindResource(Scope &names, const ast::Param &param, const ast::Expr &arg,
                    const Scope &callerNames, std::optional<ast::SpaceKind> space,
                    const ast::ResourceTypeDecl *type);
  bool bindConst(Scope &names, const ast::Param &param, const ast::Expr &arg,
                 const Scope &callerNames);
  bool bindValue(Scope &names, const ast::Param &param, const ast::Expr &arg,
                 const Scope &callerNames);
  void callSchedule(const ast::CallExpr &call, const ast::NameExpr &name);

  // Queues.cpp
  struct TileQueue {
    llvm::SmallVector<ir::ExprId, 2> extents; // rows and columns of tiles
    bool isByColumn = false;
    int64_t groupRows = 0; // 0: not in groups
  };
  void buildQueueFor(const ast::QueueForStmt &loop);
  std::optional<TileQueue> tileQueue(const ast::QueueDecl &decl);
  std::optional<int64_t> groupRows(const ast::QueueAttr &order);
  void placeTile(const TileQueue &queue, const std::string &name, ir::ExprId number,
                 SourceRange loc, Symbol &tile);
  struct Share { // which tiles of a queue are this task's: all
    int64_t index = 0, count = 1;
  };
  std::optional<Share> shareOf(const ast::QueueForStmt &stmt);
  ir::Region shared(ir::Region own, ir::ValueId tile, const Share &share, SourceRange loc);
  ir::ExprId letTile(const std::string &name, ir::ExprId value, SourceRange loc);

  // Calls.cpp
  // What `base.member(…)` is about. Nothing after a report.
  struct MemberCall {
    enum class Kind : uint8_t { Protocol, Work, Sync };
    Kind kind = Kind::Sync;
    ir::ResourceId resource = {};
    ir::OpKind op = ir::OpKind::Call;
    ir::WorkId work = {};
    ir::SyncScope scope = ir::SyncScope::Cta;
    unsigned behind = 0;  // Work: its own stage's place in ir::Op::behind
    ir::ExprId peer = {}; // ir::Op::peer
  };
  std::optional<MemberCall> classify(const ast::CallExpr &call);
  std::optional<MemberCall> classifyTurn(const NamedResource &named, const ast::Name &member);
  std::optional<MemberCall> classifyAtPeer(const ast::CallExpr &call, const ast::CallExpr &inner,
                                           const ast::Name &member);
  bool checkPeer(const ast::CallExpr &call, const MemberCall &target);
  std::optional<MemberCall> classifySync(const ast::CallExpr &call, llvm::StringRef base,
                                         const ast::Name &member);
  std::optional<MemberCall> classifyMember(const ast::CallExpr &call, const NamedResource &named,
                                           const ast::Name &member);
  void buildMemberStmt(const ast::CallExpr &call);
  bool emitProtocol(const ast::CallExpr &call, const MemberCall &target);
  void emitSync(const ast::CallExpr &call, const MemberCall &target);
  void buildAwait(const ast::AwaitStmt &await);
  // Emits the call; its results get the names and become symbols of the scope if `declares`.
  // Invalid arguments are reported; the results exist nevertheless.
  llvm::SmallVector<ir::ValueId, 2> emitCall(const ast::CallExpr &call, const MemberCall &target,
                                             ast::List<ast::Name> names, bool declares);
  bool resolveArguments(const ast::CallExpr &call, ir::WorkId work, ir::Op &op);
  ir::ExprId argument(const ast::Arg &arg, ir::WorkId work, const ir::WorkParam &param);
  bool checkPlace(SourceRange place, llvm::StringRef what);
  bool checkNoArguments(const ast::CallExpr &call);

  // HoldStatements.cpp
  struct TakenStage {
    Holds::End end;
    std::optional<unsigned> position;
  };
  std::optional<TakenStage> takeStage(const ast::Expr &expr);
  TakenStage takeStage(const ast::CallExpr &call, const MemberCall &target);
  void declareHold(const ast::Name &name, const TakenStage &stage, bool isVar);
  void buildLetHold(const ast::LetStmt &let, const ast::CallExpr &call, const MemberCall &target);
  bool buildVarHold(const ast::VarStmt &var);
  bool assignHold(const ast::AssignStmt &stmt);
  void reportEnded(const Symbol &symbol, SourceRange range);
  std::optional<MemberCall> classifyHold(const ast::CallExpr &call, const Symbol &symbol,
                                         const ast::Name &member);
  bool passHold(const ast::Arg &arg, const ir::HoldParam &param, ir::Op &op);
  const Symbol *heldStage(const ast::Expr &expr, const Scope &names, llvm::StringRef param,
                          ir::ResourceId wanted);
  bool bindHold(Scope &names, const ast::Param &param, const ast::Expr &arg,
                const Scope &callerNames);
  void endLoop(const Holds::State &before, SourceRange loc);

  // Shared
  ExprResolver resolver(const Scope &names) { return state.resolver(names, this); }
  ExprResolver resolver() { return resolver(*scope); }
  ir::ValueId addValue(llvm::StringRef name, ir::Value::Kind kind, ir::Type type,
                       ir::Uniformity uniformity, SourceRange loc);
  std::string uniqueName(llvm::StringRef wanted);
  ir::Op &emit(ir::OpKind kind, SourceRange loc);
  Symbol *declareValue(Scope &names, const ast::Name &name, ir::ExprId expr);
  void recordUses(const Scope &names);

  KernelState &state;
  ir::Kernel &kernel;
  Context &context;
  RaisedVars &raised;
  const ir::TaskId task;
  bool hasRaised = false;
  ir::Region *region = nullptr; // where ops go
  Scope *scope = nullptr;       // the innermost
  SourceRange parallelLoc;      // of the enclosing `parallel for`, if any
  Holds holds;
  std::vector<std::string> holdNames; // by HoldId
  std::map<ir::ValueId, const ast::VarStmt *> variables;
  llvm::StringSet<> usedNames; // of values in this task
  struct Inlined {
    const ast::ScheduleDecl *schedule;
    SourceRange call;
  };
  std::vector<Inlined> inlined;
  unsigned depth = 0;     // of blocks; an `else if` is one in what it follows
  bool exhausted = false; // too much was unfolded; reported
};

} // namespace tsk::sema
