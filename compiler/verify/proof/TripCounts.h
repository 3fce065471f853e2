// Gives loops of the plan their trip counts as the engine's symbols: bounds that are written alike,
// or that `requires` makes equal, are one symbol; all others are independent.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/protocol/Program.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace tsk::proof {

class TripCounts {
public:
  TripCounts(const plan::Plan &judged, protocol::Program &target);

  void define(ir::ValueId value, ir::ExprId expr) { lets[value.index] = expr; }
  protocol::Count count(const ir::Loop &loop);
  // A condition that is one choice for all who read it.
  int choice(ir::ExprId condition);
  // Looks through `let`.
  ir::ExprId resolve(ir::ExprId expr) const;
  // The expression reads a loop's variable or something that is assigned more than once.
  bool varies(ir::ExprId expr) const;

private:
  struct Sum {        // scale * base + add
    std::string base; // empty: a constant
    ir::ExprId expr;  // of base
    int64_t scale = 1;
    int64_t add = 0;
  };
  Sum sumOf(ir::ExprId expr) const;
  std::string text(ir::ExprId expr) const;
  int symbol(const std::string &key, int64_t min, bool isCondition);
  int64_t lowerBound(const Sum &sum) const;
  void assume(ir::ExprId condition);
  std::string representative(std::string key) const;

  const plan::Plan &plan;
  protocol::Program &program;
  llvm::DenseMap<uint32_t, ir::ExprId> lets;
  std::map<std::string, int> symbols;
  std::map<std::string, std::string> equal; // to the smaller text
  std::map<std::string, int64_t> bounds;    // lower
  std::map<std::pair<std::string, int64_t>, bool> divisible;
};

} // namespace tsk::proof
