#include "compiler/body/reader/Truth.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using tree::Op;

constexpr size_t MaxWays = 16;

static TruthRef make(Truth truth) {
  return truth.ways.size() <= MaxWays ? std::make_shared<const Truth>(std::move(truth)) : nullptr;
}

TruthRef constantTruth(bool value) {
  Truth truth;
  if (value)
    truth.ways.emplace_back();
  return make(std::move(truth));
}

TruthRef comparison(Op op, const SumRef &a, const SumRef &b) {
  const SumRef sum = combined(Op::Sub, a, b);
  return sum ? make({{{{op, sum}}}, true}) : nullptr;
}

// Of two that have to hold, one that nobody knows takes nothing from the other.
TruthRef bothOf(const TruthRef &a, const TruthRef &b) {
  if (!a || !b) {
    const TruthRef &known = a ? a : b;
    return known ? make({known->ways, false}) : nullptr;
  }
  Truth both;
  both.isExact = a->isExact && b->isExact;
  for (const std::vector<Comparison> &first : a->ways)
    for (const std::vector<Comparison> &second : b->ways) {
      std::vector<Comparison> way = first;
      llvm::append_range(way, second);
      both.ways.push_back(std::move(way));
    }
  return make(std::move(both));
}

TruthRef eitherOf(const TruthRef &a, const TruthRef &b) {
  if (!a || !b)
    return nullptr;
  Truth either = *a;
  either.isExact &= b->isExact;
  llvm::append_range(either.ways, b->ways);
  return make(std::move(either));
}

static Op opposite(Op op) {
  switch (op) {
  case Op::Equal:
    return Op::NotEqual;
  case Op::NotEqual:
    return Op::Equal;
  case Op::Less:
    return Op::GreaterEqual;
  case Op::LessEqual:
    return Op::Greater;
  case Op::Greater:
    return Op::LessEqual;
  default:
    return Op::Less;
  }
}

TruthRef negated(const TruthRef &a) {
  if (!a || !a->isExact)
    return nullptr;
  TruthRef all = constantTruth(true);
  for (const std::vector<Comparison> &way : a->ways) {
    TruthRef fails = constantTruth(false);
    for (const Comparison &each : way)
      fails = eitherOf(fails, make({{{{opposite(each.op), each.sum}}}, true}));
    all = bothOf(all, fails);
  }
  return all;
}

bool isSame(const TruthRef &a, const TruthRef &b) {
  if (a == b || !a || !b)
    return a == b;
  const auto areSame = [](const Comparison &x, const Comparison &y) {
    return x.op == y.op && *x.sum == *y.sum;
  };
  return a->isExact == b->isExact &&
         std::equal(a->ways.begin(), a->ways.end(), b->ways.begin(), b->ways.end(),
                    [&](const auto &x, const auto &y) {
                      return std::equal(x.begin(), x.end(), y.begin(), y.end(), areSame);
                    });
}

} // namespace tsk::body
