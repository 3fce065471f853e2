#include "compiler/ir/Fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tsk::ir {

// ---- Types ------------------------------------------------------------------------------------

static bool isComputable(ScalarType type) {
  return isInteger(type) || type == ScalarType::F32 || type == ScalarType::F64;
}

std::optional<ScalarType> commonType(ScalarType a, ScalarType b) {
  if (!isComputable(a) || !isComputable(b))
    return std::nullopt;
  for (ScalarType real : {ScalarType::F64, ScalarType::F32})
    if (a == real || b == real)
      return real;
  // Integers narrower than 32 bits become i32; the wider, then the unsigned one wins.
  for (ScalarType integer : {ScalarType::U64, ScalarType::I64, ScalarType::U32})
    if (a == integer || b == integer)
      return integer;
  return ScalarType::I32;
}

static std::optional<Type> commonOf(const Type &a, const Type &b) {
  if (!a.isScalar() || !b.isScalar())
    return std::nullopt;
  if (auto common = commonType(a.scalar, b.scalar))
    return Type::ofScalar(*common);
  return std::nullopt;
}

static bool isBool(const Type &type) { return type.isScalar() && type.scalar == ScalarType::Bool; }
static bool isInt(const Type &type) { return type.isScalar() && isInteger(type.scalar); }

std::optional<Type> resultType(ExprOp op, llvm::ArrayRef<Type> operands) {
  const Type boolean = Type::ofScalar(ScalarType::Bool);
  auto only = [](std::optional<Type> type, bool condition) {
    return condition ? std::move(type) : std::nullopt;
  };
  switch (op) {
  case ExprOp::Not:
    return only(boolean, isBool(operands[0]));
  case ExprOp::Negate:
    return commonOf(operands[0], operands[0]);
  case ExprOp::Complement:
    return only(commonOf(operands[0], operands[0]), isInt(operands[0]));
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
  case ExprOp::Div:
  case ExprOp::Min:
  case ExprOp::Max:
    return commonOf(operands[0], operands[1]);
  case ExprOp::Rem:
  case ExprOp::Xor:
  case ExprOp::CeilDiv:
    return only(commonOf(operands[0], operands[1]), isInt(operands[0]) && isInt(operands[1]));
  case ExprOp::Eq:
  case ExprOp::Ne:
    if (isBool(operands[0]) && isBool(operands[1]))
      return boolean;
    [[fallthrough]];
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return only(boolean, commonOf(operands[0], operands[1]).has_value());
  case ExprOp::And:
  case ExprOp::Or:
    return only(boolean, isBool(operands[0]) && isBool(operands[1]));
  case ExprOp::Select:
    if (!isBool(operands[0]))
      return std::nullopt;
    if (operands[1] == operands[2])
      return operands[1];
    return commonOf(operands[1], operands[2]);
  case ExprOp::First:
  case ExprOp::Last:
    return only(boolean, isInt(operands[0]));
  case ExprOp::Every:
    return only(boolean, isInt(operands[0]) && isInt(operands[1]));
  default:
    return std::nullopt;
  }
}

// ---- Values -----------------------------------------------------------------------------------

static Folded failed(FoldError error) { return {{}, error}; }

// Whether `wide` is a value of the integer type.
static bool fits(__int128 wide, ScalarType type) {
  unsigned bits = bitWidth(type);
  if (scalarClass(type) == ScalarClass::Int)
    return wide >= -(__int128(1) << (bits - 1)) && wide < (__int128(1) << (bits - 1));
  return wide >= 0 && wide < (__int128(1) << bits);
}

// An integer as a mathematical value, and back; unsigned arithmetic wraps as in C++.
static __int128 widen(ConstantScalar constant) {
  if (constant.type == ScalarType::U64)
    return static_cast<uint64_t>(constant.value);
  return constant.value;
}
static Folded narrow(__int128 wide, ScalarType type) {
  bool hasWrapped = false;
  if (scalarClass(type) == ScalarClass::UInt) {
    hasWrapped = !fits(wide, type);
    unsigned __int128 mask = (static_cast<unsigned __int128>(1) << bitWidth(type)) - 1;
    wide = static_cast<__int128>(static_cast<unsigned __int128>(wide) & mask);
  }
  if (!fits(wide, type))
    return failed(FoldError::Overflow);
  return {ConstantScalar::ofInt(static_cast<int64_t>(wide), type), FoldError::None, hasWrapped};
}

// As C++ converts to a real type: to the nearest value, in one step.
static double toReal(ConstantScalar constant, ScalarType type) {
  if (type != ScalarType::F32)
    return constant.isReal() ? constant.real : static_cast<double>(widen(constant));
  return constant.isReal() ? static_cast<float>(constant.real)
                           : static_cast<float>(widen(constant));
}
static Folded ofReal(double real, ScalarType type) {
  if (type == ScalarType::F32)
    real = static_cast<float>(real);
  if (!std::isfinite(real))
    return failed(FoldError::Overflow);
  return {ConstantScalar::ofReal(real, type)};
}

Folded promote(ConstantScalar constant, ScalarType type) {
  return isInteger(type) ? narrow(widen(constant), type) : ofReal(toReal(constant, type), type);
}

Folded convert(ConstantScalar constant, ScalarType type) {
  if (type == constant.type)
    return {constant};
  if (type == ScalarType::Bool || constant.type == ScalarType::Bool)
    return failed(FoldError::NotConstant);
  if (!isInteger(type)) {
    double real = toReal(constant, type);
    bool isLost = constant.isReal() ? real == 0 && constant.real != 0
                                    : static_cast<__int128>(real) != widen(constant);
    return isLost ? failed(FoldError::Overflow) : ofReal(real, type);
  }
  if (!constant.isReal())
    return fits(widen(constant), type) ? narrow(widen(constant), type)
                                       : failed(FoldError::Overflow);
  if (std::trunc(constant.real) != constant.real || std::abs(constant.real) >= 0x1p64 ||
      !fits(static_cast<__int128>(constant.real), type))
    return failed(FoldError::Overflow);
  return narrow(static_cast<__int128>(constant.real), type);
}

static Folded foldReal(ExprOp op, double a, double b, ScalarType type) {
  switch (op) {
  case ExprOp::Add:
    return ofReal(a + b, type);
  case ExprOp::Sub:
    return ofReal(a - b, type);
  case ExprOp::Mul:
    return ofReal(a * b, type);
  case ExprOp::Div:
    return b == 0 ? failed(FoldError::DivisionByZero) : ofReal(a / b, type);
  case ExprOp::Min:
    return ofReal(std::min(a, b), type);
  case ExprOp::Max:
    return ofReal(std::max(a, b), type);
  default:
    TSK_UNREACHABLE("not an operation on reals");
  }
}

static Folded computeInt(ExprOp op, __int128 a, __int128 b, ScalarType type) {
  bool divides = op == ExprOp::Div || op == ExprOp::Rem || op == ExprOp::CeilDiv;
  if (divides && b == 0)
    return failed(FoldError::DivisionByZero);
  switch (op) {
  case ExprOp::Add:
    return narrow(a + b, type);
  case ExprOp::Sub:
    return narrow(a - b, type);
  case ExprOp::Mul: // two u64 need all 128 bits
    if (scalarClass(type) == ScalarClass::UInt)
      return narrow(static_cast<__int128>(static_cast<unsigned __int128>(a) *
                                          static_cast<unsigned __int128>(b)),
                    type);
    return narrow(a * b, type);
  case ExprOp::Div:
    return narrow(a / b, type);
  case ExprOp::Rem: // C++ defines it where it defines the quotient
    return narrow(a / b, type) ? narrow(a % b, type) : failed(FoldError::Overflow);
  case ExprOp::Xor:
    return narrow(a ^ b, type);
  case ExprOp::CeilDiv: // (a + b - 1) / b as the runtime computes it for a, b > 0; exact otherwise
    return narrow(a / b + ((a % b != 0 && (a % b > 0) == (b > 0)) ? 1 : 0), type);
  case ExprOp::Min:
    return narrow(std::min(a, b), type);
  case ExprOp::Max:
    return narrow(std::max(a, b), type);
  default:
    TSK_UNREACHABLE("not an operation on integers");
  }
}

// Both operands as C++ converts them first: -1 compared with an unsigned is a large number.
struct IntOperands {
  __int128 a, b;
  bool hasWrapped;
};
static IntOperands toCommon(ConstantScalar left, ConstantScalar right, ScalarType type) {
  Folded a = narrow(widen(left), type);
  Folded b = narrow(widen(right), type);
  return {widen(a.constant), widen(b.constant), a.hasWrapped || b.hasWrapped};
}

static Folded foldInt(ExprOp op, ConstantScalar left, ConstantScalar right, ScalarType type) {
  IntOperands operands = toCommon(left, right, type);
  Folded result = computeInt(op, operands.a, operands.b, type);
  result.hasWrapped |= operands.hasWrapped;
  return result;
}

template <typename T> static bool compare(ExprOp op, T a, T b) {
  switch (op) {
  case ExprOp::Eq:
    return a == b;
  case ExprOp::Ne:
    return a != b;
  case ExprOp::Lt:
    return a < b;
  case ExprOp::Le:
    return a <= b;
  case ExprOp::Gt:
    return a > b;
  case ExprOp::Ge:
    return a >= b;
  default:
    TSK_UNREACHABLE("not a comparison");
  }
}

static Folded foldComparison(ExprOp op, ConstantScalar left, ConstantScalar right) {
  if (left.type == ScalarType::Bool)
    return {ConstantScalar::ofBool(compare(op, left.value, right.value))};
  ScalarType type = *commonType(left.type, right.type);
  if (!isInteger(type))
    return {ConstantScalar::ofBool(compare(op, toReal(left, type), toReal(right, type)))};
  IntOperands operands = toCommon(left, right, type);
  return {ConstantScalar::ofBool(compare(op, operands.a, operands.b)), FoldError::None,
          operands.hasWrapped};
}

static Folded foldUnary(ExprOp op, ConstantScalar operand) {
  if (op == ExprOp::Not)
    return {ConstantScalar::ofBool(operand.value == 0)};
  ScalarType type = *commonType(operand.type, operand.type);
  if (op == ExprOp::Complement) // of bits: nothing wraps
    return {narrow(~widen(operand), type).constant};
  return isInteger(type) ? narrow(-widen(operand), type) : ofReal(-operand.real, type);
}

Folded fold(ExprOp op, llvm::ArrayRef<ConstantScalar> operands) {
  switch (op) {
  case ExprOp::Negate:
  case ExprOp::Not:
  case ExprOp::Complement:
    return foldUnary(op, operands[0]);
  case ExprOp::And:
    return {ConstantScalar::ofBool(operands[0].value && operands[1].value)};
  case ExprOp::Or:
    return {ConstantScalar::ofBool(operands[0].value || operands[1].value)};
  case ExprOp::Select: {
    ConstantScalar chosen = operands[0].value ? operands[1] : operands[2];
    if (operands[1].type == operands[2].type)
      return {chosen};
    return promote(chosen, *commonType(operands[1].type, operands[2].type));
  }
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return foldComparison(op, operands[0], operands[1]);
  case ExprOp::First:
  case ExprOp::Last:
  case ExprOp::Every:
  case ExprOp::Call:
    return failed(FoldError::NotConstant);
  default: {
    ScalarType type = *commonType(operands[0].type, operands[1].type);
    if (isInteger(type))
      return foldInt(op, operands[0], operands[1], type);
    return foldReal(op, toReal(operands[0], type), toReal(operands[1], type), type);
  }
  }
}

bool decides(ExprOp op, llvm::ArrayRef<ConstantScalar> operands) {
  return operands.size() == 1 && ((op == ExprOp::And && operands[0].value == 0) ||
                                  (op == ExprOp::Or && operands[0].value != 0));
}

Folded foldExpr(const ValueTables &tables, ExprId id) {
  const Expr &expr = tables.exprs[id];
  switch (expr.op) {
  case ExprOp::IntConst:
  case ExprOp::FloatConst:
  case ExprOp::BoolConst:
    return {{expr.type.scalar, expr.value, expr.real}};
  case ExprOp::Scalar:
  case ExprOp::Value:
  case ExprOp::Builtin:
  case ExprOp::Call:
    return failed(FoldError::NotConstant);
  default:
    break;
  }
  llvm::SmallVector<ConstantScalar, 3> operands;
  for (ExprId operand : expr.operands) {
    Folded folded = foldExpr(tables, operand);
    if (!folded)
      return folded;
    operands.push_back(folded.constant);
    if (decides(expr.op, operands))
      return folded;
  }
  return fold(expr.op, operands);
}

// ---- Building ---------------------------------------------------------------------------------

static uint16_t depthOver(const ValueTables &tables, llvm::ArrayRef<ExprId> operands) {
  unsigned depth = 0;
  for (ExprId operand : operands)
    depth = std::max<unsigned>(depth, tables.exprs[operand].depth);
  return static_cast<uint16_t>(std::min(depth, MaxExprDepth) + 1);
}

ExprId makeExpr(ValueTables &tables, ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange loc) {
  llvm::SmallVector<Type, 3> types;
  Uniformity uniformity = Uniformity::Const;
  for (ExprId operand : operands) {
    types.push_back(tables.exprs[operand].type);
    uniformity = join(uniformity, tables.exprs[operand].uniformity);
  }
  std::optional<Type> type = resultType(op, types);
  if (!type)
    return {};
  Expr expr;
  expr.op = op;
  expr.type = *type;
  expr.uniformity = uniformity;
  expr.operands.assign(operands.begin(), operands.end());
  expr.depth = depthOver(tables, operands);
  expr.loc = loc;
  return tables.exprs.add(std::move(expr));
}

ExprId makeConstant(ValueTables &tables, ConstantScalar constant, SourceRange loc) {
  Expr expr;
  expr.op = constant.isReal()                   ? ExprOp::FloatConst
            : constant.type == ScalarType::Bool ? ExprOp::BoolConst
                                                : ExprOp::IntConst;
  expr.type = Type::ofScalar(constant.type);
  expr.value = constant.value;
  expr.real = constant.real;
  expr.loc = loc;
  return tables.exprs.add(std::move(expr));
}

// What a pure function reads besides its arguments is the same for the whole kernel: `in` tensors,
// scalars. So its result is as uniform as the arguments are. Another's is each thread's own.
ExprId makeCall(ValueTables &tables, FunctionId function, llvm::ArrayRef<ExprId> arguments,
                SourceRange loc) {
  Expr expr;
  expr.op = ExprOp::Call;
  expr.functionRef = function;
  expr.type = tables.functions[function].result;
  bool isPure = tables.functions[function].changesBy.empty();
  expr.uniformity = isPure ? Uniformity::Kernel : Uniformity::Thread;
  for (ExprId argument : arguments)
    expr.uniformity = join(expr.uniformity, tables.exprs[argument].uniformity);
  expr.operands.assign(arguments.begin(), arguments.end());
  expr.depth = depthOver(tables, arguments);
  expr.loc = loc;
  return tables.exprs.add(std::move(expr));
}

ExprId makeValueRef(ValueTables &tables, ValueId value, SourceRange loc) {
  Expr expr;
  expr.op = ExprOp::Value;
  expr.type = tables.values[value].type;
  expr.uniformity = tables.values[value].uniformity;
  expr.valueRef = value;
  expr.loc = loc;
  return tables.exprs.add(std::move(expr));
}

ExprId makeBuiltin(ValueTables &tables, Builtin builtin, SourceRange loc) {
  Expr expr;
  expr.op = ExprOp::Builtin;
  expr.type = Type::ofScalar(ScalarType::I32);
  expr.uniformity = uniformityOf(builtin);
  expr.builtin = builtin;
  expr.loc = loc;
  return tables.exprs.add(std::move(expr));
}

} // namespace tsk::ir
