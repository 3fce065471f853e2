// Loops and branches of schedules.
#include "compiler/sema/ScheduleBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

using ir::ConstantScalar;
using ir::Uniformity;

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> NotUniform{
    kind::NotUniform, "{} must be the same {}, but `{}` is not"};
constexpr Diagnostic<> StepNotPositive{kind::StepNotPositive,
                                       "a loop's step is positive; count down with `in reversed`"};
constexpr Diagnostic<size_t> UnfoldingLimit{
    kind::UnfoldingLimit,
    "`static for` and inlined schedules unfold to more than {} statements; use a run-time loop"};
constexpr Diagnostic<> NestedParallel{
    kind::NestedParallel,
    "`parallel for` spreads over threads that the enclosing one has taken already"};

static constexpr size_t UnfoldLimit = 50000; // of a kernel: far above any readable code

// ---- What bounds and conditions must be -------------------------------------------------------

// The part of the expression because of which it is not uniform.
static const ir::Expr &culprit(const ir::ValueTables &tables, ir::ExprId id) {
  const ir::Expr *expr = &tables.exprs[id];
  while (!expr->operands.empty()) {
    const ir::Expr *next = expr;
    for (ir::ExprId operand : expr->operands)
      if (tables.exprs[operand].uniformity == expr->uniformity)
        next = &tables.exprs[operand];
    if (next == expr)
      break;
    expr = next;
  }
  return *expr;
}

void ScheduleBuilder::checkUniform(ir::ExprId id, Uniformity limit, llvm::StringRef what) {
  const ir::Expr &expr = kernel.tables.exprs[id];
  if (expr.uniformity <= limit)
    return;
  const ir::Expr &leaf = culprit(kernel.tables, id);
  bool acrossGrid = limit == Uniformity::Kernel;
  ReportBuilder report = context.report(
      expr.loc, NotUniform, what, acrossGrid ? "in all CTAs" : "for all threads of the CTA",
      leaf.loc.isValid() ? context.text(leaf.loc) : llvm::StringRef("it"));
  if (leaf.op == ir::ExprOp::Call)
    report.note(leaf.loc,
                "`{}` may compute something else for each thread: it names `{}`, which is neither "
                "its own nor a constant",
                kernel.tables.functions[leaf.functionRef].name,
                kernel.tables.functions[leaf.functionRef].changesBy);
  if (leaf.op != ir::ExprOp::Value)
    return;
  const ir::Value &value = kernel.tables.values[leaf.valueRef];
  if (value.kind == ir::Value::Kind::Result)
    report.note(value.loc,
                "`{}` is a work's result, which each thread has for itself; say "
                "`uniform` at the work if all have the same",
                context.text(value.loc));
  else
    report.note(value.loc, "`{}` is declared here", value.name);
}

bool ScheduleBuilder::mayUnfold(SourceRange place) {
  if (exhausted || ++state.unfolded > UnfoldLimit) {
    if (!exhausted)
      context.report(place, UnfoldingLimit, UnfoldLimit);
    exhausted = true;
  }
  return !exhausted;
}

// False after a report. The variable's type is the wider of the bounds'.
bool ScheduleBuilder::setBounds(ir::Loop &loop, const ast::Expr *lower, const ast::Expr *upper,
                                const ast::Expr *step, ir::Type &type) {
  loop.lower = resolver().resolveInteger(lower, "the lower bound");
  loop.upper = resolver().resolveInteger(upper, "the upper bound");
  bool stepOk = true;
  if (step) {
    loop.step = resolver().resolveInteger(step, "the step");
    stepOk = bool(loop.step);
    if (stepOk)
      if (auto known = resolver().constantOf(loop.step); known && known->value < 1) {
        context.report(step->range, StepNotPositive);
        stepOk = false;
      }
  }
  if (!loop.lower || !loop.upper || !stepOk)
    return false;
  type = ir::Type::ofScalar(*ir::commonType(kernel.tables.exprs[loop.lower].type.scalar,
                                            kernel.tables.exprs[loop.upper].type.scalar));
  // What the variable counts with must fit it; C++ would convert in silence.
  bool ok = fitsLoop(loop.lower, type, "the lower bound") &
            fitsLoop(loop.upper, type, "the upper bound") &
            (!step || fitsLoop(loop.step, type, "the step"));
  if (!ok)
    return false;
  if (!step)
    loop.step =
        ir::makeConstant(kernel.tables, ConstantScalar::ofInt(1, type.scalar), upper->range);
  return true;
}

bool ScheduleBuilder::fitsLoop(ir::ExprId id, const ir::Type &type, llvm::StringRef what) {
  return bool(resolver().convertTo(id, type, kernel.tables.exprs[id].loc,
                                   fmt::format("{} of this loop", what)));
}

void ScheduleBuilder::setUnroll(ir::Loop &loop, const ast::Expr *unroll) {
  if (!unroll)
    return;
  if (auto factor = resolver().constantInteger(unroll, "the unrolling factor", 1, ir::MaxUnrolling))
    loop.unroll = static_cast<unsigned>(*factor);
}

// ---- Loops ------------------------------------------------------------------------------------

void ScheduleBuilder::buildFor(const ast::ForStmt &stmt) {
  ir::Loop loop;
  ir::Type type;
  loop.isReversed = stmt.isReversed;
  bool ok = setBounds(loop, stmt.lower, stmt.upper, stmt.step, type);
  setUnroll(loop, stmt.unroll);
  Scope names(scope);
  if (!ok) {
    declare(context, names, stmt.variable, Symbol::Kind::Broken);
    buildRegion(stmt.body, names);
    return;
  }
  Uniformity bounds = Uniformity::Kernel;
  for (auto [id, what] :
       {std::pair(loop.lower, "a loop's lower bound"),
        std::pair(loop.upper, "a loop's upper bound"), std::pair(loop.step, "a loop's step")}) {
    if (!parallelLoc.isValid())
      checkUniform(id, Uniformity::Cta, what);
    bounds = join(bounds, kernel.tables.exprs[id].uniformity);
  }
  loop.variable = addValue(stmt.variable.text, ir::Value::Kind::LoopVariable, type, bounds,
                           stmt.variable.range);
  if (Symbol *symbol =
          declareValue(names, stmt.variable,
                       ir::makeValueRef(kernel.tables, loop.variable, stmt.variable.range))) {
    symbol->isLoopVariable = true;
    symbol->mayBeUnused = true;
  }
  const Holds::State before = holds.now();
  ir::RegionId body = buildRegion(stmt.body, names);
  endLoop(before, stmt.range);
  ir::Op &op = emit(ir::OpKind::For, stmt.range);
  op.loop = loop;
  op.body = body;
}

void ScheduleBuilder::buildParallelFor(const ast::ParallelForStmt &stmt) {
  ir::Loop loop;
  ir::Type type;
  bool ok = setBounds(loop, stmt.lower, stmt.upper, stmt.step, type);
  setUnroll(loop, stmt.unroll);
  if (parallelLoc.isValid())
    context.report(stmt.range, NestedParallel).note(parallelLoc, "the enclosing one is here");
  Scope names(scope);
  if (ok) {
    Uniformity limit = stmt.across == ast::Across::Grid ? Uniformity::Kernel : Uniformity::Cta;
    for (ir::ExprId id : {loop.lower, loop.upper, loop.step})
      checkUniform(id, limit, "a bound of `parallel for`");
    loop.variable = addValue(stmt.variable.text, ir::Value::Kind::LoopVariable, type,
                             Uniformity::Thread, stmt.variable.range);
    if (Symbol *symbol =
            declareValue(names, stmt.variable,
                         ir::makeValueRef(kernel.tables, loop.variable, stmt.variable.range)))
      symbol->mayBeUnused = true;
  } else {
    declare(context, names, stmt.variable, Symbol::Kind::Broken);
  }
  SourceRange outer = std::exchange(parallelLoc, stmt.range);
  ir::RegionId body = buildRegion(stmt.body, names);
  parallelLoc = outer;
  if (!ok)
    return;
  ir::Op &op = emit(ir::OpKind::ParallelFor, stmt.range);
  op.loop = loop;
  op.across = stmt.across;
  op.body = body;
}

void ScheduleBuilder::buildStaticFor(const ast::StaticForStmt &stmt) {
  ExprResolver resolve = resolver();
  auto lower = resolve.constantInteger(stmt.lower, "the lower bound", INT32_MIN, INT32_MAX);
  auto upper = resolve.constantInteger(stmt.upper, "the upper bound", INT32_MIN, INT32_MAX);
  std::optional<int64_t> step = 1;
  if (stmt.step)
    step = resolve.constantInteger(stmt.step, "the step of `static for`", 1, INT32_MAX);
  if (!lower || !upper || !step) {
    Scope names(scope);
    declare(context, names, stmt.variable, Symbol::Kind::Broken);
    buildRegion(stmt.body, names); // for the errors inside
    return;
  }
  int64_t count = *upper > *lower ? (*upper - *lower + *step - 1) / *step : 0;
  for (int64_t ordinal = 0; ordinal < count && mayUnfold(stmt.range); ++ordinal) {
    Scope names(scope);
    if (Symbol *symbol = declare(context, names, stmt.variable, Symbol::Kind::StaticValue)) {
      symbol->constant = ConstantScalar::ofInt(*lower + ordinal * *step);
      symbol->ordinal = ordinal;
      symbol->ordinals = count;
      symbol->mayBeUnused = true;
    }
    Scope *outer = std::exchange(scope, &names);
    buildBlock(stmt.body);
    scope = outer;
  }
}

// Not compiled; its body is still read, for the errors inside.
// ---- Branches ---------------------------------------------------------------------------------

ir::RegionId ScheduleBuilder::buildBranch(llvm::function_ref<void()> body) {
  ir::Region own;
  ir::Region *outer = std::exchange(region, &own);
  body();
  region = outer;
  return kernel.regions.add(std::move(own));
}

// The chain from its branch `index` on. What follows `else` is a branch inside it, so that a chain
// is as deep a tree as nested blocks are.
void ScheduleBuilder::buildIf(const ast::IfStmt &stmt, size_t index) {
  const ast::Branch<ast::Block> &branch = stmt.branches[index];
  ir::ExprId condition = resolver().resolveCondition(branch.condition, "a condition");
  if (condition && !parallelLoc.isValid())
    checkUniform(condition, Uniformity::Cta, "a condition");
  std::optional<ConstantScalar> known = condition ? resolver().constantOf(condition) : std::nullopt;
  const bool isLast = index + 1 == stmt.branches.size();
  bool hasElse = !isLast || stmt.elseBlock;
  auto thenBody = [&] { buildBlock(branch.content); };
  auto elseBody = [&] {
    if (isLast)
      return buildBlock(*stmt.elseBlock);
    if (!enterBlock(stmt.branches[index + 1].range))
      return;
    buildIf(stmt, index + 1);
    --depth;
  };
  if (known) {
    // The other branch is read for its errors and left out.
    auto leaveOut = [&](llvm::function_ref<void()> body) {
      const Holds::State before = holds.now();
      buildBranch(body);
      holds.restore(before);
    };
    known->value ? thenBody() : leaveOut(thenBody);
    if (hasElse)
      known->value ? leaveOut(elseBody) : elseBody();
    return;
  }
  const Holds::State before = holds.now();
  ir::RegionId thenRegion = buildBranch(thenBody);
  const Holds::State after = holds.now();
  holds.restore(before);
  ir::RegionId elseRegion = hasElse ? buildBranch(elseBody) : ir::RegionId{};
  holds.join(before, after, branch.range);
  if (!condition)
    return;
  ir::Op &op = emit(ir::OpKind::If, branch.range);
  op.args.push_back(condition);
  op.body = thenRegion;
  op.elseBody = elseRegion;
}

void ScheduleBuilder::buildStaticIf(const ast::StaticIfStmt &stmt) {
  static const ast::Block Nothing;
  auto taken = resolver().takenBranch(stmt.branches, stmt.elseBlock ? *stmt.elseBlock : Nothing);
  if (taken)
    buildBlock(*taken);
}

} // namespace tsk::sema
