#include "compiler/body/reader/Value.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::body {

static ValueRef make(Value value) { return std::make_shared<const Value>(std::move(value)); }

bool equal(const ValueRef &a, const ValueRef &b) {
  if (a == b)
    return true;
  if (!a || !b)
    return false;
  auto areSame = [](const auto &x, const auto &y) { return x == y || (x && y && *x == *y); };
  return areSame(a->sum, b->sum) && areSame(a->elements, b->elements) &&
         isSame(a->truth, b->truth) && a->low == b->low && a->high == b->high &&
         a->isTaken == b->isTaken && a->isGiven == b->isGiven && a->sources == b->sources &&
         a->level == b->level && a->form == b->form && a->elects == b->elects &&
         a->isOwn == b->isOwn && a->targets == b->targets && a->isLost == b->isLost &&
         a->isOutside == b->isOutside && a->isLogical == b->isLogical &&
         equal(a->offset, b->offset) && a->share == b->share &&
         a->parts.size() == b->parts.size() &&
         std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(),
                    [](const ValueRef &x, const ValueRef &y) { return equal(x, y); });
}

bool isSame(const ValueRef &a, const ValueRef &b) {
  return a == b || (a && a->isConstant() && a->parts.empty() && a->targets.empty() && equal(a, b));
}

static std::vector<Target> merged(const std::vector<Target> &a, const std::vector<Target> &b) {
  std::vector<Target> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

// Null pointers lead nowhere, so nothing is to be known of them.
static void joinOffsets(Value &result, const Value &a, const Value &b) {
  const bool isFirst = !a.targets.empty(), isSecond = !b.targets.empty();
  if (isFirst != isSecond) {
    result.offset = (isFirst ? a : b).offset;
    result.isLogical = (isFirst ? a : b).isLogical;
  } else if (a.offset && b.offset && a.isLogical == b.isLogical) {
    result.offset = join(a.offset, b.offset);
    result.isLogical = a.isLogical;
  }
}

// Of two loops' rounds, the same elements may be other indices.
static std::shared_ptr<const Places> joinedPlaces(const std::shared_ptr<const Places> &a,
                                                  const std::shared_ptr<const Places> &b) {
  if (!a || !b || !(*a == *b))
    return nullptr;
  auto areSame = [](const SumRef &x, const SumRef &y) { return x == y || (x && y && *x == *y); };
  if (a->isFlat == b->isFlat && a->bytes == b->bytes &&
      std::equal(a->indices.begin(), a->indices.end(), b->indices.begin(), b->indices.end(),
                 areSame))
    return a;
  Places result = *a;
  result.indices.clear();
  return std::make_shared<const Places>(std::move(result));
}

ValueRef join(const ValueRef &a, const ValueRef &b) {
  if (!a || !b)
    return a ? a : b; // nothing was written there on the other path
  if (isSame(a, b))
    return a;
  Value result;
  result.low = std::min(a->low, b->low);
  result.high = std::max(a->high, b->high);
  result.level = join(a->level, b->level);
  result.isOwn = a->isOwn || b->isOwn;
  result.isGiven = a->isGiven || b->isGiven;
  // Neither form nor election: which of the two it is may be another in each thread.
  const SumRef first = sumOf(a), second = sumOf(b);
  if (first && second && *first == *second)
    result.sum = first;
  result.elements = joinedPlaces(a->elements, b->elements);
  result.targets = merged(a->targets, b->targets);
  result.isLost = a->isLost || b->isLost;
  result.isOutside = a->isOutside || b->isOutside;
  joinOffsets(result, *a, *b);
  const size_t count = std::max(a->parts.size(), b->parts.size());
  for (size_t i = 0; i < count; ++i)
    result.parts.push_back(join(partOf(a, i), partOf(b, i)));
  return make(std::move(result));
}

ValueRef constantValue(int64_t value) {
  Value result;
  result.low = result.high = value;
  result.isTaken = true;
  result.level = Level::Constant;
  return make(std::move(result));
}

ValueRef anyValue(Level level) {
  Value result;
  result.level = level;
  return make(std::move(result));
}

ValueRef pointerTo(Target target, Level level) {
  Value result;
  result.level = level;
  result.targets.push_back(std::move(target));
  return make(std::move(result));
}

ValueRef rangeValue(int64_t low, int64_t high, Level level) {
  Value result;
  result.low = low;
  result.high = high;
  result.level = level;
  return make(std::move(result));
}

SumRef sumOf(const ValueRef &value) {
  if (!value || value->sum)
    return value ? value->sum : nullptr;
  return value->isConstant() ? constantSum(value->low) : nullptr;
}

ValueRef withSum(const ValueRef &value, SumRef sum) {
  if (!value || value->sum == sum)
    return value;
  Value result = *value;
  result.sum = std::move(sum);
  return make(std::move(result));
}

TruthRef truthOf(const ValueRef &value) {
  if (!value || value->truth)
    return value ? value->truth : nullptr;
  if (value->isConstant())
    return constantTruth(value->low != 0);
  return comparison(tree::Op::NotEqual, value->sum, constantSum(0));
}

ValueRef withTruth(const ValueRef &value, TruthRef truth) {
  if (!value)
    return value;
  Value result = *value;
  result.truth = std::move(truth);
  return make(std::move(result));
}

ValueRef atLeast(const ValueRef &value, Level level) {
  if (!value)
    return anyValue(level);
  Value result = *value;
  result.level = join(result.level, level);
  for (ValueRef &part : result.parts)
    if (part)
      part = atLeast(part, level);
  return make(std::move(result));
}

ValueRef generalized(const ValueRef &value, Level atLeast) {
  if (!value)
    return value;
  Value result;
  result.level = join(value->level, atLeast);
  result.isOwn = value->isOwn;
  result.targets = value->targets;
  result.isLost = value->isLost;
  result.isOutside = value->isOutside;
  result.offset = value->offset;
  result.isLogical = value->isLogical;
  for (const ValueRef &part : value->parts)
    result.parts.push_back(generalized(part, atLeast));
  return make(std::move(result));
}

ValueRef withoutOffsets(const ValueRef &value) {
  if (!value)
    return value;
  Value result = *value;
  result.offset = nullptr;
  for (ValueRef &part : result.parts)
    part = withoutOffsets(part);
  return make(std::move(result));
}

bool haveEqualOffsets(const ValueRef &a, const ValueRef &b) {
  if (a == b || !a || !b)
    return true;
  if (!equal(a->offset, b->offset) || a->parts.size() != b->parts.size())
    return false;
  return std::equal(a->parts.begin(), a->parts.end(), b->parts.begin(), haveEqualOffsets);
}

ValueRef partOf(const ValueRef &value, size_t number) {
  if (!value)
    return nullptr;
  if (number < value->parts.size())
    return value->parts[number];
  // Of a record that is known as a whole only.
  Value result;
  result.level = value->level;
  result.isOwn = value->isOwn;
  result.targets = value->targets;
  result.isLost = value->isLost;
  result.isOutside = value->isOutside;
  return make(std::move(result));
}

ValueRef withPart(const ValueRef &value, size_t number, size_t count, ValueRef part) {
  Value result;
  if (value)
    result = *value;
  else
    result.level = Level::Constant;
  while (result.parts.size() < count)
    result.parts.push_back(partOf(value, result.parts.size()));
  if (number < result.parts.size())
    result.parts[number] = std::move(part);
  result.sum = nullptr;
  result.share = nullptr;
  result.elements = nullptr;
  result.offset = nullptr;
  result.targets.clear();
  result.isLost = false;
  result.isOutside = false;
  return make(std::move(result));
}

ValueRef blurred(const ValueRef &value) {
  if (!value)
    return value;
  Value result;
  result.level = levelOf(value);
  result.isOwn = isOwn(value);
  collectTargets(value, result.targets);
  result.isLost = value->isLost;
  result.isOutside = value->isOutside;
  for (const ValueRef &part : value->parts)
    if (const ValueRef inner = blurred(part)) {
      result.isLost |= inner->isLost;
      result.isOutside |= inner->isOutside;
    }
  return make(std::move(result));
}

void collectTargets(const ValueRef &value, std::vector<Target> &targets) {
  if (!value)
    return;
  targets = merged(targets, value->targets);
  for (const ValueRef &part : value->parts)
    collectTargets(part, targets);
}

bool isOwn(const ValueRef &value) {
  return value && (value->isOwn || std::any_of(value->parts.begin(), value->parts.end(), isOwn));
}

ValueRef asOwn(const ValueRef &value, bool isOwn) {
  if (!value || !isOwn)
    return value;
  Value result = *value;
  result.isOwn = true;
  for (ValueRef &part : result.parts)
    part = asOwn(part, true);
  return make(std::move(result));
}

Level levelOf(const ValueRef &value) {
  if (!value)
    return Level::Constant;
  if (value->parts.empty())
    return value->level;
  Level level = Level::Constant;
  for (const ValueRef &part : value->parts)
    level = join(level, levelOf(part));
  return level;
}

} // namespace tsk::body
