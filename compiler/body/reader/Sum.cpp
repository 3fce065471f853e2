#include "compiler/body/reader/Sum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace tsk::body {

using tree::Op;

static SumRef make(Sum sum) {
  const bool isSmall =
      llvm::all_of(sum.own, [](int64_t each) { return each > -Sum::Most && each < Sum::Most; });
  return isSmall ? std::make_shared<const Sum>(std::move(sum)) : nullptr;
}

SumRef constantSum(int64_t value) {
  Sum sum;
  sum.own = {value};
  return make(std::move(sum));
}

SumRef roleSum(uint32_t role) {
  Sum sum;
  sum.shared.roles[role] = 1;
  return make(std::move(sum));
}

SumRef namedSum(std::string name) {
  Sum sum;
  sum.shared.others[std::move(name)] = 1;
  return make(std::move(sum));
}

SumRef threadSum(unsigned threads, int64_t divisor, int64_t modulus) {
  if (threads == 0)
    return nullptr;
  Sum sum;
  sum.own.clear();
  for (int64_t i = 0; i < threads; ++i)
    sum.own.push_back(i / divisor % modulus);
  return make(std::move(sum));
}

SumRef plusRounds(const SumRef &a, uint32_t round, int64_t step, int64_t last) {
  if (!a || a->rounds.count(round) || step <= -Sum::Most || step >= Sum::Most)
    return nullptr;
  Sum sum = *a;
  if (step != 0 && last != 0)
    sum.rounds[round] = {step, last};
  return make(std::move(sum));
}

template <typename Key>
static void addTo(std::map<Key, int64_t> &into, const Key &key, int64_t by) {
  int64_t &number = into[key];
  number += by;
  if (number == 0)
    into.erase(key);
}

static SumRef weighted(const SumRef &a, int64_t factor, const SumRef &b) {
  Sum sum = *a;
  for (const auto &[role, weight] : b->shared.roles)
    addTo(sum.shared.roles, role, weight * factor);
  for (const auto &[name, weight] : b->shared.others)
    addTo(sum.shared.others, name, weight * factor);
  for (const auto &[number, round] : b->rounds) {
    Sum::Round &into = sum.rounds[number];
    into.weight += round.weight * factor;
    into.last = round.last;
    if (into.weight == 0)
      sum.rounds.erase(number);
  }
  if (sum.own.size() < b->own.size())
    sum.own.resize(b->own.size(), sum.own[0]);
  for (size_t i = 0; i < sum.own.size(); ++i)
    sum.own[i] += factor * b->own[b->own.size() == 1 ? 0 : i];
  return make(std::move(sum));
}

static bool areSmallWeights(const Sum &sum) {
  auto isSmall = [](int64_t weight) { return weight > -Sum::Most && weight < Sum::Most; };
  return llvm::all_of(sum.shared.roles, [&](const auto &each) { return isSmall(each.second); }) &&
         llvm::all_of(sum.shared.others, [&](const auto &each) { return isSmall(each.second); }) &&
         llvm::all_of(sum.rounds, [&](const auto &each) { return isSmall(each.second.weight); });
}

static std::optional<int64_t> computed(Op op, int64_t a, int64_t b) {
  const bool isShift = b >= 0 && b < 20;
  switch (op) {
  case Op::Div:
    return b ? std::optional(a / b) : std::nullopt;
  case Op::Rem:
    return b ? std::optional(a % b) : std::nullopt;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Shr:
    return isShift ? std::optional(a >> b) : std::nullopt;
  case Op::Less:
    return a < b;
  case Op::LessEqual:
    return a <= b;
  case Op::Greater:
    return a > b;
  case Op::GreaterEqual:
    return a >= b;
  case Op::Equal:
    return a == b;
  case Op::NotEqual:
    return a != b;
  default:
    return std::nullopt;
  }
}

// What is not negative, by a divisor of all that rounds add.
static SumRef dividedRounds(Op op, const Sum &a, int64_t by) {
  const bool isMask = op == Op::And && (by & (by + 1)) == 0;
  const bool isShift = op == Op::Shr && by >= 0 && by < 20;
  if (a.rounds.empty() || by < 0 || (op != Op::Div && op != Op::Rem && !isMask && !isShift))
    return nullptr;
  const int64_t divisor = isMask ? by + 1 : isShift ? int64_t{1} << by : by;
  auto isFine = [&](const auto &round) {
    return round.second.weight > 0 && round.second.weight % divisor == 0;
  };
  if (divisor == 0 || !llvm::all_of(a.rounds, isFine) ||
      llvm::any_of(a.own, [](int64_t each) { return each < 0; }))
    return nullptr;
  Sum sum = a;
  const bool isRest = isMask || op == Op::Rem;
  for (int64_t &each : sum.own)
    each = isRest ? each % divisor : each / divisor;
  if (isRest)
    sum.rounds.clear();
  for (auto &[number, round] : sum.rounds)
    round.weight /= divisor;
  return make(std::move(sum));
}

SumRef combined(Op op, const SumRef &a, const SumRef &b) {
  if (!a || !b || !areSmallWeights(*a) || !areSmallWeights(*b))
    return nullptr;
  if (op == Op::Add || op == Op::Sub)
    return weighted(a, op == Op::Add ? 1 : -1, b);
  const auto numberOf = [](const SumRef &sum) -> std::optional<int64_t> {
    if (!sum->isOwn() || sum->own.size() != 1 || sum->own[0] <= -(1 << 20) ||
        sum->own[0] >= 1 << 20)
      return std::nullopt;
    return sum->own[0];
  };
  if (op == Op::Mul) {
    const std::optional<int64_t> left = numberOf(a), right = numberOf(b);
    return right  ? weighted(constantSum(0), *right, a)
           : left ? weighted(constantSum(0), *left, b)
                  : nullptr;
  }
  if (op == Op::Shl) {
    const std::optional<int64_t> by = numberOf(b);
    return by && *by >= 0 && *by < 20 ? weighted(constantSum(0), int64_t{1} << *by, a) : nullptr;
  }
  if (const std::optional<int64_t> by = numberOf(b); by && a->shared == Sum::Shared())
    if (SumRef sum = dividedRounds(op, *a, *by))
      return sum;
  if (!a->isOwn() || !b->isOwn())
    return nullptr;
  Sum sum;
  sum.own.resize(std::max(a->own.size(), b->own.size()));
  for (size_t i = 0; i < sum.own.size(); ++i) {
    const std::optional<int64_t> value =
        computed(op, a->own[a->own.size() == 1 ? 0 : i], b->own[b->own.size() == 1 ? 0 : i]);
    if (!value)
      return nullptr;
    sum.own[i] = *value;
  }
  return make(std::move(sum));
}

// ---- Elements -----------------------------------------------------------------------------------

namespace {

// One dimension, for the threads that come here.
struct Axis {
  std::vector<int64_t> own;
  int64_t width = 1;
  int64_t below = 0, above = 0; // what rounds add, if they have an end
  int64_t grain = 0;            // their common divisor
  bool hasEnd = true;

  // What tells two threads apart: where it differs, so do their elements. Nothing: 0 for all.
  std::vector<int64_t> keys() const {
    std::vector<int64_t> sorted = own;
    if (hasEnd && areSpaced(sorted, below + above + width - 1, 0))
      return own;
    if (grain > 1) {
      std::vector<int64_t> rest;
      for (int64_t each : own)
        rest.push_back(((each % grain) + grain) % grain);
      sorted = rest;
      if (areSpaced(sorted, width - 1, grain))
        return rest;
    }
    return std::vector<int64_t>(own.size(), 0);
  }

  // Whether different numbers are further apart than that; on a circle, if it has a length.
  static bool areSpaced(std::vector<int64_t> &numbers, int64_t span, int64_t circle) {
    llvm::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] - numbers[i - 1] <= span)
        return false;
    return circle == 0 || numbers.front() + circle - numbers.back() > span;
  }
};

} // namespace

ir::Elements elementsAt(llvm::ArrayRef<SumRef> indices, int64_t width, unsigned threads,
                        const std::vector<bool> &active) {
  ir::Elements result;
  ir::ElementForm form;
  const size_t count = std::max(threads, 1U);
  std::vector<std::vector<int64_t>> keys(count);
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const SumRef &sum = indices[dim];
    if (!sum || (sum->own.size() > 1 && sum->own.size() != count))
      return result;
    ir::ElementIndex index;
    for (const auto &[role, weight] : sum->shared.roles)
      index.args[role] = weight;
    index.others = sum->shared.others;
    Axis axis;
    axis.width = dim + 1 == indices.size() ? width : 1;
    std::vector<size_t> numbers;
    for (size_t i = 0; i < count; ++i)
      if (active.empty() || active[i]) {
        axis.own.push_back(sum->own[sum->own.size() == 1 ? 0 : i]);
        numbers.push_back(i);
      }
    if (axis.own.empty())
      return result;
    index.constant = axis.own[0];
    for (int64_t &each : axis.own)
      each -= index.constant;
    llvm::raw_string_ostream text(index.threads);
    for (size_t i = 0; i < count; ++i)
      if (!active.empty() && !active[i])
        text << '-' << i;
    text << 'w' << axis.width;
    for (const auto &[number, round] : sum->rounds) {
      text << ",r" << round.weight << 'x' << round.last;
      axis.hasEnd &= round.last >= 0 && round.last < Sum::Most >> 20;
      axis.grain = std::gcd(axis.grain, round.weight);
      (round.weight < 0 ? axis.below : axis.above) +=
          std::abs(round.weight) * std::max<int64_t>(round.last, 0);
    }
    constexpr int64_t Far = INT64_MAX / 4;
    const auto [least, most] = std::minmax_element(axis.own.begin(), axis.own.end());
    index.low = axis.hasEnd ? *least - axis.below : -Far;
    index.high = axis.hasEnd ? *most + axis.above + axis.width - 1 : Far;
    // Runs of equal steps: as a rule there is one.
    for (size_t i = 1, same = 0; i < axis.own.size(); ++i) {
      ++same;
      const int64_t step = axis.own[i] - axis.own[i - 1];
      if (i + 1 == axis.own.size() || axis.own[i + 1] - axis.own[i] != step)
        text << ':' << step << 'x' << std::exchange(same, 0);
    }
    const std::vector<int64_t> axisKeys = axis.keys();
    for (size_t i = 0; i < numbers.size(); ++i)
      keys[numbers[i]].push_back(axisKeys[i]);
    std::set<int64_t> different(axisKeys.begin(), axisKeys.end());
    index.isOwn = threads != 0 && different.size() == axisKeys.size();
    form.dims.push_back(std::move(index));
  }
  std::set<std::vector<int64_t>> seen;
  form.isOwn = threads != 0;
  for (const std::vector<int64_t> &key : keys)
    form.isOwn &= key.empty() || seen.insert(key).second;
  result.forms.push_back(std::move(form));
  return result;
}

} // namespace tsk::body
