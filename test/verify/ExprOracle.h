// Expressions as C++ computes them: each operation is done by C++ itself on values of its types.
#pragma once

#include "compiler/ir/Expr.h"
#include "compiler/plan/Plan.h"

#include <optional>
#include <variant>
#include <vector>

namespace tsk::oracle {

using Value = std::variant<bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                           uint64_t, float, double>;

// One of each scalar of a plan.
using Scalars = std::vector<Value>;

// Nothing: it is undefined (an overflow, a division by zero).
std::optional<Value> compute(const plan::Plan &plan, ir::ExprId id, const Scalars &scalars);

// Of a scalar type: values at its ends and between; of reals also infinities, NaN and both zeros.
std::vector<Value> interestingValues(ir::ScalarType type);

// The same in every use: reals by their bits, all NaN alike.
bool areAlike(const Value &a, const Value &b);

std::string text(const Value &value);

} // namespace tsk::oracle
