#include "compiler/verify/proof/Facts.h"
#include "compiler/ir/ExprText.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::proof {

using ir::Expr;
using ir::ExprId;
using ir::ExprOp;
using ir::ScalarType;

Facts::Facts(const plan::Plan &thePlan, Learn what, const Launch *theLaunch,
             const ir::Kernel *theKernel)
    : plan(thePlan), launch(theLaunch), kernel(theKernel) {
  for (const plan::Task &task : plan.tasks)
    collect(task.body);
  if (what == Learn::Nothing)
    return;
  // What one assumption says may be needed to understand the others.
  constexpr int Rounds = 3;
  for (int round = 0; round < Rounds; ++round) {
    known.clear();
    for (ExprId id : plan.assumptions)
      terms.learn(term(id), true);
  }
  renew();
  computeAll();
}

// ---- collecting --------------------------------------------------------------------------------

void Facts::collect(plan::RegionId region) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    bool isLoop = step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor;
    std::set<uint32_t> seen;
    for (ExprId arg : step.args)
      collectEvaluations(arg, seen);
    if (step.kind == plan::StepKind::Let) {
      definitions[step.results[0].index] = step.args[0];
      inOrder.push_back(step.results[0]);
    }
    if (step.kind == plan::StepKind::Call)
      for (ir::ValueId result : step.results)
        resultsIn[result.index] = around;
    if (isLoop) {
      for (ExprId bound : {step.loop.lower, step.loop.upper, step.loop.step})
        collectEvaluations(bound, seen);
      loops[step.loop.variable.index] = {step.loop, static_cast<unsigned>(around.size())};
      inOrder.push_back(step.loop.variable);
      around.push_back(step.loop.variable);
    }
    collect(step.body);
    collect(step.elseBody);
    if (isLoop)
      around.pop_back();
  }
}

// Where what is not a function of its operands is evaluated. Twice at two places: nothing is known.
void Facts::collectEvaluations(ExprId id, std::set<uint32_t> &seen) {
  if (!id || !seen.insert(id.index).second)
    return;
  const Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Call || !expr.operands.empty()) {
    auto [place, isNew] = evaluations.try_emplace(id.index);
    place->second.isRepeated |= !isNew;
    place->second.loops = around;
  }
  for (ExprId operand : expr.operands)
    collectEvaluations(operand, seen);
}

// In the order of the text, so that no chain of `let`s is followed at once.
void Facts::computeAll() const {
  for (ir::ValueId value : inOrder)
    if (ExprId let = definition(value))
      term(let);
    else
      variable(loops.find(value.index)->second.loop);
}

ExprId Facts::definition(ir::ValueId value) const {
  auto it = definitions.find(value.index);
  return it == definitions.end() ? ExprId() : it->second;
}

// ---- terms -------------------------------------------------------------------------------------

TermId Facts::term(ExprId id) const {
  auto [place, isNew] = known.try_emplace(id.index);
  if (isNew) {
    TermId result = build(id);
    known[id.index] = result;
    return result;
  }
  // Without one: a value that is defined by itself, in a faulty text.
  return place->second ? place->second : opaque(id);
}

// Equal to itself alone.
TermId Facts::opaque(ExprId id) const {
  ScalarType type = plan.tables.exprs[id].type.scalar;
  std::string name = ofRank(fmt::format("e{}", id.index), plan.tables.exprs[id].uniformity);
  return terms.leaf(std::move(name), text(id), type, rangeOf(type));
}

void Facts::setRank(unsigned theRank) {
  rank = theRank;
  renew();
}

// A name that CTAs share only where they share the value.
std::string Facts::ofRank(std::string name, ir::Uniformity uniformity) const {
  return rank && uniformity > ir::Uniformity::Cluster ? fmt::format("{}@{}", name, *rank) : name;
}

bool Facts::isOfRank(TermId id) const {
  std::vector<TermId> open{id};
  std::set<TermId> seen;
  while (!open.empty()) {
    const TermId next = open.back();
    open.pop_back();
    if (!next || !seen.insert(next).second)
      continue;
    const Term &term = terms[next];
    if (llvm::StringRef(term.name).contains('@'))
      return true;
    open.insert(open.end(), term.operands.begin(), term.operands.end());
  }
  return false;
}

// Which cluster it is along an axis. All its CTAs have that in common.
TermId Facts::clusterIndex(unsigned axis) const {
  const unsigned extent = plan.cluster.extents[axis];
  if (auto block = knownBuiltin(static_cast<ir::Builtin>(axis)))
    return terms.integer(*block / extent);
  std::string name = axis == 0 ? ir::spelling(ir::Builtin::ClusterIndex).str()
                               : fmt::format("block.{}", "xyz"[axis]);
  if (axis != 0 && extent > 1)
    name += fmt::format(" / {}", extent);
  return terms.leaf(name, name, ScalarType::I32, {0, (INT32_MAX - extent + 1) / extent});
}

TermId Facts::block(unsigned axis) const {
  return terms.sum(terms.integer(plan.cluster.coordinate(*rank, axis)), clusterIndex(axis),
                   plan.cluster.extents[axis]);
}

// Where the kernel's text says a number.
std::optional<int64_t> Facts::gridExtent(unsigned axis) const {
  if (!kernel || kernel->grid.isPersistent)
    return std::nullopt;
  const std::vector<ExprId> &extents = kernel->grid.extents;
  return axis < extents.size() ? ir::constantValue(plan.tables, extents[axis]) : 1;
}

std::optional<int64_t> Facts::knownBuiltin(ir::Builtin which) const {
  if (which >= ir::Builtin::GridX && which <= ir::Builtin::GridZ)
    if (const auto extent =
            gridExtent(static_cast<unsigned>(which) - static_cast<unsigned>(ir::Builtin::GridX)))
      return extent;
  if (!launch)
    return std::nullopt;
  auto found = launch->ofBuiltins().find(which);
  return found == launch->ofBuiltins().end() ? std::nullopt : std::optional(found->second);
}

TermId Facts::builtin(ir::Builtin which) const {
  using ir::Builtin;
  auto constant = [&](unsigned value) { return terms.constant({ScalarType::I32, value, 0}); };
  if (rank && which == Builtin::ClusterRank)
    return constant(*rank);
  if (rank && which >= Builtin::ClusterX && which <= Builtin::ClusterZ)
    return constant(plan.cluster.coordinate(*rank, static_cast<unsigned>(which) -
                                                       static_cast<unsigned>(Builtin::ClusterX)));
  if (rank && which >= Builtin::BlockX && which <= Builtin::BlockZ)
    return block(static_cast<unsigned>(which) - static_cast<unsigned>(Builtin::BlockX));
  if (rank && which == Builtin::ClusterIndex)
    return clusterIndex(0);
  if (auto number = knownBuiltin(which))
    return terms.integer(*number);
  ir::Uniformity uniformity = ir::uniformityOf(which);
  std::string name = ir::spelling(which).str();
  Wide most = INT32_MAX;
  if (which <= Builtin::BlockZ)
    if (const auto extent = gridExtent(static_cast<unsigned>(which)))
      most = *extent - 1;
  return terms.leaf(ofRank(name, uniformity), name, ScalarType::I32,
                    {uniformity == ir::Uniformity::Kernel, most});
}

bool Facts::isOpaque(const Expr &expr) const {
  if (!expr.type.isScalar())
    return true;
  if (expr.op == ExprOp::Call)
    return !plan.tables.functions[expr.functionRef].changesBy.empty();
  // Compilers fuse a product and a sum, or not, as they see fit at each place.
  bool isSum = expr.op == ExprOp::Add || expr.op == ExprOp::Sub;
  return isSum && ir::scalarClass(expr.type.scalar) == ir::ScalarClass::Float &&
         std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](ExprId operand) { return terms[term(operand)].hasProduct; });
}

bool Facts::isOpen(ExprId id) const {
  std::vector<ExprId> open{id};
  std::set<uint32_t> seen;
  while (!open.empty()) {
    const ExprId next = open.back();
    open.pop_back();
    if (!seen.insert(next.index).second)
      continue;
    const Expr &expr = plan.tables.exprs[next];
    const ExprId let = expr.op == ExprOp::Value ? definition(expr.valueRef) : ExprId();
    const bool isLoops = expr.op == ExprOp::Value && loops.count(expr.valueRef.index);
    if (let)
      open.push_back(let);
    else if (expr.op == ExprOp::Call || (expr.op == ExprOp::Value && !isLoops) || isOpaque(expr) ||
             (launch && launch->computer->compute(next, *launch).isFused))
      return true;
    if (isLoops)
      for (ExprId bound : {loops.find(expr.valueRef.index)->second.loop.lower,
                           loops.find(expr.valueRef.index)->second.loop.step})
        open.push_back(bound);
    open.insert(open.end(), expr.operands.begin(), expr.operands.end());
  }
  return false;
}

TermId Facts::build(ExprId id) const {
  const Expr &expr = plan.tables.exprs[id];
  if (launch && (!rank || expr.uniformity <= ir::Uniformity::Cluster)) {
    const Computed value = launch->computer->compute(id, *launch);
    if (value.isKnown())
      return terms.constant(value.value);
    if (value.isFused)
      return opaque(id);
  }
  switch (expr.op) {
  case ExprOp::IntConst:
  case ExprOp::FloatConst:
  case ExprOp::BoolConst:
    return terms.constant({expr.type.scalar, expr.value, expr.real});
  case ExprOp::Scalar: {
    const ir::Scalar &scalar = plan.scalars[expr.scalarRef];
    Range range = scalar.isDimension ? Range{0, INT32_MAX} : rangeOf(scalar.type);
    return terms.leaf("s" + scalar.name, scalar.name, scalar.type, range);
  }
  case ExprOp::Builtin:
    return builtin(expr.builtin);
  case ExprOp::Value:
    return valueTerm(id);
  default:
    break;
  }
  if (isOpaque(expr))
    return opaque(id);
  llvm::SmallVector<Typed, 4> operands;
  std::vector<TermId> arguments;
  for (ExprId operand : expr.operands) {
    const ir::Type &type = plan.tables.exprs[operand].type;
    if (!type.isScalar() && expr.op != ExprOp::Call)
      return opaque(id);
    operands.push_back({term(operand), type.scalar});
    arguments.push_back(operands.back().term);
  }
  if (expr.op != ExprOp::Call)
    return terms.apply(expr.op, operands).term;
  // Arguments become what the parameters are: the value and its type say that.
  std::string name = plan.tables.functions[expr.functionRef].name;
  return terms.call(name, expr.functionRef.index, expr.type.scalar, std::move(arguments));
}

TermId Facts::valueTerm(ExprId id) const {
  const Expr &expr = plan.tables.exprs[id];
  if (ExprId let = definition(expr.valueRef))
    return term(let);
  if (auto loop = loops.find(expr.valueRef.index); loop != loops.end())
    return variable(loop->second.loop);
  const ir::Value &value = plan.tables.values[expr.valueRef];
  // A `var` is another one at each place.
  std::string name = value.kind == ir::Value::Kind::Var ? fmt::format("x{}", id.index)
                                                        : fmt::format("v{}", expr.valueRef.index);
  return terms.leaf(ofRank(std::move(name), value.uniformity), value.name, expr.type.scalar,
                    rangeOf(expr.type.scalar));
}

// ---- loops -------------------------------------------------------------------------------------

TermId Facts::inTypeOf(const ir::Loop &loop, ExprId bound) const {
  return terms.convert({term(bound), plan.tables.exprs[bound].type.scalar},
                       plan.tables.values[loop.variable].type.scalar);
}

TermId Facts::begin(const ir::Loop &loop) const { return inTypeOf(loop, loop.lower); }

TermId Facts::end(const ir::Loop &loop) const { return inTypeOf(loop, loop.upper); }

TermId Facts::variable(const ir::Loop &loop) const {
  const ir::Value &value = plan.tables.values[loop.variable];
  ScalarType type = value.type.scalar;
  unsigned depth = 0;
  if (auto place = loops.find(loop.variable.index); place != loops.end())
    depth = place->second.depth;
  TermId lower = inTypeOf(loop, loop.lower), upper = end(loop), step = inTypeOf(loop, loop.step);
  Range range = rangeOf(type);
  range.low = std::max(range.low, terms.range(lower).low);
  range.high = std::min(range.high, terms.range(upper).high - 1);
  TermId result =
      terms.leaf(fmt::format("i{}{}{}", depth, ir::spelling(type), loop.isReversed ? "r" : ""),
                 value.name, type, range, {lower, trips(loop), step});
  // It is a variable in the loop alone, which then runs.
  terms.limit(terms.sum(result, upper, -1), -1);
  terms.limit(terms.sum(lower, result, -1), 0);
  std::optional<Wide> by = terms.integerValue(step), first = terms.integerValue(lower);
  if (by && *by > 1 && *by < INT32_MAX && first)
    terms.limitRemainder(result, *by, *first);
  return result;
}

// `max(n, 0)` from 0 is n, and n / 4 rounds as it likes below 0: no loop runs less than no times.
std::optional<TermId> Facts::plainExtent(TermId extent) const {
  const Term term = terms[extent];
  bool isSum = term.kind == TermKind::Sum;
  for (size_t i = 0; i < (isSum ? term.operands.size() : 1); ++i) {
    TermId atom = isSum ? term.operands[i] : extent;
    const Term part = terms[atom];
    if (part.kind != TermKind::Operation || (isSum && term.weights[i] != 1))
      continue;
    TermId rest = terms.sum(extent, atom, -1);
    if (part.op == ExprOp::Max)
      for (size_t one : {0, 1})
        if (terms.range(terms.sum(rest, part.operands[one])).high <= 0)
          return terms.sum(rest, part.operands[1 - one]);
    std::optional<Wide> divisor =
        part.op == ExprOp::Div ? terms.integerValue(part.operands[1]) : std::nullopt;
    if (divisor && *divisor > 0 && terms.range(rest).high <= 0)
      return terms.sum(rest, terms.floorDiv(part.operands[0], *divisor));
  }
  return std::nullopt;
}

TermId Facts::extentOf(const ir::Loop &loop) const {
  TermId extent = terms.sum(end(loop), inTypeOf(loop, loop.lower), -1);
  while (std::optional<TermId> plain = plainExtent(extent))
    extent = *plain;
  return extent;
}

// Where a loop runs max(n, 6) times, one of n - 6 runs max(n, 6) - 6 times: then both are told by
// one number.
void Facts::noteLargest() const {
  largest.emplace();
  std::vector<TermId> found;
  for (ir::ValueId value : inOrder) {
    auto loop = loops.find(value.index);
    if (loop == loops.end()) {
      term(definition(value)); // so that no chain of `let`s is followed at once
      continue;
    }
    const Affine extent = terms.affine(extentOf(loop->second.loop));
    const bool isMax = extent.base && terms[extent.base].kind == TermKind::Operation &&
                       terms[extent.base].op == ExprOp::Max;
    if (isMax && !llvm::is_contained(found, extent.base))
      found.push_back(extent.base);
  }
  largest = std::move(found);
  if (largest->empty())
    return;
  known.clear(); // what was made meanwhile did not know them
  computeAll();
}

TermId Facts::trips(const ir::Loop &loop) const {
  if (!largest)
    noteLargest();
  TermId extent = extentOf(loop);
  for (TermId max : *largest) {
    const Term term = terms[max];
    for (size_t one : {0, 1}) {
      const std::optional<Wide> least = terms.integerValue(term.operands[1 - one]);
      const std::optional<Wide> more =
          terms.integerValue(terms.difference(extent, term.operands[one]));
      if (least && more && *least + *more <= 0) // else it runs where `n` is less than `least`
        return terms.ceilDiv(terms.sum(max, terms.integer(*more)), inTypeOf(loop, loop.step));
    }
  }
  return terms.ceilDiv(extent, inTypeOf(loop, loop.step));
}

// ---- for readers -------------------------------------------------------------------------------

std::string Facts::text(ExprId id) const {
  ir::ExprNames names;
  for (const ir::Scalar &scalar : plan.scalars)
    names.scalars.push_back(scalar.name);
  std::string result;
  llvm::raw_string_ostream stream(result);
  ir::printExpr(stream, plan.tables, names, id);
  return result;
}

std::string Facts::tripText(const ir::Loop &loop) const {
  std::string extent = text(loop.upper);
  bool isPlain = plan.tables.exprs[loop.upper].operands.empty();
  if (ir::constantValue(plan.tables, loop.lower) != 0) {
    extent += " - " + text(loop.lower);
    isPlain = false;
  }
  std::optional<int64_t> step = ir::constantValue(plan.tables, loop.step);
  if (step == 1)
    return extent;
  TermId length = terms.sum(end(loop), inTypeOf(loop, loop.lower), -1);
  if (!step || *step < 1 || terms.floorDiv(length, *step) != trips(loop))
    return fmt::format("ceil_div({}, {})", extent, text(loop.step));
  return fmt::format("{} / {}", isPlain ? extent : "(" + extent + ")", text(loop.step));
}

} // namespace tsk::proof
