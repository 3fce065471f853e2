// Expressions of schedules as C++.
#pragma once

#include "compiler/codegen/cuda/KernelContext.h"

namespace tsk::codegen {

// A constant in its type; `value` holds integers and bool, `real` the rest.
std::string literal(ir::ScalarType type, int64_t value, double real);
// In the kernel's function.
std::string deviceExpr(const KernelContext &context, ir::ExprId id);
// The same as an operand of `*`, `/` or `%`: in parentheses where it needs them.
std::string deviceFactor(const KernelContext &context, ir::ExprId id);

// In the launcher, on tsk::integer: cannot overflow unseen. `tables`: the kernel's or the plan's.
std::string hostExpr(const KernelContext &context, const ir::ValueTables &tables, ir::ExprId id);
// The same with constants by their values: for a condition of another instance, whose constants
// have the same names and other values.
std::string hostCondition(const KernelContext &context, const KernelContext &instance);
// hostExpr as an operand of `*`, `/` or `%`.
std::string hostFactor(const KernelContext &context, const ir::ValueTables &tables, ir::ExprId id);

// Whether a loop's bound is computed before the loop and kept: it reads a `var`, which may have
// another value the next time, or calls a function, which costs.
bool isKept(const ir::ValueTables &tables, ir::ExprId id);

} // namespace tsk::codegen
