#include "compiler/ir/Fold.h"

#include <catch2/catch.hpp>

using namespace tsk::ir;

static ConstantScalar i32(int64_t value) { return ConstantScalar::ofInt(value); }
static ConstantScalar i64(int64_t value) { return ConstantScalar::ofInt(value, ScalarType::I64); }
static ConstantScalar u32(int64_t value) { return ConstantScalar::ofInt(value, ScalarType::U32); }
static ConstantScalar f32(double value) { return ConstantScalar::ofReal(value, ScalarType::F32); }
static ConstantScalar f64(double value) { return ConstantScalar::ofReal(value); }

static int64_t intOf(ExprOp op, ConstantScalar a, ConstantScalar b) {
  Folded folded = fold(op, {a, b});
  REQUIRE(folded);
  return folded.constant.value;
}

TEST_CASE("integers fold as C++ computes them") {
  CHECK(intOf(ExprOp::Add, i32(2), i32(3)) == 5);
  CHECK(intOf(ExprOp::Div, i32(-7), i32(2)) == -3);
  CHECK(intOf(ExprOp::Rem, i32(-7), i32(2)) == -1);
  CHECK(intOf(ExprOp::Xor, i32(6), i32(3)) == 5);
  CHECK(intOf(ExprOp::CeilDiv, i32(7), i32(2)) == 4);
  CHECK(intOf(ExprOp::CeilDiv, i32(8), i32(2)) == 4);
  CHECK(intOf(ExprOp::CeilDiv, i32(0), i32(2)) == 0);
  CHECK(intOf(ExprOp::Min, i32(-1), i32(4)) == -1);
  CHECK(intOf(ExprOp::Max, i32(-1), i32(4)) == 4);
}

TEST_CASE("what C++ leaves undefined is an error") {
  CHECK(fold(ExprOp::Add, {i32(INT32_MAX), i32(1)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Mul, {i64(INT64_MAX), i64(2)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Sub, {i64(INT64_MIN), i64(1)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Negate, {i32(INT32_MIN)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Div, {i32(INT32_MIN), i32(-1)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Rem, {i32(INT32_MIN), i32(-1)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Rem, {i64(INT64_MIN), i64(-1)}).error == FoldError::Overflow);
  CHECK(fold(ExprOp::Rem, {i32(1), i32(0)}).error == FoldError::DivisionByZero);
  CHECK(fold(ExprOp::CeilDiv, {i32(1), i32(0)}).error == FoldError::DivisionByZero);
  CHECK(fold(ExprOp::Div, {f64(1), f64(0)}).error == FoldError::DivisionByZero);
  CHECK(fold(ExprOp::Mul, {f64(1e300), f64(1e300)}).error == FoldError::Overflow);
}

TEST_CASE("the wider type wins, unsigned arithmetic wraps") {
  CHECK(fold(ExprOp::Add, {i32(INT32_MAX), i64(1)}).constant.value == int64_t(INT32_MAX) + 1);
  CHECK(fold(ExprOp::Add, {u32(0xffffffff), i32(1)}).constant.value == 0);
  CHECK(fold(ExprOp::Lt, {i32(-1), u32(1)}).constant.value == 0); // -1 becomes 4294967295
  CHECK(fold(ExprOp::Add, {u32(0xffffffff), i32(1)}).hasWrapped);
  CHECK(fold(ExprOp::Sub, {u32(0), u32(1)}).hasWrapped);
  CHECK(fold(ExprOp::Negate, {u32(1)}).hasWrapped);
  CHECK(fold(ExprOp::Lt, {i32(-1), u32(1)}).hasWrapped);
  CHECK(!fold(ExprOp::Add, {u32(0xfffffffe), i32(1)}).hasWrapped);
  CHECK(!fold(ExprOp::Complement, {u32(0)}).hasWrapped); // bits, not a number
  CHECK(fold(ExprOp::Complement, {u32(0)}).constant.value == 0xffffffff);
  ConstantScalar big = ConstantScalar::ofInt(-1, ScalarType::U64);
  CHECK(fold(ExprOp::Mul, {big, big}).constant.value == 1);
  CHECK(fold(ExprOp::Add, {i32(1), f64(0.5)}).constant.real == 1.5);
  CHECK(commonType(ScalarType::I8, ScalarType::U16) == ScalarType::I32);
  CHECK(commonType(ScalarType::I64, ScalarType::F32) == ScalarType::F32);
  CHECK(!commonType(ScalarType::F16, ScalarType::F16));
}

TEST_CASE("operands become real as C++ converts them") {
  CHECK(ConstantScalar::ofReal(0.1, ScalarType::F32).real == double(0.1f));
  CHECK(fold(ExprOp::Eq, {i32(16777217), f32(16777216)}).constant.value == 1);
  CHECK(fold(ExprOp::Eq, {i32(16777217), f64(16777216)}).constant.value == 0);
  CHECK(fold(ExprOp::Sub, {i32(16777217), f32(16777216)}).constant.real == 0);
  // Rounded to a double first, it would be half way between two floats.
  CHECK(fold(ExprOp::Add, {i64((1ll << 54) + (1 << 30) + 1), f32(0)}).constant.real ==
        double(float((1ll << 54) + (1 << 30) + 1)));
  CHECK(fold(ExprOp::Div, {f32(1), f32(3)}).constant.real == double(1.0f / 3.0f));
  ConstantScalar yes = ConstantScalar::ofBool(true);
  CHECK(fold(ExprOp::Select, {yes, i32(16777217), f32(0)}).constant.real == 16777216);
  CHECK(fold(ExprOp::Select, {yes, i32(-1), u32(0)}).hasWrapped);
}

TEST_CASE("comparisons and conditions are bool") {
  Type integer = Type::ofScalar(ScalarType::I32);
  Type boolean = Type::ofScalar(ScalarType::Bool);
  CHECK(resultType(ExprOp::Lt, {integer, integer}) == boolean);
  CHECK(resultType(ExprOp::Eq, {boolean, boolean}) == boolean);
  CHECK(!resultType(ExprOp::And, {integer, boolean}));
  CHECK(!resultType(ExprOp::Add, {boolean, integer}));
  CHECK(!resultType(ExprOp::Rem, {Type::ofScalar(ScalarType::F64), integer}));
  CHECK(!resultType(ExprOp::Select, {integer, integer, integer}));
  CHECK(resultType(ExprOp::Select, {boolean, Type::ofCpp("X"), Type::ofCpp("X")}) ==
        Type::ofCpp("X"));
}

TEST_CASE("a conversion keeps the value or fails") {
  CHECK(convert(i64(5), ScalarType::I32).constant.value == 5);
  CHECK(convert(i64(1ll << 31), ScalarType::I32).error == FoldError::Overflow);
  CHECK(convert(i32(-1), ScalarType::U8).error == FoldError::Overflow);
  CHECK(convert(f64(2), ScalarType::I32).constant.value == 2);
  CHECK(convert(f64(2.5), ScalarType::I32).error == FoldError::Overflow);
  CHECK(convert(f64(1e30), ScalarType::I64).error == FoldError::Overflow);
  CHECK(convert(f64(0x1p63), ScalarType::U64).constant.value == INT64_MIN);
  CHECK(convert(f64(0x1p64), ScalarType::U64).error == FoldError::Overflow);
  CHECK(convert(i32(16777216), ScalarType::F32).constant.real == 16777216);
  CHECK(convert(i32(16777217), ScalarType::F32).error == FoldError::Overflow);
  CHECK(convert(i64((1ll << 53) + 1), ScalarType::F64).error == FoldError::Overflow);
  CHECK(convert(f64(0.1), ScalarType::F32).constant.real == double(0.1f));
  CHECK(convert(f64(1e39), ScalarType::F32).error == FoldError::Overflow);
  CHECK(convert(f64(1e-50), ScalarType::F32).error == FoldError::Overflow);
  CHECK(!convert(ConstantScalar::ofBool(true), ScalarType::I32));
}

TEST_CASE("a decided condition hides what follows it") {
  ValueTables tables;
  ExprId zero = makeConstant(tables, i32(0), {});
  ExprId one = makeConstant(tables, i32(1), {});
  ExprId no = makeConstant(tables, ConstantScalar::ofBool(false), {});
  ExprId bad =
      makeExpr(tables, ExprOp::Eq, {makeExpr(tables, ExprOp::Div, {one, zero}, {}), one}, {});
  CHECK(foldExpr(tables, bad).error == FoldError::DivisionByZero);
  CHECK(constantValue(tables, makeExpr(tables, ExprOp::And, {no, bad}, {})) == 0);
  CHECK(!constantValue(tables, makeExpr(tables, ExprOp::Or, {no, bad}, {})));
}
