// `base.member(…)` in schedules: protocol operations, works, predefined barriers.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"
#include "compiler/target/Limits.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, Suggestion> NoSuchMember{
    kind::NoSuchMember, "`{}` has no operation or work `{}`{}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> FieldInSchedule{
    kind::FieldInSchedule, "`{}.{}` is a field: works read and write it, schedules do not"};
constexpr Diagnostic<llvm::StringRef> WorkWithoutResult{
    kind::NoResult, "`{}` returns nothing; a work whose value is used says `-> (v: type)`"};
constexpr Diagnostic<llvm::StringRef> InsideParallel{
    kind::InsideParallel,
    "{} cannot stand in `parallel for`: its threads may run different numbers of iterations"};
constexpr Diagnostic<llvm::StringRef, Count, size_t> ResultCount{kind::ResultCount,
                                                                 "`{}` has {}, expected {}"};
constexpr Diagnostic<llvm::StringRef> ResultIgnored{kind::ResultIgnored,
                                                    "the result of `{}` is not used"};
constexpr Diagnostic<llvm::StringRef, std::string, std::string> CannotConvert{kind::CannotConvert,
                                                                              "{} is {}, found {}"};

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NotInOrder{kind::NotInOrder,
                                                                  "task `{}` has no turn in `{}`"};
constexpr Diagnostic<std::string> RankWithoutRemote{
    kind::RankWithoutRemote, "`at(rank)` is about stages that peers fill; `{}` has no pipeline "
                             "`remote -> …`"};
constexpr Diagnostic<llvm::StringRef> RankNotOfPlace{
    kind::RankNotOfPlace, "a rank is computed from `cluster.rank`, `cluster.x` and constants: "
                          "`{}` is something else"};
constexpr Diagnostic<std::string, llvm::StringRef> RankMissing{
    kind::RankMissing, "whose stage of `{0}` is it? say `{0}.at(rank).{1}(…)`"};
constexpr Diagnostic<> AwaitTarget{kind::AwaitTarget,
                                   "`await` names a work of a resource: `await acc.mma;`"};

static std::optional<ir::OpKind> protocolOp(llvm::StringRef word) {
  for (ir::OpKind kind : {ir::OpKind::Acquire, ir::OpKind::Commit, ir::OpKind::Wait,
                          ir::OpKind::Release, ir::OpKind::TryAcquire, ir::OpKind::TryWait})
    if (ir::mnemonic(kind) == word)
      return kind;
  return std::nullopt;
}

// ---- What a call is about ---------------------------------------------------------------------

std::optional<ScheduleBuilder::MemberCall> ScheduleBuilder::classify(const ast::CallExpr &call) {
  const auto &member = *llvm::cast<ast::MemberExpr>(call.callee);
  if (const auto *inner = llvm::dyn_cast<ast::CallExpr>(member.base))
    return classifyAtPeer(call, *inner, member.member);
  const auto *base = llvm::dyn_cast<ast::NameExpr>(member.base);
  if (!base && !llvm::isa<ast::IndexExpr>(member.base)) {
    if (member.base->kind != ast::Expr::Kind::Error)
      context.report(member.base->range, NotCallable);
    return std::nullopt;
  }
  if (!member.member)
    return std::nullopt;
  if (base && base->parts.size() == 1) {
    llvm::StringRef name = base->parts[0].text;
    if (name == "pdl") {
      context.notYetCompiled(Construct::Pdl, call.range);
      return std::nullopt;
    }
    for (llvm::StringRef predefined : {"warp", "warpgroup", "task", "cta", "cluster"})
      if (name == predefined)
        return classifySync(call, name, member.member);
  }
  if (base && base->parts.size() == 1)
    if (const Symbol *hold = scope->find(base->parts[0].text);
        hold && hold->kind == Symbol::Kind::Hold) {
      hold->isUsed = true;
      return classifyHold(call, *hold, member.member);
    }
  const auto named = resourceOf(context, *scope, resolver(), *member.base);
  return named ? classifyMember(call, *named, member.member) : std::nullopt;
}

// Known of each rank while compiling.
static bool isOfPlace(const ir::ValueTables &tables, ir::ExprId id) {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op == ir::ExprOp::Builtin)
    return expr.builtin >= ir::Builtin::ClusterX && expr.builtin <= ir::Builtin::ClusterRank;
  return expr.op != ir::ExprOp::Scalar && expr.op != ir::ExprOp::Value &&
         expr.op != ir::ExprOp::Call &&
         llvm::all_of(expr.operands, [&](ir::ExprId each) { return isOfPlace(tables, each); });
}

// `r.at(rank).commit()`: `inner` is what stands before the last dot.
std::optional<ScheduleBuilder::MemberCall>
ScheduleBuilder::classifyAtPeer(const ast::CallExpr &call, const ast::CallExpr &inner,
                                const ast::Name &member) {
  const auto *at = llvm::dyn_cast<ast::MemberExpr>(inner.callee);
  if (!at || at->member.text != "at" || !member) {
    context.report(inner.range, NotCallable);
    return std::nullopt;
  }
  if (inner.args.size() != 1 || inner.args[0].name) {
    context.report(inner.range, WrongArgumentCount, context.text(inner.callee->range),
                   Count{1, "argument"}, inner.args.size());
    return std::nullopt;
  }
  const auto named = resourceOf(context, *scope, resolver(), *at->base);
  ir::ExprId rank = resolver().resolveInteger(inner.args[0].value, "a rank");
  if (!named || !rank)
    return std::nullopt;
  const ir::Resource &resource = kernel.resources[named->id];
  if (!resource.pipeline || !ir::isRemote(*resource.pipeline)) {
    context.report(inner.range, RankWithoutRemote, resource.name)
        .note(resource.loc, "`{}` is declared here", resource.name);
    return std::nullopt;
  }
  if (!isOfPlace(kernel.tables, rank)) {
    context.report(inner.args[0].value->range, RankNotOfPlace,
                   context.text(inner.args[0].value->range));
    return std::nullopt;
  }
  std::optional<MemberCall> target = classifyMember(call, *named, member);
  if (target)
    target->peer = rank;
  return target;
}

// Where a stage of a `remote` pipeline is another CTA's, the CTA has to be named.
bool ScheduleBuilder::checkPeer(const ast::CallExpr &call, const MemberCall &target) {
  const ir::Resource &resource = kernel.resources[target.resource];
  if (!resource.pipeline || !ir::isRemote(*resource.pipeline) || target.peer)
    return true;
  const bool isWork = target.kind == MemberCall::Kind::Work;
  if (isWork ? kernel.works[target.work].kind != ir::WorkKind::Produce
             : target.op != ir::OpKind::Commit && target.op != ir::OpKind::Release)
    return true;
  llvm::StringRef word =
      isWork ? llvm::StringRef(kernel.works[target.work].name) : ir::mnemonic(target.op);
  context.report(call.range, RankMissing, resource.name, word)
      .note(resource.pipeline->loc, "it is filled by peers");
  return false;
}

std::optional<ScheduleBuilder::MemberCall> ScheduleBuilder::classifySync(const ast::CallExpr &call,
                                                                         llvm::StringRef base,
                                                                         const ast::Name &member) {
  MemberCall result;
  if (base == "cluster") {
    context.notYetCompiled(Construct::ClusterSync, call.range);
    return std::nullopt;
  }
  if (member.text != "sync") {
    context.report(member.range, NoSuchMember, base, member.text, Suggestion{"sync"});
    return std::nullopt;
  }
  if (base == "warpgroup") {
    context.notYetCompiled(Construct::WarpgroupSync, call.range);
    return std::nullopt;
  }
  result.scope = base == "warp"   ? ir::SyncScope::Warp
                 : base == "task" ? ir::SyncScope::Task
                                  : ir::SyncScope::Cta;
  return result;
}

std::optional<ScheduleBuilder::MemberCall>
ScheduleBuilder::classifyMember(const ast::CallExpr &call, const NamedResource &named,
                                const ast::Name &member) {
  const ir::Resource &resource = kernel.resources[named.id];
  if (resource.isOrder)
    return classifyTurn(named, member);
  if (std::optional<ir::OpKind> op = protocolOp(member.text))
    return MemberCall{MemberCall::Kind::Protocol, named.id, *op};
  if (member.text == "drop" || member.text == "adopt") {
    context.notYetCompiled(Construct::PartialAccess, call.range);
    return std::nullopt;
  }
  std::vector<llvm::StringRef> names;
  for (ir::WorkId id : resource.works) {
    if (kernel.works[id].name == member.text)
      return MemberCall{MemberCall::Kind::Work, named.id, ir::OpKind::Call, id};
    names.push_back(kernel.works[id].name);
  }
  for (ir::FieldId id : resource.fields)
    if (kernel.fields[id].name == member.text) {
      context.report(member.range, FieldInSchedule, named.name, member.text)
          .note(kernel.fields[id].loc, "`{}` is declared here", member.text);
      return std::nullopt;
    }
  names.insert(names.end(), {"acquire", "commit", "wait", "release", "try_acquire", "try_wait"});
  context
      .report(member.range, NoSuchMember, named.name, member.text, suggestion(member.text, names))
      .note(resource.loc, "`{}` is declared here", resource.name);
  return std::nullopt;
}

// `turn.enter()`, `turn.leave()`
std::optional<ScheduleBuilder::MemberCall> ScheduleBuilder::classifyTurn(const NamedResource &named,
                                                                         const ast::Name &member) {
  const bool enters = member.text == "enter";
  if (!enters && member.text != "leave") {
    context
        .report(member.range, NoSuchMember, named.name, member.text,
                suggestion(member.text, {"enter", "leave"}))
        .note(named.loc, "`{}` is declared here", named.name);
    return std::nullopt;
  }
  const std::vector<std::string> &members = state.orders[named.id];
  const auto own = llvm::find(members, kernel.tasks[task].name);
  if (own == members.end()) {
    context.report(member.range, NotInOrder, kernel.tasks[task].name, named.name)
        .note(named.loc, "`{}` is declared here", named.name);
    return std::nullopt;
  }
  const bool isFirst = own == members.begin();
  const ir::OpKind enter = isFirst ? ir::OpKind::Acquire : ir::OpKind::Wait;
  const ir::OpKind leave = isFirst ? ir::OpKind::Commit : ir::OpKind::Release;
  return MemberCall{MemberCall::Kind::Protocol, named.id, enters ? enter : leave};
}

// ---- Statements -------------------------------------------------------------------------------

bool ScheduleBuilder::checkPlace(SourceRange place, llvm::StringRef what) {
  if (!parallelLoc.isValid())
    return true;
  context.report(place, InsideParallel, what).note(parallelLoc, "the `parallel for` is here");
  return false;
}

bool ScheduleBuilder::checkNoArguments(const ast::CallExpr &call) {
  if (call.args.empty())
    return true;
  context.report(call.range, WrongArgumentCount, context.text(call.callee->range),
                 Count{0, "argument"}, call.args.size());
  return false;
}

void ScheduleBuilder::buildMemberStmt(const ast::CallExpr &call) {
  std::optional<MemberCall> target = classify(call);
  if (!target)
    return;
  switch (target->kind) {
  case MemberCall::Kind::Protocol:
    emitProtocol(call, *target);
    return;
  case MemberCall::Kind::Sync:
    return emitSync(call, *target);
  case MemberCall::Kind::Work:
    unsigned errors = context.diags.errorCount();
    emitCall(call, *target, {}, false);
    if (!kernel.works[target->work].results.empty() && context.diags.errorCount() == errors)
      context.report(call.range, ResultIgnored, context.text(call.callee->range));
    return;
  }
}

bool ScheduleBuilder::emitProtocol(const ast::CallExpr &call, const MemberCall &target) {
  const ir::Resource &resource = kernel.resources[target.resource];
  llvm::StringRef word = llvm::cast<ast::MemberExpr>(call.callee)->member.text;
  bool ok = checkPlace(call.range, fmt::format("`{}`", word)) & checkNoArguments(call);
  if (!resource.pipeline) {
    if (state.lackPipeline.insert(target.resource).second) // once is enough
      context.report(call.range, NoPipeline, word, resource.name)
          .note(resource.loc, "`{}` is declared here", resource.name);
    ok = false;
  }
  if (!ok)
    return false;
  if (!checkPeer(call, target))
    return false;
  ir::Op &op = emit(target.op, call.range);
  op.resource = target.resource;
  op.peer = target.peer;
  const Holds::End end{target.resource,
                       target.op == ir::OpKind::Acquire || target.op == ir::OpKind::Commit};
  if (target.op == ir::OpKind::Acquire || target.op == ir::OpKind::Wait)
    holds.take(end);
  else if (target.op == ir::OpKind::Commit || target.op == ir::OpKind::Release)
    holds.giveBack(end, call.range);
  return true;
}

void ScheduleBuilder::emitSync(const ast::CallExpr &call, const MemberCall &target) {
  if (checkPlace(call.range, "`sync`") & checkNoArguments(call))
    emit(ir::OpKind::Sync, call.range).scope = target.scope;
}

// `await acc.mma but 1;`: which calls are in flight at all is known when the bodies have been read.
void ScheduleBuilder::buildAwait(const ast::AwaitStmt &await) {
  const ast::List<ast::PathPart> &parts = await.target.parts;
  if (parts.size() != 2 || parts[1].index) {
    if (!parts.empty() && parts[0].name)
      context.report(await.target.range, AwaitTarget);
    return;
  }
  const Symbol *symbol = lookUp(context, *scope, parts[0].name);
  if (!symbol || !parts[1].name)
    return;
  const auto id = resourceOf(context, resolver(), *symbol, parts[0].index, parts[0].name.range);
  if (!id)
    return;
  const ir::Resource &resource = kernel.resources[*id];
  std::vector<llvm::StringRef> names;
  ir::WorkId work;
  for (ir::WorkId each : resource.works) {
    names.push_back(kernel.works[each].name);
    if (kernel.works[each].name == parts[1].name.text)
      work = each;
  }
  if (!work) {
    context
        .report(parts[1].name.range, NoSuchMember, resource.name, parts[1].name.text,
                suggestion(parts[1].name.text, names))
        .note(resource.loc, "`{}` is declared here", resource.name);
    return;
  }
  std::optional<int64_t> pending = 0;
  if (await.but)
    pending = resolver().constantInteger(await.but, "the number of calls that may be in flight", 0,
                                         target::MaxPendingGroups);
  if (!checkPlace(await.range, "`await`") || !pending)
    return;
  ir::Op &op = emit(ir::OpKind::Await, await.range);
  op.resource = *id;
  op.work = work;
  op.pending = static_cast<unsigned>(*pending);
  op.isRead = await.read;
}

// ---- Works ------------------------------------------------------------------------------------

ir::ExprId ScheduleBuilder::argument(const ast::Arg &arg, ir::WorkId workId,
                                     const ir::WorkParam &param) {
  ExprResolver resolve = resolver();
  ir::ExprId value = resolve.resolve(arg.value);
  if (!value)
    return {};
  std::string what = fmt::format("parameter `{}` of `{}`", param.name, kernel.works[workId].name);
  const ir::Type found = kernel.tables.exprs[value].type;
  if (param.isConst && !resolve.constantOf(value)) {
    resolve.constant(arg.value, what); // reports
    return {};
  }
  if (sameType(state, found, param.type))
    return value;
  return resolve.convertTo(value, param.type, arg.value->range, what);
}

bool ScheduleBuilder::resolveArguments(const ast::CallExpr &call, ir::WorkId workId, ir::Op &op) {
  // A copy: nested calls may add to the tables.
  const std::vector<ir::WorkParam> params = kernel.works[workId].params;
  const std::vector<ir::HoldParam> stages = kernel.works[workId].holds;
  llvm::StringRef name = context.text(call.callee->range);
  const size_t wanted = params.size() + stages.size();
  bool ok = wanted == call.args.size();
  if (!ok)
    context
        .report(call.range, WrongArgumentCount, name, Count{wanted, "argument"}, call.args.size())
        .note(kernel.works[workId].loc, "`{}` is declared here", kernel.works[workId].name);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (call.args[i].name) {
      reportNamedArgument(context, call.args[i], name);
      ok = false;
    }
    auto stage = llvm::find_if(stages, [&](const auto &hold) { return hold.position == i; });
    if (stage != stages.end()) {
      ok &= passHold(call.args[i], *stage, op);
      continue;
    }
    const size_t param = op.args.size();
    ir::ExprId value = param < params.size() ? argument(call.args[i], workId, params[param])
                                             : resolver().resolve(call.args[i].value);
    ok &= bool(value);
    op.args.push_back(value);
  }
  return ok;
}

llvm::SmallVector<ir::ValueId, 2> ScheduleBuilder::emitCall(const ast::CallExpr &call,
                                                            const MemberCall &target,
                                                            ast::List<ast::Name> names,
                                                            bool declares) {
  const ir::WorkId workId = target.work;
  const ir::Work &work = kernel.works[workId];
  bool isSingle = work.by == ir::IssueBy::Leader || work.by == ir::IssueBy::Warp;
  bool isAsynchronous = llvm::any_of(work.accesses, [](const ir::Access &access) {
    return access.mechanism != ir::Mechanism::Async;
  });
  if (isSingle || isAsynchronous)
    checkPlace(call.range, "a work that one thread issues");
  ir::Op op;
  op.kind = ir::OpKind::Call;
  op.loc = call.range;
  op.work = workId;
  op.resource = work.resource;
  if (target.behind)
    op.behind.push_back({work.resource, target.behind});
  op.peer = target.peer;
  bool ok = resolveArguments(call, workId, op) & checkPeer(call, target);
  if (!names.empty() && names.size() != work.results.size()) {
    context
        .report(call.range, ResultCount, context.text(call.callee->range),
                Count{work.results.size(), "result"}, names.size())
        .note(work.loc, "`{}` is declared here", work.name);
    if (declares)
      declareBroken(names);
    names = {};
    ok = false;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const ir::WorkParam &result = work.results[i];
    ir::Uniformity uniformity = result.isUniform ? ir::Uniformity::Cta : ir::Uniformity::Thread;
    ir::ValueId id =
        addValue(names[i].text, ir::Value::Kind::Result, result.type, uniformity, names[i].range);
    op.results.push_back(id);
    if (declares)
      declareValue(*scope, names[i], ir::makeValueRef(kernel.tables, id, names[i].range));
  }
  llvm::SmallVector<ir::ValueId, 2> results = op.results;
  if (ok)
    region->ops.push_back(std::move(op));
  return results;
}

ir::ExprId ScheduleBuilder::callAsOperand(const ast::CallExpr &call) {
  std::optional<MemberCall> target = classify(call);
  if (!target)
    return {};
  if (target->kind != MemberCall::Kind::Work) {
    context.report(call.range, NoResult, context.text(call.callee->range));
    return {};
  }
  const ir::Work &work = kernel.works[target->work];
  if (work.results.size() != 1) {
    if (work.results.empty())
      context.report(call.range, WorkWithoutResult, context.text(call.callee->range))
          .note(work.loc, "`{}` is declared here", work.name);
    else
      context.report(call.range, ResultCount, context.text(call.callee->range),
                     Count{work.results.size(), "result"}, 1);
    return {};
  }
  ast::Name name;
  name.text = work.results[0].name;
  name.range = call.range;
  auto results = emitCall(call, *target, name, false);
  return ir::makeValueRef(kernel.tables, results[0], call.range);
}

} // namespace tsk::sema
