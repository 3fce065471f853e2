// What is known about the kernel's scalars: its `requires`, and that dimensions are not negative.
// Makes terms of the plan's expressions, so that two that are provably equal are one.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/proof/Launch.h"
#include "compiler/verify/proof/Terms.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tsk::proof {

class Facts {
public:
  enum class Learn : uint8_t { Requirements, Nothing };
  // `launch`: what is known of one launch, if it is about one. `kernel`: whose grid it is.
  explicit Facts(const plan::Plan &plan, Learn what = Learn::Requirements,
                 const Launch *launch = nullptr, const ir::Kernel *kernel = nullptr);

  // `let`s are looked through, equalities of `requires` are applied; a loop's variable is its
  // loop's range and depth, so that two tasks' loops over the same range agree. What may differ
  // from one evaluation to the next is a term of its own.
  TermId term(ir::ExprId id) const;
  bool isOfRank(TermId id) const; // another one in each CTA of a cluster
  Terms &all() const { return terms; }
  // Of a launch: whether it says nothing of what is in it, the loops' variables apart.
  bool isOpen(ir::ExprId id) const;
  // After something was learned: terms are made anew.
  void renew() {
    known.clear();
    largest.reset();
  }
  // From now on terms are those of one CTA of the cluster: what may differ between them is known,
  // or a term of its own.
  void setRank(unsigned theRank);
  // A loop's variable.
  TermId variable(const ir::Loop &loop) const;
  // The loop's begin and end in the type of its variable.
  TermId begin(const ir::Loop &loop) const;
  TermId end(const ir::Loop &loop) const;
  // A loop runs as often as this says, if it is more than nothing; `0 .. n step 4` and
  // `0 .. ceil_div(n, 4)` have the same.
  TermId trips(const ir::Loop &loop) const;

  // For a reader: "rows / 64".
  std::string tripText(const ir::Loop &loop) const;
  std::string text(ir::ExprId id) const;

  // The expression that a `let` stands for; invalid for other values.
  ir::ExprId definition(ir::ValueId value) const;
  // What an expression's value changes with: the loops whose variables are in it, and those around
  // the works whose results are and around what is computed anew each time; `let`s looked through.
  struct Variables {
    std::set<ir::ValueId> loops;
    std::string changing; // what else is in it and may change anywhere: a `var`
  };
  Variables variables(ir::ExprId id) const;
  // The first that may change anywhere; empty: none.
  std::string changing(llvm::ArrayRef<ir::ExprId> exprs) const;

private:
  void collect(plan::RegionId region);
  void collectEvaluations(ir::ExprId id, std::set<uint32_t> &seen);
  void computeAll() const;
  void collectVariables(ir::ExprId root, std::set<uint32_t> &seen, Variables &result) const;
  void collectVariables(ir::ExprId id, std::set<uint32_t> &seen, Variables &result,
                        llvm::SmallVectorImpl<ir::ExprId> &open) const;
  void collectRange(const ir::Loop &loop, std::set<uint32_t> &seen, Variables &result) const;
  TermId build(ir::ExprId id) const;
  TermId valueTerm(ir::ExprId id) const;
  TermId opaque(ir::ExprId id) const;
  bool isOpaque(const ir::Expr &expr) const;
  TermId inTypeOf(const ir::Loop &loop, ir::ExprId bound) const;
  std::optional<TermId> plainExtent(TermId extent) const;
  TermId extentOf(const ir::Loop &loop) const;
  void noteLargest() const;

  struct AroundLoop {
    ir::Loop loop;
    unsigned depth = 0;
  };
  struct Evaluation {
    std::vector<ir::ValueId> loops; // around it
    bool isRepeated = false;        // in several steps
  };

  std::string ofRank(std::string name, ir::Uniformity uniformity) const;
  TermId builtin(ir::Builtin which) const;
  std::optional<int64_t> knownBuiltin(ir::Builtin which) const;
  std::optional<int64_t> gridExtent(unsigned axis) const;
  TermId clusterIndex(unsigned axis) const;
  TermId block(unsigned axis) const;

  const plan::Plan &plan;
  const Launch *launch;
  const ir::Kernel *kernel;
  std::optional<unsigned> rank;
  mutable Terms terms;
  llvm::DenseMap<uint32_t, ir::ExprId> definitions;             // of `let`s, by value
  llvm::DenseMap<uint32_t, AroundLoop> loops;                   // by variable
  llvm::DenseMap<uint32_t, std::vector<ir::ValueId>> resultsIn; // of works, by value: loops around
  llvm::DenseMap<uint32_t, Evaluation> evaluations;             // of what may change, by expression
  std::vector<ir::ValueId> around;                              // the step that is collected
  std::vector<ir::ValueId> inOrder;                             // `let`s and loops' variables
  mutable llvm::DenseMap<uint32_t, TermId> known;               // by expression
  mutable std::optional<std::vector<TermId>> largest;           // maxima that loops run as often as
};

} // namespace tsk::proof
