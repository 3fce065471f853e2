// Schedules that schedules and tasks run: parameters are bound, the body is inlined.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

constexpr Diagnostic<std::string> ScheduleRecursion{
    kind::ScheduleRecursion, "schedules are inlined and cannot run themselves: {}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> WrongResource{
    kind::WrongResource, "`{}` is not the kind of resource that `{}` asks for (`{}`)"};

// `block(j, true);`
void ScheduleBuilder::callSchedule(const ast::CallExpr &call, const ast::NameExpr &name) {
  if (name.parts.size() == 1 && isBuiltinFunction(name.parts[0].text)) {
    if (resolver().resolve(&call))
      context.report(call.range, StatementWithoutEffect);
    return;
  }
  if (name.parts.size() == 1 && !scope->find(name.parts[0].text)) {
    context.report(name.range, UnknownSchedule, name.parts[0].text,
                   suggestion(context, *scope, name.parts[0].text, Symbol::Kind::Schedule));
    return;
  }
  const Symbol *symbol = lookUpQualified(context, *scope, name.parts);
  if (!symbol)
    return;
  if (symbol->kind == Symbol::Kind::Function) {
    if (resolver().resolve(&call))
      context.report(call.range, StatementWithoutEffect);
    return;
  }
  if (symbol->kind != Symbol::Kind::Schedule)
    return reportWrongKind(context, name.range, *symbol, "a schedule");
  inlineSchedule(*symbol->schedule, call.args, call.range, *scope);
}

static std::string chainText(llvm::ArrayRef<llvm::StringRef> names) {
  std::string chain;
  for (llvm::StringRef name : names)
    chain += fmt::format("{}`{}`", chain.empty() ? "" : " → ", name);
  return chain;
}

void ScheduleBuilder::inlineSchedule(const ast::ScheduleDecl &schedule, ast::List<ast::Arg> args,
                                     SourceRange call, const Scope &callerNames) {
  for (size_t i = 0; i < inlined.size(); ++i) {
    if (inlined[i].schedule != &schedule)
      continue;
    llvm::SmallVector<llvm::StringRef, 8> names;
    for (size_t j = i; j < inlined.size(); ++j)
      names.push_back(inlined[j].schedule->name.text);
    names.push_back(schedule.name.text);
    ReportBuilder report = context.report(call, ScheduleRecursion, chainText(names));
    for (size_t j = i + 1; j < inlined.size(); ++j)
      report.note(inlined[j].call, "`{}` is run here", inlined[j].schedule->name.text);
    return;
  }
  if (!mayUnfold(call))
    return;
  if (args.size() != schedule.params.size()) {
    context
        .report(call, WrongArgumentCount, schedule.name.text,
                Count{schedule.params.size(), "argument"}, args.size())
        .note(schedule.name.range, "`{}` is declared here", schedule.name.text);
    return;
  }
  Scope names(&state.scope);
  bool ok = true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].name) {
      reportNamedArgument(context, args[i], schedule.name.text);
      ok = false;
    }
    ok &= args[i].value && bindParam(names, schedule.params[i], *args[i].value, callerNames);
  }
  if (!ok)
    return;
  std::optional<Trail> trail;
  if (!schedule.params.empty())
    trail.emplace(context, call, fmt::format("`{}` is run from here", schedule.name.text));
  inlined.push_back({&schedule, call});
  Scope *outer = std::exchange(scope, &names);
  buildBlock(schedule.body);
  scope = outer;
  inlined.pop_back();
}

// ---- Parameters -------------------------------------------------------------------------------

static std::string parameterText(const ast::Param &param) {
  return fmt::format("parameter `{}`", param.name.text);
}

static std::optional<ast::SpaceKind> spaceByName(llvm::StringRef name) {
  for (ast::SpaceKind kind :
       {ast::SpaceKind::Gmem, ast::SpaceKind::Smem, ast::SpaceKind::Tmem, ast::SpaceKind::Regs})
    if (ast::spelling(kind) == name)
      return kind;
  return std::nullopt;
}

bool ScheduleBuilder::bindParam(Scope &names, const ast::Param &param, const ast::Expr &arg,
                                const Scope &callerNames) {
  if (!param.name || !param.type || param.type->name.empty())
    return false;
  if (param.type->name.size() == 1 && !param.type->hasArgs) {
    llvm::StringRef typeName = param.type->name[0].text;
    if (auto space = spaceByName(typeName))
      return bindResource(names, param, arg, callerNames, space, nullptr);
  }
  if (isStageType(param.type))
    return bindHold(names, param, arg, callerNames);
  if (!param.type->hasArgs && !param.type->pointerDepth) {
    const Symbol *type = state.scope.find(param.type->name[0].text);
    if (type && type->kind == Symbol::Kind::ImportAlias)
      type = lookUpQualified(context, state.scope, param.type->name);
    if (type && type->kind == Symbol::Kind::ResourceType)
      return bindResource(names, param, arg, callerNames, std::nullopt, type->resourceType);
  }
  return param.isConst ? bindConst(names, param, arg, callerNames)
                       : bindValue(names, param, arg, callerNames);
}

bool ScheduleBuilder::bindResource(Scope &names, const ast::Param &param, const ast::Expr &arg,
                                   const Scope &callerNames, std::optional<ast::SpaceKind> space,
                                   const ast::ResourceTypeDecl *type) {
  const bool isName = llvm::isa<ast::NameExpr>(&arg) || llvm::isa<ast::IndexExpr>(&arg);
  if (!isName) {
    if (arg.kind != ast::Expr::Kind::Error)
      context.report(arg.range, WrongResource, context.text(arg.range), param.name.text,
                     context.text(param.type->range));
    return false;
  }
  const auto named = resourceOf(context, callerNames, resolver(callerNames), arg);
  if (!named)
    return false;
  auto known = state.resourceTypes.find(named->id);
  bool fits = space ? kernel.resources[named->id].space == *space
                    : known != state.resourceTypes.end() && known->second == type;
  if (!fits) {
    context
        .report(arg.range, WrongResource, named->name, param.name.text,
                context.text(param.type->range))
        .note(named->loc, "`{}` is declared here", named->name);
    return false;
  }
  if (Symbol *bound = declare(context, names, param.name, Symbol::Kind::Resource)) {
    bound->resource = named->id;
    bound->mayBeUnused = true;
  }
  return true;
}

bool ScheduleBuilder::bindConst(Scope &names, const ast::Param &param, const ast::Expr &arg,
                                const Scope &callerNames) {
  ExprResolver resolve = resolver(callerNames);
  std::string what = parameterText(param);
  auto value = resolve.constant(&arg, what);
  std::optional<ir::Type> type = TypeResolver(state, state.scope).value(param.type);
  if (!value || !type)
    return false;
  ir::ExprId converted =
      resolve.convertTo(ir::makeConstant(kernel.tables, *value, arg.range), *type, arg.range, what);
  if (!converted)
    return false;
  Symbol *bound = declare(context, names, param.name, Symbol::Kind::Constant);
  if (!bound)
    return true;
  bound->constant = *resolve.constantOf(converted);
  bound->mayBeUnused = true;
  // A variable of `static for` stays one: first() and last() may ask for its ordinal.
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&arg); name && name->parts.size() == 1)
    if (const Symbol *from = callerNames.find(name->parts[0].text);
        from && from->kind == Symbol::Kind::StaticValue) {
      bound->kind = Symbol::Kind::StaticValue;
      bound->ordinal = from->ordinal;
      bound->ordinals = from->ordinals;
    }
  return true;
}

bool ScheduleBuilder::bindValue(Scope &names, const ast::Param &param, const ast::Expr &arg,
                                const Scope &callerNames) {
  ExprResolver resolve = resolver(callerNames);
  std::optional<ir::Type> type = TypeResolver(state, state.scope).value(param.type);
  ir::ExprId value = resolve.resolve(&arg);
  if (!value || !type)
    return false;
  if (!sameType(state, kernel.tables.exprs[value].type, *type))
    value = resolve.convertTo(value, *type, arg.range, parameterText(param));
  if (!value)
    return false;
  const auto *name = llvm::dyn_cast<ast::NameExpr>(&arg);
  const Symbol *from =
      name && name->parts.size() == 1 ? callerNames.find(name->parts[0].text) : nullptr;
  ir::ExprOp leaf = kernel.tables.exprs[value].op;
  bool isVar = from && from->kind == Symbol::Kind::Var;
  bool isLeaf = resolve.constantOf(value) || leaf == ir::ExprOp::Scalar ||
                (leaf == ir::ExprOp::Value && !isVar);
  if (!isLeaf) { // computed once, and a `var` may change meanwhile
    ir::ValueId id =
        addValue(param.name.text, ir::Value::Kind::Let, kernel.tables.exprs[value].type,
                 kernel.tables.exprs[value].uniformity, param.name.range);
    ir::Op &op = emit(ir::OpKind::Let, arg.range);
    op.args.push_back(value);
    op.results.push_back(id);
    value = ir::makeValueRef(kernel.tables, id, arg.range);
  }
  if (Symbol *bound = declareValue(names, param.name, value)) {
    bound->isLoopVariable = from && from->isLoopVariable;
    bound->mayBeUnused = true;
  }
  return true;
}

// ---- The task's own schedule ------------------------------------------------------------------

ir::RegionId ScheduleBuilder::build(const ast::TaskDecl &decl, const ast::ScheduleDecl &schedule) {
  ir::Region own;
  region = &own;
  Scope names(&state.scope);
  scope = &names;
  inlineSchedule(schedule, decl.args, decl.range, state.scope);
  region = nullptr;
  return kernel.regions.add(std::move(own));
}

} // namespace tsk::sema
