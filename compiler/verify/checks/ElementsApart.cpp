#include "compiler/verify/checks/ElementsApart.h"

#include "compiler/ir/Passing.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace tsk::verify {

using plan::Step;
using proof::TermId;
using proof::Wide;

bool ElementsApart::changesWith(const Site &site, const Step &loop) const {
  return llvm::any_of(order.all()[site.node].step->args, [&](ir::ExprId arg) {
    const proof::Facts::Variables on = facts.variables(arg);
    return !on.changing.empty() || on.loops.count(loop.loop.variable);
  });
}

// An index in terms of the plan. `free`: loops that may be in different rounds when it is compared
// with another; what changes with them is nothing but their variables.
std::optional<ElementsApart::Weights>
ElementsApart::weightsOf(const Site &site, const ir::ElementIndex &index, const Loops &free) const {
  const Step &step = *order.all()[site.node].step;
  proof::Terms &terms = facts.all();
  TermId all = terms.integer(index.constant);
  for (const auto &[param, weight] : index.args) {
    if (param >= step.args.size())
      return std::nullopt;
    const ir::Expr &arg = plan.tables.exprs[step.args[param]];
    const TermId term = facts.term(step.args[param]);
    const proof::Range range = terms.range(term);
    if (arg.uniformity == ir::Uniformity::Thread || !kernel ||
        !ir::passesNumber(*kernel, step.work, param, arg.type, {range.low, range.high}))
      return std::nullopt;
    all = terms.sum(all, term, weight);
  }
  Weights result;
  const proof::Term sum = terms[all];
  if (sum.kind == proof::TermKind::Sum) {
    result.constant = sum.constant;
    for (size_t i = 0; i < sum.operands.size(); ++i)
      result.of[sum.operands[i]] = sum.weights[i];
  } else {
    result.of[all] = 1;
  }
  for (const Step *loop : free) {
    const bool changes = llvm::any_of(index.args, [&](const auto &arg) {
      const proof::Facts::Variables on = facts.variables(step.args[arg.first]);
      return !on.changing.empty() || on.loops.count(loop->loop.variable);
    });
    if (!changes)
      continue;
    for (const auto &[term, weight] : result.of) {
      const proof::Term &atom = terms[term];
      const bool isFixed = atom.kind == proof::TermKind::Leaf && atom.operands.empty() &&
                           atom.name.front() != 'v' && atom.name.front() != 'e' &&
                           atom.name.front() != 'x';
      const std::vector<const Step *> around = order.all()[site.node].loops();
      const bool isVariable = llvm::any_of(
          around, [&, of = term](const Step *each) { return facts.variable(each->loop) == of; });
      if (!isFixed && !isVariable)
        return std::nullopt;
    }
  }
  return result;
}

// A variable is where its loop begins and a number of steps.
bool ElementsApart::addLoop(Distance &result, const Step &loop, Wide before, Wide after,
                            bool isMoved) const {
  proof::Terms &terms = facts.all();
  const std::optional<Wide> step = terms.integerValue(facts.term(loop.loop.step));
  const std::optional<Wide> lower = terms.integerValue(facts.term(loop.loop.lower));
  constexpr Wide Large = Wide(1) << 40;
  auto isSmall = [](Wide number) { return number > -Large && number < Large; };
  if (!isSmall(before) || !isSmall(after) || !step || !isSmall(*step) || *step < 1 ||
      (before != after && (!lower || loop.loop.isReversed)))
    return false;
  if (before != after)
    result.constant += (after - before) * *lower;
  const proof::Range variable = terms.range(facts.variable(loop.loop));
  for (Wide weight : {after, -before}) {
    const Wide ends[] = {weight * variable.low, weight * variable.high};
    result.range.low += std::min(ends[0], ends[1]);
    result.range.high += std::max(ends[0], ends[1]);
  }
  const auto grain = [&](Wide weight) { return (weight < 0 ? -weight : weight) * *step; };
  result.isMoved = isMoved && before == after && result.grain == 0;
  result.eachRound = result.isMoved ? (loop.loop.isReversed ? -before : before) * *step : 0;
  for (Wide more : {grain(before), grain(after)}) {
    Wide a = result.grain, b = more;
    while (b != 0)
      a = std::exchange(b, a % b);
    result.grain = a;
  }
  return true;
}

// How far the later index is from the earlier one.
std::optional<ElementsApart::Distance>
ElementsApart::distance(const Site &from, const ir::ElementIndex &a, const Site &to,
                        const ir::ElementIndex &b, const Loops &free, const Step *moved) const {
  if (a.others != b.others)
    return std::nullopt;
  std::optional<Weights> first = weightsOf(from, a, free), second = weightsOf(to, b, free);
  if (!first || !second)
    return std::nullopt;
  Distance result;
  result.constant = result.range.low = result.range.high = second->constant - first->constant;
  std::set<TermId> terms;
  for (const Weights *each : {&*first, &*second})
    for (const auto &[term, weight] : each->of)
      terms.insert(term);
  std::vector<std::tuple<const Step *, Wide, Wide>> loops;
  for (TermId term : terms) {
    const Wide before = first->of[term], after = second->of[term];
    auto loop =
        llvm::find_if(free, [&](const Step *each) { return facts.variable(each->loop) == term; });
    if (loop != free.end())
      loops.push_back({*loop, before, after});
    else if (before != after)
      return std::nullopt;
  }
  for (const auto &[loop, before, after] : loops) {
    if (!addLoop(result, *loop, before, after, loop == moved))
      return std::nullopt;
    if (loops.size() > 1)
      result.eachRound = 0, result.isMoved = false;
  }
  return result;
}

// Those that may be in different rounds.
ElementsApart::Loops ElementsApart::freeLoops(const Node &first, const Node &second,
                                              Rounds rounds) const {
  Loops free;
  for (const Node *node : {&first, &second}) {
    bool isInside = false;
    for (const Step *loop : node->loops()) {
      isInside |= loop == rounds.ofFrom;
      const bool isCommon = first.isIn(loop) && second.isIn(loop);
      if ((!isCommon || isInside) && !llvm::is_contained(free, loop))
        free.push_back(loop);
    }
  }
  return free;
}

bool ElementsApart::meetsLater(const Site &from, const Site &to, const Step &loop) const {
  const Node &first = order.all()[from.node], &second = order.all()[to.node];
  const Loops free = freeLoops(first, second, {&loop, &loop});
  auto meet = [&](const ir::ElementForm &a, const ir::ElementForm &b) {
    // How many rounds later.
    Wide least = 1, most = facts.all().range(facts.trips(loop.loop)).high - 1;
    bool hasMoved = false;
    for (size_t i = 0; i < a.dims.size() && a.dims.size() == b.dims.size(); ++i) {
      const auto by = distance(from, a.dims[i], to, b.dims[i], free, &loop);
      if (!by || (by->grain != 0 && by->eachRound == 0))
        return false;
      const Wide low = Wide(a.dims[i].low) - b.dims[i].high - by->constant;
      const Wide high = Wide(a.dims[i].high) - b.dims[i].low - by->constant;
      if (by->grain == 0) {
        if (low > 0 || high < 0)
          return false;
        continue;
      }
      hasMoved = true;
      const Wide each = by->eachRound;
      least =
          std::max(least, each > 0 ? -proof::floorDiv(-low, each) : -proof::floorDiv(high, -each));
      most = std::min(most, each > 0 ? proof::floorDiv(high, each) : proof::floorDiv(-low, -each));
    }
    return hasMoved && least <= most;
  };
  return llvm::any_of(from.access->elements.forms, [&](const ir::ElementForm &a) {
    return llvm::any_of(to.access->elements.forms,
                        [&](const ir::ElementForm &b) { return meet(a, b); });
  });
}

// Threads and inner loops add anything of low .. high to both: the distances that let them meet
// are a.low - b.high .. a.high - b.low.
bool ElementsApart::areApart(const Site &from, const Site &to, Rounds rounds) const {
  const Node &first = order.all()[from.node], &second = order.all()[to.node];
  const Loops free = freeLoops(first, second, rounds);
  auto areFormsApart = [&](const ir::ElementForm &a, const ir::ElementForm &b) {
    if (a.dims.size() != b.dims.size())
      return false;
    // Of one task: a thread meets none but itself.
    bool areAllOwn = first.task == second.task && a.isOwn && b.isOwn;
    bool isOneOwn = false;
    for (size_t i = 0; i < a.dims.size(); ++i) {
      const auto by = distance(from, a.dims[i], to, b.dims[i], free, rounds.ofFrom);
      const bool areSame = first.task == second.task && a.dims[i].threads == b.dims[i].threads;
      auto stays = [&](bool isZero) {
        areAllOwn &= areSame && isZero;
        isOneOwn |= areSame && isZero && a.dims[i].isOwn;
      };
      if (!by) {
        stays(false);
        continue;
      }
      const Wide low = std::max(Wide(a.dims[i].low) - b.dims[i].high, by->range.low);
      const Wide high = std::min(Wide(a.dims[i].high) - b.dims[i].low, by->range.high);
      if (low > high)
        return true;
      if (by->grain == 0) {
        if (by->constant < low || by->constant > high)
          return true;
        stays(by->constant == 0);
        continue;
      }
      // The multiples that let them meet.
      const Wide least = -proof::floorDiv(by->constant - low, by->grain);
      const Wide most = proof::floorDiv(high - by->constant, by->grain);
      const bool onlyZero = least == 0 && most == 0;
      if (least > most || (onlyZero && by->isMoved))
        return true;
      stays(onlyZero && by->constant == 0);
    }
    return areAllOwn || isOneOwn;
  };
  const auto &a = from.access->elements.forms, &b = to.access->elements.forms;
  return !a.empty() && !b.empty() && llvm::all_of(a, [&](const ir::ElementForm &one) {
    return llvm::all_of(b, [&](const ir::ElementForm &other) { return areFormsApart(one, other); });
  });
}

} // namespace tsk::verify
