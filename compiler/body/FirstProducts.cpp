// The first multiplication into an accumulator adds to nothing: its task has written there before,
// or it does not accumulate. A task's schedule is followed to the first round of each loop, in
// which the loop's variable is where it begins, and then through all further ones.
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyReading.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tsk::body {

using ir::ExprId;
using ir::ExprOp;
using ir::FieldId;
using ir::ValueId;

constexpr Diagnostic<std::string, std::string, llvm::StringRef> AddsToNothing{
    kind::FirstProduct, "`{}` adds to `{}`, into which task `{}` has written nothing before; the "
                        "first product of a tile does not accumulate (`k != 0`)"};
constexpr Diagnostic<std::string, std::string, llvm::StringRef> MayAddToNothing{
    kind::FirstProduct,
    "not proved: that `{}` adds to `{}` what task `{}` has written there before; let it not "
    "accumulate where an argument says that it is the first (`k != 0`), or write zeros before"};

namespace {

// A sum of what is not known, by its number, and of a number.
struct Linear {
  std::map<unsigned, int64_t> parts;
  int64_t constant = 0;

  // False: it is too large.
  bool add(const Linear &other, int64_t weight) {
    constexpr int64_t Most = int64_t{1} << 40;
    const auto isSmall = [](int64_t number) { return number > -Most && number < Most; };
    int64_t product = 0;
    bool isFine = !__builtin_mul_overflow(other.constant, weight, &product) && isSmall(product);
    constant += isFine ? product : 0;
    for (const auto &[symbol, count] : other.parts) {
      isFine &= !__builtin_mul_overflow(count, weight, &product) && isSmall(product);
      int64_t &into = parts[symbol];
      into += isFine ? product : 0;
      isFine &= isSmall(into);
      if (into == 0)
        parts.erase(symbol);
    }
    return isFine && isSmall(constant) && parts.size() <= 64;
  }
  std::optional<int64_t> number() const {
    return parts.empty() ? std::optional(constant) : std::nullopt;
  }
};

// What expressions are at one point of a schedule.
class Values {
public:
  explicit Values(const ir::ValueTables &t) : tables(&t) {}

  void bind(ValueId value, std::optional<Linear> is) { bound[value] = std::move(is); }
  bool isFirst(ValueId loop) const {
    const auto known = bound.find(loop);
    return known != bound.end() && known->second;
  }

  Linear of(ExprId id) {
    const ir::Expr &expr = tables->exprs[id];
    if (++steps > MaxSteps)
      return fresh();
    if (const std::optional<int64_t> constant = ir::constantValue(*tables, id))
      return {{}, *constant};
    if (expr.op == ExprOp::Value) {
      if (const auto known = bound.find(expr.valueRef); known != bound.end() && known->second)
        return *known->second;
      if (tables->values[expr.valueRef].kind == ir::Value::Kind::Var)
        return fresh();
    }
    Linear result;
    if (expr.op == ExprOp::Add || expr.op == ExprOp::Sub) {
      const bool isFine = result.add(of(expr.operands[0]), 1) &&
                          result.add(of(expr.operands[1]), expr.op == ExprOp::Add ? 1 : -1);
      return isFine ? result : fresh();
    }
    if (expr.op == ExprOp::Mul) {
      Linear sides[] = {of(expr.operands[0]), of(expr.operands[1])};
      for (size_t i : {0, 1})
        if (const std::optional<int64_t> factor = sides[i].number())
          return result.add(sides[1 - i], *factor) ? result : fresh();
    }
    if (expr.op == ExprOp::Negate)
      return result.add(of(expr.operands[0]), -1) ? result : fresh();
    if (const std::optional<bool> truth = holds(id))
      return {{}, *truth};
    return symbol(expr, id);
  }

  // Of a condition.
  std::optional<bool> holds(ExprId id) {
    const ir::Expr &expr = tables->exprs[id];
    if (++steps > MaxSteps)
      return std::nullopt;
    switch (expr.op) {
    case ExprOp::BoolConst:
      return expr.value != 0;
    case ExprOp::Value: {
      const auto known = bound.find(expr.valueRef);
      return known == bound.end() || !known->second ? std::nullopt
                                                    : compare(ExprOp::Ne, *known->second);
    }
    case ExprOp::Not: {
      const std::optional<bool> inner = holds(expr.operands[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    case ExprOp::And:
    case ExprOp::Or: {
      const bool settles = expr.op == ExprOp::Or;
      const std::optional<bool> left = holds(expr.operands[0]), right = holds(expr.operands[1]);
      if (left == settles || right == settles)
        return settles;
      return left && right ? std::optional(!settles) : std::nullopt;
    }
    case ExprOp::First:
      return isFirst(tables->exprs[expr.operands[0]].valueRef) ? std::optional(true) : std::nullopt;
    case ExprOp::Eq:
    case ExprOp::Ne:
    case ExprOp::Lt:
    case ExprOp::Le:
    case ExprOp::Gt:
    case ExprOp::Ge: {
      Linear difference = of(expr.operands[0]);
      return difference.add(of(expr.operands[1]), -1) ? compare(expr.op, difference) : std::nullopt;
    }
    default:
      return std::nullopt;
    }
  }

  void restart() { steps = 0; }
  Linear scalar(uint32_t number) { return interned(fmt::format("scalar {}", number)); }

  static std::optional<bool> compare(ExprOp op, const Linear &with0) {
    const std::optional<int64_t> number = with0.number();
    if (!number)
      return std::nullopt;
    switch (op) {
    case ExprOp::Eq:
      return *number == 0;
    case ExprOp::Ne:
      return *number != 0;
    case ExprOp::Lt:
      return *number < 0;
    case ExprOp::Le:
      return *number <= 0;
    case ExprOp::Gt:
      return *number > 0;
    default:
      return *number >= 0;
    }
  }

private:
  Linear fresh() { return {{{next++, 1}}, 0}; }
  Linear interned(const std::string &text) {
    const auto [known, isNew] = symbols.try_emplace(text, next);
    next += isNew;
    return {{{known->second, 1}}, 0};
  }
  // Two with the same text are the same: nothing in it changes between them.
  Linear symbol(const ir::Expr &expr, ExprId id) {
    if (expr.op == ExprOp::Scalar)
      return scalar(expr.scalarRef.index);
    if (expr.op == ExprOp::Value)
      return interned(fmt::format("value {}", expr.valueRef.index));
    if (expr.operands.empty() || expr.op == ExprOp::Call)
      return expr.op == ExprOp::Builtin ? interned(ir::spelling(expr.builtin).str())
                                        : interned(fmt::format("expression {}", id.index));
    std::string text = ir::spelling(expr.op).str();
    for (ExprId operand : expr.operands) {
      const Linear inner = of(operand);
      text += fmt::format(" ({}", inner.constant);
      for (const auto &[number, weight] : inner.parts)
        text += fmt::format(" + {} of {}", weight, number);
      text += ")";
    }
    return interned(text);
  }

  const ir::ValueTables *tables;
  std::map<ValueId, std::optional<Linear>> bound; // nothing: it is not known
  std::map<std::string, unsigned> symbols;
  unsigned next = 0;
  size_t steps = 0; // of one question
  static constexpr size_t MaxSteps = 1000;
};

using Fields = std::set<FieldId>;

class Products {
public:
  Products(const ir::Kernel &k, const Reading &r, DiagnosticEngine &d)
      : kernel(k), reading(r), diags(d), values(k.tables) {}

  void check() {
    for (size_t i = 0; i < kernel.tasks.size(); ++i) {
      task = kernel.tasks.idAt(i);
      values = Values(kernel.tables);
      written.clear();
      touched.clear();
      for (size_t f = 0; f < kernel.fields.size(); ++f)
        if (kernel.fields[kernel.fields.idAt(f)].init)
          written.insert(kernel.fields.idAt(f));
      touched = written;
      visit(kernel.tasks[task].body);
    }
  }

private:
  void visit(ir::RegionId id) {
    if (id)
      for (const ir::Op &op : kernel.regions[id].ops)
        visit(op);
  }

  void visit(const ir::Op &op) {
    values.restart();
    switch (op.kind) {
    case ir::OpKind::Call:
      return call(op);
    case ir::OpKind::Let:
      return values.bind(op.results[0], values.of(op.args[0]));
    case ir::OpKind::If:
      return branch(op);
    case ir::OpKind::For:
    case ir::OpKind::ParallelFor:
      return loop(op);
    default:
      return;
    }
  }

  void branch(const ir::Op &op) {
    if (const std::optional<bool> taken = values.holds(op.args[0]))
      return visit(*taken ? op.body : op.elseBody);
    const Fields before = written;
    visit(op.body);
    const Fields then = std::exchange(written, before);
    visit(op.elseBody);
    std::erase_if(written, [&](FieldId field) { return !then.count(field); });
  }

  void loop(const ir::Op &op) {
    const Fields before = written;
    const std::optional<int64_t> low = ir::constantValue(kernel.tables, op.loop.lower);
    const std::optional<int64_t> high = ir::constantValue(kernel.tables, op.loop.upper);
    const bool isFollowed = op.kind == ir::OpKind::For && depth < MaxDepth;
    ++depth;
    if (isFollowed) {
      values.bind(op.loop.variable, begin(op.loop));
      visit(op.body);
    }
    // What the first round has not written may be first in any other.
    values.bind(op.loop.variable, std::nullopt);
    visit(op.body);
    --depth;
    if (!isFollowed || !low || !high || *low >= *high)
      written = before; // perhaps no round
  }

  // Where its variable begins.
  std::optional<Linear> begin(const ir::Loop &loop) {
    if (!loop.isReversed)
      return values.of(loop.lower);
    Linear last = values.of(loop.upper);
    const bool isKnown = ir::constantValue(kernel.tables, loop.step) == 1 && last.add({{}, 1}, -1);
    return isKnown ? std::optional(last) : std::nullopt;
  }

  // ---- Calls ----

  // Whether a comparison holds in this call.
  std::optional<bool> holds(const ComparisonFact &fact, const Function &function,
                            const ir::Op &op) {
    Linear sum;
    sum.constant = fact.constant;
    for (const auto &[number, weight] : fact.args) {
      const Role &role = function.roles[number];
      const bool isArgument = role.kind == Role::Kind::Param && role.id < op.args.size();
      if (!isArgument && role.kind != Role::Kind::Scalar)
        return std::nullopt;
      if (!sum.add(isArgument ? values.of(op.args[role.id]) : values.scalar(role.id), weight))
        return std::nullopt;
    }
    return Values::compare(fact.op, sum);
  }

  // Whether it happens in this call.
  std::optional<bool> happens(const AccessFact &access, const Function &function,
                              const ir::Op &op) {
    if (!access.when)
      return std::nullopt;
    bool isAny = false, isOpen = false;
    for (const std::vector<ComparisonFact> &way : access.when->ways) {
      bool holdsAll = true, fails = false;
      for (const ComparisonFact &each : way) {
        const std::optional<bool> one = holds(each, function, op);
        holdsAll &= one == true;
        fails |= one == false;
      }
      isAny |= holdsAll;
      isOpen |= !fails;
    }
    if (!isOpen)
      return false;
    return isAny && access.when->isExact ? std::optional(true) : std::nullopt;
  }

  void call(const ir::Op &op) {
    Fields all;
    bool isOne = true; // of several instances of the work, what all of them write
    for (const WorkFacts *facts : reading.factsOf(kernel, op.work)) {
      const Function &function = reading.request.functions[facts->function];
      if (function.task != task)
        continue;
      Fields own = written;
      for (const AccessFact &access : facts->accesses)
        judge(access, function, op, own);
      if (!std::exchange(isOne, false))
        std::erase_if(own, [&](FieldId field) { return !all.count(field); });
      all = std::move(own);
    }
    written.insert(all.begin(), all.end());
    for (const ir::Access &access : kernel.works[op.work].declared)
      if (access.field && access.isWrite) {
        written.insert(access.field);
        touched.insert(access.field);
      }
  }

  void judge(const AccessFact &access, const Function &function, const ir::Op &op, Fields &own) {
    const Role &role = function.roles[access.role];
    if (role.kind != Role::Kind::Field)
      return;
    const FieldId field{role.id};
    if (kernel.resources[kernel.fields[field].resource].space != ir::SpaceKind::Regs)
      return;
    const bool isProduct = access.mechanism == ir::Mechanism::Wgmma;
    values.restart();
    if (access.isWrite) {
      if (!isProduct || (access.when && happens(access, function, op) == true))
        own.insert(field);
      touched.insert(field);
    } else if (isProduct && !own.count(field)) {
      const std::optional<bool> adds = happens(access, function, op);
      if (adds != false)
        report(op, field, adds == true && !touched.count(field));
    }
  }

  void report(const ir::Op &op, FieldId field, bool isCertain) {
    if (!reported.insert({&op, field}).second)
      return;
    diags.report(op.loc, isCertain ? AddsToNothing : MayAddToNothing, ir::workName(kernel, op.work),
                 ir::fieldName(kernel, field), kernel.tasks[task].name);
  }

  static constexpr size_t MaxDepth = 6; // each loop is gone through twice
  const ir::Kernel &kernel;
  const Reading &reading;
  DiagnosticEngine &diags;
  Values values;
  ir::TaskId task;
  Fields written, touched; // certainly, perhaps
  size_t depth = 0;
  std::set<std::pair<const ir::Op *, FieldId>> reported;
};

} // namespace

void checkFirstProducts(const ir::Kernel &kernel, const Reading &reading, DiagnosticEngine &diags) {
  Products(kernel, reading, diags).check();
}

} // namespace tsk::body
