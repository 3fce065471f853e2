// Named holds in schedules: `let s = r.wait();`, `var s : r::stage = r.wait();`, `s = t;`, and
// `s.work()`, which uses that stage.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> HoldEnded{kind::HoldEnded,
                                                "`{}` is no stage any more: it was given back"};
constexpr Diagnostic<llvm::StringRef> HoldMoves{
    kind::HoldMoves, "`{}` is used in this loop and would be another stage in the next iteration; "
                     "assign it before the iteration ends, or take it inside"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> HoldType{
    kind::HoldType,
    "`{}` is a stage of `{}`: what it holds comes from `wait` or `acquire` of that, "
    "or from another name of such a stage"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> HoldProtocol{
    kind::HoldMember, "`{0}` is a stage, and stages are given back in their order: write "
                      "`{1}`, which is about the oldest one"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> HoldSide{
    kind::HoldMember, "`{}` is a `{}` work, but `{}` is a stage at the pipeline's other end"};

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> HoldArgument{
    kind::HoldType, "parameter `{0}` is a stage of `{1}`: give it the name of one, as of "
                    "`let s = {1}.wait();`"};

static bool isTake(ir::OpKind op) { return op == ir::OpKind::Acquire || op == ir::OpKind::Wait; }

// The stage that an expression takes or names.
std::optional<ScheduleBuilder::TakenStage> ScheduleBuilder::takeStage(const ast::Expr &expr) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr)) {
    const Symbol *symbol =
        name->parts.size() == 1 ? lookUp(context, *scope, name->parts[0]) : nullptr;
    if (!symbol || symbol->kind != Symbol::Kind::Hold)
      return std::nullopt;
    const Holds::Hold &hold = holds[symbol->hold];
    if (!hold.position)
      reportEnded(*symbol, expr.range);
    return TakenStage{hold.end, hold.position};
  }
  const auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
  if (!call || !llvm::isa<ast::MemberExpr>(call->callee))
    return std::nullopt;
  std::optional<MemberCall> target = classify(*call);
  if (!target || target->kind != MemberCall::Kind::Protocol || !isTake(target->op))
    return std::nullopt;
  return takeStage(*call, *target);
}

ScheduleBuilder::TakenStage ScheduleBuilder::takeStage(const ast::CallExpr &call,
                                                       const MemberCall &target) {
  const Holds::End end{target.resource, target.op == ir::OpKind::Acquire};
  if (!emitProtocol(call, target))
    return {end, std::nullopt};
  return {end, holds.now().held.at(end) - 1};
}

void ScheduleBuilder::declareHold(const ast::Name &name, const TakenStage &stage, bool isVar) {
  const HoldId id = holds.name(stage.end, stage.position.value_or(0));
  holdNames.resize(id);
  holdNames.push_back(name.text.str());
  if (!stage.position)
    holds.assign(id, std::nullopt);
  if (Symbol *symbol = declare(context, *scope, name, Symbol::Kind::Hold)) {
    symbol->hold = id;
    symbol->isVarHold = isVar;
  }
}

void ScheduleBuilder::buildLetHold(const ast::LetStmt &let, const ast::CallExpr &call,
                                   const MemberCall &target) {
  if (let.names.size() != 1 || let.isTuple || !isTake(target.op)) {
    context.report(call.range, NoResult, context.text(call.callee->range));
    return declareBroken(let.names);
  }
  if (!kernel.resources[target.resource].pipeline) {
    emitProtocol(call, target); // reports
    return declareBroken(let.names);
  }
  declareHold(let.names[0], takeStage(call, target), false);
}

// `var s : r::stage = …;`, if it is one.
bool ScheduleBuilder::buildVarHold(const ast::VarStmt &var) {
  const ast::Type *type = var.type;
  if (!isStageType(type))
    return false;
  const Symbol *symbol = lookUp(context, *scope, type->name[0]);
  if (!symbol)
    return declareBroken(var.name), true;
  auto resource = resourceOf(context, resolver(), *symbol, nullptr, type->name[0].range);
  if (!resource)
    return declareBroken(var.name), true;
  std::optional<TakenStage> stage = var.value ? takeStage(*var.value) : std::nullopt;
  if (!stage || stage->end.resource != *resource) {
    if (var.value && var.value->kind != ast::Expr::Kind::Error)
      context.report(var.value->range, HoldType, var.name.text, symbol->name);
    return declareBroken(var.name), true;
  }
  declareHold(var.name, *stage, true);
  return true;
}

// `s = r.wait();` or `s = t;`, if `s` is a hold.
bool ScheduleBuilder::assignHold(const ast::AssignStmt &stmt) {
  const Symbol *symbol =
      stmt.names.size() == 1 && !stmt.isTuple ? scope->find(stmt.names[0].text) : nullptr;
  if (!symbol || symbol->kind != Symbol::Kind::Hold || !symbol->isVarHold)
    return false;
  symbol->isAssigned = true;
  std::optional<TakenStage> stage = stmt.value ? takeStage(*stmt.value) : std::nullopt;
  const Holds::End end = holds[symbol->hold].end;
  if (stage && stage->end == end)
    holds.assign(symbol->hold, stage->position);
  else if (stmt.value && stmt.value->kind != ast::Expr::Kind::Error)
    context.report(stmt.value->range, HoldType, symbol->name, kernel.resources[end.resource].name);
  return true;
}

void ScheduleBuilder::reportEnded(const Symbol &symbol, SourceRange range) {
  ReportBuilder report = context.report(range, HoldEnded, symbol.name);
  if (SourceRange ended = holds[symbol.hold].ended; ended.isValid())
    report.note(ended, "the last of its stages is given back here");
}

// `s.work(…)`: nothing after a report.
std::optional<ScheduleBuilder::MemberCall> ScheduleBuilder::classifyHold(const ast::CallExpr &call,
                                                                         const Symbol &symbol,
                                                                         const ast::Name &member) {
  const Holds::End end = holds[symbol.hold].end;
  const std::string &resource = kernel.resources[end.resource].name;
  std::optional<MemberCall> target =
      classifyMember(call, {end.resource, symbol.name, symbol.loc}, member);
  if (!target)
    return std::nullopt;
  if (target->kind != MemberCall::Kind::Work) {
    context.report(call.range, HoldProtocol, symbol.name,
                   fmt::format("{}.{}();", resource, member.text));
    return std::nullopt;
  }
  const ir::WorkKind kind = kernel.works[target->work].kind;
  const bool isOtherEnd = kind == ir::WorkKind::Produce   ? !end.isProducer
                          : kind == ir::WorkKind::Consume ? end.isProducer
                                                          : false;
  if (isOtherEnd) {
    context.report(call.range, HoldSide, member.text, ast::spelling(kind), symbol.name);
    return std::nullopt;
  }
  if (holds.isHeld({end.resource, !end.isProducer})) {
    context.notYetCompiled(Construct::Holds, call.range);
    return std::nullopt;
  }
  std::optional<unsigned> behind = holds.use(symbol.hold);
  if (!behind) {
    reportEnded(symbol, call.range);
    return std::nullopt;
  }
  target->behind = *behind;
  return target;
}

// ---- As arguments -----------------------------------------------------------------------------

// The hold that an argument names. Null after a report.
const Symbol *ScheduleBuilder::heldStage(const ast::Expr &expr, const Scope &names,
                                         llvm::StringRef param, ir::ResourceId wanted) {
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
  const Symbol *symbol =
      name && name->parts.size() == 1 ? lookUp(context, names, name->parts[0]) : nullptr;
  const bool isReported = expr.kind == ast::Expr::Kind::Error ||
                          (name && name->parts.size() == 1 && !symbol) ||
                          (symbol && symbol->kind == Symbol::Kind::Broken);
  if (isReported)
    return nullptr;
  if (symbol && symbol->kind == Symbol::Kind::Hold) {
    symbol->isUsed = true;
    if (holds[symbol->hold].end.resource == wanted)
      return symbol;
  }
  context.report(expr.range, HoldArgument, param, kernel.resources[wanted].name);
  return nullptr;
}

// `acc.multiply(s)`: the call says how many stages behind the newest `s` is.
bool ScheduleBuilder::passHold(const ast::Arg &arg, const ir::HoldParam &param, ir::Op &op) {
  if (!arg.value || !param.resource)
    return false;
  const Symbol *symbol = heldStage(*arg.value, *scope, param.name, param.resource);
  if (!symbol)
    return false;
  const Holds::End end = holds[symbol->hold].end;
  if (holds.isHeld({end.resource, !end.isProducer})) {
    context.notYetCompiled(Construct::Holds, arg.value->range);
    return false;
  }
  const std::optional<unsigned> behind = holds.use(symbol->hold);
  if (!behind)
    return reportEnded(*symbol, arg.value->range), false;
  if (*behind)
    op.behind.push_back({param.resource, *behind});
  return true;
}

// `s: r::stage` of a schedule: another name for the caller's.
bool ScheduleBuilder::bindHold(Scope &names, const ast::Param &param, const ast::Expr &arg,
                               const Scope &callerNames) {
  const ast::Name &of = param.type->name[0];
  const Symbol *resource = lookUp(context, names, of);
  if (!resource || resource->kind == Symbol::Kind::Broken)
    return false;
  const auto wanted = resourceOf(context, resolver(names), *resource, nullptr, of.range);
  const Symbol *stage = wanted ? heldStage(arg, callerNames, param.name.text, *wanted) : nullptr;
  if (!stage)
    return false;
  const HoldId hold = stage->hold;
  if (Symbol *bound = declare(context, names, param.name, Symbol::Kind::Hold)) {
    bound->hold = hold;
    bound->mayBeUnused = true;
  }
  return true;
}

// A loop's body, which has been built.
void ScheduleBuilder::endLoop(const Holds::State &before, SourceRange loc) {
  for (HoldId id : holds.endLoop(before, loc))
    context.report(loc, HoldMoves, holdNames[id]);
}

} // namespace tsk::sema
