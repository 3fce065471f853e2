// Whether two calls touch different elements of a tensor, by what the bodies' indices say.
#pragma once

#include "compiler/verify/checks/TensorOrder.h"

namespace tsk::verify {

class ElementsApart {
public:
  // `theKernel`: with the types of the works' parameters; null: indices are not known.
  ElementsApart(const plan::Plan &thePlan, const ir::Kernel *theKernel, const proof::Facts &known,
                const TensorOrder &places)
      : plan(thePlan), kernel(theKernel), facts(known), order(places) {}

  // In any two rounds of the loops that are not common to both; of the common ones in the same
  // round, or of `rounds.ofFrom` and those in it in different ones. Two threads of one task: a
  // thread may meet itself.
  bool areApart(const Site &from, const Site &to, Rounds rounds = {}) const;
  // Whether the calls touch the same elements, the later one in some later round of a loop.
  bool meetsLater(const Site &from, const Site &to, const plan::Step &loop) const;
  // Whether the elements of a call may be others in the next round of a loop.
  bool changesWith(const Site &site, const plan::Step &loop) const;

private:
  // constant + any multiple of `grain` (0: nothing more), within `range`; not the multiple 0, if
  // `isMoved`.
  struct Distance {
    proof::Wide constant = 0, grain = 0;
    proof::Range range;
    proof::Wide eachRound = 0; // of a moved loop
    bool isMoved = false;
  };
  struct Weights {
    std::map<proof::TermId, proof::Wide> of;
    proof::Wide constant = 0;
  };
  using Loops = std::vector<const plan::Step *>;
  Loops freeLoops(const Node &first, const Node &second, Rounds rounds) const;
  std::optional<Weights> weightsOf(const Site &site, const ir::ElementIndex &index,
                                   const Loops &free) const;
  std::optional<Distance> distance(const Site &from, const ir::ElementIndex &a, const Site &to,
                                   const ir::ElementIndex &b, const Loops &free,
                                   const plan::Step *moved) const;
  bool addLoop(Distance &result, const plan::Step &loop, proof::Wide before, proof::Wide after,
               bool isMoved) const;

  const plan::Plan &plan;
  const ir::Kernel *kernel;
  const proof::Facts &facts;
  const TensorOrder &order;
};

} // namespace tsk::verify
