// The widest search for an order: what it does not find, no launch has.
#include "compiler/verify/checks/TensorOrder.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using plan::Step;
using plan::StepKind;

// The barriers that a step arrives at, or waits for; scopes below 0.
std::set<int64_t> TensorOrder::passes(const Node &node, bool isArrival) const {
  const Step &step = *node.step;
  std::set<int64_t> result;
  if (step.kind == StepKind::Sync)
    result.insert(step.barrier ? step.barrier.index : -1 - static_cast<int64_t>(step.scope));
  else if (step.barrier && (step.kind == StepKind::Wait) != isArrival)
    result.insert(step.barrier.index);
  for (const plan::Access &access : step.accesses)
    if (isArrival && access.completes)
      result.insert(access.completes.index);
  return result;
}

// In one task: in some round of the loops around both.
bool TensorOrder::mayFollow(size_t first, size_t second) const {
  return nodes[first].task == nodes[second].task &&
         (first < second ||
          llvm::any_of(
              nodes[first].loops(), [&](const Step *loop) { return nodes[second].isIn(loop); }));
}

bool TensorOrder::mightLead(const Site &from, const Site &to) const {
  constexpr size_t Most = 1000; // beyond that, nobody looks
  if (nodes.size() > Most)
    return true;
  std::vector<size_t> open{from.node};
  std::set<size_t> seen;
  while (!open.empty()) {
    const size_t here = open.back();
    open.pop_back();
    if (!seen.insert(here).second)
      continue;
    if (here != from.node && mayFollow(here, to.node))
      return true;
    std::set<int64_t> passed;
    for (size_t next = 0; next < nodes.size(); ++next)
      if (next == here || mayFollow(here, next))
        passed.merge(passes(nodes[next], /*isArrival=*/true));
    for (size_t next = 0; next < nodes.size() && !passed.empty(); ++next)
      if (llvm::any_of(passes(nodes[next], /*isArrival=*/false),
                       [&](int64_t barrier) { return passed.count(barrier) != 0; }))
        open.push_back(next);
  }
  return false;
}

} // namespace tsk::verify
