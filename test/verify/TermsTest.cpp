// Whatever the proof says of expressions (equal, contrary, constant, within bounds) is so wherever
// C++ defines them. For a longer run: TSK_TERMS=200000 build/test/unit/verify-unit-test "what the*"
#include "compiler/ir/ExprText.h"
#include "compiler/verify/proof/Facts.h"
#include "test/verify/ExprOracle.h"
#include "test/verify/protocol/Random.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace tsk;
using ir::ConstantScalar;
using ir::ExprId;
using ir::ExprOp;
using ir::ScalarType;
using protocol::oracle::Random;

namespace {

constexpr ScalarType Types[] = {ScalarType::Bool, ScalarType::I8,  ScalarType::I16, ScalarType::I32,
                                ScalarType::I64,  ScalarType::U8,  ScalarType::U16, ScalarType::U32,
                                ScalarType::U64,  ScalarType::F32, ScalarType::F64};

// A few scalars and many expressions over them, each with some that look alike.
class Subject {
public:
  explicit Subject(uint64_t seed) : random(seed) {
    for (int i = 0; i < 4; ++i) {
      const ScalarType type = pickType();
      const bool isDimension = type == ScalarType::I32 && random.chance(60);
      plan.scalars.add({fmt::format("s{}", i), type, isDimension, {}});
    }
    for (int i = 0; i < 6; ++i) {
      ExprId first = condition(3);
      conditions.push_back(first);
      for (int variant = 0; variant < 3; ++variant)
        conditions.push_back(changed(conditions[conditions.size() - 1]));
    }
    for (int i = 0; i < 3; ++i) {
      ExprId first = number(3);
      conditions.push_back(first);
      conditions.push_back(changed(first));
    }
    for (int i = 0; i < 3; ++i)
      addLoops();
    if (random.chance(60))
      plan.assumptions.push_back(assumption());
    if (random.chance(30))
      plan.assumptions.push_back(assumption());
  }

  oracle::Scalars someScalars() {
    oracle::Scalars values;
    for (const ir::Scalar &scalar : plan.scalars)
      values.push_back(random.pick(oracle::interestingValues(scalar.type)));
    // Equalities hold now and then.
    if (random.chance(30))
      for (size_t i = 1; i < values.size(); ++i)
        if (values[i].index() == values[0].index())
          values[i] = values[0];
    for (size_t i = 0; i < values.size(); ++i)
      if (plan.scalars[plan.scalars.idAt(i)].isDimension && std::get<int32_t>(values[i]) < 0)
        values[i] = random.below(9);
    return values;
  }

  std::string text(ExprId id) const {
    ir::ExprNames names;
    for (const ir::Scalar &scalar : plan.scalars)
      names.scalars.push_back(fmt::format("{}_{}", scalar.name, ir::spelling(scalar.type)));
    std::string result;
    llvm::raw_string_ostream stream(result);
    ir::printExpr(stream, plan.tables, names, id);
    return result;
  }

  plan::Plan plan;
  std::vector<ExprId> conditions;
  std::vector<ir::Loop> loops;

private:
  ExprId integer(int depth) {
    for (int attempt = 0; attempt < 8; ++attempt)
      if (ExprId id = number(depth); ir::scalarClass(typeOf(id).scalar) != ir::ScalarClass::Float)
        return id;
    return constant(random.below(5));
  }
  ExprId constant(int64_t value) {
    return ir::makeConstant(plan.tables, ConstantScalar::ofInt(value), {});
  }

  // One, and others that may run equally often.
  void addLoops() {
    const ExprId lower = random.chance(60) ? constant(random.below(3)) : integer(1);
    const ExprId upper = integer(2), step = constant(random.pick({1, 1, 2, 3, 4, 8}));
    addLoop(lower, upper, step);
    addLoop(changed(lower), changed(upper), step);
    addLoop(constant(0), make(ExprOp::Sub, {upper, lower}), step);
    addLoop(constant(0), make(ExprOp::CeilDiv, {make(ExprOp::Sub, {upper, lower}), step}),
            constant(1));
    addLoop(constant(0), make(ExprOp::Div, {upper, step}), constant(1));
    addLoop(make(ExprOp::Mul, {lower, constant(2)}), make(ExprOp::Mul, {upper, constant(2)}),
            make(ExprOp::Mul, {step, constant(2)}));
  }

  // Bounds must fit the variable, which has the wider type of the two.
  void addLoop(ExprId lower, ExprId upper, ExprId step) {
    const ExprId sum = lower && upper ? make(ExprOp::Add, {lower, upper}) : ExprId();
    if (!sum || !step || ir::scalarClass(typeOf(sum).scalar) == ir::ScalarClass::Float)
      return;
    const proof::Range range = proof::rangeOf(typeOf(sum).scalar);
    for (ExprId bound : {lower, upper, step}) {
      const std::optional<int64_t> number = ir::constantValue(plan.tables, bound);
      if (number ? *number < range.low || *number > range.high
                 : !range.contains(proof::rangeOf(typeOf(bound).scalar)))
        return;
    }
    ir::Value variable;
    variable.name = "i";
    variable.type = typeOf(sum);
    ir::Loop loop;
    loop.variable = plan.tables.values.add(std::move(variable));
    loop.lower = lower;
    loop.upper = upper;
    loop.step = step;
    loops.push_back(loop);
  }

  ScalarType pickType() { return Types[random.below(static_cast<int>(std::size(Types)))]; }
  const ir::Type &typeOf(ExprId id) const { return plan.tables.exprs[id].type; }
  bool isBool(ExprId id) const { return typeOf(id).scalar == ScalarType::Bool; }

  ExprId make(ExprOp op, std::vector<ExprId> operands) {
    return ir::makeExpr(plan.tables, op, operands, {});
  }

  ExprId scalar(bool wantsBool) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      ir::Expr leaf;
      leaf.op = ExprOp::Scalar;
      leaf.scalarRef = plan.scalars.idAt(static_cast<size_t>(random.below(4)));
      leaf.type = ir::Type::ofScalar(plan.scalars[leaf.scalarRef].type);
      if ((leaf.type.scalar == ScalarType::Bool) == wantsBool)
        return plan.tables.exprs.add(std::move(leaf));
    }
    return literal(wantsBool);
  }

  ExprId literal(bool wantsBool) {
    if (wantsBool)
      return ir::makeConstant(plan.tables, ConstantScalar::ofBool(random.chance(50)), {});
    ScalarType type =
        random.pick({ScalarType::I32, ScalarType::I32, ScalarType::U32, ScalarType::I64,
                     ScalarType::U64, ScalarType::F32, ScalarType::F64});
    if (ir::scalarClass(type) == ir::ScalarClass::Float)
      return ir::makeConstant(plan.tables,
                              ConstantScalar::ofReal(random.pick({0.0, 1.0, -0.0, 0.5}), type), {});
    int64_t value = random.pick({0, 0, 1, 1, 2, 3, 4, 5, 8, 100});
    if (random.chance(5) && ir::scalarClass(type) == ir::ScalarClass::UInt)
      value = type == ScalarType::U32 ? int64_t(UINT32_MAX) : -1;
    return ir::makeConstant(plan.tables, ConstantScalar::ofInt(value, type), {});
  }

  ExprId number(int depth) {
    if (depth == 0 || random.chance(20))
      return random.chance(65) ? scalar(false) : literal(false);
    if (random.chance(8))
      return make(ExprOp::Negate, {number(depth - 1)});
    if (random.chance(5)) {
      ExprId choice = make(ExprOp::Select, {condition(1), number(depth - 1), number(depth - 1)});
      return choice ? choice : number(depth - 1);
    }
    ExprOp op = random.pick({ExprOp::Add, ExprOp::Add, ExprOp::Add, ExprOp::Sub, ExprOp::Sub,
                             ExprOp::Mul, ExprOp::Div, ExprOp::Rem, ExprOp::CeilDiv, ExprOp::Min,
                             ExprOp::Max, ExprOp::Xor, ExprOp::Complement});
    ExprId result = op == ExprOp::Complement ? make(op, {number(depth - 1)})
                                             : make(op, {number(depth - 1), number(depth - 1)});
    return result ? result : number(depth - 1);
  }

  ExprId comparison(int depth) {
    ExprOp op =
        random.pick({ExprOp::Eq, ExprOp::Ne, ExprOp::Lt, ExprOp::Le, ExprOp::Gt, ExprOp::Ge});
    return make(op, {number(depth), number(depth)});
  }

  ExprId condition(int depth) {
    if (depth == 0)
      return scalar(true);
    if (random.chance(70))
      return comparison(depth - 1);
    switch (random.below(5)) {
    case 0:
      return make(ExprOp::Not, {condition(depth - 1)});
    case 1:
      return make(ExprOp::And, {condition(depth - 1), condition(depth - 1)});
    case 2:
      return make(ExprOp::Or, {condition(depth - 1), condition(depth - 1)});
    case 3:
      return make(random.pick({ExprOp::Eq, ExprOp::Ne}),
                  {condition(depth - 1), condition(depth - 1)});
    default:
      return scalar(true);
    }
  }

  // Simple enough to hold now and then.
  ExprId assumption() {
    if (random.chance(25))
      if (ExprId rest = make(ExprOp::Rem, {scalar(false), literal(false)}))
        return make(ExprOp::Eq, {rest, literal(false)});
    return random.chance(60) ? make(random.pick({ExprOp::Eq, ExprOp::Lt, ExprOp::Ge, ExprOp::Ne}),
                                    {number(1), random.chance(50) ? scalar(false) : literal(false)})
                             : condition(2);
  }

  // What somebody may take for the same, often wrongly: other literals, other orders, contraries.
  ExprId changed(ExprId id) {
    const ir::Expr expr = plan.tables.exprs[id];
    if (expr.operands.empty()) {
      if (expr.op == ExprOp::IntConst) {
        ScalarType type =
            random.pick({ScalarType::I32, ScalarType::U32, ScalarType::I64, ScalarType::U64});
        if (!ir::convert(ConstantScalar::ofInt(expr.value, expr.type.scalar), type))
          return id;
        return ir::makeConstant(plan.tables, ConstantScalar::ofInt(expr.value, type), {});
      }
      if (!isBool(id) && random.chance(30))
        return make(ExprOp::Add, {id, ir::makeConstant(plan.tables, ConstantScalar::ofInt(0), {})});
      return id;
    }
    std::vector<ExprId> operands(expr.operands.begin(), expr.operands.end());
    switch (random.below(6)) {
    case 0:
      if (operands.size() == 2)
        std::swap(operands[0], operands[1]);
      break;
    case 1:
      if (ExprId other = contrary(expr, operands))
        return other;
      break;
    case 2:
      if (ExprId other = moved(expr, operands))
        return other;
      break;
    default: {
      size_t which = static_cast<size_t>(random.below(static_cast<int>(operands.size())));
      operands[which] = changed(operands[which]);
    }
    }
    ExprId result = make(expr.op, operands);
    return result ? result : id;
  }

  // !(a < b) for a >= b.
  ExprId contrary(const ir::Expr &expr, const std::vector<ExprId> &operands) {
    static constexpr std::pair<ExprOp, ExprOp> Contraries[] = {
        {ExprOp::Lt, ExprOp::Ge}, {ExprOp::Le, ExprOp::Gt}, {ExprOp::Eq, ExprOp::Ne}};
    for (auto [a, b] : Contraries)
      if (expr.op == a || expr.op == b)
        return make(ExprOp::Not, {make(expr.op == a ? b : a, operands)});
    return {};
  }

  // a - b < 0 for a < b; a < b + 1 for a <= b.
  ExprId moved(const ir::Expr &expr, const std::vector<ExprId> &operands) {
    bool isComparison = expr.op == ExprOp::Eq || expr.op == ExprOp::Ne || expr.op == ExprOp::Lt ||
                        expr.op == ExprOp::Le || expr.op == ExprOp::Gt || expr.op == ExprOp::Ge;
    if (!isComparison || isBool(operands[0]))
      return {};
    ExprId one = ir::makeConstant(plan.tables, ConstantScalar::ofInt(1), {});
    if (expr.op == ExprOp::Le && random.chance(50))
      return make(ExprOp::Lt, {operands[0], make(ExprOp::Add, {operands[1], one})});
    ExprId zero = ir::makeConstant(plan.tables, ConstantScalar::ofInt(0), {});
    return make(expr.op, {make(ExprOp::Sub, {operands[0], operands[1]}), zero});
  }

  Random random;
};

struct Seen {
  size_t alike = 0, contrary = 0, constant = 0, bounded = 0, applied = 0, loops = 0;
};

class Comparison {
public:
  Comparison(Subject &theSubject, Seen &theSeen)
      : subject(theSubject), seen(theSeen), facts(theSubject.plan) {}

  void run(int valuations) {
    for (int i = 0; i < valuations; ++i) {
      oracle::Scalars scalars = subject.someScalars();
      bool holds = std::all_of(
          subject.plan.assumptions.begin(), subject.plan.assumptions.end(), [&](ExprId id) {
            std::optional<oracle::Value> value = oracle::compute(subject.plan, id, scalars);
            return value && std::get<bool>(*value);
          });
      if (holds)
        check(scalars);
    }
  }

private:
  void check(const oracle::Scalars &scalars) {
    std::vector<std::optional<oracle::Value>> values;
    for (ExprId id : subject.conditions)
      values.push_back(oracle::compute(subject.plan, id, scalars));
    checkLoops(scalars);
    seen.applied += !subject.plan.assumptions.empty();
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i])
        continue;
      checkAlone(subject.conditions[i], *values[i], scalars);
      for (size_t j = 0; j < i; ++j)
        if (values[j])
          checkPair(i, j, *values[i], *values[j], scalars);
    }
  }

  std::string describe(const oracle::Scalars &scalars) const {
    std::string text;
    for (const oracle::Value &value : scalars)
      text += oracle::text(value) + " ";
    for (ExprId id : subject.plan.assumptions)
      text += "requires " + subject.text(id) + "; ";
    return text;
  }

  // How often it runs; nothing where the launcher refuses it.
  std::optional<proof::Wide> roundsOf(const ir::Loop &loop, const oracle::Scalars &scalars) const {
    std::vector<proof::Wide> numbers;
    for (ExprId bound : {loop.lower, loop.upper, loop.step}) {
      std::optional<oracle::Value> value = oracle::compute(subject.plan, bound, scalars);
      if (!value)
        return std::nullopt;
      numbers.push_back(std::visit(
          [](auto number) {
            if constexpr (std::is_integral_v<decltype(number)>)
              return proof::Wide(number);
            else
              return proof::Wide(0);
          },
          *value));
    }
    const auto [lower, upper, step] = std::tie(numbers[0], numbers[1], numbers[2]);
    const ScalarType type = subject.plan.tables.values[loop.variable].type.scalar;
    if (step < 1 || upper + step > proof::rangeOf(type).high)
      return std::nullopt;
    return upper > lower ? (upper - lower + step - 1) / step : 0;
  }

  // Those of one term run equally often, and as often as its range says.
  void checkLoops(const oracle::Scalars &scalars) {
    std::map<proof::TermId, std::pair<proof::Wide, const ir::Loop *>> known;
    for (const ir::Loop &loop : subject.loops) {
      const std::optional<proof::Wide> rounds = roundsOf(loop, scalars);
      if (!rounds)
        continue;
      const proof::TermId trips = facts.trips(loop);
      const proof::Range range = facts.all().range(trips);
      const auto [first, isNew] = known.try_emplace(trips, *rounds, &loop);
      seen.loops += !isNew;
      const proof::Wide atLeast = std::max<proof::Wide>(range.low, 0);
      if (first->second.first == *rounds && *rounds >= atLeast &&
          (*rounds == 0 || *rounds <= range.high))
        continue;
      FAIL(facts.all().text(trips)
           << " is said of " << subject.text(loop.lower) << " .. " << subject.text(loop.upper)
           << " step " << subject.text(loop.step) << " and "
           << subject.text(first->second.second->upper) << ": " << static_cast<int64_t>(*rounds)
           << ", " << static_cast<int64_t>(first->second.first) << "\n"
           << describe(scalars));
    }
  }

  void checkAlone(ExprId id, const oracle::Value &value, const oracle::Scalars &scalars) {
    proof::TermId term = facts.term(id);
    auto fail = [&](const std::string &said) {
      FAIL(subject.text(id) << " is " << oracle::text(value) << ", said: " << said << "\n"
                            << describe(scalars));
    };
    if (std::optional<bool> known = facts.all().truthValue(term)) {
      ++seen.constant;
      if (!std::holds_alternative<bool>(value) || std::get<bool>(value) != *known)
        fail(*known ? "true" : "false");
    }
    std::visit(
        [&](auto number) {
          if constexpr (std::is_integral_v<decltype(number)> &&
                        !std::is_same_v<decltype(number), bool>) {
            proof::Range range = facts.all().range(term);
            ++seen.bounded;
            if (number < range.low || number > range.high)
              fail("a range without it: " + facts.all().text(term));
          }
        },
        value);
  }

  void checkPair(size_t i, size_t j, const oracle::Value &a, const oracle::Value &b,
                 const oracle::Scalars &scalars) {
    proof::TermId first = facts.term(subject.conditions[i]);
    proof::TermId second = facts.term(subject.conditions[j]);
    bool areSame = first == second;
    bool areContrary = facts.all().truthValue(first) == std::nullopt &&
                       std::holds_alternative<bool>(a) && std::holds_alternative<bool>(b) &&
                       facts.all().negation(first) == second;
    seen.alike += areSame;
    seen.contrary += areContrary;
    if ((areSame && !oracle::areAlike(a, b)) || (areContrary && oracle::areAlike(a, b)))
      FAIL(subject.text(subject.conditions[i])
           << (areSame ? " and " : " against ") << subject.text(subject.conditions[j]) << ": "
           << oracle::text(a) << ", " << oracle::text(b) << "\n"
           << describe(scalars));
  }

  Subject &subject;
  Seen &seen;
  proof::Facts facts;
};

} // namespace

TEST_CASE("what the proof says of expressions is what C++ computes") {
  const char *wanted = std::getenv("TSK_TERMS");
  uint64_t count = wanted ? static_cast<uint64_t>(std::atoll(wanted)) : 1500;
  Seen seen;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    INFO("seed " << seed);
    Subject subject(seed);
    Comparison(subject, seen).run(60);
  }
  // The test asks something.
  CHECK(seen.alike > 50 * count);
  CHECK(seen.contrary > count);
  CHECK(seen.constant > count);
  CHECK(seen.bounded > 10 * count);
  CHECK(seen.applied > 5 * count);
  CHECK(seen.loops > 5 * count);
  WARN("alike " << seen.alike << ", contrary " << seen.contrary << ", constant " << seen.constant
                << ", bounded " << seen.bounded << ", with assumptions " << seen.applied
                << ", equal loops " << seen.loops);
}
