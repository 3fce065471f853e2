// Products, quotients and remainders of mathematical integers.
#include "compiler/verify/proof/Terms.h"

namespace tsk::proof {

using ir::ExprOp;
using ir::ScalarType;

static Wide magnitude(Wide value) { return value < 0 ? -value : value; }

TermId Terms::product(TermId a, TermId b) {
  for (auto [factor, other] : {std::pair(a, b), std::pair(b, a)})
    if (std::optional<Wide> number = integerValue(factor))
      return scaled(other, *number);
  // Factors of both go before the product.
  Wide factor = 1;
  auto reduce = [&](TermId id) {
    Affine parts = affine(id);
    if (parts.add != 0 || !parts.base)
      return id;
    factor *= parts.scale;
    return parts.base;
  };
  if (magnitude(affine(a).scale) < (Wide(1) << 31) &&
      magnitude(affine(b).scale) < (Wide(1) << 31)) {
    a = reduce(a);
    b = reduce(b);
  }
  Term term;
  term.kind = TermKind::Product;
  term.operands = {std::min(a, b), std::max(a, b)};
  return scaled(intern(std::move(term)), factor);
}

// What is known of a base modulo `modulus`, times the scale.
std::optional<Wide> Terms::residue(TermId id, Wide modulus) {
  Affine parts = affine(id);
  auto known = residues.find(parts.base);
  if (!parts.base || known == residues.end() || magnitude(parts.scale) >= (Wide(1) << 31))
    return std::nullopt;
  for (auto [of, remainder] : known->second)
    if (of % modulus == 0) {
      Wide value = remainder * parts.scale + parts.add;
      return value - proof::floorDiv(value, modulus) * modulus;
    }
  return std::nullopt;
}

// The part of a sum that a divisor divides stands before the quotient.
TermId Terms::floorDiv(TermId a, Wide divisor) {
  TSK_CHECK(divisor > 0, "a divisor that is not positive");
  if (divisor == 1)
    return a;
  Weights rest = split(a), whole;
  if (divisor >= (Wide(1) << 62))
    whole.isTooLarge = true;
  for (auto it = rest.of.begin(); it != rest.of.end();) {
    Wide times = proof::floorDiv(it->second, divisor);
    if (times != 0)
      whole.of[it->first] = times;
    it->second -= times * divisor;
    it = it->second == 0 ? rest.of.erase(it) : std::next(it);
  }
  whole.constant = proof::floorDiv(rest.constant, divisor);
  rest.constant -= whole.constant * divisor;
  TermId remaining = make(rest), before = make(whole);
  Range inside = range(remaining);
  bool isBounded = inside.low > -Range::Limit && inside.high < Range::Limit;
  if (Wide block = proof::floorDiv(inside.low, divisor);
      isBounded && inside.low <= inside.high && block == proof::floorDiv(inside.high, divisor))
    return sum(before, integer(block));
  if (std::optional<Wide> known = residue(remaining, divisor)) { // exact
    Weights exact = split(remaining);
    exact.constant -= *known;
    if (exact.constant != rest.constant)
      return sum(before, floorDiv(make(exact), divisor));
  }
  // (2x + c) / 2d, and quotients of quotients.
  Affine parts = affine(remaining);
  Wide common = magnitude(parts.scale), other = divisor;
  while (other != 0)
    common = std::exchange(other, common % other);
  if (common > 1) {
    TermId less =
        sum(scaled(parts.base, parts.scale / common), integer(proof::floorDiv(parts.add, common)));
    return sum(before, floorDiv(less, divisor / common));
  }
  if (parts.scale == 1 && terms[parts.base].kind == TermKind::FloorDiv) {
    const Term inner = terms[parts.base];
    Wide product = 0;
    if (!__builtin_mul_overflow(inner.constant, divisor, &product) && product < (Wide(1) << 62))
      return sum(before,
                 floorDiv(sum(inner.operands[0], integer(parts.add), inner.constant), product));
  }
  Term term;
  term.kind = TermKind::FloorDiv;
  term.constant = divisor;
  term.operands = {remaining};
  return sum(before, intern(std::move(term)));
}

TermId Terms::floorMod(TermId a, Wide divisor) {
  if (divisor == 1)
    return integer(0);
  Weights rest = split(a);
  auto reduce = [&](Wide &value) { value -= proof::floorDiv(value, divisor) * divisor; };
  for (auto it = rest.of.begin(); it != rest.of.end();) {
    reduce(it->second);
    it = it->second == 0 ? rest.of.erase(it) : std::next(it);
  }
  reduce(rest.constant);
  TermId remaining = make(rest);
  Range inside = range(remaining);
  Wide block = proof::floorDiv(inside.low, divisor);
  if (inside.low > -Range::Limit && inside.high < Range::Limit && inside.low <= inside.high &&
      block == proof::floorDiv(inside.high, divisor))
    return sum(remaining, integer(block), -divisor);
  if (std::optional<Wide> known = residue(remaining, divisor))
    return integer(*known);
  Term term;
  term.kind = TermKind::FloorMod;
  term.constant = divisor;
  term.operands = {remaining};
  return intern(std::move(term));
}

// C++ rounds towards zero.
TermId Terms::quotient(TermId a, TermId b) {
  std::optional<Wide> divisor = integerValue(b);
  Range x = range(a), y = range(b);
  if (divisor && *divisor < 0)
    return scaled(quotient(a, integer(-*divisor)), -1);
  if (divisor && *divisor > 0 && x.low >= 0)
    return floorDiv(a, *divisor);
  if (divisor && *divisor > 0 && x.high <= 0)
    return scaled(floorDiv(scaled(a, -1), *divisor), -1);
  Wide most = std::max(magnitude(x.low), magnitude(x.high));
  bool isPositive = x.low >= 0 && y.low >= 0;
  return operation(ExprOp::Div, ScalarType::I64, {a, b}, {isPositive ? 0 : -most, most});
}

TermId Terms::remainder(TermId a, TermId b) {
  std::optional<Wide> divisor = integerValue(b);
  Range x = range(a), y = range(b);
  if (divisor && *divisor < 0)
    return remainder(a, integer(-*divisor));
  if (divisor && *divisor > 0 && x.low >= 0)
    return floorMod(a, *divisor);
  if (divisor && *divisor > 0 && x.high <= 0)
    return scaled(floorMod(scaled(a, -1), *divisor), -1);
  Wide most = std::min(std::max(magnitude(x.low), magnitude(x.high)),
                       std::max(magnitude(y.low), magnitude(y.high)));
  return operation(ExprOp::Rem, ScalarType::I64, {a, b},
                   {x.low >= 0 ? 0 : -most, x.high <= 0 ? 0 : most});
}

TermId Terms::ceilDiv(TermId a, TermId b) {
  std::optional<Wide> divisor = integerValue(b);
  if (divisor && *divisor < 0)
    return ceilDiv(scaled(a, -1), integer(-*divisor));
  if (divisor && *divisor > 0)
    return floorDiv(sum(a, integer(*divisor - 1)), *divisor);
  Range x = range(a), y = range(b);
  Wide most = std::max(magnitude(x.low), magnitude(x.high));
  bool isPositive = x.low >= 0 && y.low >= 0;
  return operation(ExprOp::CeilDiv, ScalarType::I64, {a, b}, {isPositive ? 0 : -most, most});
}

TermId Terms::minMax(ExprOp op, TermId a, TermId b) {
  Range difference = range(sum(a, b, -1));
  if (difference.high <= 0)
    return op == ExprOp::Min ? a : b;
  if (difference.low >= 0)
    return op == ExprOp::Min ? b : a;
  Range x = range(a), y = range(b);
  Range both{op == ExprOp::Min ? std::min(x.low, y.low) : std::max(x.low, y.low),
             op == ExprOp::Min ? std::min(x.high, y.high) : std::max(x.high, y.high)};
  return operation(op, ScalarType::I64, {std::min(a, b), std::max(a, b)}, both);
}

TermId Terms::max(TermId a, TermId b) { return minMax(ExprOp::Max, a, b); }

TermId Terms::exclusiveOr(TermId a, TermId b, ScalarType type) {
  if (a == b)
    return integer(0);
  return operation(ExprOp::Xor, type, {std::min(a, b), std::max(a, b)}, rangeOf(type));
}

} // namespace tsk::proof
