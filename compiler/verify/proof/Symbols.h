// What a run of the plan depends on, as the engine's symbols: trip counts whose bounds are not
// constant, and conditions. Everything that is provably equal, by how it is written or by
// `requires`, is one symbol; between all others there are only the relations that are known.
//
// A count is a linear function of its symbol, so that loops over n, n - 1 and 2 * n stay related. A
// comparison of such a symbol with a constant is a question about its value. All other conditions
// are choices: symbols of value 0 or 1.
#pragma once

#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/proof/Scope.h"
#include "compiler/verify/protocol/Program.h"

namespace tsk::proof {

// scale * base + add, in numbers that the engine can work with.
struct Sum {
  TermId base; // none: a constant
  int64_t scale = 1;
  int64_t add = 0;
};

// Where a condition goes: taken, or as a symbol says.
struct Choice {
  std::optional<bool> constant;
  int symbol = -1;
  int bound = 0; // holds where the symbol is greater
  bool isNegated = false;
};

class Symbols {
public:
  Symbols(const plan::Plan &judged, Translation &target, const Launch *launch,
          const ir::Kernel *kernel);

  const Facts &knowledge() const { return facts; }
  // See Facts.
  void setRank(unsigned theRank);
  // The value of an expression that is the same everywhere.
  std::optional<int64_t> constant(ir::ExprId id) const;
  // The value of an expression that nothing but constants and known ordinals are in.
  std::optional<int64_t> evaluate(ir::ExprId id, const Scope &scope) const;
  // How often a loop runs, where that is a number.
  std::optional<int64_t> trips(const ir::Loop &loop, const Scope &scope) const;
  // How often it runs in any case. Nothing if that changes in a way that the engine cannot follow.
  std::optional<protocol::Count> count(const ir::Loop &loop, const Scope &scope);
  // The same for a tile loop: a symbol alone.
  std::optional<protocol::Count> tileCount(const ir::Loop &loop, const Scope &scope);
  // A comparison or any other condition without && and ||. Nothing as above.
  std::optional<Choice> choice(ir::ExprId condition, const Scope &scope);
  // Whether a loop of `count` trips runs more often than that; the count has a symbol.
  Choice question(const protocol::Count &count, int64_t trips);
  // Tells the engine what is known of pairs of symbols, once all are there.
  void relate();
  // Whether a value may differ between two iterations of the loop of `frame` (or of a loop in it).
  bool changesIn(ir::ExprId id, const Frame &frame) const;

private:
  struct Dependence {
    bool isFollowed = true; // by symbols of the kernel or of a tile
    bool isPerTile = false;
    std::string suffix; // of keys: the known ordinals that a value depends on
    std::string text;   // the same for readers
    std::string ofRank; // for readers, of what each CTA of a cluster has for itself
  };
  Dependence dependence(llvm::ArrayRef<ir::ExprId> exprs, const Scope &scope) const;
  Affine coarsened(Affine parts, Wide most) const;
  Sum sumOf(TermId id) const;
  int add(const std::string &key, protocol::Symbol symbol);
  int number(TermId base, const std::string &text, const Dependence &on);
  void need(int symbol, int64_t value);
  void noteLoops(plan::RegionId region);
  bool isFar(const Sum &sum) const;
  bool isOfCluster(llvm::ArrayRef<ir::ExprId> exprs) const;
  void noteOpen(llvm::ArrayRef<ir::ExprId> exprs);
  std::optional<Choice> comparison(TermId condition, const Dependence &on);
  struct Distance { // symbol `larger` >= symbol `smaller` + atLeast
    int larger = -1, smaller = -1;
    int64_t atLeast = 0;
  };
  std::vector<Distance> distances();
  bool keepDistance(const Distance &distance);
  void relateChoices();

  const plan::Plan &plan;
  protocol::Program &program;
  Translation &translation;
  std::vector<Meaning> &meanings; // of symbols that are no tile's and no iteration's
  Facts facts;
  std::optional<unsigned> rank;
  std::map<std::string, int> symbols;
  // Of a number: what it can be, and below what it makes no difference.
  struct Limits {
    int64_t low = INT32_MIN, high = INT32_MAX, needed = INT32_MAX;
  };
  std::map<int, Limits> numbers; // by symbol
  // What a symbol stands for, and for which ordinals.
  struct Subject {
    TermId term;
    std::string suffix;
  };
  std::map<int, Subject> counted, chosen; // numbers, and choices by the term that may be false
  std::map<int, bool> isContrary;         // of choices: whether 1 says that the term is false
  std::map<TermId, bool> orientations;    // the same for all that order one base
  std::set<TermId> loopBases;             // what counts of loops are computed from
  std::map<TermId, int64_t> nearest;      // the least number from which a loop of a base runs
};

} // namespace tsk::proof
