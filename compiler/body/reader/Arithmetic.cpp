// Integers as intervals. A bound that would overflow makes the interval unknown; whether both
// bounds are really taken is kept only through operations that grow or fall with each operand.
#include "compiler/body/reader/Value.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::body {

using tree::Op;

namespace {

using Wide = __int128;

struct Bounds {
  Wide low, high;
};

bool fits(Bounds bounds) { return bounds.low > Value::Min && bounds.high < Value::Max; }

Bounds product(const Value &a, const Value &b) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low,
                          Wide(a.high) * b.high};
  return {*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4)};
}

bool setBounds(Bounds bounds, Value &result) {
  if (fits(bounds)) {
    result.low = static_cast<int64_t>(bounds.low);
    result.high = static_cast<int64_t>(bounds.high);
  }
  return fits(bounds);
}

// Of what is left behind a multiple; nothing: it is another operation.
std::optional<bool> setRest(Op op, const Value &a, const Value &b, Value &result) {
  auto set = [&](Bounds bounds) { return setBounds(bounds, result); };
  if (op == Op::Rem && b.isConstant() && b.low > 0 && a.low >= 0) {
    if (a.isBounded() && a.high < b.low)
      return set({a.low, a.high});
    set({0, b.low - 1});
    return false;
  }
  if (op == Op::Rem && b.isConstant() && b.low > 0) {
    set({1 - b.low, b.low - 1});
    return false;
  }
  if (op == Op::And && ((b.isConstant() && b.low >= 0) || (a.isConstant() && a.low >= 0))) {
    const Value &mask = b.isConstant() ? b : a;
    const Value &other = b.isConstant() ? a : b;
    if (a.isConstant() && b.isConstant())
      return set({a.low & b.low, a.low & b.low});
    // Low bits of a number that has no others.
    if (other.low >= 0 && other.isBounded() && (mask.low & (mask.low + 1)) == 0 &&
        other.high <= mask.low)
      return set({other.low, other.high});
    set({0, mask.low});
    return false;
  }
  return std::nullopt;
}

// Sets the range if it can be told; says whether its bounds follow from those of the operands.
bool setRange(Op op, const Value &a, const Value &b, Value &result) {
  auto set = [&](Bounds bounds) { return setBounds(bounds, result); };
  if (const std::optional<bool> rest = setRest(op, a, b, result))
    return *rest;
  if (!a.isBounded() || !b.isBounded())
    return false;
  switch (op) {
  case Op::Add:
    return set({Wide(a.low) + b.low, Wide(a.high) + b.high});
  case Op::Sub:
    return set({Wide(a.low) - b.high, Wide(a.high) - b.low});
  case Op::Mul:
    return set(product(a, b));
  case Op::Div:
    return b.isConstant() && b.low > 0 && a.low >= 0 && set({a.low / b.low, a.high / b.low});
  case Op::Shl:
    return b.isConstant() && b.low >= 0 && b.low < 63 && a.low >= 0 &&
           set({Wide(a.low) << b.low, Wide(a.high) << b.low});
  case Op::Shr:
    return b.isConstant() && b.low >= 0 && b.low < 63 && a.low >= 0 &&
           set({a.low >> b.low, a.high >> b.low});
  case Op::Or:
  case Op::Xor:
    if (a.isConstant() && b.isConstant()) {
      const int64_t both = op == Op::Or ? a.low | b.low : a.low ^ b.low;
      return set({both, both});
    }
    if (a.low >= 0 && b.low >= 0) { // no bit that neither has room for
      int64_t most = 1;
      while (most < std::max(a.high, b.high) && most < Value::Max / 2)
        most = 2 * most + 1;
      set({0, most});
    }
    return false;
  default:
    return false;
  }
}

// 1, 0, or unknown.
void setComparison(Op op, const Value &a, const Value &b, Value &result) {
  std::optional<bool> truth;
  auto decide = [&](bool yes, bool no) {
    if (yes || no)
      truth = yes;
  };
  switch (op) {
  case Op::Less:
    decide(a.high < b.low, a.low >= b.high);
    break;
  case Op::LessEqual:
    decide(a.high <= b.low, a.low > b.high);
    break;
  case Op::Greater:
    decide(a.low > b.high, a.high <= b.low);
    break;
  case Op::GreaterEqual:
    decide(a.low >= b.high, a.high < b.low);
    break;
  default: {
    const bool isSame = a.isConstant() && b.isConstant() && a.low == b.low;
    const bool isOther = a.high < b.low || b.high < a.low;
    op == Op::Equal ? decide(isSame, isOther) : decide(isOther, isSame);
  }
  }
  const bool isKnown = truth && a.isBounded() && b.isBounded() && !a.isGiven && !b.isGiven;
  result.low = isKnown ? *truth : 0;
  result.high = isKnown ? *truth : 1;
  if (isKnown)
    result.level = Level::Constant;
}

bool isComparison(Op op) {
  return llvm::is_contained(
      {Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal, Op::NotEqual}, op);
}

// A number of threads or warps, divided: how far the quotient still tells threads apart. The range
// says whether counting begins with a warpgroup.
Level levelOfQuotient(const Value &a, int64_t by) {
  const int64_t perGroup = a.form == Value::Form::WarpNumber ? 4 : 128;
  if (by % perGroup == 0 && a.isBounded() && a.low % perGroup == 0)
    return Level::Group;
  return a.form == Value::Form::WarpNumber || by % 32 == 0 ? Level::Warp : a.level;
}

// A thread's number: what is left of it after division, and where it is told apart.
void followThread(Op op, const Value &a, const Value &b, Value &result) {
  if (!b.isConstant() || a.form == Value::Form::Other)
    return;
  const bool isWarp = a.form == Value::Form::WarpNumber;
  const bool isNumber = a.form == Value::Form::ThreadNumber || isWarp;
  if (isWarp && !llvm::is_contained({Op::Add, Op::Sub, Op::Div, Op::Shr}, op))
    return;
  switch (op) {
  case Op::Add:
  case Op::Sub:
    if (isWarp || b.low % 32 == 0)
      result.form = a.form;
    break;
  case Op::Div:
    if (isNumber && b.low > 0)
      result.level = levelOfQuotient(a, b.low);
    break;
  case Op::Shr:
    if (isNumber && b.low >= 0 && b.low < 32)
      result.level = levelOfQuotient(a, int64_t{1} << b.low);
    break;
  case Op::Rem:
    if (b.low == 32)
      result.form = Value::Form::Lane;
    break;
  case Op::And:
    if (b.low == 31)
      result.form = Value::Form::Lane;
    if ((b.low & 31) == 0)
      result.level = Level::Warp;
    break;
  case Op::Equal: // all numbers of a known range are somebody's
    if (!a.isBounded() || b.low < a.low || b.low > a.high)
      break;
    result.elects = isNumber ? Value::Elects::OneOfTask : Value::Elects::OneOfWarp;
    break;
  default:
    break;
  }
}

} // namespace

// An address as an integer, moved by a number of bytes.
static void moveOffset(Op op, const ValueRef &x, const ValueRef &y, Value &result) {
  const bool isLeft = x && !x->targets.empty(), isRight = y && !y->targets.empty();
  if (isLeft == isRight || !(op == Op::Add || (op == Op::Sub && isLeft)))
    return;
  const ValueRef &address = isLeft ? x : y, &by = isLeft ? y : x;
  const bool stays = by && by->isConstant() && by->low == 0;
  if (!address->offset || (address->isLogical && !stays))
    return;
  result.offset = stays ? address->offset : binaryValue(op, address->offset, by);
  result.isLogical = address->isLogical;
}

// Of what is not negative: there, C++ rounds as one would.
static std::shared_ptr<const Share> shareOf(Op op, const Value &a, const Value &b) {
  constexpr int64_t Most = int64_t{1} << 20;
  if (!b.isConstant() || b.low < 0 || b.low >= Most)
    return nullptr;
  if (a.share && a.share->isRest && (op == Op::Mul || (op == Op::Shl && b.low < 20))) {
    Share scaled = *a.share;
    scaled.scale *= op == Op::Mul ? b.low : int64_t{1} << b.low;
    return scaled.scale < Most ? std::make_shared<const Share>(scaled) : nullptr;
  }
  if (a.low < 0 || !a.sum)
    return nullptr;
  const bool isMask = op == Op::And && (b.low & (b.low + 1)) == 0;
  const bool isShift = op == Op::Shr && b.low < 20;
  if (op != Op::Div && op != Op::Rem && !isMask && !isShift)
    return nullptr;
  const int64_t divisor = isMask ? b.low + 1 : isShift ? int64_t{1} << b.low : b.low;
  return divisor ? std::make_shared<const Share>(Share{a.sum, divisor, 1, isMask || op == Op::Rem})
                 : nullptr;
}

SumRef reunited(const ValueRef &row, const ValueRef &column, int64_t columns) {
  const Share *a = row ? row->share.get() : nullptr;
  const Share *b = column ? column->share.get() : nullptr;
  if (!a || !b || a->isRest || !b->isRest || a->divisor != b->divisor ||
      b->divisor * b->scale != columns || !(*a->whole == *b->whole))
    return nullptr;
  return combined(Op::Mul, a->whole, constantSum(b->scale));
}

ValueRef unaryValue(Op op, const ValueRef &a) {
  Value result;
  result.level = levelOf(a);
  if (!a)
    return std::make_shared<const Value>(result);
  result.isOwn = a->isOwn;
  result.isGiven = a->isGiven;
  if (op == Op::Not)
    result.truth = negated(truthOf(a));
  if (op != Op::Not) {
    result.targets = a->targets;
    result.isLost = a->isLost;
    result.isOutside = a->isOutside;
  }
  if (op == Op::Not) {
    result.low = 0;
    result.high = 1;
    if (a->isBounded() && !a->isGiven && (a->low > 0 || a->high < 0 || a->isConstant()))
      result.low = result.high = a->isConstant() && a->low == 0;
    if (a->low >= 0 && a->high <= 1)
      result.sum = combined(Op::Xor, sumOf(a), constantSum(1));
  } else if (op == Op::Minus && a->isBounded()) {
    result.low = -a->high;
    result.high = -a->low;
    result.sum = combined(Op::Sub, constantSum(0), sumOf(a));
    result.isTaken = a->isTaken;
    result.sources = a->sources;
  } else if (op == Op::Complement && a->isConstant()) {
    result.low = result.high = ~a->low;
    result.isTaken = true;
  }
  return std::make_shared<const Value>(std::move(result));
}

ValueRef binaryValue(Op op, const ValueRef &x, const ValueRef &y) {
  static const Value Nothing = [] {
    Value value;
    value.level = Level::Constant;
    return value;
  }();
  const Value &a = x ? *x : Nothing;
  const Value &b = y ? *y : Nothing;
  Value result;
  result.level = join(levelOf(x), levelOf(y));
  result.isOwn = a.isOwn || b.isOwn;
  result.isGiven = a.isGiven || b.isGiven;
  // The difference of two addresses is none.
  const bool isDistance = op == Op::Sub && !a.targets.empty() && !b.targets.empty();
  // What is computed from an address may be turned back into it.
  if (!isComparison(op) && !isDistance) {
    std::set_union(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                   std::back_inserter(result.targets));
    result.isLost = a.isLost || b.isLost;
    result.isOutside = a.isOutside || b.isOutside;
  }
  if (isComparison(op)) {
    setComparison(op, a, b, result);
    result.truth = comparison(op, sumOf(x), sumOf(y));
  } else if (setRange(op, a, b, result)) {
    std::vector<uint32_t> shared;
    std::set_intersection(a.sources.begin(), a.sources.end(), b.sources.begin(), b.sources.end(),
                          std::back_inserter(shared));
    result.isTaken = a.isTaken && b.isTaken && shared.empty();
    if (result.isTaken)
      std::set_union(a.sources.begin(), a.sources.end(), b.sources.begin(), b.sources.end(),
                     std::back_inserter(result.sources));
  }
  // From what is left behind a multiple (`% 16`), nobody makes an address again.
  constexpr int64_t SmallestAddress = 1024;
  if (result.low > -SmallestAddress && result.high < SmallestAddress) {
    result.targets.clear();
    result.isLost = result.isOutside = false;
  }
  result.sum = combined(op, sumOf(x), sumOf(y));
  result.share = shareOf(op, a, b);
  if (!isComparison(op) && !isDistance)
    moveOffset(op, x, y, result);
  followThread(op, a, b, result);
  if (op == Op::Add || op == Op::Equal)
    followThread(op, b, a, result);
  return std::make_shared<const Value>(std::move(result));
}

ValueRef convertedValue(const ValueRef &a, const tree::Type &type) {
  if (!a)
    return a;
  Value result = *a;
  auto forget = [&] {
    result.low = Value::Min;
    result.high = Value::Max;
    result.isTaken = false;
    result.sources.clear();
    result.form = Value::Form::Other;
    result.sum = nullptr;
    result.share = nullptr;
  };
  switch (type.kind) {
  case tree::Type::Kind::Integer: {
    const unsigned bits = std::min(type.bits, 63U);
    if (bits < 32)
      result.offset = nullptr;
    const int64_t most = type.isSigned ? (int64_t{1} << (bits - 1)) - 1
                                       : static_cast<int64_t>((uint64_t{1} << bits) - 1);
    const int64_t least = type.isSigned ? -most - 1 : 0;
    if (type.bits < 64 ? (result.low < least || result.high > most)
                       : (!type.isSigned && result.low < 0))
      forget();
    else if (!result.isBounded())
      result.sum = nullptr, result.share = nullptr; // it may not fit
    return std::make_shared<const Value>(std::move(result));
  }
  case tree::Type::Kind::Bool: {
    const SumRef sum = a->low >= 0 && a->high <= 1 ? a->sum : nullptr;
    const bool isTrue = a->isBounded() && !a->isGiven && (a->low > 0 || a->high < 0);
    const bool isFalse = a->isConstant() && a->low == 0;
    result.truth = truthOf(a);
    forget();
    result.targets.clear();
    result.offset = nullptr;
    result.isLost = result.isOutside = false;
    result.low = isTrue ? 1 : 0;
    result.high = isFalse ? 0 : 1;
    result.sum = sum;
    return std::make_shared<const Value>(std::move(result));
  }
  default:
    forget(); // a float
    result.offset = nullptr;
    return std::make_shared<const Value>(std::move(result));
  }
}

} // namespace tsk::body
