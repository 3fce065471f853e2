// What has to hold where a condition is true: comparisons of sums, as far as it is made of them.
#pragma once

#include "compiler/body/reader/Sum.h"

#include <memory>
#include <vector>

namespace tsk::body {

// `sum op 0`
struct Comparison {
  tree::Op op = tree::Op::NotEqual;
  SumRef sum;
};

// One of the ways holds, each comparison of it; without ways it is never true, with an empty one it
// may always be. If it is not exact, it may be false all the same.
struct Truth {
  std::vector<std::vector<Comparison>> ways;
  bool isExact = true;
};

using TruthRef = std::shared_ptr<const Truth>; // null: nothing is known

TruthRef constantTruth(bool value);
TruthRef comparison(tree::Op op, const SumRef &a, const SumRef &b);
TruthRef bothOf(const TruthRef &a, const TruthRef &b);
TruthRef eitherOf(const TruthRef &a, const TruthRef &b);
TruthRef negated(const TruthRef &a);
bool isSame(const TruthRef &a, const TruthRef &b);

} // namespace tsk::body
