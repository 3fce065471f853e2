// Types and values of expressions: C++'s rules on the language's scalars, with what C++ leaves
// undefined (signed overflow, division by zero) reported instead. Shared by sema, which folds what
// it can while it resolves, and by everything that asks for a constant later.
#pragma once

#include "compiler/ir/Expr.h"

namespace tsk::ir {

// The type of `op` on operands of these types; nothing if they do not go together. Conditions are
// bool; there is no arithmetic on bool, on types narrower than f32 or on C++ types.
std::optional<Type> resultType(ExprOp op, llvm::ArrayRef<Type> operands);

// The type in which C++ computes with both: f64, f32, u64, i64, u32, i32.
std::optional<ScalarType> commonType(ScalarType a, ScalarType b);

// A constant of a scalar type. `value` holds integers (u64 by its bits) and bool, `real` the rest.
struct ConstantScalar {
  ScalarType type = ScalarType::I32;
  int64_t value = 0;
  double real = 0;

  static ConstantScalar ofInt(int64_t value, ScalarType type = ScalarType::I32) {
    return {type, value, 0};
  }
  static ConstantScalar ofReal(double real, ScalarType type = ScalarType::F64) {
    return {type, 0, type == ScalarType::F32 ? static_cast<float>(real) : real};
  }
  static ConstantScalar ofBool(bool value) { return {ScalarType::Bool, value, 0}; }
  bool isReal() const { return scalarClass(type) == ScalarClass::Float; }
};

enum class FoldError : uint8_t { None, NotConstant, Overflow, DivisionByZero };

struct Folded {
  ConstantScalar constant;
  FoldError error = FoldError::None;
  // Unsigned arithmetic that wrapped, or a negative operand that became unsigned: what C++ computes
  // and hardly what somebody who writes a constant means.
  bool hasWrapped = false;
  explicit operator bool() const { return error == FoldError::None; }
};

// `op` on constants whose types resultType() accepts. First, Last and Every are never constant.
Folded fold(ExprOp op, llvm::ArrayRef<ConstantScalar> operands);

// Whether the operands so far settle `op` alone: `false && …`, `true || …`.
bool decides(ExprOp op, llvm::ArrayRef<ConstantScalar> operands);

// An operand in the common type of an operation, as C++ converts it.
Folded promote(ConstantScalar constant, ScalarType type);

// The same value in another scalar type: Overflow when an integer does not fit, a fraction would be
// lost or an integer is none of the real type's. Real types round each other's values.
Folded convert(ConstantScalar constant, ScalarType type);

// The value of a whole expression. NotConstant when a leaf, or what a function of the user's
// returns, is only known at run time.
Folded foldExpr(const ValueTables &tables, ExprId id);

// Adds `op` on `operands` with its type and uniformity; an invalid id if the types do not fit.
ExprId makeExpr(ValueTables &tables, ExprOp op, llvm::ArrayRef<ExprId> operands, SourceRange loc);
ExprId makeConstant(ValueTables &tables, ConstantScalar constant, SourceRange loc);
// A call with as many arguments as the function has parameters.
ExprId makeCall(ValueTables &tables, FunctionId function, llvm::ArrayRef<ExprId> arguments,
                SourceRange loc);
ExprId makeValueRef(ValueTables &tables, ValueId value, SourceRange loc);
ExprId makeBuiltin(ValueTables &tables, Builtin builtin, SourceRange loc);

} // namespace tsk::ir
