// What values integers can have, and terms in words.
#include "compiler/verify/proof/Terms.h"

#include <algorithm>

namespace tsk::proof {

using ir::ScalarType;

Range rangeOf(ScalarType type) {
  if (type == ScalarType::Bool)
    return {0, 1};
  if (!ir::isInteger(type))
    return {};
  Wide size = Wide(1) << ir::bitWidth(type);
  if (ir::scalarClass(type) == ir::ScalarClass::UInt)
    return {0, size - 1};
  return {-(size / 2), size / 2 - 1};
}

static Wide times(Wide a, Wide b) {
  Wide product = 0;
  bool isTooLarge =
      __builtin_mul_overflow(a, b, &product) || product > Range::Limit || product < -Range::Limit;
  if (!isTooLarge)
    return product;
  return (a < 0) == (b < 0) ? Range::Limit : -Range::Limit;
}

static Wide plus(Wide a, Wide b) { return std::clamp(a + b, -Range::Limit, Range::Limit); }

static Range multiplied(const Range &range, Wide factor) {
  Wide a = times(range.low, factor), b = times(range.high, factor);
  return {std::min(a, b), std::max(a, b)};
}

static Range intersection(const Range &a, const Range &b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

// Of the difference of two quotients by one divisor: floor(x / d) - floor(y / d) is about (x - y) /
// d.
Range Terms::rangeOfQuotients(const Term &term) {
  bool isDifference = term.operands.size() == 2 && term.weights[0] == -term.weights[1] &&
                      (term.weights[0] == 1 || term.weights[0] == -1);
  if (!isDifference)
    return {};
  size_t positive = term.weights[0] == 1 ? 0 : 1;
  const Term a = terms[term.operands[positive]], b = terms[term.operands[1 - positive]];
  if (a.kind != TermKind::FloorDiv || b.kind != TermKind::FloorDiv || a.constant != b.constant)
    return {};
  Range distance = range(difference(a.operands[0], b.operands[0]));
  if (distance.low <= -Range::Limit || distance.high >= Range::Limit)
    return {};
  return {proof::floorDiv(distance.low, a.constant) + term.constant,
          proof::floorDiv(distance.high + a.constant - 1, a.constant) + term.constant};
}

Range Terms::rangeOfSum(const Term &term) {
  Range sum{term.constant, term.constant};
  for (size_t i = 0; i < term.operands.size(); ++i) {
    Range part = multiplied(range(term.operands[i]), term.weights[i]);
    sum = {plus(sum.low, part.low), plus(sum.high, part.high)};
  }
  return sum;
}

Range Terms::computeRange(const Term &term) {
  auto operand = [&](size_t i) { return range(term.operands[i]); };
  switch (term.kind) {
  case TermKind::Sum:
    return intersection(rangeOfSum(term), rangeOfQuotients(term));
  case TermKind::Product: {
    Range a = operand(0), b = operand(1);
    Range low = multiplied(a, b.low), high = multiplied(a, b.high);
    return {std::min(low.low, high.low), std::max(low.high, high.high)};
  }
  case TermKind::FloorDiv: {
    Range a = operand(0);
    return {a.low <= -Range::Limit ? a.low : proof::floorDiv(a.low, term.constant),
            a.high >= Range::Limit ? a.high : proof::floorDiv(a.high, term.constant)};
  }
  case TermKind::FloorMod:
    return {0, term.constant - 1};
  case TermKind::Wrap:
    return {0, (Wide(1) << static_cast<unsigned>(term.constant)) - 1};
  case TermKind::Call:
    return rangeOf(term.type);
  case TermKind::Operation:
  case TermKind::Convert:
  case TermKind::Leaf:
    return term.range;
  default:
    return {};
  }
}

// The ends are numbers with the remainders that it is known to leave.
Range Terms::narrowed(TermId id, Range range) const {
  auto known = residues.find(id);
  if (known == residues.end())
    return range;
  for (auto [modulus, remainder] : known->second) {
    if (range.low > -Range::Limit)
      range.low = -proof::floorDiv(remainder - range.low, modulus) * modulus + remainder;
    if (range.high < Range::Limit)
      range.high = proof::floorDiv(range.high - remainder, modulus) * modulus + remainder;
  }
  return range;
}

// Of a term, and by what is known of its base.
Range Terms::range(TermId id) {
  const Range result = narrowed(id, terms[id].range);
  auto known = ranges.find(id);
  if (known != ranges.end())
    return narrowed(id, intersection(result, known->second));
  if (terms[id].kind != TermKind::Sum || terms[id].operands.empty())
    return result;
  Affine parts = affine(id);
  auto base = ranges.find(parts.base);
  if (parts.base == id || base == ranges.end())
    return result;
  Range shifted = multiplied(base->second, parts.scale);
  return intersection(result, {plus(shifted.low, parts.add), plus(shifted.high, parts.add)});
}

} // namespace tsk::proof
