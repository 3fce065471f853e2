#include "compiler/verify/checks/CtaVisits.h"

#include "compiler/ir/Passing.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;
using plan::Step;
using plan::StepKind;
using proof::Computed;

constexpr size_t MaxVisits = 64;  // of one call
constexpr size_t MaxBoxes = 4096; // that one touches
constexpr int MaxDepth = 100;     // of conditions in each other

CtaVisits::CtaVisits(const plan::Plan &thePlan, const ir::Kernel &theKernel,
                     const TensorOrder &places)
    : plan(thePlan), kernel(theKernel), order(places) {
  for (const Node &node : order.all())
    if (node.step->kind == StepKind::Call)
      for (ir::ValueId result : node.step->results)
        calls[result] = node.step;
}

// ---- Which calls it comes to --------------------------------------------------------------------

// Each condition once, however many others have it as a part.
std::optional<bool> CtaVisits::holds(ExprId condition, const Visit &visit, Known &known,
                                     int depth) const {
  const auto [place, isNew] = known.try_emplace(condition.index);
  if (!isNew || depth > MaxDepth)
    return place->second;
  const std::optional<bool> result = compute(condition, visit, known, depth);
  known[condition.index] = result;
  return result;
}

std::optional<bool> CtaVisits::compute(ExprId condition, const Visit &visit, Known &known,
                                       int depth) const {
  const ir::Expr &expr = plan.tables.exprs[condition];
  const proof::Computer &computer = *visit.launch.computer;
  auto operand = [&](size_t i) { return holds(expr.operands[i], visit, known, depth + 1); };
  auto round = [&]() -> std::optional<Visit::Round> {
    const ir::Expr &variable = plan.tables.exprs[expr.operands[0]];
    const auto around = visit.rounds.find(variable.valueRef);
    return around == visit.rounds.end() ? std::nullopt : std::optional(around->second);
  };
  switch (expr.op) {
  case ExprOp::Value:
    if (const ExprId let = computer.definition(expr.valueRef))
      return holds(let, visit, known, depth + 1);
    break;
  case ExprOp::Not: {
    const std::optional<bool> contrary = operand(0);
    return contrary ? std::optional(!*contrary) : std::nullopt;
  }
  case ExprOp::And:
  case ExprOp::Or: {
    const std::optional<bool> left = operand(0), right = operand(1);
    const bool decides = expr.op == ExprOp::Or;
    if (left == decides || right == decides)
      return decides;
    return left && right ? std::optional(!decides) : std::nullopt;
  }
  case ExprOp::First:
    return round() ? std::optional(round()->ordinal == 0) : std::nullopt;
  case ExprOp::Last:
    return round() ? std::optional(round()->ordinal == round()->trips - 1) : std::nullopt;
  case ExprOp::Every: {
    const Computed modulus = computer.compute(expr.operands[1], visit.launch);
    if (!round() || !modulus.isKnown() || modulus.value.value < 1)
      return std::nullopt;
    return round()->ordinal % modulus.value.value == 0;
  }
  default:
    break;
  }
  const Computed value = computer.compute(condition, visit.launch);
  return value.isKnown() ? std::optional(value.isTrue()) : std::nullopt;
}

void CtaVisits::collect(Around path, const Visit &visit, std::vector<Visit> &result) const {
  if (result.size() >= MaxVisits)
    return;
  if (path.empty())
    return result.push_back(visit);
  const Step &step = *path.front().step;
  if (step.kind == StepKind::If) {
    if (holds(step.args[0], visit) == !path.front().isElse)
      collect(path.drop_front(), visit, result);
    return;
  }
  // Whose rounds the CTAs share out among them.
  if (step.kind == StepKind::ParallelFor && step.across == ir::Across::Grid)
    return;
  const proof::Computer &computer = *visit.launch.computer;
  const Computed lower = computer.compute(step.loop.lower, visit.launch);
  const Computed by = computer.compute(step.loop.step, visit.launch);
  const Computed trips = computer.trips(step.loop, visit.launch);
  if (!lower.isKnown() || !by.isKnown() || !trips.isKnown())
    return;
  const int64_t count = trips.value.value;
  for (int64_t ordinal : std::set<int64_t>{0, 1, 2, count - 1}) {
    if (ordinal < 0 || ordinal >= count)
      continue;
    const int64_t number = step.loop.isReversed ? count - 1 - ordinal : ordinal;
    Visit inside = visit;
    inside.rounds[step.loop.variable] = {ordinal, count};
    inside.launch.set(step.loop.variable,
                      ConstantScalar::ofInt(lower.value.value + number * by.value.value,
                                            plan.tables.values[step.loop.variable].type.scalar));
    collect(path.drop_front(), inside, result);
  }
}

std::vector<Visit> CtaVisits::visits(const Site &site, const proof::Launch &launch,
                                     const Cta &cta) const {
  Visit outside{launch};
  for (unsigned axis = 0; axis < cta.size(); ++axis)
    outside.launch.set(static_cast<ir::Builtin>(axis), cta[axis]);
  std::vector<Visit> result;
  collect(order.all()[site.node].path, outside, result);
  return result;
}

// ---- Which elements -----------------------------------------------------------------------------

// What all threads of a call have in common. Nothing: it is not known.
std::optional<int64_t> CtaVisits::sharedPart(const Step &step, const ir::ElementIndex &index,
                                             const Visit &visit) const {
  constexpr int64_t Large = int64_t{1} << 30; // a product of two is less than 2^60
  const proof::Computer &computer = *visit.launch.computer;
  int64_t sum = index.constant;
  auto add = [&](const Computed &value, int64_t weight) {
    if (!value.isKnown() || value.value.isReal())
      return false;
    const auto isSmall = [](__int128 number) { return -Large < number && number < Large; };
    const __int128 number = ir::numbersOf(value.value).low;
    return isSmall(number) && isSmall(weight) &&
           !__builtin_add_overflow(sum, weight * static_cast<int64_t>(number), &sum);
  };
  for (const auto &[param, weight] : index.args) {
    if (param >= step.args.size())
      return std::nullopt;
    const Computed value = computer.compute(step.args[param], visit.launch);
    if (!value.isKnown() ||
        !ir::passesNumber(kernel, step.work, param, ir::Type::ofScalar(value.value.type),
                          ir::numbersOf(value.value)) ||
        !add(value, weight))
      return std::nullopt;
  }
  for (const auto &[name, weight] : index.others) {
    Computed value;
    for (ir::Builtin each : {ir::Builtin::BlockX, ir::Builtin::BlockY, ir::Builtin::BlockZ,
                             ir::Builtin::GridX, ir::Builtin::GridY, ir::Builtin::GridZ}) {
      const std::string spelled = ir::spelling(each).str(); // "block.x"
      if (name == "tsk::" + spelled.substr(0, spelled.size() - 2) + "_" + spelled.back())
        value = computer.builtin(each, visit.launch);
    }
    for (const auto &[scalar, is] : visit.launch.ofScalars())
      if (name == "scalar " + plan.scalars[scalar].name) {
        value.state = Computed::State::Known;
        value.value = is;
      }
    if (!add(value, weight))
      return std::nullopt;
  }
  return sum;
}

static int64_t saturated(int64_t one, int64_t other) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(one, other, &sum))
    return sum;
  return one < 0 ? INT64_MIN : INT64_MAX;
}

// One thread of each round and vector, or the box of a copy, as far as it lies in the tensor.
void CtaVisits::add(const ir::ElementForm &form, bool isCopy, llvm::ArrayRef<int64_t> base,
                    llvm::ArrayRef<int64_t> extents, std::vector<Box> &boxes) const {
  const size_t rank = form.dims.size();
  std::vector<ir::ThreadOffsets> offsets;
  size_t threads = 1;
  for (const ir::ElementIndex &index : form.dims) {
    offsets.push_back(ir::threadOffsets(index));
    threads = std::max(threads, offsets.back().own.size());
  }
  for (size_t thread = 0; thread < (isCopy ? 1 : threads) && boxes.size() < MaxBoxes; ++thread) {
    Box box;
    bool isThere = true;
    for (size_t i = 0; i < rank; ++i) {
      int64_t low = form.dims[i].low, high = form.dims[i].high;
      if (const auto &own = offsets[i].own; !isCopy) {
        const size_t of = own.size() == 1 ? 0 : thread;
        isThere &= of < own.size() && own[of].has_value();
        low = isThere ? own[of].value_or(0) : 0;
        high = low + offsets[i].width - 1;
      }
      box.low.push_back(std::max<int64_t>(saturated(base[i], low), 0));
      box.high.push_back(std::min(saturated(base[i], high), extents[i] - 1));
      isThere &= box.low.back() <= box.high.back();
    }
    if (isThere)
      boxes.push_back(std::move(box));
  }
}

std::vector<Box> CtaVisits::touched(const Site &site, const Visit &visit,
                                    ir::ParamId tensor) const {
  std::vector<Box> boxes;
  const Step &step = *order.all()[site.node].step;
  if (!site.access->elements.isCertain)
    return boxes;
  std::vector<int64_t> extents;
  for (ExprId dim : kernel.params[tensor].dims) {
    const Computed extent = visit.launch.computer->compute(dim, visit.launch);
    if (!extent.isKnown())
      return boxes;
    extents.push_back(extent.value.value);
  }
  for (const ir::ElementForm &form : site.access->elements.forms) {
    std::vector<int64_t> base;
    for (const ir::ElementIndex &index : form.dims)
      if (const std::optional<int64_t> part = sharedPart(step, index, visit))
        base.push_back(*part);
    if (base.size() == form.dims.size() && base.size() == extents.size())
      add(form, site.isCopy(), base, extents, boxes);
  }
  llvm::sort(boxes);
  return boxes;
}

// ---- Whether calls are alike --------------------------------------------------------------------

bool CtaVisits::areAlike(const Site &site, const Visit &one, const Visit &other) const {
  const Step &step = *order.all()[site.node].step;
  return kernel.works[step.work].isBlind &&
         (site.access->elements.isCertain || isOneForAll(site, *one.launch.computer)) &&
         llvm::all_of(step.args, [&](ExprId arg) { return isShared(arg, one, other); });
}

bool CtaVisits::isShared(ExprId root, const Visit &one, const Visit &other) const {
  const proof::Computer &computer = *one.launch.computer;
  return holdsOfAll({root}, [&](ExprId id, Open &open) {
    const Computed first = computer.compute(id, one.launch),
                   second = computer.compute(id, other.launch);
    if (first.isKnown() && second.isKnown())
      return first.value.value == second.value.value && first.value.real == second.value.real;
    const ExprOp op = plan.tables.exprs[id].op;
    if (op != ExprOp::First && op != ExprOp::Last && op != ExprOp::Every)
      return isOneFor(id, computer, open);
    const std::optional<bool> is = holds(id, one);
    return is && is == holds(id, other);
  });
}

// Of expressions, and of what they rest on as the answer for each adds it.
bool CtaVisits::holdsOfAll(Open open, llvm::function_ref<bool(ExprId, Open &)> holdsOf) {
  std::set<uint32_t> seen;
  while (!open.empty())
    if (const ExprId id = open.pop_back_val(); seen.insert(id.index).second && !holdsOf(id, open))
      return false;
  return true;
}

// Whether an expression is the same in all CTAs if what goes into `open` is.
bool CtaVisits::isOneFor(ExprId id, const proof::Computer &computer, Open &open) const {
  const ir::Expr &expr = plan.tables.exprs[id];
  if (expr.op == ExprOp::Builtin)
    return ir::uniformityOf(expr.builtin) == ir::Uniformity::Kernel;
  if (expr.op == ExprOp::Call && !plan.tables.functions[expr.functionRef].changesBy.empty())
    return false;
  if (expr.op != ExprOp::Value) {
    open.append(expr.operands.begin(), expr.operands.end());
    return true;
  }
  if (const ExprId let = computer.definition(expr.valueRef)) {
    open.push_back(let);
    return true;
  }
  // A result of a body that does not ask which CTA it is in.
  const auto call = calls.find(expr.valueRef);
  if (call == calls.end() || !kernel.works[call->second->work].isBlind)
    return false;
  open.append(call->second->args.begin(), call->second->args.end());
  return true;
}

// Whether neither the way to a call nor its arguments follow from the place in the grid.
bool CtaVisits::isOneForAll(const Site &site, const proof::Computer &computer) const {
  const Node &node = order.all()[site.node];
  Open open(node.step->args.begin(), node.step->args.end());
  std::set<ir::ValueId> rounds;
  for (const verify::Around &around : node.path) {
    const Step &step = *around.step;
    if (!around.isLoop()) {
      open.push_back(step.args[0]);
      continue;
    }
    if (step.kind == StepKind::ParallelFor && step.across == ir::Across::Grid)
      return false;
    open.append({step.loop.lower, step.loop.upper, step.loop.step});
    rounds.insert(step.loop.variable);
  }
  return holdsOfAll(std::move(open), [&](ExprId id, Open &others) {
    const ir::Expr &expr = plan.tables.exprs[id];
    const bool isRound = expr.op == ExprOp::Value && rounds.count(expr.valueRef);
    return isRound || isOneFor(id, computer, others);
  });
}

} // namespace tsk::verify
