#include "compiler/ir/IrDiagnostics.h"
#include "compiler/ir/KernelReader.h"
#include "compiler/target/Target.h"

namespace tsk::ir {

constexpr Diagnostic<std::string, llvm::StringRef, size_t, size_t> TextWrongCount{
    kind::TextWrongCount, "`{0}` has {2} {1}, found {3}"};
constexpr Diagnostic<unsigned> TextTooDeep{kind::TextTooDeep, "blocks nest deeper than {}"};

void KernelReader::readTask() {
  Task task;
  TextToken name = reader.word("a task's name");
  declareName(name);
  task.name = name.text.str();
  task.loc = name.range;
  reader.expect("on");
  reader.expect("warps");
  SourceLoc begin = reader.peek().range.begin;
  int64_t first = reader.integer("a warp", 0, 64);
  reader.expect("..");
  int64_t end = reader.integer("the warp behind the last", first + 1, 64);
  task.firstWarp = static_cast<unsigned>(first);
  task.warps = static_cast<unsigned>(end - first);
  task.warpsLoc = reader.rangeFrom(begin);
  if (reader.accept("instance"))
    task.instance = static_cast<unsigned>(reader.integer("an instance", 0, 63));
  if (reader.accept("regs")) {
    task.regsLoc = reader.peek().range;
    task.regs = static_cast<unsigned>(reader.integer("registers", 0, target::SmRegisters));
  }
  reader.expect("runs");
  task.schedule = reader.name("a schedule's name");
  scope.values.clear();
  task.body = readRegion();
  kernel->tasks.add(std::move(task));
}

RegionId KernelReader::readRegion() {
  if (depth == MaxTextBlockDepth)
    reader.fail(reader.peek().range, TextTooDeep, MaxTextBlockDepth);
  Region region;
  ++depth;
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}"))
    readStatement(region);
  reader.expect("}");
  --depth;
  return kernel->regions.add(std::move(region));
}

void KernelReader::readStatement(Region &region) {
  Op op;
  TextToken first = reader.word("a statement");
  op.loc = first.range;
  if (reader.accept("=")) {
    op.kind = OpKind::Assign;
    auto it = scope.values.find(first.text);
    if (it == scope.values.end())
      return fail(first, "value");
    op.results.push_back(it->second);
    op.args.push_back(expr());
    reader.expect(";");
    return region.ops.push_back(std::move(op));
  }
  if (first.text == "let")
    return readLet(region, std::move(op));
  if (first.text == "var")
    return readVar(region, std::move(op));
  if (first.text == "call")
    return readCall(region, std::move(op), {});
  if (first.text == "parallel") {
    reader.expect("for");
    op.kind = OpKind::ParallelFor;
    return readLoop(region, std::move(op));
  }
  if (first.text == "for") {
    op.kind = OpKind::For;
    return readLoop(region, std::move(op));
  }
  if (first.text == "if")
    return readIf(region, std::move(op));
  if (first.text == "sync") {
    TextToken word = reader.word("a scope");
    auto scopeKind =
        enumByName(word.text, SyncScope::Cluster, [](SyncScope s) { return spelling(s); });
    if (!scopeKind && !reader.failed())
      fail(word, "scope");
    op.kind = OpKind::Sync;
    op.scope = scopeKind.value_or(SyncScope::Cta);
    reader.expect(";");
    return region.ops.push_back(std::move(op));
  }
  if (first.text == "await")
    return readAwait(region, std::move(op));
  for (OpKind kind : {OpKind::Acquire, OpKind::Commit, OpKind::Wait, OpKind::Release,
                      OpKind::TryAcquire, OpKind::TryWait, OpKind::Skip})
    if (first.text == mnemonic(kind))
      return readProtocol(region, std::move(op), kind);
  if (!reader.failed())
    fail(first, "statement");
}

void KernelReader::readAwait(Region &region, Op op) { // await acc.mma [but 1] [read];
  op.kind = OpKind::Await;
  op.work = calledWork();
  if (reader.accept("but"))
    op.pending = static_cast<unsigned>(reader.integer("a number of calls", 0, 64));
  op.isRead = reader.accept("read");
  reader.expect(";");
  if (!reader.failed())
    op.resource = kernel->works[op.work].resource;
  region.ops.push_back(std::move(op));
}

WorkId KernelReader::calledWork() {
  ResourceId resource = resourceByName();
  reader.expect(".");
  TextToken name = reader.word("a work's name");
  if (reader.failed())
    return {};
  for (WorkId id : kernel->resources[resource].works)
    if (kernel->works[id].name == name.text)
      return id;
  fail(name, "work");
  return {};
}

void KernelReader::readProtocol(Region &region, Op op, OpKind kind) {
  op.kind = kind;
  op.resource = resourceByName();
  op.peer = readPeer(reader, kernel->tables, scope);
  reader.expect(";");
  region.ops.push_back(std::move(op));
}

ValueId KernelReader::declare(const TextToken &name, Value::Kind kind, Type type,
                              Uniformity uniformity) {
  if (reader.failed())
    return {};
  if (declared.count(name.text) || scope.values.count(name.text)) {
    reader.fail(name.range, TextDuplicateName, name.text);
    return {};
  }
  ValueId id =
      kernel->tables.values.add({name.text.str(), kind, std::move(type), uniformity, name.range});
  scope.values[name.text] = id;
  return id;
}

Uniformity KernelReader::uniformityOf(std::initializer_list<ExprId> exprs) const {
  Uniformity uniformity = Uniformity::Const;
  if (!reader.failed())
    for (ExprId id : exprs)
      uniformity = join(uniformity, kernel->tables.exprs[id].uniformity);
  return uniformity;
}

void KernelReader::readLet(Region &region, Op op) {
  llvm::SmallVector<TextToken, 2> names;
  if (reader.at("("))
    reader.list("(", ")", [&] { names.push_back(reader.word("a name")); });
  else
    names.push_back(reader.word("a name"));
  reader.expect("=");
  if (reader.accept("call"))
    return readCall(region, std::move(op), names);
  ExprId value = expr();
  reader.expect(";");
  if (reader.failed() || names.size() != 1)
    return reader.unexpected("`call`");
  op.kind = OpKind::Let;
  op.args.push_back(value);
  op.results.push_back(
      declare(names[0], Value::Kind::Let, kernel->tables.exprs[value].type, uniformityOf({value})));
  region.ops.push_back(std::move(op));
}

unsigned KernelReader::stagesBehind() {
  return static_cast<unsigned>(reader.integer("stages behind the newest", 1, 65535));
}

void KernelReader::readCall(Region &region, Op op, llvm::ArrayRef<TextToken> results) {
  op.kind = OpKind::Call;
  SourceLoc begin = reader.peek().range.begin;
  op.work = calledWork();
  if (reader.failed())
    return;
  SourceRange name = reader.rangeFrom(begin);
  reader.list("(", ")", [&] { op.args.push_back(expr()); });
  const Work &work = kernel->works[op.work];
  if (reader.accept("behind"))
    op.behind.push_back({work.resource, stagesBehind()});
  while (reader.accept("with")) {
    const ResourceId held = resourceByName();
    reader.expect("behind");
    op.behind.push_back({held, stagesBehind()});
  }
  op.peer = readPeer(reader, kernel->tables, scope);
  reader.expect(";");
  if (!reader.failed() && work.params.size() != op.args.size())
    reader.fail(name, TextWrongCount, workName(*kernel, op.work), "parameters", work.params.size(),
                op.args.size());
  // Results may be dropped, but all or none.
  if (!results.empty() && !reader.failed() && work.results.size() != results.size())
    reader.fail(name, TextWrongCount, workName(*kernel, op.work), "results", work.results.size(),
                results.size());
  if (reader.failed())
    return;
  for (size_t i = 0; i < results.size(); ++i)
    op.results.push_back(declare(results[i], Value::Kind::Result, work.results[i].type,
                                 work.results[i].isUniform ? Uniformity::Cta : Uniformity::Thread));
  region.ops.push_back(std::move(op));
}

void KernelReader::readVar(Region &region, Op op) {
  TextToken word = reader.word("a uniformity");
  auto uniformity =
      enumByName(word.text, Uniformity::Thread, [](Uniformity u) { return spelling(u); });
  if (!uniformity && !reader.failed())
    fail(word, "uniformity");
  TextToken name = reader.word("a name");
  reader.expect(":");
  Type type = readType(reader);
  reader.expect("=");
  op.kind = OpKind::Var;
  op.args.push_back(expr());
  reader.expect(";");
  op.results.push_back(declare(name, Value::Kind::Var, type, uniformity.value_or(Uniformity::Cta)));
  region.ops.push_back(std::move(op));
}

void KernelReader::readLoop(Region &region, Op op) {
  TextToken name = reader.word("a name");
  Type type = Type::ofScalar(reader.accept(":") ? scalarType() : ScalarType::I32);
  reader.expect("in");
  op.loop.isReversed = reader.accept("reversed");
  op.loop.lower = expr();
  reader.expect("..");
  op.loop.upper = expr();
  op.loop.step = reader.accept("step")
                     ? expr()
                     : makeConstant(kernel->tables, ConstantScalar::ofInt(1, type.scalar), op.loc);
  bool isParallel = op.kind == OpKind::ParallelFor;
  if (isParallel) {
    reader.expect("across");
    TextToken word = reader.word("`grid`, `cta`, `task` or `warp`");
    auto across = enumByName(word.text, Across::Warp, [](Across a) { return words::spelling(a); });
    if (!across && !reader.failed())
      fail(word, "scope");
    op.across = across.value_or(Across::Grid);
  }
  if (reader.accept("unroll"))
    op.loop.unroll = static_cast<unsigned>(reader.integer("a factor", 1, 1 << 16));
  Uniformity bounds = uniformityOf({op.loop.lower, op.loop.upper, op.loop.step});
  op.loop.variable = declare(name, Value::Kind::LoopVariable, type,
                             isParallel ? Uniformity::Thread : join(bounds, Uniformity::Kernel));
  op.body = readRegion();
  region.ops.push_back(std::move(op));
}

void KernelReader::readIf(Region &region, Op op) {
  op.kind = OpKind::If;
  reader.expect("(");
  op.args.push_back(expr());
  reader.expect(")");
  op.body = readRegion();
  if (reader.accept("else"))
    op.elseBody = readRegion();
  region.ops.push_back(std::move(op));
}

} // namespace tsk::ir
