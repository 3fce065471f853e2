// One launch of a kernel as one of its CTAs sees it: the values of what `requires`, bounds and
// conditions are made of, and what C++ computes from them.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Kernel.h"
#include "compiler/plan/Plan.h"

#include <map>

namespace tsk::proof {

class Computer;

// Expressions without operands that have one value in a launch.
struct Launch {
  const Computer *computer = nullptr;
  std::map<ir::ScalarId, ir::ConstantScalar> scalars;
  std::map<ir::Builtin, int64_t> builtins;
  std::map<ir::ValueId, ir::ConstantScalar> results; // of works that are called once
};

struct Computed {
  enum class State : uint8_t {
    Known,
    Free,      // it depends on what a work or a function returns, on a loop, or on a `var`
    Undefined, // C++ does not say: an overflow, a division by zero. The launcher refuses it
  };
  State state = State::Free;
  ir::ConstantScalar value;
  // Of reals: a product and a sum, which compilers may fuse or not, and it makes a difference.
  bool isFused = false;
  std::optional<std::pair<double, double>> factors = {}; // of a real product

  bool isKnown() const { return state == State::Known; }
  bool isTrue() const { return isKnown() && value.value != 0; }
};

// Looks through `let`s.
class Computer {
public:
  // The grid's extents are its own where there is a kernel; else they are builtins like others.
  Computer(const plan::Plan &thePlan, const ir::Kernel *theKernel);

  Computed compute(ir::ExprId id, const Launch &launch) const;
  // How often a loop runs.
  Computed trips(const ir::Loop &loop, const Launch &launch) const;
  // How many CTAs there are along an axis.
  Computed gridExtent(unsigned axis, const Launch &launch) const;
  // A builtin.
  Computed builtin(ir::Builtin which, const Launch &launch) const;
  // The expression that a `let` stands for.
  ir::ExprId definition(ir::ValueId value) const;
  // Results of works outside loops.
  bool isOnce(ir::ValueId value) const { return once.count(value) != 0; }

private:
  void collect(plan::RegionId region, bool isInLoop);
  Computed computeAt(ir::ExprId id, const Launch &launch, int depth) const;
  Computed operation(const ir::Expr &expr, const Launch &launch, int depth) const;
  Computed inTypeOf(const ir::Loop &loop, ir::ExprId bound, const Launch &launch) const;

  const plan::Plan &plan;
  const ir::Kernel *kernel;
  std::map<ir::ValueId, ir::ExprId> definitions;
  std::map<ir::ValueId, bool> once;
};

} // namespace tsk::proof
