#include "test/verify/ExprOracle.h"

#include "runtime/include/tsk/math.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

namespace tsk::oracle {

using ir::ExprOp;
using ir::ScalarType;

namespace {

using Result = std::optional<Value>;

template <typename T> constexpr bool IsSigned = std::is_integral_v<T> && std::is_signed_v<T>;

// A narrow result is wider in C++ by itself; what is left are the types that it computes in.
template <typename T> Result result(T value) { return Value(value); }

template <typename T> Result add(T a, T b) {
  T sum{};
  if constexpr (IsSigned<T>)
    return __builtin_add_overflow(a, b, &sum) ? Result() : result(sum);
  return result<T>(a + b);
}
template <typename T> Result subtract(T a, T b) {
  T difference{};
  if constexpr (IsSigned<T>)
    return __builtin_sub_overflow(a, b, &difference) ? Result() : result(difference);
  return result<T>(a - b);
}
template <typename T> Result multiply(T a, T b) {
  T product{};
  if constexpr (IsSigned<T>)
    return __builtin_mul_overflow(a, b, &product) ? Result() : result(product);
  return result<T>(a * b);
}
template <typename T> bool divides(T a, T b) {
  if constexpr (IsSigned<T>)
    if (a == std::numeric_limits<T>::min() && b == -1)
      return false;
  return b != 0;
}

template <typename T> Result integerOperation(ExprOp op, T a, T b) {
  switch (op) {
  case ExprOp::Rem:
    return divides(a, b) ? result<T>(a % b) : Result();
  case ExprOp::Xor:
    return result<T>(a ^ b);
  case ExprOp::CeilDiv:
    return divides(a, b) ? result<T>(tsk::ceil_div(a, b)) : Result();
  default:
    return std::nullopt;
  }
}

template <typename T> Result arithmetic(ExprOp op, T a, T b) {
  switch (op) {
  case ExprOp::Add:
    return add(a, b);
  case ExprOp::Sub:
    return subtract(a, b);
  case ExprOp::Mul:
    return multiply(a, b);
  case ExprOp::Div:
    if constexpr (std::is_integral_v<T>)
      if (!divides(a, b))
        return std::nullopt;
    return result<T>(a / b);
  case ExprOp::Min:
    return result<T>(tsk::min(a, b));
  case ExprOp::Max:
    return result<T>(tsk::max(a, b));
  case ExprOp::Eq:
    return Value(a == b);
  case ExprOp::Ne:
    return Value(a != b);
  case ExprOp::Lt:
    return Value(a < b);
  case ExprOp::Le:
    return Value(a <= b);
  case ExprOp::Gt:
    return Value(a > b);
  case ExprOp::Ge:
    return Value(a >= b);
  default:
    if constexpr (std::is_integral_v<T>)
      return integerOperation(op, a, b);
    return std::nullopt;
  }
}

Result binary(ExprOp op, const Value &left, const Value &right) {
  return std::visit(
      [&](auto a, auto b) -> Result {
        using A = decltype(a);
        using B = decltype(b);
        if constexpr (std::is_same_v<A, bool> && std::is_same_v<B, bool>) {
          return Value(op == ExprOp::Eq ? a == b : a != b);
        } else if constexpr (std::is_same_v<A, bool> || std::is_same_v<B, bool>) {
          return std::nullopt;
        } else {
          using T = decltype(a + b); // C++ says which
          if constexpr (std::is_same_v<T, long long>)
            return arithmetic<int64_t>(op, a, b);
          else
            return arithmetic<T>(op, static_cast<T>(a), static_cast<T>(b));
        }
      },
      left, right);
}

Result unary(ExprOp op, const Value &operand) {
  return std::visit(
      [&](auto a) -> Result {
        using A = decltype(a);
        if constexpr (std::is_same_v<A, bool>) {
          return Value(!a);
        } else if constexpr (std::is_floating_point_v<A>) {
          return Value(-a);
        } else {
          using T = decltype(+a);
          if (op == ExprOp::Complement)
            return Value(static_cast<T>(~a));
          T zero = 0;
          return IsSigned<T> ? subtract<T>(zero, a) : Value(static_cast<T>(-a));
        }
      },
      operand);
}

// The type of `c ? a : b`.
Value inTypeOfBoth(const Value &chosen, const Value &other) {
  return std::visit(
      [&](auto a, auto b) -> Value {
        using A = decltype(a);
        using B = decltype(b);
        if constexpr (std::is_same_v<A, B>)
          return a;
        else
          return static_cast<decltype(true ? a : b)>(a);
      },
      chosen, other);
}

// As what a scalar of that type is.
template <typename F> auto withType(ScalarType type, F use) {
  switch (type) {
  case ScalarType::Bool:
    return use(bool());
  case ScalarType::I8:
    return use(int8_t());
  case ScalarType::I16:
    return use(int16_t());
  case ScalarType::I64:
    return use(int64_t());
  case ScalarType::U8:
    return use(uint8_t());
  case ScalarType::U16:
    return use(uint16_t());
  case ScalarType::U32:
    return use(uint32_t());
  case ScalarType::U64:
    return use(uint64_t());
  case ScalarType::F32:
    return use(float());
  case ScalarType::F64:
    return use(double());
  default:
    return use(int32_t());
  }
}

} // namespace

std::optional<Value> compute(const plan::Plan &plan, ir::ExprId id, const Scalars &scalars) {
  const ir::Expr &expr = plan.tables.exprs[id];
  auto operand = [&](size_t i) { return compute(plan, expr.operands[i], scalars); };
  switch (expr.op) {
  case ExprOp::IntConst:
  case ExprOp::BoolConst:
    return withType(expr.type.scalar,
                    [&](auto zero) { return Value(static_cast<decltype(zero)>(expr.value)); });
  case ExprOp::FloatConst:
    return withType(expr.type.scalar,
                    [&](auto zero) { return Value(static_cast<decltype(zero)>(expr.real)); });
  case ExprOp::Scalar:
    return scalars[expr.scalarRef.index];
  case ExprOp::And:
  case ExprOp::Or: {
    Result left = operand(0);
    bool stops = left && std::get<bool>(*left) == (expr.op == ExprOp::Or);
    return !left || stops ? left : operand(1);
  }
  case ExprOp::Select: {
    Result condition = operand(0);
    if (!condition)
      return std::nullopt;
    bool isFirst = std::get<bool>(*condition);
    Result chosen = operand(isFirst ? 1 : 2);
    // The other's type counts, not its value: any will do.
    Result other = operand(isFirst ? 2 : 1);
    return chosen && other ? Result(inTypeOfBoth(*chosen, *other)) : std::nullopt;
  }
  case ExprOp::Not:
  case ExprOp::Negate:
  case ExprOp::Complement: {
    Result value = operand(0);
    return value ? unary(expr.op, *value) : std::nullopt;
  }
  default: {
    Result left = operand(0), right = operand(1);
    return left && right ? binary(expr.op, *left, *right) : std::nullopt;
  }
  }
}

std::vector<Value> interestingValues(ScalarType type) {
  return withType(type, [](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    std::vector<Value> values;
    if constexpr (std::is_same_v<T, bool>) {
      values = {false, true};
    } else if constexpr (std::is_floating_point_v<T>) {
      for (double real : {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 16777217.0, 1e30})
        values.push_back(static_cast<T>(real));
      for (T real : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::max(),
                     Limits::denorm_min()})
        values.push_back(real);
    } else {
      for (int small : {0, 1, 2, 3, 4, 5, 7, 8, 100, -1, -2, -4, -5, -100})
        values.push_back(static_cast<T>(small));
      values.push_back(Limits::min());
      values.push_back(Limits::max());
      values.push_back(static_cast<T>(Limits::max() / 2 + 1));
    }
    return values;
  });
}

bool areAlike(const Value &a, const Value &b) {
  return std::visit(
      [](auto x, auto y) {
        using X = decltype(x);
        using Y = decltype(y);
        if constexpr (std::is_same_v<X, bool> || std::is_same_v<Y, bool>)
          return std::is_same_v<X, Y> && x == y;
        else if constexpr (std::is_floating_point_v<X> != std::is_floating_point_v<Y>)
          return false;
        else if constexpr (std::is_floating_point_v<X>)
          return (std::isnan(x) && std::isnan(y)) ||
                 std::bit_cast<uint64_t>(double(x)) == std::bit_cast<uint64_t>(double(y));
        else
          return static_cast<__int128>(x) == static_cast<__int128>(y);
      },
      a, b);
}

std::string text(const Value &value) {
  return std::visit([](auto v) { return fmt::format("{}", +v); }, value);
}

} // namespace tsk::oracle
