// What a run of the plan depends on: trip counts of loops whose bounds are not constant, and
// conditions that no loop ordinal decides. Each distinct one is a coordinate: a number that a run
// fixes for all tasks alike. Two that are not provably equal are independent.
#pragma once

#include "compiler/verify/model/Facts.h"

#include <vector>

namespace tsk::verify {

struct Coordinate {
  enum class Kind : uint8_t { Trips, Branch };
  Kind kind = Kind::Trips;
  std::string text; // "rows / 64", "flag != 0"
  Interval range;   // Trips
  // Trips: its bounds change with an enclosing loop; a run takes one number for all its iterations.
  // Branch: may go another way in each iteration.
  bool dependsOnLoop = false;
  SourceRange loc;
};

// Which way a branch coordinate goes, by the ordinal of the innermost loop that it depends on.
enum class BranchPattern : uint8_t { Never, Always, EvenIterations, OddIterations };
llvm::StringRef spelling(BranchPattern pattern);
inline bool isTaken(BranchPattern pattern, int64_t ordinal) {
  return pattern == BranchPattern::Always ||
         (pattern == BranchPattern::EvenIterations && ordinal % 2 == 0) ||
         (pattern == BranchPattern::OddIterations && ordinal % 2 == 1);
}

// A condition, or a part of one, that a run has to choose: `a != b` is the negation of `a == b`.
struct BranchAtom {
  unsigned coordinate = 0;
  bool isNegated = false;
  // What it is computed from: it goes by the ordinal of the innermost of these loops.
  Facts::Variables variables;
};

// A loop's trip count: a constant or a coordinate.
struct TripCount {
  std::optional<int64_t> constant;
  unsigned coordinate = 0;
};

class Coordinates {
public:
  explicit Coordinates(const plan::Plan &plan);

  llvm::ArrayRef<Coordinate> all() const { return coordinates; }
  TripCount tripCount(const plan::Step &loop) const { return trips.at(&loop); }
  // Nothing for `&&`, `||`, `!` and for what a run computes from its loops' ordinals.
  const BranchAtom *branch(ir::ExprId condition) const;
  // Of a condition that bounds and `requires` settle.
  std::optional<bool> decided(ir::ExprId condition) const;
  // Steps that matter to the protocol: barriers, cursors and accesses to shared memory, and the
  // loops and branches around them.
  bool isRelevant(const plan::Step &step) const { return relevant.count(&step); }
  ir::ExprId definition(ir::ValueId value) const { return facts.definition(value); }
  const Facts &knowledge() const { return facts; }

private:
  bool mark(plan::RegionId region);
  bool mark(const plan::Step &step);
  void collect(plan::RegionId region);
  void addLoop(const plan::Step &step);
  void addCondition(ir::ExprId condition);
  bool isComputable(ir::ExprId expr);
  unsigned add(const std::string &key, Coordinate coordinate);

  const plan::Plan &plan;
  Facts facts;
  std::vector<Coordinate> coordinates;
  std::map<std::string, unsigned> byKey;
  llvm::DenseMap<const plan::Step *, TripCount> trips;
  llvm::DenseMap<uint32_t, BranchAtom> branches; // by expression
  llvm::DenseMap<uint32_t, bool> computable;     // likewise
  llvm::DenseMap<uint32_t, bool> settled;        // likewise
  llvm::DenseMap<const plan::Step *, bool> relevant;
};

} // namespace tsk::verify
