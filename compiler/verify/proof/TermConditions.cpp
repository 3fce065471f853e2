// Comparisons and conditions, and what is learned from conditions that hold.
#include "compiler/verify/proof/Terms.h"

#include <algorithm>

namespace tsk::proof {

using ir::ExprOp;
using ir::ScalarType;

// ---- comparisons of integers -------------------------------------------------------------------

TermId Terms::compare(ExprOp op, TermId a, TermId b) {
  TermId difference = sum(a, b, -1);
  switch (op) {
  case ExprOp::Lt:
    return atMost(difference, -1);
  case ExprOp::Le:
    return atMost(difference, 0);
  case ExprOp::Gt:
    return negation(atMost(difference, 0));
  case ExprOp::Ge:
    return negation(atMost(difference, -1));
  case ExprOp::Eq:
    return equal(difference, 0);
  default:
    return negation(equal(difference, 0));
  }
}

// Of a base, and an equality at the ends of its range.
TermId Terms::atMost(TermId a, Wide most) {
  Affine parts = affine(a);
  if (!parts.base)
    return truth(parts.add <= most);
  if (most >= Range::Limit || most <= -Range::Limit)
    return operation(ExprOp::Le, ScalarType::Bool, {a, integer(most)});
  bool isFlipped = parts.scale < 0;
  Wide limit = proof::floorDiv(most - parts.add, isFlipped ? -parts.scale : parts.scale);
  if (isFlipped) // -base <= limit: not base <= -limit - 1
    limit = -limit - 1;
  Range inside = range(parts.base);
  auto positive = [&]() -> TermId {
    if (limit >= inside.high)
      return truth(true);
    if (limit < inside.low)
      return truth(false);
    if (limit == inside.low)
      return equal(parts.base, limit);
    if (limit == inside.high - 1)
      return negation(equal(parts.base, inside.high));
    Term term;
    term.kind = TermKind::AtMost;
    term.type = ScalarType::Bool;
    term.constant = limit;
    term.operands = {parts.base};
    return intern(std::move(term));
  };
  return isFlipped ? negation(positive()) : positive();
}

TermId Terms::equal(TermId a, Wide value) {
  Affine parts = affine(a);
  if (!parts.base)
    return truth(parts.add == value);
  Wide distance = value - parts.add;
  if (distance % parts.scale != 0)
    return truth(false);
  Wide at = distance / parts.scale;
  Range inside = range(parts.base);
  if (at < inside.low || at > inside.high)
    return truth(false);
  if (inside.low == inside.high)
    return truth(true);
  if (at == inside.high && inside.high - 1 == inside.low)
    return negation(equal(parts.base, inside.low));
  // What leaves no remainder does so by any rounding.
  const Term base = terms[parts.base];
  if (base.kind == TermKind::Operation && base.op == ExprOp::Rem && at == 0)
    if (std::optional<Wide> divisor = integerValue(base.operands[1]); divisor && *divisor > 0)
      return equal(floorMod(base.operands[0], *divisor), 0);
  Term term;
  term.kind = TermKind::Equal;
  term.type = ScalarType::Bool;
  term.constant = at;
  term.operands = {parts.base};
  return intern(std::move(term));
}

std::optional<Order> Terms::order(TermId condition) {
  Order result;
  while (terms[condition].kind == TermKind::Not) {
    condition = terms[condition].operands[0];
    result.isNegated = !result.isNegated;
  }
  const Term &term = terms[condition];
  if (term.kind != TermKind::AtMost && term.kind != TermKind::Equal)
    return std::nullopt;
  result.base = term.operands[0];
  result.most = term.constant;
  if (term.kind == TermKind::AtMost)
    return result;
  Range inside = range(result.base);
  if (result.most == inside.low)
    return result;
  if (result.most != inside.high)
    return std::nullopt;
  --result.most; // the last: not less
  result.isNegated = !result.isNegated;
  return result;
}

// ---- reals -------------------------------------------------------------------------------------

// All that NaN leaves: a > b is b < a, and != is not ==.
TermId Terms::compareReals(ExprOp op, ScalarType type, TermId a, TermId b) {
  if (op == ExprOp::Gt || op == ExprOp::Ge) {
    std::swap(a, b);
    op = op == ExprOp::Gt ? ExprOp::Lt : ExprOp::Le;
  }
  bool isEquality = op == ExprOp::Eq || op == ExprOp::Ne;
  if (isEquality && b < a)
    std::swap(a, b);
  Term term;
  term.kind = TermKind::Operation;
  term.op = isEquality ? ExprOp::Eq : op;
  term.type = ScalarType::Bool;
  term.operands = {a, b};
  term.name = ir::spelling(type).str();
  TermId result = intern(std::move(term));
  return op == ExprOp::Ne ? negation(result) : result;
}

// ---- truths ------------------------------------------------------------------------------------

TermId Terms::negation(TermId condition) {
  if (std::optional<bool> known = truthValue(condition))
    return truth(!*known);
  if (terms[condition].kind == TermKind::Not)
    return terms[condition].operands[0];
  Term term;
  term.kind = TermKind::Not;
  term.type = ScalarType::Bool;
  term.operands = {condition};
  return intern(std::move(term));
}

// In one order, each operand once.
TermId Terms::both(TermId a, TermId b) {
  std::set<TermId> all;
  for (TermId each : {a, b}) {
    if (truthValue(each) == false)
      return each;
    if (truthValue(each) == true)
      continue;
    if (terms[each].kind == TermKind::And)
      all.insert(terms[each].operands.begin(), terms[each].operands.end());
    else
      all.insert(each);
  }
  for (TermId each : all)
    if (terms[each].kind == TermKind::Not && all.count(terms[each].operands[0]))
      return truth(false);
  if (all.empty())
    return truth(true);
  if (all.size() == 1)
    return *all.begin();
  if (all.size() > 64)
    return operation(ExprOp::And, ScalarType::Bool, {a, b});
  Term term;
  term.kind = TermKind::And;
  term.type = ScalarType::Bool;
  term.operands.assign(all.begin(), all.end());
  return intern(std::move(term));
}

TermId Terms::same(TermId a, TermId b) {
  bool isNegated = false;
  for (TermId *each : {&a, &b})
    if (terms[*each].kind == TermKind::Not) {
      *each = terms[*each].operands[0];
      isNegated = !isNegated;
    }
  auto result = [&]() -> TermId {
    if (a == b)
      return truth(true);
    for (auto [known, other] : {std::pair(a, b), std::pair(b, a)})
      if (std::optional<bool> value = truthValue(known))
        return *value ? other : negation(other);
    Term term;
    term.kind = TermKind::Same;
    term.type = ScalarType::Bool;
    term.operands = {std::min(a, b), std::max(a, b)};
    return intern(std::move(term));
  };
  return isNegated ? negation(result()) : result();
}

// ---- learning ----------------------------------------------------------------------------------

TermId Terms::learned(TermId id) const {
  auto it = replaced.find(id);
  return it == replaced.end() ? id : it->second;
}

bool Terms::occurs(TermId inner, TermId in) const {
  std::vector<TermId> open{in};
  std::set<TermId> seen;
  while (!open.empty()) {
    TermId next = open.back();
    open.pop_back();
    if (next == inner)
      return true;
    if (seen.insert(next).second)
      open.insert(open.end(), terms[next].operands.begin(), terms[next].operands.end());
  }
  return false;
}

// Chains end at once: what is looked up has been replaced as far as can be.
void Terms::substitute(TermId atom, TermId value) {
  if (atom == value || occurs(atom, value))
    return;
  for (auto &[from, to] : replaced) {
    if (to == atom) {
      to = value;
    } else if (terms[to].kind == TermKind::Sum) {
      Weights weights = split(to);
      auto part = weights.of.find(atom);
      if (part == weights.of.end())
        continue;
      Wide weight = part->second;
      weights.of.erase(part);
      to = sum(make(weights), value, weight);
    }
  }
  replaced[atom] = value;
}

void Terms::limitRemainder(TermId a, Wide modulus, Wide remainder) {
  Affine of = affine(a);
  if (!of.base || of.scale != 1)
    return;
  Wide rest = remainder - of.add;
  std::pair<Wide, Wide> known{modulus, rest - proof::floorDiv(rest, modulus) * modulus};
  auto &all = residues[of.base];
  if (std::find(all.begin(), all.end(), known) == all.end())
    all.push_back(known);
}

void Terms::limit(TermId a, Wide most) {
  Affine parts = affine(a);
  if (!parts.base)
    return;
  Range &known = ranges.try_emplace(parts.base, Range{}).first->second;
  if (parts.scale > 0)
    known.high = std::min(known.high, proof::floorDiv(most - parts.add, parts.scale));
  else
    known.low = std::max(known.low, -proof::floorDiv(most - parts.add, -parts.scale));
}

void Terms::learn(TermId condition, bool isTrue) {
  const Term term = terms[condition];
  if (term.kind == TermKind::Not)
    return learn(term.operands[0], !isTrue);
  if (term.kind == TermKind::And && isTrue) {
    for (TermId each : term.operands)
      learn(each, true);
    return;
  }
  if (term.kind == TermKind::Truth)
    return;
  if (std::optional<Order> known = order(condition)) {
    bool isUpper = known->isNegated != isTrue;
    limit(scaled(known->base, isUpper ? 1 : -1), isUpper ? known->most : -known->most - 1);
  }
  if (term.kind == TermKind::Equal && isTrue) {
    limit(term.operands[0], term.constant);
    limit(scaled(term.operands[0], -1), -term.constant);
    learnEquality(term.operands[0], term.constant);
  } else if (term.kind == TermKind::Same) {
    TermId value = isTrue ? term.operands[0] : negation(term.operands[0]);
    substitute(term.operands[1], value);
  }
  substitute(condition, truth(isTrue));
}

// The most involved part of a sum that can stand alone is replaced by the others.
void Terms::learnEquality(TermId sumTerm, Wide value) {
  const Term base = terms[sumTerm];
  if (base.kind == TermKind::FloorMod)
    limitRemainder(base.operands[0], base.constant, value);
  Weights weights = split(sumTerm);
  TermId chosen;
  for (const auto &[atom, weight] : weights.of) {
    if (weight != 1 && weight != -1)
      continue;
    bool isAlone = std::none_of(weights.of.begin(), weights.of.end(), [&](const auto &other) {
      return other.first != atom && occurs(atom, other.first);
    });
    bool isBetter =
        !chosen || terms[atom].kind != TermKind::Leaf || terms[chosen].kind == TermKind::Leaf;
    if (isAlone && isBetter)
      chosen = atom;
  }
  if (!chosen)
    return;
  Wide weight = weights.of[chosen];
  weights.of.erase(chosen);
  weights.constant -= value;
  substitute(chosen, scaled(make(weights), -weight));
}

} // namespace tsk::proof
