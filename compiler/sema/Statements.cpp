// Simple statements of schedules: let, var, assignment, calls.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

constexpr Diagnostic<Count> LetTuple{kind::LetTuple,
                                     "a tuple on the left needs a work with {} on the right"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> AssignToConstant{
    kind::AssignToConstant, "`{}` is {}; only a `var` can be assigned"};
constexpr Diagnostic<unsigned> BlocksTooDeep{
    kind::BlocksTooDeep, "blocks nest deeper than {} once schedules are inlined; each `else if` "
                         "counts as a block in the `else` before it"};

// ---- Shared -----------------------------------------------------------------------------------

ir::Op &ScheduleBuilder::emit(ir::OpKind kind, SourceRange loc) {
  ir::Op op;
  op.kind = kind;
  op.loc = loc;
  region->ops.push_back(std::move(op));
  return region->ops.back();
}

// A name that neither the kernel nor the task has: `v`, `v_2`, …
std::string ScheduleBuilder::uniqueName(llvm::StringRef wanted) {
  std::string name = wanted.empty() ? "value" : wanted.str();
  for (unsigned n = 2; usedNames.contains(name) || (n > 2 && state.scope.find(name)); ++n)
    name = fmt::format("{}_{}", wanted, n);
  usedNames.insert(name);
  return name;
}

ir::ValueId ScheduleBuilder::addValue(llvm::StringRef name, ir::Value::Kind kind, ir::Type type,
                                      ir::Uniformity uniformity, SourceRange loc) {
  return kernel.tables.values.add({uniqueName(name), kind, std::move(type), uniformity, loc});
}

Symbol *ScheduleBuilder::declareValue(Scope &names, const ast::Name &name, ir::ExprId expr) {
  Symbol *symbol = declare(context, names, name, Symbol::Kind::Value);
  if (symbol)
    symbol->expr = expr;
  return symbol;
}

void ScheduleBuilder::recordUses(const Scope &names) {
  for (const std::string &name : names.names()) {
    const Symbol *symbol = names.find(name);
    if (symbol->mayBeUnused)
      continue;
    KernelState::Use &use = state.uses[symbol->loc.begin];
    use.name = name;
    use.range = symbol->loc;
    use.isUsed |= symbol->isUsed;
    use.isAssigned |= symbol->isAssigned;
  }
}

// ---- Blocks -----------------------------------------------------------------------------------

// One level deeper, if there is one.
bool ScheduleBuilder::enterBlock(SourceRange range) {
  if (depth < ir::MaxBlockDepth) {
    ++depth;
    return true;
  }
  if (!exhausted)
    context.report(range, BlocksTooDeep, ir::MaxBlockDepth);
  exhausted = true;
  return false;
}

void ScheduleBuilder::buildStmts(const ast::Block &block) {
  if (!enterBlock(block.range))
    return;
  for (const ast::Stmt *stmt : block.stmts)
    if (mayUnfold(stmt->range))
      buildStmt(*stmt);
  --depth;
}

// A block that is part of the current region.
void ScheduleBuilder::buildBlock(const ast::Block &block) {
  Scope names(scope);
  Scope *outer = std::exchange(scope, &names);
  buildStmts(block);
  scope = outer;
  recordUses(names);
}

// A block with a region of its own; `names` may hold a loop's variable already.
ir::RegionId ScheduleBuilder::buildRegion(const ast::Block &block, Scope &names) {
  ir::Region own;
  ir::Region *outerRegion = std::exchange(region, &own);
  Scope *outer = std::exchange(scope, &names);
  buildStmts(block);
  scope = outer;
  region = outerRegion;
  recordUses(names);
  return kernel.regions.add(std::move(own));
}

void ScheduleBuilder::buildStmt(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::Stmt::Kind::Let:
    return buildLet(*llvm::cast<ast::LetStmt>(&stmt));
  case ast::Stmt::Kind::Var:
    return buildVar(*llvm::cast<ast::VarStmt>(&stmt));
  case ast::Stmt::Kind::Assign:
    return buildAssign(*llvm::cast<ast::AssignStmt>(&stmt));
  case ast::Stmt::Kind::Expr:
    return buildExprStmt(*llvm::cast<ast::ExprStmt>(&stmt));
  case ast::Stmt::Kind::For:
    return buildFor(*llvm::cast<ast::ForStmt>(&stmt));
  case ast::Stmt::Kind::QueueFor:
    return buildQueueFor(*llvm::cast<ast::QueueForStmt>(&stmt));
  case ast::Stmt::Kind::ParallelFor:
    return buildParallelFor(*llvm::cast<ast::ParallelForStmt>(&stmt));
  case ast::Stmt::Kind::StaticFor:
    return buildStaticFor(*llvm::cast<ast::StaticForStmt>(&stmt));
  case ast::Stmt::Kind::If:
    return buildIf(*llvm::cast<ast::IfStmt>(&stmt), 0);
  case ast::Stmt::Kind::StaticIf:
    return buildStaticIf(*llvm::cast<ast::StaticIfStmt>(&stmt));
  case ast::Stmt::Kind::Await:
    return buildAwait(*llvm::cast<ast::AwaitStmt>(&stmt));
  }
}

// ---- let, var, assignment ---------------------------------------------------------------------

static const ast::CallExpr *memberCall(const ast::Expr *expr) {
  const auto *call = llvm::dyn_cast_or_null<ast::CallExpr>(expr);
  return call && llvm::isa<ast::MemberExpr>(call->callee) ? call : nullptr;
}

void ScheduleBuilder::declareBroken(ast::List<ast::Name> names) {
  for (const ast::Name &name : names)
    declare(context, *scope, name, Symbol::Kind::Broken);
}

void ScheduleBuilder::buildLet(const ast::LetStmt &let) {
  if (const ast::CallExpr *call = memberCall(let.value)) {
    std::optional<MemberCall> target = classify(*call);
    if (target && target->kind == MemberCall::Kind::Work) {
      emitCall(*call, *target, let.names, true);
      return;
    }
    if (target && target->kind == MemberCall::Kind::Protocol)
      return buildLetHold(let, *call, *target);
    if (target)
      context.report(call->range, NoResult, context.text(call->callee->range));
    return declareBroken(let.names);
  }
  if (let.names.size() != 1 || let.isTuple) {
    if (let.value && let.value->kind != ast::Expr::Kind::Error)
      context.report(let.range, LetTuple, Count{let.names.size(), "result"});
    return declareBroken(let.names);
  }
  ir::ExprId value = resolver().resolve(let.value);
  if (!value)
    return declareBroken(let.names);
  const ast::Name &name = let.names[0];
  if (resolver().constantOf(value)) { // stays a constant: it may be a `const` argument later
    declareValue(*scope, name, value);
    return;
  }
  ir::Type type = kernel.tables.exprs[value].type;
  ir::ValueId id = addValue(name.text, ir::Value::Kind::Let, type,
                            kernel.tables.exprs[value].uniformity, name.range);
  ir::Op &op = emit(ir::OpKind::Let, let.range);
  op.args.push_back(value);
  op.results.push_back(id);
  declareValue(*scope, name, ir::makeValueRef(kernel.tables, id, name.range));
}

void ScheduleBuilder::buildVar(const ast::VarStmt &var) {
  if (buildVarHold(var))
    return;
  TypeResolver types(state, *scope);
  std::optional<ir::Type> type = types.value(var.type);
  ir::ExprId value = resolver().resolve(var.value);
  if (value && type)
    value = resolver().convertTo(value, *type, var.value->range,
                                 fmt::format("variable `{}`", var.name.text));
  if (!value || !type)
    return declareBroken(var.name);
  ir::Uniformity uniformity = join(kernel.tables.exprs[value].uniformity, ir::Uniformity::Cta);
  if (auto it = raised.find(&var); it != raised.end())
    uniformity = join(uniformity, it->second);
  ir::ValueId id = addValue(var.name.text, ir::Value::Kind::Var, *type, uniformity, var.name.range);
  ir::Op &op = emit(ir::OpKind::Var, var.range);
  op.args.push_back(value);
  op.results.push_back(id);
  variables[id] = &var;
  if (Symbol *symbol = declare(context, *scope, var.name, Symbol::Kind::Var))
    symbol->value = id;
}

const Symbol *ScheduleBuilder::assignable(const ast::Name &name) {
  if (!name)
    return nullptr;
  const Symbol *found = scope->find(name.text);
  bool wasUsed = found && found->isUsed;
  const Symbol *symbol = lookUp(context, *scope, name);
  if (!symbol || symbol->kind == Symbol::Kind::Var) {
    if (symbol) {
      symbol->isUsed = wasUsed; // being assigned is no use
      symbol->isAssigned = true;
    }
    return symbol;
  }
  context.report(name.range, AssignToConstant, name.text, describe(symbol->kind))
      .note(symbol->loc, "`{}` is declared here", name.text);
  return nullptr;
}

void ScheduleBuilder::assign(const Symbol &variable, ir::ExprId value, SourceRange loc) {
  ir::Value &target = kernel.tables.values[variable.value];
  value =
      resolver().convertTo(value, target.type, loc, fmt::format("variable `{}`", variable.name));
  if (!value)
    return;
  ir::Uniformity needed = kernel.tables.exprs[value].uniformity;
  if (parallelLoc.isValid()) // each thread assigns as often as it has iterations
    needed = ir::Uniformity::Thread;
  if (needed > target.uniformity) {
    raised[variables[variable.value]] = needed;
    hasRaised = true;
  }
  ir::Op &op = emit(ir::OpKind::Assign, loc);
  op.args.push_back(value);
  op.results.push_back(variable.value);
}

void ScheduleBuilder::buildAssign(const ast::AssignStmt &stmt) {
  if (assignHold(stmt))
    return;
  llvm::SmallVector<const Symbol *, 2> targets;
  for (const ast::Name &name : stmt.names)
    targets.push_back(assignable(name));
  if (!stmt.isTuple) {
    ir::ExprId value = resolver().resolve(stmt.value);
    if (value && targets.size() == 1 && targets[0])
      assign(*targets[0], value, stmt.range);
    return;
  }
  const ast::CallExpr *call = memberCall(stmt.value);
  std::optional<MemberCall> target = call ? classify(*call) : std::nullopt;
  if (!target || target->kind != MemberCall::Kind::Work) {
    if (!call || target)
      context.report(stmt.range, LetTuple, Count{stmt.names.size(), "result"});
    return;
  }
  auto results = emitCall(*call, *target, stmt.names, false);
  for (size_t i = 0; i < targets.size() && i < results.size(); ++i)
    if (targets[i])
      assign(*targets[i], ir::makeValueRef(kernel.tables, results[i], stmt.names[i].range),
             stmt.range);
}

void ScheduleBuilder::buildExprStmt(const ast::ExprStmt &stmt) {
  if (!stmt.expr || stmt.expr->kind == ast::Expr::Kind::Error)
    return;
  const auto *call = llvm::dyn_cast<ast::CallExpr>(stmt.expr);
  if (memberCall(stmt.expr))
    return buildMemberStmt(*call);
  if (const auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr)
    return callSchedule(*call, *name);
  if (resolver().resolve(stmt.expr))
    context.report(stmt.range, StatementWithoutEffect);
}

} // namespace tsk::sema
