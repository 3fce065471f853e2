// What the code generator knows of integers before any argument is given.
#pragma once

#include "compiler/codegen/cuda/KernelContext.h"

namespace tsk::codegen {

// low .. high, both included; wide enough for the result of any operation on 64-bit integers.
struct Range {
  __int128 low = 0, high = 0;

  bool contains(__int128 value) const { return low <= value && value <= high; }
  bool isWithin(const Range &other) const { return other.low <= low && high <= other.high; }
};

Range rangeOf(ir::ScalarType type); // of an integer type
bool isIntegerType(const ir::ValueTables &tables, ir::ExprId id);

class Ranges {
public:
  using Lets = std::map<ir::ValueId, ir::ExprId>;
  using Loops = std::map<ir::ValueId, const ir::Loop *>;

  explicit Ranges(const KernelContext &c) : Ranges(c.kernel, c.plan.tables, c.uses.lets) {}
  // With `loops`, a loop's variable lies within its bounds.
  Ranges(const ir::Kernel &k, const ir::ValueTables &t, const Lets &l, const Loops *o = nullptr)
      : kernel(k), tables(t), definitions(l), loops(o) {}

  // What the mathematical result can be, given that no operand has overflowed: it may lie outside
  // of the expression's type. Of integer expressions.
  Range resultOf(ir::ExprId id);
  // What the value can be, given that nothing overflows.
  Range valueOf(ir::ExprId id);

private:
  Range leaf(const ir::Expr &expr);
  Range builtin(ir::Builtin which) const;
  Range binary(const ir::Expr &expr);

  Range loopVariable(const ir::Loop &loop, const Range &type);

  const ir::Kernel &kernel;
  const ir::ValueTables &tables;
  const Lets &definitions;
  const Loops *loops;
  std::map<ir::ValueId, Range> lets;
};

} // namespace tsk::codegen
