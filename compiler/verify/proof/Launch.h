// One launch of a kernel as one of its CTAs sees it: the values of what `requires`, bounds and
// conditions are made of, and what C++ computes from them.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Kernel.h"
#include "compiler/plan/Plan.h"

#include "llvm/ADT/DenseMap.h"

#include <bit>
#include <map>
#include <set>
#include <vector>

namespace tsk::proof {

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

class Computer;

// Expressions without operands that have one value in a launch.
class Launch {
public:
  explicit Launch(const Computer *theComputer = nullptr) : computer(theComputer) {}

  void set(ir::ScalarId scalar, const ir::ConstantScalar &value) { change(scalars, scalar, value); }
  void set(ir::Builtin which, int64_t value) { change(builtins, which, value); }
  void set(ir::ValueId value, const ir::ConstantScalar &is) { change(results, value, is); }

  const std::map<ir::ScalarId, ir::ConstantScalar> &ofScalars() const { return scalars; }
  const std::map<ir::Builtin, int64_t> &ofBuiltins() const { return builtins; }
  // Of works that are called once.
  const std::map<ir::ValueId, ir::ConstantScalar> &ofResults() const { return results; }

  const Computer *computer;

private:
  friend class Computer;
  static bool isSame(int64_t a, int64_t b) { return a == b; }
  static bool isSame(const ir::ConstantScalar &a, const ir::ConstantScalar &b) {
    return a.type == b.type && a.value == b.value &&
           std::bit_cast<uint64_t>(a.real) == std::bit_cast<uint64_t>(b.real);
  }
  template <typename Map, typename Key, typename Value>
  void change(Map &map, Key key, const Value &value) {
    const auto [place, isNew] = map.try_emplace(key, value);
    if (!isNew && isSame(place->second, value))
      return;
    place->second = value;
    known.clear();
  }

  std::map<ir::ScalarId, ir::ConstantScalar> scalars;
  std::map<ir::Builtin, int64_t> builtins;
  std::map<ir::ValueId, ir::ConstantScalar> results;
  // What has been computed of it, by expression: a `let` that is used twice is computed once.
  mutable llvm::DenseMap<uint32_t, Computed> known;
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
  bool isOnce(ir::ValueId value) const { return outside.count(value) != 0; }

private:
  void collect(plan::RegionId region, bool isInLoop);
  Computed computeAt(ir::ExprId id, const Launch &launch, int depth) const;
  Computed operation(const ir::Expr &expr, const Launch &launch, int depth) const;
  Computed memoized(ir::ExprId id, const Launch &launch, int depth) const;
  void computeBefore(ir::ValueId let, const Launch &launch, int depth) const;
  Computed inTypeOf(const ir::Loop &loop, ir::ExprId bound, const Launch &launch) const;

  const plan::Plan &plan;
  const ir::Kernel *kernel;
  std::map<ir::ValueId, ir::ExprId> definitions;
  std::vector<ir::ValueId> inOrder; // `let`s
  std::set<ir::ValueId> outside;    // of loops: results of works
};

} // namespace tsk::proof
