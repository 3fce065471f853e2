#include "compiler/codegen/cuda/Arithmetic.h"

#include "compiler/codegen/cuda/Ranges.h"
#include "compiler/ir/ExprText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

using ir::ExprId;
using ir::ExprOp;
using plan::StepKind;

namespace {

// Whether what wraps when it is computed in an unsigned type counts as computable too.
enum class Unsigned : uint8_t { No, Yes };

class Checker {
public:
  explicit Checker(const KernelContext &c)
      : context(c), plan(c.plan), tables(c.plan.tables), names(c.names), ranges(c) {}

  ArithmeticChecks find() {
    for (ir::ParamId id : context.uses.params)
      for (const auto *list : {&context.kernel.params[id].dims, &context.kernel.params[id].strides})
        for (ExprId extent : *list)
          expression(extent);
    for (const plan::Task &item : plan.tasks) {
      task = &item;
      region(item.body);
    }
    return std::move(found);
  }

private:
  // ---- The steps of a task ----

  void region(plan::RegionId id) {
    if (!id)
      return;
    for (const plan::Step &step : plan.regions[id].steps) {
      for (ExprId arg : step.args)
        expression(arg);
      if (step.kind == StepKind::For || step.kind == StepKind::ParallelFor)
        loop(step);
      if (step.kind == StepKind::If) {
        guarded(step.args[0], true, [&] { region(step.body); });
        guarded(step.args[0], false, [&] { region(step.elseBody); });
      } else {
        region(step.body);
      }
    }
  }

  // What `visit` finds is computed only where the condition has that value.
  template <typename Visit> void guarded(ExprId condition, bool isTrue, Visit visit) {
    const bool isKnown = isComputable(condition, Unsigned::No);
    if (isKnown)
      guards.emplace_back(condition, isTrue);
    visit();
    if (isKnown)
      guards.pop_back();
  }

  // ---- Arithmetic ----

  void expression(ExprId id, Unsigned wrapping = Unsigned::No) {
    const ir::Expr &expr = tables.exprs[id];
    if (expr.op == ExprOp::And || expr.op == ExprOp::Or) {
      expression(expr.operands[0]);
      guarded(expr.operands[0], expr.op == ExprOp::And, [&] { expression(expr.operands[1]); });
    } else if (expr.op == ExprOp::Select) {
      expression(expr.operands[0]);
      guarded(expr.operands[0], true, [&] { expression(expr.operands[1], wrapping); });
      guarded(expr.operands[0], false, [&] { expression(expr.operands[2], wrapping); });
    } else {
      for (ExprId operand : expr.operands)
        expression(operand, wrapping);
    }
    if (mayGoWrong(id) && isComputable(id, wrapping))
      emit({id}, fmt::format("{}.computes<{}>({}, {});", names.check, cppType(expr.type),
                             quoted(written(id)), host(id)));
  }

  // In the language: what the launcher calls `launch.grid_x` is the user's `grid.x`.
  std::string written(ExprId id) const {
    ir::ExprNames byId;
    for (const ir::Scalar &scalar : context.kernel.scalars)
      byId.scalars.push_back(scalar.name);
    for (const ir::Constant &constant : context.kernel.constants)
      byId.constants.push_back(constant.name);
    std::string text;
    llvm::raw_string_ostream stream(text);
    ir::printExpr(stream, tables, byId, id);
    return withWrittenNames(text);
  }

  // A second `i` of a task is `i_2` here and stays `i` for its author.
  std::string writtenName(const ir::Value &value) const {
    const llvm::StringRef declared =
        value.loc.isValid() ? context.sources.text(value.loc) : llvm::StringRef();
    llvm::StringRef rest = value.name;
    const bool isIt = !declared.empty() && rest.consume_front(declared) &&
                      (rest.empty() || (rest.consume_front("_") && !rest.empty() &&
                                        llvm::all_of(rest, llvm::isDigit)));
    return isIt ? declared.str() : value.name;
  }

  std::string withWrittenNames(llvm::StringRef text) const {
    std::map<std::string, std::string, std::less<>> shown;
    for (const ir::Value &value : tables.values)
      if (std::string own = writtenName(value); own != value.name)
        shown.emplace(value.name, std::move(own));
    std::string result;
    while (!text.empty()) {
      const llvm::StringRef word =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      const auto known = shown.find(word);
      result += known != shown.end() ? llvm::StringRef(known->second)
                                     : text.take_front(std::max<size_t>(word.size(), 1));
      text = text.drop_front(std::max<size_t>(word.size(), 1));
    }
    return result;
  }

  bool mayGoWrong(ExprId id) {
    const ir::Expr &expr = tables.exprs[id];
    switch (expr.op) {
    case ExprOp::Div:
    case ExprOp::Rem:
    case ExprOp::CeilDiv:
      if (isIntegerType(tables, id) && ranges.valueOf(expr.operands[1]).contains(0))
        return true;
      break;
    case ExprOp::Negate:
    case ExprOp::Add:
    case ExprOp::Sub:
    case ExprOp::Mul:
      break;
    default:
      return false;
    }
    return isIntegerType(tables, id) && !ranges.resultOf(id).isWithin(rangeOf(expr.type.scalar));
  }

  // Nothing in it is known only inside the kernel, and the launcher has its operators.
  bool isComputable(ExprId id, Unsigned wrapping) {
    const ir::Expr &expr = tables.exprs[id];
    const bool isBool = expr.type == ir::Type::ofScalar(ir::ScalarType::Bool);
    if (!isBool && !isIntegerType(tables, id))
      return false;
    switch (expr.op) {
    case ExprOp::Value: {
      const auto definition = context.uses.lets.find(expr.valueRef);
      if (definition == context.uses.lets.end())
        return false;
      const auto [known, isNew] = computableLets.try_emplace(expr.valueRef, false);
      if (isNew)
        known->second = isComputable(definition->second, Unsigned::No);
      return computableLets[expr.valueRef];
    }
    case ExprOp::First:
    case ExprOp::Last:
    case ExprOp::Every:
    case ExprOp::Call:
      return false;
    case ExprOp::Builtin:
      return isIndexOfCta(expr.builtin) || ir::uniformityOf(expr.builtin) == ir::Uniformity::Kernel;
    default:
      break;
    }
    const bool wraps = !isBool && !expr.operands.empty() &&
                       ir::scalarClass(expr.type.scalar) == ir::ScalarClass::UInt;
    return (!wraps || wrapping == Unsigned::Yes) &&
           llvm::all_of(expr.operands, [&](ExprId operand) {
             return isComputable(operand, isBool ? Unsigned::No : wrapping);
           });
  }

  static bool isIndexOfCta(ir::Builtin which) {
    switch (which) {
    case ir::Builtin::BlockX:
    case ir::Builtin::BlockY:
    case ir::Builtin::BlockZ:
    case ir::Builtin::ClusterX:
    case ir::Builtin::ClusterY:
    case ir::Builtin::ClusterZ:
    case ir::Builtin::ClusterRank:
    case ir::Builtin::ClusterIndex:
      return true;
    default:
      return false;
    }
  }

  // Whether it takes the index of a CTA, or anything of the grid.
  enum class Mention : uint8_t { IndexOfCta, Grid };
  bool mentions(ExprId id, Mention what) {
    const ir::Expr &expr = tables.exprs[id];
    if (expr.op == ExprOp::Value)
      return letMentions(expr.valueRef, what);
    return (expr.op == ExprOp::Builtin && (what == Mention::Grid || isIndexOfCta(expr.builtin))) ||
           llvm::any_of(expr.operands, [&](ExprId operand) { return mentions(operand, what); });
  }
  // Each `let` is looked into once: `b = a + a; c = b + b; …` names its first one a million times.
  bool letMentions(ir::ValueId let, Mention what) {
    const auto definition = context.uses.lets.find(let);
    if (definition == context.uses.lets.end())
      return false;
    const auto key = std::pair(let, what);
    const auto known = mentioned.find(key);
    if (known != mentioned.end())
      return known->second;
    const bool result = mentions(definition->second, what);
    mentioned[key] = result;
    return result;
  }
  bool mentionsGrid(ExprId id) { return mentions(id, Mention::Grid); }

  // ---- Loops ----

  // How far a loop's variable goes beyond its upper bound.
  struct Stride {
    std::string text;
    Range range;
  };

  Stride strideOf(const plan::Step &step) {
    const ExprId by = step.loop.step;
    if (step.kind != StepKind::ParallelFor)
      return {host(by), ranges.valueOf(by)};
    const unsigned threads = step.across == ir::Across::Warp ? 32 : task->warps * 32;
    const bool isAcrossGrid = step.across == ir::Across::Grid;
    const std::string factor =
        ir::constantValue(tables, by) == 1 ? "" : hostFactor(context, tables, by) + " * ";
    const Range range = ranges.valueOf(by);
    const __int128 most = isAcrossGrid ? INT32_MAX : 1;
    return {fmt::format("{}{}{}", factor, isAcrossGrid ? names.launch + ".ctas() * " : "", threads),
            {range.low * threads, range.high * threads * most}};
  }

  void loop(const plan::Step &step) {
    const ir::Loop &item = step.loop;
    for (ExprId bound : {item.lower, item.upper, item.step})
      expression(bound, Unsigned::Yes);
    if (!isComputable(item.step, Unsigned::Yes))
      return;
    const Range type = rangeOf(tables.values[item.variable].type.scalar);
    if (step.kind == StepKind::For && item.isReversed && type.low < 0)
      reversed(item, type);
    else
      forward(step, type);
  }

  void forward(const plan::Step &step, const Range &type) {
    const ir::Loop &item = step.loop;
    const bool isParallel = step.kind == StepKind::ParallelFor;
    std::vector<ExprId> operands{item.step};
    std::string upper = "0";
    Range last{0, 0};
    if (isComputable(item.upper, Unsigned::Yes)) {
      upper = host(item.upper);
      last = ranges.valueOf(item.upper);
      operands.push_back(item.upper);
    } // else the step alone is checked
    // Threads start at the lower bound and beyond, also where there is nothing to do.
    if (isParallel && !ir::constantValue(tables, item.lower) &&
        isComputable(item.lower, Unsigned::Yes)) {
      upper = fmt::format("tsk::max({}, {})", host(item.lower), upper);
      last.high = std::max(last.high, ranges.valueOf(item.lower).high);
      operands.push_back(item.lower);
    }
    const Stride stride = strideOf(step);
    if (stride.range.low < 1 || last.high + stride.range.high > type.high)
      emit(operands,
           fmt::format("{}.loop<{}>(\"{}\", {}, {});", names.check, typeOf(item), nameOf(item),
                       upper, stride.text),
           isParallel && step.across == ir::Across::Grid);
  }

  void reversed(const ir::Loop &item, const Range &type) {
    if (!isComputable(item.upper, Unsigned::No) || !isComputable(item.lower, Unsigned::No)) {
      if (ranges.valueOf(item.step).low < 1)
        emit({item.step}, fmt::format("{}.loop<{}>(\"{}\", 0, {});", names.check, typeOf(item),
                                      nameOf(item), host(item.step)));
      return;
    }
    const Range lower = ranges.valueOf(item.lower), upper = ranges.valueOf(item.upper),
                by = ranges.valueOf(item.step);
    if (by.low < 1 || upper.high - lower.low > type.high ||
        upper.low - lower.high - by.high < type.low || lower.low - by.high < type.low)
      emit({item.lower, item.upper, item.step},
           fmt::format("{}.reversed_loop<{}>(\"{}\", {}, {}, {});", names.check, typeOf(item),
                       nameOf(item), host(item.lower), host(item.upper), host(item.step)));
  }

  std::string typeOf(const ir::Loop &loop) const {
    return cppType(tables.values[loop.variable].type);
  }
  std::string nameOf(const ir::Loop &loop) const {
    return writtenName(tables.values[loop.variable]);
  }

  // ---- Statements ----

  std::string host(ExprId id) const { return hostExpr(context, tables, id); }

  // The `let`s that the launcher needs for an expression, before it.
  void define(ExprId id) {
    const ir::Expr &expr = tables.exprs[id];
    for (ExprId operand : expr.operands)
      define(operand);
    if (expr.op != ExprOp::Value || !defined.insert(expr.valueRef).second)
      return;
    const ExprId definition = context.uses.lets.at(expr.valueRef);
    define(definition);
    const bool isBool = expr.type == ir::Type::ofScalar(ir::ScalarType::Bool);
    const char *const type = isBool                              ? "truth"
                             : mentions(id, Mention::IndexOfCta) ? "range"
                                                                 : "integer";
    listOf(mentionsGrid(id))
        .push_back({"", fmt::format("const tsk::{} {} = {};", type,
                                    names.launcherLets[expr.valueRef.index], host(definition))});
  }

  // `operands`: what the check is made of.
  void emit(llvm::ArrayRef<ExprId> operands, const std::string &check, bool isOfGrid = false) {
    std::vector<std::string> conditions;
    for (const auto &[condition, isTrue] : guards) {
      const std::string text = isTrue ? "tsk::may_hold(" + host(condition) + ")"
                                      : "tsk::may_hold(!(" + host(condition) + "))";
      if (!llvm::is_contained(conditions, text))
        conditions.push_back(text);
      isOfGrid |= mentionsGrid(condition);
    }
    for (ExprId operand : operands)
      isOfGrid |= mentionsGrid(operand);
    const std::string condition = llvm::join(conditions, " && ");
    if (!done.insert(condition + check).second)
      return;
    for (ExprId operand : operands)
      define(operand);
    for (const auto &[guard, isTrue] : guards)
      define(guard);
    listOf(isOfGrid).push_back({condition, check});
  }

  std::vector<LauncherStatement> &listOf(bool isOfGrid) {
    return isOfGrid ? found.ofGrid : found.always;
  }

  const KernelContext &context;
  const plan::Plan &plan;
  const ir::ValueTables &tables;
  const KernelNames &names;
  Ranges ranges;
  const plan::Task *task = nullptr;
  std::vector<std::pair<ExprId, bool>> guards;
  std::map<ir::ValueId, bool> computableLets;
  std::map<std::pair<ir::ValueId, Mention>, bool> mentioned; // by `let`
  std::set<ir::ValueId> defined;
  std::set<std::string> done; // tasks often compute the same
  ArithmeticChecks found;
};

} // namespace

ArithmeticChecks arithmeticChecks(const KernelContext &context) { return Checker(context).find(); }

} // namespace tsk::codegen
