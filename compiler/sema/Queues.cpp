// Queues of work tiles. A static queue is a loop: CTA number b takes the tiles b, b + g, b + 2g, …
// of a grid of g, in the order that the queue names, and each tile's coordinates are values that
// every task computes alike. In a kernel of clusters the same holds for clusters: all CTAs of one
// have the same tile.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/target/Target.h"

namespace tsk::sema {

using ir::ExprId;
using ir::ExprOp;

constexpr Diagnostic<llvm::StringRef> UnknownOrder{
    kind::UnknownOrder,
    "there is no order `{}`; tiles come by `row`, by `column` or `grouped(n)` rows"};
constexpr Diagnostic<llvm::StringRef> OrderArguments{
    kind::OrderArguments,
    "`grouped(n)` takes the number of rows that a group has, `{}` takes nothing"};

namespace {

// The arithmetic of one queue's order. Invalid where something was reported.
class TileOrder {
public:
  TileOrder(ir::ValueTables &allTables, SourceRange place) : tables(allTables), range(place) {}

  ExprId op(ExprOp kind, ExprId a, ExprId b) {
    return a && b ? ir::makeExpr(tables, kind, {a, b}, range) : ExprId();
  }
  ExprId number(int64_t value) {
    return ir::makeConstant(tables, ir::ConstantScalar::ofInt(value), range);
  }

private:
  ir::ValueTables &tables;
  SourceRange range;
};

} // namespace

// `order grouped(8)`: the rows of a group. Nothing after a report.
std::optional<int64_t> ScheduleBuilder::groupRows(const ast::QueueAttr &order) {
  if (order.name.text != "grouped") {
    if (order.hasArgs)
      context.report(order.range, OrderArguments, order.name.text);
    return order.hasArgs ? std::nullopt : std::optional<int64_t>(0);
  }
  if (order.args.size() != 1 || order.args[0].name) {
    context.report(order.range, OrderArguments, "row");
    return std::nullopt;
  }
  return state.resolver().constantInteger(order.args[0].value, "the rows of a group", 1,
                                          ir::MaxGroupRows);
}

std::optional<ScheduleBuilder::TileQueue> ScheduleBuilder::tileQueue(const ast::QueueDecl &decl) {
  TileQueue queue;
  if (decl.queueKind != ast::QueueKind::Static || decl.extents.size() != 2) {
    context.notYetCompiled(Construct::Queues, decl.range);
    return std::nullopt;
  }
  for (const ast::QueueAttr &attr : decl.attrs) {
    if (attr.kind != ast::QueueAttr::Kind::Order || attr.name.text == "hilbert") {
      context.notYetCompiled(Construct::QueueAttributes, attr.range);
      return std::nullopt;
    }
    if (attr.name.text != "row" && attr.name.text != "column" && attr.name.text != "grouped") {
      context.report(attr.name.range, UnknownOrder, attr.name.text);
      return std::nullopt;
    }
    std::optional<int64_t> rows = groupRows(attr);
    if (!rows)
      return std::nullopt;
    queue.groupRows = *rows;
    queue.isByColumn = attr.name.text == "column";
  }
  for (const ast::Expr *extent : decl.extents) {
    ExprId id = state.resolver().resolveInteger(extent, "an extent of a queue");
    if (!id)
      return std::nullopt;
    checkUniform(id, ir::Uniformity::Kernel, "an extent of a queue");
    queue.extents.push_back(id);
  }
  return queue;
}

// A value that the tile's place is computed from, named so that what is emitted stays readable.
ExprId ScheduleBuilder::letTile(const std::string &name, ExprId value, SourceRange loc) {
  if (!value)
    return {};
  const ir::Expr expr = kernel.tables.exprs[value];
  ir::ValueId id = addValue(name, ir::Value::Kind::Let, expr.type, expr.uniformity, loc);
  ir::Op &op = emit(ir::OpKind::Let, loc);
  op.args.push_back(value);
  op.results.push_back(id);
  return ir::makeValueRef(kernel.tables, id, loc);
}

void ScheduleBuilder::placeTile(const TileQueue &queue, const std::string &name, ExprId number,
                                SourceRange loc, Symbol &tile) {
  TileOrder order(kernel.tables, loc);
  ExprId across = number, rows = queue.extents[0], first;
  const bool isByColumn = queue.isByColumn || queue.groupRows;
  if (queue.groupRows) { // whole rows of tiles, by columns among themselves
    ExprId size = order.op(ExprOp::Mul, order.number(queue.groupRows), queue.extents[1]);
    first = letTile(
        name + "_first",
        order.op(ExprOp::Mul, order.op(ExprOp::Div, number, size), order.number(queue.groupRows)),
        loc);
    rows = letTile(
        name + "_rows",
        order.op(ExprOp::Min, order.op(ExprOp::Sub, rows, first), order.number(queue.groupRows)),
        loc);
    across = letTile(name + "_place", order.op(ExprOp::Rem, number, size), loc);
  }
  ExprId divisor = isByColumn ? rows : queue.extents[1];
  ExprId quotient = order.op(ExprOp::Div, across, divisor);
  ExprId rest = order.op(ExprOp::Rem, across, divisor);
  ExprId x = isByColumn ? rest : quotient;
  if (first)
    x = order.op(ExprOp::Add, first, x);
  tile.members.push_back(letTile(name + "_x", x, loc));
  tile.members.push_back(letTile(name + "_y", isByColumn ? quotient : rest, loc));
}

// `share i of n`. Nothing after a report.
std::optional<ScheduleBuilder::Share> ScheduleBuilder::shareOf(const ast::QueueForStmt &stmt) {
  if (!stmt.shareIndex)
    return Share{};
  const auto count = resolver().constantInteger(
      stmt.shareCount, "the number of tasks that share a queue", 1, target::MaxCtaWarps);
  if (!count)
    return std::nullopt;
  const auto index =
      resolver().constantInteger(stmt.shareIndex, "the number of a share", 0, *count - 1);
  if (index && *count > 2)
    context.notYetCompiled(Construct::Shares, stmt.shareCount->range);
  if (!index || *count > 2)
    return std::nullopt;
  return Share{*index, *count};
}

// Every task walks over all tiles, so that it knows what the others take of what they share: its
// own tiles are one way of an `if`, and the other one is added when all tasks are built.
ir::Region ScheduleBuilder::shared(ir::Region own, ir::ValueId tile, const Share &share,
                                   SourceRange loc) {
  const ExprId period = ir::makeConstant(
      kernel.tables, ir::ConstantScalar::ofInt(share.count, kernel.tables.values[tile].type.scalar),
      loc);
  ExprId isOwn = ir::makeExpr(kernel.tables, ExprOp::Every,
                              {ir::makeValueRef(kernel.tables, tile, loc), period}, loc);
  if (share.index == 1)
    isOwn = ir::makeExpr(kernel.tables, ExprOp::Not, {isOwn}, loc);
  ir::Op branch;
  branch.kind = ir::OpKind::If;
  branch.loc = loc;
  branch.args.push_back(isOwn);
  branch.body = kernel.regions.add(std::move(own));
  branch.elseBody = kernel.regions.add({});
  state.shares.push_back({task, branch.body, branch.elseBody});
  ir::Region whole;
  whole.ops.push_back(std::move(branch));
  return whole;
}

void ScheduleBuilder::buildQueueFor(const ast::QueueForStmt &stmt) {
  const auto *name = llvm::dyn_cast_or_null<ast::NameExpr>(stmt.queue);
  const Symbol *symbol = name ? lookUpQualified(context, *scope, name->parts) : nullptr;
  if (symbol && symbol->kind != Symbol::Kind::Queue)
    reportWrongKind(context, name->range, *symbol, "a queue or a range `lo .. hi`");
  const std::optional<Share> share = shareOf(stmt);
  Scope names(scope);
  std::optional<TileQueue> queue;
  if (symbol && symbol->kind == Symbol::Kind::Queue && checkPlace(stmt.range, "a loop over tiles"))
    queue = tileQueue(*symbol->queue);
  if (!queue || !share) {
    declare(context, names, stmt.variable, Symbol::Kind::Broken);
    buildRegion(stmt.body, names);
    return;
  }
  TileOrder order(kernel.tables, stmt.queue->range);
  ir::Loop loop;
  const bool isOfClusters = kernel.cluster.size() > 1;
  auto builtin = [&](ir::Builtin which) {
    return ir::makeBuiltin(kernel.tables, which, stmt.queue->range);
  };
  loop.lower = builtin(isOfClusters ? ir::Builtin::ClusterIndex : ir::Builtin::BlockX);
  loop.step = builtin(isOfClusters ? ir::Builtin::ClusterCount : ir::Builtin::GridX);
  loop.upper = order.op(ExprOp::Mul, queue->extents[0], queue->extents[1]);
  if (!loop.upper)
    return;
  const SourceRange place = stmt.variable.range;
  const std::string own = stmt.variable.text.str();
  loop.variable = addValue(own, ir::Value::Kind::LoopVariable, kernel.tables.exprs[loop.upper].type,
                           kernel.tables.exprs[loop.lower].uniformity, place);
  Symbol *tile = declare(context, names, stmt.variable, Symbol::Kind::Tile);
  const Holds::State before = holds.now();
  ir::Region body;
  ir::Region *outerRegion = std::exchange(region, &body);
  Scope *outer = std::exchange(scope, &names);
  if (tile) {
    tile->mayBeUnused = true;
    placeTile(*queue, own, ir::makeValueRef(kernel.tables, loop.variable, place), place, *tile);
  }
  buildStmts(stmt.body);
  scope = outer;
  recordUses(names);
  endLoop(before, stmt.range);
  if (share->count > 1)
    body = shared(std::move(body), loop.variable, *share, stmt.range);
  region = outerRegion;
  ir::Op &op = emit(ir::OpKind::For, stmt.range);
  op.loop = loop;
  op.body = kernel.regions.add(std::move(body));
}

} // namespace tsk::sema
