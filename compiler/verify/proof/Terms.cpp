#include "compiler/verify/proof/Terms.h"

#include <algorithm>
#include <bit>

namespace tsk::proof {

using ir::ConstantScalar;
using ir::ExprOp;
using ir::ScalarClass;
using ir::ScalarType;

static constexpr Wide MaxWeight = Wide(1) << 64;
static constexpr size_t MaxSummands = 32;

// ---- making terms ------------------------------------------------------------------------------

TermId Terms::intern(Term term) {
  if (term.kind == TermKind::Operation || term.kind == TermKind::Convert) {
    bool isTruth = term.type == ScalarType::Bool;
    for (TermId operand : term.operands)
      term.hasProduct |= !isTruth && terms[operand].hasProduct;
    term.hasProduct |= term.op == ExprOp::Mul && term.kind == TermKind::Operation;
  }
  // What was learned since may say more of what it is made of.
  term.range = computeRange(term);
  Key key{static_cast<uint8_t>(term.kind),
          static_cast<uint8_t>(term.op),
          static_cast<uint8_t>(term.type),
          term.constant,
          std::bit_cast<uint64_t>(term.real),
          term.name,
          term.operands,
          term.weights};
  auto [place, isNew] = interned.try_emplace(std::move(key));
  if (isNew) {
    place->second = terms.add(std::move(term));
  } else {
    Range &range = terms[place->second].range;
    range = {std::max(range.low, term.range.low), std::min(range.high, term.range.high)};
  }
  return learned(place->second);
}

TermId Terms::integer(Wide value) {
  Term term;
  term.constant = value;
  return intern(std::move(term));
}

TermId Terms::truth(bool value) {
  Term term;
  term.kind = TermKind::Truth;
  term.type = ScalarType::Bool;
  term.constant = value;
  return intern(std::move(term));
}

TermId Terms::constant(const ConstantScalar &value) {
  if (value.type == ScalarType::Bool)
    return truth(value.value != 0);
  if (!value.isReal())
    return integer(value.type == ScalarType::U64 ? Wide(static_cast<uint64_t>(value.value))
                                                 : Wide(value.value));
  Term term;
  term.kind = TermKind::Real;
  term.type = value.type;
  term.real = value.real; // told apart by its bits: 0.0 and -0.0 are two
  return intern(std::move(term));
}

TermId Terms::leaf(std::string name, std::string text, ScalarType type, Range range,
                   std::vector<TermId> on) {
  Term term;
  term.kind = TermKind::Leaf;
  term.name = std::move(name);
  term.text = std::move(text);
  term.type = type;
  term.range = range;
  term.operands = std::move(on);
  return intern(std::move(term));
}

TermId Terms::call(std::string name, uint32_t function, ScalarType type,
                   std::vector<TermId> arguments) {
  Term term;
  term.kind = TermKind::Call;
  term.constant = function;
  term.name = std::move(name);
  term.type = type;
  term.operands = std::move(arguments);
  return intern(std::move(term));
}

TermId Terms::operation(ExprOp op, ScalarType type, std::vector<TermId> operands, Range range) {
  Term term;
  term.kind = TermKind::Operation;
  term.op = op;
  term.type = type;
  term.operands = std::move(operands);
  term.range = range;
  return intern(std::move(term));
}

// ---- sums --------------------------------------------------------------------------------------

void Terms::add(Weights &into, TermId id, Wide factor) const {
  const Term &term = terms[id];
  auto weigh = [&](TermId atom, Wide weight) {
    Wide &sum = into.of[atom];
    sum += weight;
    into.isTooLarge |= sum > MaxWeight || sum < -MaxWeight;
    if (sum == 0)
      into.of.erase(atom);
  };
  auto times = [&](Wide weight) {
    Wide product = 0;
    bool fits = !__builtin_mul_overflow(weight, factor, &product) && product <= MaxWeight &&
                product >= -MaxWeight;
    into.isTooLarge |= !fits;
    return fits ? product : 0;
  };
  if (term.kind != TermKind::Sum)
    return weigh(id, factor);
  for (size_t i = 0; i < term.operands.size(); ++i)
    weigh(term.operands[i], times(term.weights[i]));
  into.constant += times(term.constant);
  into.isTooLarge |= into.constant > MaxWeight || into.constant < -MaxWeight;
}

Terms::Weights Terms::split(TermId id) const {
  Weights weights;
  add(weights, id, 1);
  return weights;
}

TermId Terms::make(const Weights &weights) {
  if (weights.of.size() == 1 && weights.constant == 0 && weights.of.begin()->second == 1)
    return weights.of.begin()->first;
  Term term;
  term.constant = weights.constant;
  for (const auto &[atom, weight] : weights.of) {
    term.operands.push_back(atom);
    term.weights.push_back(weight);
  }
  return intern(std::move(term));
}

TermId Terms::sum(TermId a, TermId b, Wide factor) {
  Weights weights = split(a);
  add(weights, b, factor);
  if (weights.isTooLarge || weights.of.size() > MaxSummands) // nobody computes with it
    return operation(ExprOp::Add, ScalarType::U64, {a, integer(factor), b});
  return make(weights);
}

Affine Terms::affine(TermId id) {
  Weights weights = split(id);
  Affine result;
  result.add = weights.constant;
  if (weights.of.empty())
    return result;
  for (const auto &[atom, weight] : weights.of) {
    Wide a = result.scale < 0 ? -result.scale : result.scale, b = weight < 0 ? -weight : weight;
    while (b != 0)
      a = std::exchange(b, a % b);
    result.scale = a;
  }
  TSK_CHECK(result.scale != 0, "a sum with an atom of weight 0");
  if (weights.of.begin()->second < 0)
    result.scale = -result.scale;
  weights.constant = 0;
  for (auto &[atom, weight] : weights.of)
    weight /= result.scale;
  result.base = make(weights);
  return result;
}

// Modulo a power of two: what is inside another such one needs none of its own.
TermId Terms::wrap(TermId a, unsigned bits) {
  const Wide size = Wide(1) << bits;
  auto fitting = [&](TermId id) -> std::optional<TermId> {
    Range inside = range(id);
    if (inside.low > inside.high || inside.low <= -Range::Limit || inside.high >= Range::Limit)
      return std::nullopt;
    Wide block = proof::floorDiv(inside.low, size);
    if (block != proof::floorDiv(inside.high, size))
      return std::nullopt;
    return sum(id, integer(block), -size);
  };
  if (std::optional<TermId> plain = fitting(a))
    return *plain;
  Weights inner = split(a), weights;
  for (const auto &[atom, weight] : inner.of) {
    bool isWrapped = terms[atom].kind == TermKind::Wrap && terms[atom].constant >= bits;
    add(weights, isWrapped ? terms[atom].operands[0] : atom, weight);
  }
  weights.constant += inner.constant;
  if (inner.isTooLarge || weights.isTooLarge)
    weights = std::move(inner);
  auto reduce = [&](Wide &value) {
    value -= proof::floorDiv(value, size) * size;
    if (value > size / 2)
      value -= size;
  };
  reduce(weights.constant);
  for (auto it = weights.of.begin(); it != weights.of.end();) {
    reduce(it->second);
    it = it->second == 0 ? weights.of.erase(it) : std::next(it);
  }
  TermId reduced = make(weights);
  if (std::optional<TermId> plain = fitting(reduced))
    return *plain;
  Term term;
  term.kind = TermKind::Wrap;
  term.constant = bits;
  term.operands = {reduced};
  return intern(std::move(term));
}

// ---- C++'s operations --------------------------------------------------------------------------

static bool isUnsigned(ScalarType type) { return ir::scalarClass(type) == ScalarClass::UInt; }
static bool isReal(ScalarType type) { return ir::scalarClass(type) == ScalarClass::Float; }

TermId Terms::convert(const Typed &value, ScalarType type) {
  if (type == value.type || !ir::commonType(type, value.type))
    return value.term;
  if (std::optional<ConstantScalar> known = constantOf(value))
    if (ir::Folded same = ir::promote(*known, type); same && (isReal(type) || !known->isReal()))
      return constant(same.constant);
  if (ir::isInteger(type) && ir::isInteger(value.type)) {
    if (isUnsigned(type))
      return wrap(value.term, ir::bitWidth(type));
    if (rangeOf(type).contains(range(value.term)))
      return value.term;
  }
  Term term;
  term.kind = TermKind::Convert;
  term.type = type;
  term.operands = {value.term};
  term.range = rangeOf(type);
  return intern(std::move(term));
}

std::optional<ConstantScalar> Terms::constantOf(const Typed &value) const {
  const Term &term = terms[value.term];
  if (term.kind == TermKind::Truth)
    return ConstantScalar::ofBool(term.constant != 0);
  if (term.kind == TermKind::Real)
    return ConstantScalar{value.type, 0, term.real};
  if (term.kind != TermKind::Sum || !term.operands.empty() || !ir::isInteger(value.type) ||
      !rangeOf(value.type).contains({term.constant, term.constant}))
    return std::nullopt;
  return ConstantScalar{value.type, static_cast<int64_t>(term.constant), 0};
}

std::optional<Typed> Terms::folded(ExprOp op, llvm::ArrayRef<Typed> operands) {
  llvm::SmallVector<ConstantScalar, 3> constants;
  for (const Typed &operand : operands) {
    std::optional<ConstantScalar> known = constantOf(operand);
    if (!known)
      return std::nullopt;
    constants.push_back(*known);
  }
  ir::Folded result = ir::fold(op, constants);
  if (!result)
    return std::nullopt;
  return Typed{constant(result.constant), result.constant.type};
}

Typed Terms::select(llvm::ArrayRef<Typed> operands) {
  ScalarType type = operands[1].type;
  TermId condition = operands[0].term, yes = operands[1].term, no = operands[2].term;
  if (operands[2].type != type) {
    type = ir::commonType(type, operands[2].type).value_or(type);
    yes = convert(operands[1], type);
    no = convert(operands[2], type);
  }
  if (std::optional<bool> known = truthValue(condition))
    return {*known ? yes : no, type};
  if (yes == no)
    return {yes, type};
  if (terms[condition].kind == TermKind::Not) {
    condition = terms[condition].operands[0];
    std::swap(yes, no);
  }
  Range a = range(yes), b = range(no);
  return {operation(ExprOp::Select, type, {condition, yes, no},
                    {std::min(a.low, b.low), std::max(a.high, b.high)}),
          type};
}

Typed Terms::integerOperation(ExprOp op, ScalarType type, TermId a, TermId b) {
  auto typed = [&](TermId term) {
    return Typed{isUnsigned(type) ? wrap(term, ir::bitWidth(type)) : term, type};
  };
  switch (op) {
  case ExprOp::Add:
    return typed(sum(a, b));
  case ExprOp::Sub:
    return typed(sum(a, b, -1));
  case ExprOp::Mul:
    return typed(product(a, b));
  case ExprOp::Div:
    return typed(quotient(a, b));
  case ExprOp::Rem:
    return typed(remainder(a, b));
  case ExprOp::CeilDiv:
    return typed(ceilDiv(a, b));
  case ExprOp::Min:
  case ExprOp::Max:
    return {minMax(op, a, b), type};
  case ExprOp::Xor:
    return {exclusiveOr(a, b, type), type};
  default:
    TSK_UNREACHABLE("not an operation on integers");
  }
}

Typed Terms::apply(ExprOp op, llvm::ArrayRef<Typed> operands) {
  if (std::optional<Typed> known = folded(op, operands))
    return *known;
  switch (op) {
  case ExprOp::Not:
    return {negation(operands[0].term), ScalarType::Bool};
  case ExprOp::And:
    return {both(operands[0].term, operands[1].term), ScalarType::Bool};
  case ExprOp::Or:
    return {negation(both(negation(operands[0].term), negation(operands[1].term))),
            ScalarType::Bool};
  case ExprOp::Select:
    return select(operands);
  case ExprOp::First:
  case ExprOp::Last:
    return {operation(op, ScalarType::Bool, {operands[0].term}), ScalarType::Bool};
  case ExprOp::Every:
    return {operation(op, ScalarType::Bool, {operands[0].term, operands[1].term}),
            ScalarType::Bool};
  default:
    break;
  }
  const Typed &left = operands[0], &right = operands.back();
  bool compares = op == ExprOp::Eq || op == ExprOp::Ne || op == ExprOp::Lt || op == ExprOp::Le ||
                  op == ExprOp::Gt || op == ExprOp::Ge;
  if (compares && left.type == ScalarType::Bool) {
    TermId alike = same(left.term, right.term);
    return {op == ExprOp::Ne ? negation(alike) : alike, ScalarType::Bool};
  }
  ScalarType type = *ir::commonType(left.type, right.type);
  TermId a = convert(left, type), b = convert(right, type);
  if (isReal(type))
    return compares               ? Typed{compareReals(op, type, a, b), ScalarType::Bool}
           : operands.size() == 1 ? Typed{operation(op, type, {a}), type}
                                  : Typed{operation(op, type, {a, b}), type};
  if (compares)
    return {compare(op, a, b), ScalarType::Bool};
  if (op == ExprOp::Negate)
    return integerOperation(ExprOp::Sub, type, integer(0), a);
  if (op == ExprOp::Complement)
    return integerOperation(ExprOp::Sub, type, integer(-1), a);
  return integerOperation(op, type, a, b);
}

std::optional<Wide> Terms::integerValue(TermId id) const {
  const Term &term = terms[id];
  bool isNumber = term.kind == TermKind::Sum && term.operands.empty();
  return isNumber ? std::optional(term.constant) : std::nullopt;
}

std::optional<bool> Terms::truthValue(TermId id) const {
  bool isTruth = terms[id].kind == TermKind::Truth;
  return isTruth ? std::optional(terms[id].constant != 0) : std::nullopt;
}

} // namespace tsk::proof
