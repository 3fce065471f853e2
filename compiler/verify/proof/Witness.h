// Looks for launches: numbers for a kernel's parameters that satisfy all of `requires`.
#pragma once

#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/proof/Launch.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <functional>

namespace tsk::proof {

// Small ones first. Only such are tried as are made of the numbers in the kernel's text, so there
// may be others where it finds none.
class Witness {
public:
  Witness(const plan::Plan &thePlan, const ir::Kernel *theKernel);

  // Whether a launch is what is looked for: then the search ends.
  using Accept = std::function<bool(const Launch &)>;
  // Launches that agree with these values of symbols.
  bool find(const Translation &translation, const std::map<int, int> &values, unsigned most,
            const Accept &accept);
  // Any, of those in which all loops run equally often and all conditions say the same only one.
  bool findAny(unsigned most, const Accept &accept);
  // The same of launches of two clusters or more, however often their loops run.
  bool findLarge(unsigned most, const Accept &accept);
  const Computer &numbers() const { return computer; }

private:
  struct Variable {
    ir::Expr leaf;
    std::set<int64_t> numbers; // beside it in the text
    std::set<int64_t> moduli;  // … that ask for its remainder
    std::set<double> reals;
    std::vector<ir::ConstantScalar> candidates;
  };
  struct Constraint {
    std::function<bool(const Launch &)> holds;
    std::vector<ir::ExprId> on;
    const ir::Loop *loop = nullptr; // that is to run …
    int64_t trips = 0;              // … so often
  };

  void collect(plan::RegionId region);
  void collectLeaves(ir::ExprId id, std::set<uint32_t> &seen, std::vector<ir::Expr> &leaves) const;
  void collectPlaces(const ir::Expr &expr, llvm::SmallVectorImpl<ir::ExprId> &below,
                     std::vector<ir::Expr> &leaves) const;
  ir::ExprId extentOf(const ir::Expr &expr) const;
  bool isVariable(const ir::Expr &expr) const;
  size_t variableOf(const ir::Expr &leaf);
  void addConstraint(std::vector<ir::ExprId> on, std::function<bool(const Launch &)> holds);
  void requireAll();
  void requirePlace();
  void require(const Translation &translation, const std::map<int, int> &values);
  void chooseCandidates();
  std::vector<std::vector<size_t>> findVariables();
  void putPlacesFirst(std::vector<std::vector<size_t>> &used);
  bool isAdmitted(size_t which, const ir::ConstantScalar &value,
                  const std::vector<std::vector<size_t>> &used) const;
  void addByTrial(size_t which, const std::vector<std::vector<size_t>> &used);
  std::vector<ir::ConstantScalar> candidatesOf(const Variable &variable) const;
  void note(Variable &variable, const ir::Expr &expr) const;
  static int64_t commonMultiple(const std::set<int64_t> &numbers);
  bool isCount(const ir::Expr &leaf) const;
  std::optional<int64_t> tripsAt(const ir::Loop &loop, const ir::Expr &leaf, int64_t value);
  std::optional<std::array<int64_t, 2>> passing(const ir::Loop &loop, const ir::Expr &leaf,
                                                int64_t trips, int64_t direction);
  void solve(const Constraint &constraint, const Variable &variable, std::set<int64_t> &values);
  const std::vector<ir::ConstantScalar> &solutions(size_t which);
  void complete(Launch &launch) const;
  static void assign(Launch &launch, const ir::Expr &leaf, const ir::ConstantScalar &value);
  bool search(size_t next, size_t level, bool hasLevel, const Accept &accept);
  bool tryValue(size_t next, const ir::ConstantScalar &value, size_t level, bool hasLevel,
                const Accept &accept);
  bool run(unsigned most, const Accept &accept);
  bool searchAll(const Accept &accept);
  void addDifferences(const Launch &launch, std::vector<int64_t> &signature) const;
  std::vector<int64_t> signatureOf(const Launch &launch) const;

  const plan::Plan &plan;
  const ir::Kernel *kernel;
  Computer computer;
  std::vector<ir::ExprId> conditions;
  std::vector<const ir::Loop *> loops;
  std::vector<Variable> variables;
  std::vector<Constraint> constraints;
  std::vector<std::vector<size_t>> checkedAt; // by variable: constraints whose last one it is
  std::vector<int64_t> wanted;                // trip counts
  int64_t maxTrips = 0;                       // of any loop
  bool isLarge = false;                       // only launches of several clusters
  Launch current;
  std::set<std::vector<int64_t>> seen;
  int64_t mostTrips = 0;       // that are told apart
  unsigned left = 0;           // launches to look at
  size_t budget = 0;           // numbers to try
  size_t equations = 0;        // to solve
  std::vector<int64_t> chosen; // for the first variables
  // For the variable after those that have been chosen so.
  std::map<std::vector<int64_t>, std::vector<ir::ConstantScalar>> solved;
};

} // namespace tsk::proof
