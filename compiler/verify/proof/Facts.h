// What is known about the kernel's scalars: its `requires`, and that dimensions are positive. Gives
// expressions a canonical key, so that two that are provably equal have the same, and bounds.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h" // StringRef in fmt

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace tsk::proof {

// Inclusive; absent: unbounded.
struct Interval {
  std::optional<int64_t> low;
  std::optional<int64_t> high;
};

class Facts {
public:
  explicit Facts(const plan::Plan &plan);

  // Expressions with equal keys have equal values wherever both are in scope. `let`s are looked
  // through, equalities of `requires` are applied; a loop's variable is its loop's trip count and
  // depth, so that two tasks' loops over the same range agree.
  std::string key(ir::ExprId id) const;
  // The trip count of a loop, as a key; `0 .. n step 4` and `0 .. ceil_div(n, 4)` have the same.
  std::string tripKey(const ir::Loop &loop) const;
  // The same for a reader: "rows / 64".
  std::string tripText(const ir::Loop &loop) const;
  std::string text(ir::ExprId id) const;

  Interval bounds(ir::ExprId id) const;
  Interval tripBounds(const ir::Loop &loop) const;

  // A comparison whose outcome `requires` and bounds settle.
  std::optional<bool> decide(ir::ExprId id) const;
  // The loop that a variable belongs to; null for other values.
  const ir::Loop *loopOf(ir::ValueId variable) const;
  // "(/ n 4)" for "n" and "4", or with ceil_div where something may remain.
  std::string quotient(std::string dividend, std::string divisor, bool roundsUp) const;
  // An expression that everything equal to `id` shares.
  ir::ExprId canonical(ir::ExprId id) const;
  // The expression that a `let` stands for; invalid for other values.
  ir::ExprId definition(ir::ValueId value) const;
  // What an expression's value changes with: the loops whose variables are in it, and those around
  // the works whose results are, `let`s looked through. `hasVars`: there are `var`s in it besides,
  // which may change anywhere.
  struct Variables {
    std::set<ir::ValueId> loops;
    bool hasVars = false;
  };
  Variables variables(ir::ExprId id) const;

private:
  void collect(plan::RegionId region);
  bool comparesConverted(const ir::Expr &expr) const;
  void learn(ir::ExprId condition);
  void learnOrder(ir::ExprId smaller, ir::ExprId larger, bool isStrict);
  void unite(const std::string &a, const std::string &b);
  std::string representative(std::string key) const;
  std::string buildKey(ir::ExprId id) const;
  void collectVariables(ir::ExprId id, std::set<uint32_t> &seen, Variables &result) const;
  bool isCeilDivIdiom(const ir::Expr &division, ir::ExprId &dividend) const;
  Interval computeBounds(ir::ExprId id) const;

  const plan::Plan &plan;
  llvm::DenseMap<uint32_t, ir::ExprId> definitions;              // of `let`s, by value
  llvm::DenseMap<uint32_t, std::pair<ir::Loop, unsigned>> loops; // by variable, with depth
  llvm::DenseMap<uint32_t, std::vector<ir::ValueId>> resultsIn;  // of works, by value: loops around
  std::vector<ir::ValueId> around;                               // the step that is collected
  mutable llvm::DenseMap<uint32_t, std::string> keys;            // by expression
  mutable llvm::DenseMap<uint32_t, Interval> intervals;          // likewise
  std::map<std::string, ir::ExprId> united;                      // by key, as `requires` names them
  std::map<std::string, std::string> parents;                    // equalities, to the smaller key
  std::map<std::string, Interval> known;
  std::map<std::pair<std::string, std::string>, bool> divisible; // dividend, divisor
};

} // namespace tsk::proof
