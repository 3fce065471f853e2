// What a CTA of one launch does to tensors: the calls that it certainly comes to, with the numbers
// that they are given, and the elements that they certainly touch.
#pragma once

#include "compiler/verify/checks/TensorOrder.h"
#include "compiler/verify/proof/Launch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>

namespace tsk::verify {

using Cta = std::array<int64_t, 3>; // its place in the grid

// One call.
struct Visit {
  proof::Launch launch; // with the place in the grid and the loops' variables
  struct Round {
    int64_t ordinal = 0, trips = 0;
  };
  std::map<ir::ValueId, Round> rounds = {}; // by the loop's variable
};

using Element = llvm::SmallVector<int64_t, 4>;

// A part of a tensor.
struct Box {
  Element low, high;
  bool operator<(const Box &other) const { return low < other.low; }
};

class CtaVisits {
public:
  CtaVisits(const plan::Plan &thePlan, const ir::Kernel &theKernel, const TensorOrder &places);

  // Of a call, in some rounds of the loops around it: the first ones and the last.
  std::vector<Visit> visits(const Site &site, const proof::Launch &launch, const Cta &cta) const;
  // What a call certainly touches, inside of the tensor, in the order of where it begins.
  std::vector<Box> touched(const Site &site, const Visit &visit, ir::ParamId tensor) const;
  // Whether two CTAs touch the same in calls with the same arguments: where it is not certain that
  // a call touches anything, only if all CTAs make the same calls, of which some does.
  bool areAlike(const Site &site, const Visit &one, const Visit &other) const;

private:
  using Around = llvm::ArrayRef<verify::Around>;
  void collect(Around path, const Visit &visit, std::vector<Visit> &result) const;
  using Known = llvm::DenseMap<uint32_t, std::optional<bool>>; // by condition
  std::optional<bool> holds(ir::ExprId condition, const Visit &visit) const {
    Known known;
    return holds(condition, visit, known, /*depth=*/0);
  }
  std::optional<bool> holds(ir::ExprId condition, const Visit &visit, Known &known,
                            int depth) const;
  std::optional<bool> compute(ir::ExprId condition, const Visit &visit, Known &known,
                              int depth) const;
  std::optional<int64_t> sharedPart(const plan::Step &step, const ir::ElementIndex &index,
                                    const Visit &visit) const;
  void add(const ir::ElementForm &form, bool isCopy, llvm::ArrayRef<int64_t> base,
           llvm::ArrayRef<int64_t> extents, std::vector<Box> &boxes) const;
  using Open = llvm::SmallVector<ir::ExprId>; // still to be looked at
  static bool holdsOfAll(Open open, llvm::function_ref<bool(ir::ExprId, Open &)> holdsOf);
  bool isOneFor(ir::ExprId id, const proof::Computer &computer, Open &open) const;
  bool isOneForAll(const Site &site, const proof::Computer &computer) const;
  bool isShared(ir::ExprId root, const Visit &one, const Visit &other) const;

  const plan::Plan &plan;
  const ir::Kernel &kernel;
  const TensorOrder &order;
  std::map<ir::ValueId, const plan::Step *> calls; // by result
};

} // namespace tsk::verify
