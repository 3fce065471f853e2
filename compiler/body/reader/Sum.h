// An index as a sum: of what all threads of the task share, of what each thread has for itself, and
// of the rounds of loops. So two calls of a work can be compared: which elements each thread
// touches.
#pragma once

#include "compiler/body/reader/Tree.h"
#include "compiler/ir/Elements.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tsk::body {

struct Sum {
  static constexpr int64_t Most = int64_t{1} << 40; // beyond ± that nothing is known

  struct Shared {
    std::map<uint32_t, int64_t> roles; // weights by the function's parameters
    std::map<std::string, int64_t> others;
    friend bool operator==(const Shared &, const Shared &) = default;
  };
  struct Round {
    int64_t weight = 0;
    int64_t last = -1; // 0 .. last; -1: no end is known
    friend bool operator==(const Round &, const Round &) = default;
  };
  Shared shared;
  std::vector<int64_t> own = {0}; // one for all threads, or one a thread
  std::map<uint32_t, Round> rounds;

  bool isOwn() const { return shared == Shared() && rounds.empty(); }
  friend bool operator==(const Sum &, const Sum &) = default;
};

using SumRef = std::shared_ptr<const Sum>; // null: nothing is known

SumRef constantSum(int64_t value);
SumRef roleSum(uint32_t role);
SumRef namedSum(std::string name);
// Thread `i` of the task has i / divisor % modulus.
SumRef threadSum(unsigned threads, int64_t divisor, int64_t modulus);
// `a + step * k`, k the number of a round.
SumRef plusRounds(const SumRef &a, uint32_t round, int64_t step, int64_t last);
SumRef combined(tree::Op op, const SumRef &a, const SumRef &b);

// Elements that an address leads to, and the indices themselves, to compare threads of one call.
struct Places : ir::Elements {
  std::vector<SumRef> indices; // null: nothing is known
  int64_t width = 1;           // elements, from the last one on
  int64_t bytes = 0;           // of these
  bool isFlat = false;         // by position
};

// The elements at these indices, `width` from the last one on. `active`: by thread, empty: all.
// Arguments are numbered as the function's parameters.
ir::Elements elementsAt(llvm::ArrayRef<SumRef> indices, int64_t width, unsigned threads,
                        const std::vector<bool> &active);

} // namespace tsk::body
