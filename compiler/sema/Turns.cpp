// Tasks that take turns: `order turn (Math[0], Math[1]);`, and what each of two tasks that share
// the tiles of a queue passes by.
//
// A turn is a pipeline of one stage without memory: the first task acquires and commits it, the
// second waits for it and releases it. So whoever enters waits until the other has left, the first
// turn is the first task's, and nothing need be left over at the end.
#include "compiler/sema/Elements.h"
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> OrderMembers{
    kind::OrderMembers, "an order is between two different tasks: `order {} (A, B);`"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> SharedTripCount{
    kind::SharedTripCount,
    "how many stages of `{}` a tile has must be known to the task that leaves it to another one, "
    "but it depends on `{}`, which is computed in the loop over tiles"};

// ---- order ------------------------------------------------------------------------------------

static const ast::TaskDecl *taskOf(const KernelState &state, llvm::StringRef name) {
  for (const ast::Decl *item : state.items)
    if (const auto *task = llvm::dyn_cast<ast::TaskDecl>(item); task && task->name.text == name)
      return task;
  return nullptr;
}

// `Math[0]`; `Math` alone stands for all its instances. False after a report.
static bool addMembers(KernelState &state, const ast::Path &path,
                       std::vector<std::string> &members) {
  if (path.parts.empty() || !path.parts[0].name)
    return false;
  const Symbol *symbol = lookUp(state.context, state.scope, path.parts[0].name);
  if (!symbol)
    return false;
  const ast::Expr *index = path.parts[0].index;
  const ast::TaskDecl *task = taskOf(state, path.parts[0].name.text);
  if (symbol->kind != Symbol::Kind::Task || !task || path.parts.size() > 1 ||
      (index && !task->instances)) {
    reportWrongKind(state.context, path.range, *symbol,
                    index && symbol->kind == Symbol::Kind::Task ? "one with instances" : "a task");
    return false;
  }
  if (!task->instances) {
    members.push_back(task->name.text.str());
    return true;
  }
  const auto count = state.resolver().constantInteger(task->instances, "the number of instances", 1,
                                                      target::MaxCtaWarps);
  if (!count)
    return false;
  if (!index) {
    for (size_t i = 0; i < static_cast<size_t>(*count); ++i)
      members.push_back(elementName(task->name.text, i));
    return true;
  }
  const auto which = state.resolver().constantInteger(
      index, fmt::format("an index of `{}`", task->name.text), 0, *count - 1);
  if (which)
    members.push_back(elementName(task->name.text, static_cast<size_t>(*which)));
  return which.has_value();
}

void buildOrder(KernelState &state, const ast::OrderDecl &decl) {
  Symbol *symbol = state.scope.findHere(decl.name.text);
  if (!symbol || symbol->loc != decl.name.range)
    return; // a second declaration of its name
  std::vector<std::string> members;
  bool isGood = true;
  for (const ast::Path &path : decl.paths)
    isGood &= addMembers(state, path, members);
  if (isGood && members.size() > 2) {
    state.context.notYetCompiled(Construct::Orders, decl.range);
    isGood = false;
  } else if (isGood && (members.size() < 2 || members[0] == members[1])) {
    state.context.report(decl.range, OrderMembers, decl.name.text);
    isGood = false;
  }
  if (!isGood) {
    state.scope.findHere(decl.name.text)->kind = Symbol::Kind::Broken;
    state.context.sawBroken = true;
    return;
  }
  ir::Resource turn;
  turn.name = decl.name.text.str();
  turn.loc = decl.name.range;
  turn.isOrder = true;
  turn.pipeline.emplace();
  turn.pipeline->producers = turn.pipeline->consumers = {ir::Mechanism::Async};
  turn.pipeline->loc = decl.name.range;
  symbol->resource = state.kernel->resources.add(std::move(turn));
  state.orders[symbol->resource] = std::move(members);
}

// ---- share ------------------------------------------------------------------------------------

namespace {

// What a task does in a tile that another one takes: of each pipeline that both wait for, it passes
// by as many stages as it would have waited for.
class OthersTiles {
public:
  OthersTiles(KernelState &kernelState, const KernelState::Share &theShare)
      : state(kernelState), kernel(*kernelState.kernel), share(theShare) {
    collect(share.own, inside);
    std::set<ir::ValueId> all;
    collect(kernel.tasks[share.task].body, all);
    for (ir::ValueId value : all)
      names.insert(kernel.tables.values[value].name);
  }

  void build() {
    ir::Region skips = skipsOf(share.own);
    kernel.regions[share.others] = std::move(skips);
  }

private:
  // Values that are computed in a region.
  void collect(ir::RegionId region, std::set<ir::ValueId> &values) const {
    if (!region)
      return;
    for (const ir::Op &op : kernel.regions[region].ops) {
      values.insert(op.results.begin(), op.results.end());
      if (op.loop.variable)
        values.insert(op.loop.variable);
      collect(op.body, values);
      collect(op.elseBody, values);
    }
  }

  bool does(ir::RegionId region, ir::OpKind kind, ir::ResourceId resource) const {
    return region && llvm::any_of(kernel.regions[region].ops, [&](const ir::Op &op) {
             return (op.kind == kind && op.resource == resource) || does(op.body, kind, resource) ||
                    does(op.elseBody, kind, resource);
           });
  }

  bool isShared(const ir::Op &op) const {
    for (size_t i = 0; i < kernel.tasks.size(); ++i)
      if (kernel.tasks.idAt(i) != share.task &&
          does(kernel.tasks[kernel.tasks.idAt(i)].body, op.kind, op.resource))
        return true;
    return false;
  }

  ir::Region skipsOf(ir::RegionId region) {
    ir::Region result;
    for (size_t i = 0; i < kernel.regions[region].ops.size(); ++i) {
      const ir::Op op = kernel.regions[region].ops[i]; // a copy: regions are added
      if (op.kind == ir::OpKind::Acquire && isShared(op))
        state.context.notYetCompiled(Construct::SharedProducers, op.loc);
      if (op.kind == ir::OpKind::Wait && isShared(op)) {
        ir::Op &skip = result.ops.emplace_back();
        skip.kind = ir::OpKind::Skip;
        skip.loc = op.loc;
        skip.resource = op.resource;
      }
      if (op.kind == ir::OpKind::For || op.kind == ir::OpKind::If)
        addControl(op, result);
    }
    return result;
  }

  void addControl(const ir::Op &op, ir::Region &into) {
    ir::Region body = skipsOf(op.body);
    ir::Region other = op.elseBody ? skipsOf(op.elseBody) : ir::Region();
    if ((body.ops.empty() && other.ops.empty()) || !isKnown(op, body.ops.empty() ? other : body))
      return;
    ir::Op copy;
    copy.kind = op.kind;
    copy.loc = op.loc;
    copy.args = op.args;
    copy.loop = op.loop;
    if (op.kind == ir::OpKind::For) {
      ir::Value variable = kernel.tables.values[op.loop.variable];
      variable.name = uniqueName(variable.name);
      copy.loop.variable = kernel.tables.values.add(std::move(variable));
    }
    copy.body = kernel.regions.add(std::move(body));
    if (!other.ops.empty())
      copy.elseBody = kernel.regions.add(std::move(other));
    into.ops.push_back(std::move(copy));
  }

  // Whether bounds and conditions are the same outside the tile; reports.
  bool isKnown(const ir::Op &op, const ir::Region &skips) const {
    llvm::SmallVector<ir::ExprId, 4> exprs(op.args.begin(), op.args.end());
    if (op.kind == ir::OpKind::For)
      exprs.append({op.loop.lower, op.loop.upper, op.loop.step});
    for (ir::ExprId expr : exprs)
      if (const ir::ValueId value = insideValue(expr)) {
        state.context.report(op.loc, SharedTripCount, resourceOf(skips),
                             kernel.tables.values[value].name);
        return false;
      }
    return true;
  }

  ir::ValueId insideValue(ir::ExprId id) const {
    const ir::Expr &expr = kernel.tables.exprs[id];
    if (expr.op == ir::ExprOp::Value && inside.count(expr.valueRef))
      return expr.valueRef;
    for (ir::ExprId operand : expr.operands)
      if (const ir::ValueId value = insideValue(operand))
        return value;
    return {};
  }

  // Of the first that is skipped.
  llvm::StringRef resourceOf(const ir::Region &skips) const {
    for (const ir::Op &op : skips.ops) {
      if (op.kind == ir::OpKind::Skip)
        return kernel.resources[op.resource].name;
      for (ir::RegionId inner : {op.body, op.elseBody})
        if (llvm::StringRef found = inner ? resourceOf(kernel.regions[inner]) : ""; !found.empty())
          return found;
    }
    return "";
  }

  std::string uniqueName(const std::string &wanted) {
    std::string name;
    for (unsigned n = 2; name.empty() || names.count(name) || state.scope.find(name); ++n)
      name = fmt::format("{}_{}", wanted, n);
    names.insert(name);
    return name;
  }

  KernelState &state;
  ir::Kernel &kernel;
  const KernelState::Share share;
  std::set<ir::ValueId> inside; // the tile's
  std::set<std::string> names;  // of the task's values
};

} // namespace

void finishShares(KernelState &state) {
  for (const KernelState::Share &share : state.shares)
    OthersTiles(state, share).build();
}

} // namespace tsk::sema
