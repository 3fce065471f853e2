// Whether a number stays the same where C++ converts it to another type: what does not fit there
// becomes another one.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Kernel.h"

namespace tsk::ir {

// Integers from `low` to `high`.
struct Numbers {
  static constexpr __int128 Most = __int128(1) << 100;
  __int128 low = -Most, high = Most;
};
Numbers numbersOf(const ConstantScalar &constant); // of an integer or bool: itself alone

// Whether any integer of type `from` that is one of `known` is the same in type `to`.
bool keepsNumber(ScalarType from, ScalarType to, Numbers known = {});
// The same of what a work is called with, in its parameter.
bool passesNumber(const Kernel &kernel, WorkId work, unsigned param, const Type &argument,
                  Numbers known = {});

} // namespace tsk::ir
