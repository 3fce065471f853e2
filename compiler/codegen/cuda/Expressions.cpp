#include "compiler/codegen/cuda/Expressions.h"

#include "compiler/ir/Fold.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tsk::codegen {

using ir::ExprId;
using ir::ExprOp;

static std::string realLiteral(double real) {
  if (!std::isfinite(real))
    return real > 0 ? "(1.0 / 0.0)" : real < 0 ? "(-1.0 / 0.0)" : "(0.0 / 0.0)";
  const std::string text = fmt::format("{}", real);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string literal(ir::ScalarType type, int64_t value, double real) {
  switch (type) {
  case ir::ScalarType::Bool:
    return value ? "true" : "false";
  case ir::ScalarType::I32:
    return value == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value);
  case ir::ScalarType::U32:
    return std::to_string(value) + "u";
  case ir::ScalarType::I64:
    return value == INT64_MIN ? "(-9223372036854775807L - 1)" : fmt::format("{}L", value);
  case ir::ScalarType::U64:
    return fmt::format("{}uL", static_cast<uint64_t>(value));
  case ir::ScalarType::F32:
    return realLiteral(real) + (std::isfinite(real) ? "f" : "");
  default:
    return ir::isInteger(type) ? fmt::format("{}({})", cppType(type), value) : realLiteral(real);
  }
}

namespace {

// C++'s own; `^` binds looser there than in the language. Leaves and calls are primary.
enum Precedence {
  Lowest,
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitXor,
  Equality,
  Relation,
  Sum,
  Product,
  Prefix,
  Primary
};

Precedence precedenceOf(ExprOp op) {
  switch (op) {
  case ExprOp::Select:
    return Conditional;
  case ExprOp::Or:
    return LogicalOr;
  case ExprOp::And:
    return LogicalAnd;
  case ExprOp::Xor:
    return BitXor;
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::First: // written as comparisons
  case ExprOp::Last:
  case ExprOp::Every:
    return Equality;
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return Relation;
  case ExprOp::Add:
  case ExprOp::Sub:
    return Sum;
  case ExprOp::Mul:
  case ExprOp::Div:
  case ExprOp::Rem:
    return Product;
  case ExprOp::Negate:
  case ExprOp::Not:
  case ExprOp::Complement:
    return Prefix;
  default:
    return Primary;
  }
}

class Printer {
public:
  Printer(const KernelContext &c, const ir::ValueTables &t) : context(c), tables(t) {}
  virtual ~Printer() = default;

  std::string print(ExprId id, Precedence outer = Lowest) const {
    const ir::Expr &expr = tables.exprs[id];
    if (expr.constantRef && namesConstants)
      return context.names.constants[expr.constantRef.index];
    const std::string text = bare(expr);
    const bool isNegative = (text[0] == '-' && outer >= Prefix);
    return isNegative || precedenceOf(expr.op) < outer ? "(" + text + ")" : text;
  }

protected:
  virtual std::string scalar(ir::ScalarId id) const = 0;
  virtual std::string value(ir::ValueId id) const = 0;
  virtual std::string builtin(ir::Builtin which) const = 0;
  virtual std::string select(const ir::Expr &expr) const = 0;
  virtual std::string call(const ir::Expr &expr) const = 0;
  virtual std::string operand(const ir::Expr &expr, size_t i, Precedence outer) const {
    return print(expr.operands[i], outer);
  }

  // The unsigned type in which the operands meet, if it is one and the result depends on it: sums
  // and products are the same in all types that they fit.
  std::optional<ir::ScalarType> unsignedTypeOf(const ir::Expr &expr) const {
    if (expr.op == ExprOp::Add || expr.op == ExprOp::Sub || expr.op == ExprOp::Mul)
      return std::nullopt;
    std::optional<ir::ScalarType> common;
    for (ExprId id : expr.op == ExprOp::Select ? llvm::ArrayRef(expr.operands).drop_front()
                                               : llvm::ArrayRef(expr.operands)) {
      const ir::Type &type = tables.exprs[id].type;
      if (!type.isScalar() || !ir::isInteger(type.scalar))
        return std::nullopt;
      common = common ? ir::commonType(*common, type.scalar) : type.scalar;
    }
    const bool isUnsigned = common && ir::scalarClass(*common) == ir::ScalarClass::UInt;
    return isUnsigned ? common : std::nullopt;
  }

  const KernelContext &context;
  const ir::ValueTables &tables;
  bool namesConstants = true;

private:
  std::string bare(const ir::Expr &expr) const {
    switch (expr.op) {
    case ExprOp::IntConst:
    case ExprOp::FloatConst:
    case ExprOp::BoolConst:
      return literal(expr.type.scalar, expr.value, expr.real);
    case ExprOp::Scalar:
      return scalar(expr.scalarRef);
    case ExprOp::Value:
      return value(expr.valueRef);
    case ExprOp::Builtin:
      return builtin(expr.builtin);
    case ExprOp::Select:
      return select(expr);
    case ExprOp::CeilDiv:
    case ExprOp::Min:
    case ExprOp::Max:
      return fmt::format("tsk::{}({}, {})", ir::spelling(expr.op), operand(expr, 0, Lowest),
                         operand(expr, 1, Lowest));
    case ExprOp::First:
    case ExprOp::Last:
    case ExprOp::Every:
      return ordinal(expr);
    case ExprOp::Call:
      return call(expr);
    default:
      return infix(expr);
    }
  }

  std::string infix(const ir::Expr &expr) const {
    const Precedence own = precedenceOf(expr.op);
    const std::string op = ir::spelling(expr.op).str();
    if (own == Prefix)
      return op + print(expr.operands[0], Primary);
    // Where the rule is easily misread, compilers want parentheses.
    const bool isMisread = own == LogicalOr || own == BitXor || own == Equality;
    const Precedence least = own == Equality ? Sum : Equality;
    const Precedence left = isMisread ? least : own;
    const Precedence right = isMisread ? least : static_cast<Precedence>(own + 1);
    return operand(expr, 0, own == BitXor ? Prefix : left) + " " + op + " " +
           operand(expr, 1, own == BitXor ? Prefix : right);
  }

  // Conditions on which iteration of a loop it is: the operand is the loop's variable.
  std::string ordinal(const ir::Expr &expr) const {
    const ir::ValueId variable = tables.exprs[expr.operands[0]].valueRef;
    const auto found = context.uses.loops.find(variable);
    TSK_CHECK(found != context.uses.loops.end(), "an ordinal outside of its loop");
    const ir::Loop &loop = found->second;
    const std::string i = context.names.values[variable.index];
    // The bounds that the loop started with, which it keeps where they may have changed.
    const LoopNames &kept = context.names.loops[variable.index];
    const auto bound = [&](const std::string &name, ExprId id, Precedence outer) {
      return name.empty() ? print(id, outer) : name;
    };
    const std::string &lower = loop.isReversed ? kept.end : kept.begin;
    const std::string &upper = loop.isReversed ? kept.begin : kept.end;
    const std::string isLowest = i + " == " + bound(lower, loop.lower, Relation);
    const std::string isHighest = fmt::format("{} + {} >= {}", i, bound(kept.step, loop.step, Sum),
                                              bound(upper, loop.upper, Relation));
    if (expr.op == ExprOp::First)
      return loop.isReversed ? isHighest : isLowest;
    if (expr.op == ExprOp::Last)
      return loop.isReversed ? isLowest : isHighest;
    const std::string passed = loop.isReversed
                                   ? fmt::format("({} - 1 - {})", bound(upper, loop.upper, Sum), i)
                                   : fmt::format("({} - {})", i, bound(lower, loop.lower, Product));
    return fmt::format("{} / {} % {} == 0", passed, bound(kept.step, loop.step, Prefix),
                       print(expr.operands[1], Prefix));
  }
};

class DevicePrinter : public Printer {
public:
  explicit DevicePrinter(const KernelContext &c) : Printer(c, c.plan.tables) {}

private:
  std::string scalar(ir::ScalarId id) const override { return context.names.scalars[id.index]; }
  std::string value(ir::ValueId id) const override { return context.names.values[id.index]; }

  std::string builtin(ir::Builtin which) const override {
    switch (which) {
    case ir::Builtin::BlockX:
      return "tsk::block_x()";
    case ir::Builtin::BlockY:
      return "tsk::block_y()";
    case ir::Builtin::BlockZ:
      return "tsk::block_z()";
    case ir::Builtin::GridX:
      return "tsk::grid_x()";
    case ir::Builtin::GridY:
      return "tsk::grid_y()";
    case ir::Builtin::GridZ:
      return "tsk::grid_z()";
    case ir::Builtin::ClusterX:
      return "tsk::cta_rank_x()";
    case ir::Builtin::ClusterY:
      return "tsk::cta_rank_y()";
    case ir::Builtin::ClusterZ:
      return "tsk::cta_rank_z()";
    case ir::Builtin::ClusterRank:
      return "tsk::cta_rank()";
    case ir::Builtin::ClusterIndex:
      return "tsk::cluster_index()";
    case ir::Builtin::ClusterCount:
      return "tsk::cluster_count()";
    case ir::Builtin::Instance:
      break;
    }
    TSK_UNREACHABLE("a built-in value that no task of one instance has");
  }

  // A conversion that C++ makes by itself and compilers warn of.
  std::string operand(const ir::Expr &expr, size_t i, Precedence outer) const override {
    const ir::Expr &given = tables.exprs[expr.operands[i]];
    const std::optional<ir::ScalarType> type = unsignedTypeOf(expr);
    if (!type || given.op == ExprOp::IntConst ||
        ir::scalarClass(given.type.scalar) == ir::ScalarClass::UInt)
      return print(expr.operands[i], outer);
    return cppType(*type) + "(" + print(expr.operands[i]) + ")";
  }

  // As Works.cpp declares it.
  std::string call(const ir::Expr &expr) const override {
    const ir::Function &function = context.kernel.functions[expr.functionRef];
    std::vector<std::string> list;
    for (ir::ParamId param : function.usedParams)
      list.push_back(context.names.views[param.index]);
    for (ir::ScalarId scalar : function.usedScalars)
      list.push_back(context.names.scalars[scalar.index]);
    for (ExprId operand : expr.operands)
      list.push_back(print(operand));
    return context.names.userFunctions[expr.functionRef.index] + "(" + llvm::join(list, ", ") + ")";
  }

  std::string select(const ir::Expr &expr) const override {
    return print(expr.operands[0], LogicalOr) + " ? " + print(expr.operands[1], Lowest) + " : " +
           print(expr.operands[2], Conditional);
  }
};

class HostPrinter : public Printer {
public:
  HostPrinter(const KernelContext &c, const ir::ValueTables &t, bool named = true) : Printer(c, t) {
    namesConstants = named;
  }

private:
  std::string scalar(ir::ScalarId id) const override {
    const ir::Scalar &item = context.kernel.scalars[id];
    const std::string name = context.names.launcherScalars[id.index];
    return ir::isInteger(item.type) ? name : context.names.args + "." + cppName(item.name);
  }

  std::string value(ir::ValueId id) const override { return context.names.launcherLets[id.index]; }

  std::string builtin(ir::Builtin which) const override {
    switch (which) {
    case ir::Builtin::BlockX:
      return context.names.launch + ".block_x()";
    case ir::Builtin::BlockY:
      return context.names.launch + ".block_y()";
    case ir::Builtin::BlockZ:
      return context.names.launch + ".block_z()";
    case ir::Builtin::GridX:
      return gridExtent('x');
    case ir::Builtin::GridY:
      return gridExtent('y');
    case ir::Builtin::GridZ:
      return gridExtent('z');
    case ir::Builtin::ClusterX:
      return context.names.launch + ".cta_rank_x()";
    case ir::Builtin::ClusterY:
      return context.names.launch + ".cta_rank_y()";
    case ir::Builtin::ClusterZ:
      return context.names.launch + ".cta_rank_z()";
    case ir::Builtin::ClusterRank:
      return context.names.launch + ".cta_rank()";
    case ir::Builtin::ClusterIndex:
      return context.names.launch + ".cluster_index()";
    case ir::Builtin::ClusterCount:
      return context.names.launch + ".cluster_count()";
    default:
      TSK_UNREACHABLE("a value that only the kernel knows");
    }
  }

  // In 64 bits, as everything here: the configuration's own are 32.
  std::string gridExtent(char axis) const {
    return fmt::format("tsk::integer({}.grid_{})", context.names.launch, axis);
  }

  std::string call(const ir::Expr &) const override {
    TSK_UNREACHABLE("a function that only the kernel can call");
  }

  std::string select(const ir::Expr &expr) const override {
    return fmt::format("tsk::{}({}, {}, {})", isReal(expr.type) ? "select_real" : "select",
                       print(expr.operands[0]), operand(expr, 1, Lowest), operand(expr, 2, Lowest));
  }

  // A tsk::integer meets numbers of other types as C++'s own integers would.
  std::string operand(const ir::Expr &expr, size_t i, Precedence outer) const override {
    const ir::Expr &given = tables.exprs[expr.operands[i]];
    if (const std::optional<ir::ScalarType> type = unsignedTypeOf(expr); type && mayChange(given))
      return fmt::format("tsk::as<{}>({})", cppType(*type), print(expr.operands[i]));
    const std::optional<ir::ScalarType> real = realTypeOf(expr);
    if (!real || given.op == ExprOp::IntConst || isReal(given.type))
      return print(expr.operands[i], outer);
    return cppType(*real) + "(" + print(expr.operands[i]) + ")";
  }

  // Whether it can be a number that an unsigned type does not have: negative, or a result that has
  // left its type.
  bool mayChange(const ir::Expr &given) const {
    switch (given.op) {
    case ExprOp::IntConst:
      return given.value < 0 && given.type.scalar != ir::ScalarType::U64;
    case ExprOp::Scalar: {
      const ir::Scalar &scalar = context.kernel.scalars[given.scalarRef];
      return !scalar.isDimension && ir::scalarClass(scalar.type) == ir::ScalarClass::Int;
    }
    case ExprOp::Builtin:
      return false;
    case ExprOp::Value:
      return ir::scalarClass(given.type.scalar) == ir::ScalarClass::Int;
    default:
      return true;
    }
  }

  // The floating-point type in which the operands meet, if it is one.
  std::optional<ir::ScalarType> realTypeOf(const ir::Expr &expr) const {
    std::optional<ir::ScalarType> widest;
    for (ExprId id : expr.operands)
      if (const ir::Type &type = tables.exprs[id].type; isReal(type))
        widest = widest ? ir::commonType(*widest, type.scalar) : type.scalar;
    return widest;
  }

  static bool isReal(const ir::Type &type) {
    return type.isScalar() && ir::scalarClass(type.scalar) == ir::ScalarClass::Float;
  }
};

} // namespace

std::string deviceExpr(const KernelContext &context, ExprId id) {
  return DevicePrinter(context).print(id);
}

std::string deviceFactor(const KernelContext &context, ExprId id) {
  return DevicePrinter(context).print(id, Prefix);
}

std::string hostExpr(const KernelContext &context, const ir::ValueTables &tables, ExprId id) {
  return HostPrinter(context, tables).print(id);
}

std::string hostCondition(const KernelContext &context, const KernelContext &instance) {
  const HostPrinter printer(context, instance.kernel.tables, false);
  return printer.print(instance.kernel.instanceCondition);
}

bool isKept(const ir::ValueTables &tables, ExprId id) {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op == ExprOp::Value)
    return tables.values[expr.valueRef].kind == ir::Value::Kind::Var;
  if (expr.op == ExprOp::Call)
    return true;
  return llvm::any_of(expr.operands, [&](ExprId operand) { return isKept(tables, operand); });
}

std::string hostFactor(const KernelContext &context, const ir::ValueTables &tables, ExprId id) {
  return HostPrinter(context, tables).print(id, Prefix);
}

} // namespace tsk::codegen
