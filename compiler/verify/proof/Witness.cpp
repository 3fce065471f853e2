#include "compiler/verify/proof/Witness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tsk::proof {

using ir::Builtin;
using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;

static constexpr size_t MaxTried = 200000;
static constexpr size_t MaxComputed = 50000000; // expressions, if each is anew for each number
static constexpr size_t MaxEquations = 500;
// In a launch that is tried, where numbers decide that: short ones first. `requires n % 128 == 0`
// may leave none but long ones.
static constexpr int64_t MaxTrips[] = {64, 4096, 20000};
static constexpr int64_t ManyTrips = 6; // any more are as good as these

Witness::Witness(const plan::Plan &thePlan, const ir::Kernel *theKernel)
    : plan(thePlan), kernel(theKernel), computer(thePlan, theKernel) {
  for (const plan::Task &task : plan.tasks)
    collect(task.body);
}

void Witness::collect(plan::RegionId region) {
  if (!region)
    return;
  for (const plan::Step &step : plan.regions[region].steps) {
    if (step.kind == plan::StepKind::If)
      conditions.push_back(step.args[0]);
    if (step.kind == plan::StepKind::For)
      loops.push_back(&step.loop);
    collect(step.body);
    collect(step.elseBody);
  }
}

// ---- what there is to choose -------------------------------------------------------------------

// What the kernel's text gives a grid's extent, if it does.
ExprId Witness::extentOf(const ir::Expr &expr) const {
  if (!kernel || kernel->grid.isPersistent || expr.builtin < Builtin::GridX ||
      expr.builtin > Builtin::GridZ)
    return {};
  const size_t axis = static_cast<size_t>(expr.builtin) - static_cast<size_t>(Builtin::GridX);
  return axis < kernel->grid.extents.size() ? kernel->grid.extents[axis] : ExprId();
}

bool Witness::isVariable(const ir::Expr &expr) const {
  if (expr.op == ExprOp::Value)
    return expr.type.isScalar() && computer.isOnce(expr.valueRef) &&
           plan.tables.values[expr.valueRef].uniformity <= ir::Uniformity::Cta;
  if (expr.op == ExprOp::Builtin)
    return expr.builtin <= Builtin::GridZ && !extentOf(expr);
  return expr.op == ExprOp::Scalar;
}

void Witness::collectLeaves(ExprId root, std::set<uint32_t> &seenExprs,
                            std::vector<ir::Expr> &leaves) const {
  llvm::SmallVector<ExprId> open{root}, below;
  while (!open.empty()) {
    const ExprId id = open.pop_back_val();
    if (!id || !seenExprs.insert(id.index).second)
      continue;
    const ir::Expr &expr = plan.tables.exprs[id];
    if (isVariable(expr))
      leaves.push_back(expr);
    below.clear();
    if (expr.op == ExprOp::Builtin)
      collectPlaces(expr, below, leaves);
    if (expr.op == ExprOp::Value)
      below.push_back(computer.definition(expr.valueRef));
    below.append(expr.operands.begin(), expr.operands.end());
    open.append(below.rbegin(), below.rend());
  }
}

// What a builtin follows from: the place in a cluster, from that in the grid.
void Witness::collectPlaces(const ir::Expr &expr, llvm::SmallVectorImpl<ExprId> &below,
                            std::vector<ir::Expr> &leaves) const {
  for (Builtin from : {Builtin::BlockX, Builtin::BlockY, Builtin::BlockZ, Builtin::GridX}) {
    const bool isIndex = expr.builtin == Builtin::ClusterIndex;
    const bool isCount = expr.builtin == Builtin::ClusterCount;
    const bool isPlace = !isIndex && !isCount && from != Builtin::GridX &&
                         plan.cluster.extents[static_cast<size_t>(from)] > 1;
    if (expr.builtin <= Builtin::GridZ ||
        (!isPlace && !(isIndex && from == Builtin::BlockX) && !(isCount && from == Builtin::GridX)))
      continue;
    ir::Expr leaf = expr;
    leaf.builtin = from;
    if (const ExprId extent = extentOf(leaf))
      below.push_back(extent);
    else
      leaves.push_back(leaf);
  }
  below.push_back(extentOf(expr));
}

size_t Witness::variableOf(const ir::Expr &expr) {
  for (size_t i = 0; i < variables.size(); ++i) {
    const ir::Expr &other = variables[i].leaf;
    if (other.op == expr.op && other.scalarRef == expr.scalarRef &&
        other.valueRef == expr.valueRef &&
        (expr.op != ExprOp::Builtin || other.builtin == expr.builtin))
      return i;
  }
  variables.push_back({expr, {}, {}, {}, {}});
  return variables.size() - 1;
}

void Witness::addConstraint(std::vector<ExprId> on, std::function<bool(const Launch &)> holds) {
  constraints.push_back({std::move(holds), std::move(on)});
}

// What nobody can tell is taken to be as it should.
static bool mayHold(const Computed &condition, bool isTrue) {
  return condition.state == Computed::State::Free ||
         (condition.isKnown() && (condition.value.value != 0) == isTrue);
}

static bool isDefined(const Computed &value) { return value.state != Computed::State::Undefined; }

void Witness::requireAll() {
  for (ExprId id : plan.assumptions)
    addConstraint({id}, [this, id](const Launch &launch) {
      return mayHold(computer.compute(id, launch), true);
    });
  for (ExprId id : conditions)
    addConstraint(
        {id}, [this, id](const Launch &launch) { return isDefined(computer.compute(id, launch)); });
  for (const ir::Loop *loop : loops)
    addConstraint({loop->lower, loop->upper, loop->step}, [this, loop](const Launch &launch) {
      const Computed trips = computer.trips(*loop, launch);
      return isDefined(trips) && (!trips.isKnown() || trips.value.value <= maxTrips);
    });
  requirePlace();
}

// There are CTAs, and it is one of them.
void Witness::requirePlace() {
  std::set<uint32_t> seenExprs;
  std::vector<ir::Expr> leaves;
  std::vector<ExprId> builtins;
  auto look = [&](ExprId id) {
    const size_t before = leaves.size();
    collectLeaves(id, seenExprs, leaves);
    if (std::any_of(leaves.begin() + before, leaves.end(),
                    [](const ir::Expr &leaf) { return leaf.op == ExprOp::Builtin; }))
      builtins.push_back(id);
  };
  for (ExprId id : conditions)
    look(id);
  for (const ir::Loop *loop : loops)
    for (ExprId id : {loop->lower, loop->upper, loop->step})
      look(id);
  if (kernel && !kernel->grid.isPersistent)
    builtins.insert(builtins.end(), kernel->grid.extents.begin(), kernel->grid.extents.end());
  addConstraint(builtins, [this](const Launch &launch) {
    int64_t clusters = 1; // two stand for more
    bool areKnown = true;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const Computed extent = computer.gridExtent(axis, launch);
      auto block = launch.ofBuiltins().find(static_cast<Builtin>(axis));
      const int64_t place = block == launch.ofBuiltins().end() ? 0 : block->second;
      const unsigned along = plan.cluster.extents[axis];
      if (extent.state == Computed::State::Undefined ||
          (extent.isKnown() && (place >= extent.value.value || extent.value.value % along != 0)))
        return false;
      areKnown &= extent.isKnown();
      if (extent.isKnown())
        clusters = std::min<int64_t>(clusters * (extent.value.value / along), 2);
    }
    return !isLarge || !areKnown || clusters > 1;
  });
}

void Witness::require(const Translation &translation, const std::map<int, int> &values) {
  for (const Meaning &meaning : translation.meanings) {
    auto place = values.find(meaning.symbol);
    if (place == values.end())
      continue;
    const int value = place->second;
    if (!meaning.loop) {
      addConstraint({meaning.condition}, [this, &meaning, value](const Launch &launch) {
        return mayHold(computer.compute(meaning.condition, launch),
                       (value != 0) != meaning.isContrary);
      });
      continue;
    }
    // The lowest number stands for all below it, too.
    const bool isLowest = value == translation.program.symbols[meaning.symbol].min;
    const int64_t trips = std::max<int64_t>(value * meaning.scale + meaning.add, 0);
    wanted.push_back(trips);
    addConstraint({meaning.loop->lower, meaning.loop->upper, meaning.loop->step},
                  [this, &meaning, trips, isLowest](const Launch &launch) {
                    const Computed found = computer.trips(*meaning.loop, launch);
                    return found.state == Computed::State::Free ||
                           (found.isKnown() &&
                            (isLowest ? found.value.value <= trips : found.value.value == trips));
                  });
    constraints.back().loop = meaning.loop;
    constraints.back().trips = trips;
  }
}

void Witness::assign(Launch &launch, const ir::Expr &expr, const ConstantScalar &value) {
  if (expr.op == ExprOp::Scalar)
    launch.set(expr.scalarRef, value);
  else if (expr.op == ExprOp::Builtin)
    launch.set(expr.builtin, value.value);
  else
    launch.set(expr.valueRef, value);
}

// ---- the search --------------------------------------------------------------------------------

// Of loops that run often, by how much one runs more often than another: a ring of a few stages
// hides less than that.
void Witness::addDifferences(const Launch &launch, std::vector<int64_t> &signature) const {
  constexpr size_t MaxLoops = 8; // that are compared
  std::vector<int64_t> trips;
  for (const ir::Loop *loop : loops)
    if (const Computed found = computer.trips(*loop, launch);
        found.isKnown() && trips.size() < MaxLoops)
      trips.push_back(found.value.value);
  for (size_t i = 1; i < trips.size() && wanted.empty(); ++i)
    signature.push_back(std::clamp(trips[i] - trips[i - 1], -ManyTrips, ManyTrips));
}

std::vector<int64_t> Witness::signatureOf(const Launch &launch) const {
  std::vector<int64_t> result;
  auto add = [&](const Computed &value, int64_t most) {
    result.push_back(value.isKnown() ? std::min(value.value.value, most) : INT64_MIN);
  };
  for (ExprId id : conditions)
    add(computer.compute(id, launch), 1);
  for (const ir::Loop *loop : loops)
    add(computer.trips(*loop, launch), mostTrips);
  addDifferences(launch, result);
  constexpr int64_t ManyCtas = 4; // any more are as good as these
  for (unsigned axis = 0; axis < 3 && isLarge; ++axis)
    add(computer.gridExtent(axis, launch), ManyCtas * plan.cluster.extents[axis]);
  return result;
}

// What follows from the place in the grid.
void Witness::complete(Launch &launch) const {
  for (size_t i = static_cast<size_t>(Builtin::GridX); i < static_cast<size_t>(Builtin::Instance);
       ++i)
    if (const Computed value = computer.builtin(static_cast<Builtin>(i), launch); value.isKnown())
      launch.set(static_cast<Builtin>(i), value.value.value);
}

// All choices of candidates up to number `level`, of which one is that.
bool Witness::search(size_t next, size_t level, bool hasLevel, const Accept &accept) {
  if (next == variables.size()) {
    if (!hasLevel || !seen.insert(signatureOf(current)).second)
      return false;
    --left;
    Launch whole = current;
    whole.computer = &computer;
    complete(whole);
    return accept(whole);
  }
  const Variable &variable = variables[next];
  for (size_t i = 0; i < std::min(level + 1, variable.candidates.size()); ++i)
    if (tryValue(next, variable.candidates[i], level, hasLevel || i == level, accept))
      return true;
  for (const ConstantScalar &value : solutions(next)) // likely ones
    if (tryValue(next, value, level, hasLevel || level == 0, accept))
      return true;
  return false;
}

bool Witness::tryValue(size_t next, const ConstantScalar &value, size_t level, bool hasLevel,
                       const Accept &accept) {
  if (left == 0 || budget == 0)
    return false;
  --budget;
  assign(current, variables[next].leaf, value);
  chosen.resize(next);
  chosen.push_back(value.value);
  return std::all_of(checkedAt[next].begin(), checkedAt[next].end(),
                     [&](size_t constraint) { return constraints[constraint].holds(current); }) &&
         search(next + 1, level, hasLevel, accept);
}

bool Witness::run(unsigned most, const Accept &accept) {
  seen.clear();
  left = most;
  mostTrips = wanted.empty() ? ManyTrips : INT64_MAX;
  budget = std::min(MaxTried, MaxComputed / (plan.tables.exprs.size() + 1));
  equations = MaxEquations;
  requireAll();
  for (int64_t trips : MaxTrips) {
    maxTrips = isLarge ? INT64_MAX : trips;
    chooseCandidates();
    solved.clear();
    if (searchAll(accept))
      return true;
    if (isLarge)
      break;
  }
  return false;
}

bool Witness::searchAll(const Accept &accept) {
  size_t levels = 1;
  for (size_t which = 0; which < variables.size(); ++which) {
    const bool isSolved = std::any_of(checkedAt[which].begin(), checkedAt[which].end(),
                                      [&](size_t each) { return constraints[each].loop; });
    if (variables[which].candidates.empty() && !isSolved)
      return false;
    levels = std::max(levels, variables[which].candidates.size());
  }
  for (size_t level = 0; level < levels; ++level) {
    current = Launch();
    chosen.clear();
    if (search(0, level, variables.empty(), accept))
      return true;
  }
  return false;
}

bool Witness::find(const Translation &translation, const std::map<int, int> &values, unsigned most,
                   const Accept &accept) {
  constraints.clear();
  wanted.clear();
  require(translation, values);
  return run(most, accept);
}

bool Witness::findAny(unsigned most, const Accept &accept) {
  constraints.clear();
  wanted.clear();
  return run(most, accept);
}

bool Witness::findLarge(unsigned most, const Accept &accept) {
  isLarge = true;
  const bool isFound = findAny(most, accept);
  isLarge = false;
  return isFound;
}

} // namespace tsk::proof
