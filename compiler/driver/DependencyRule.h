// -MD: a make rule that says which files an output was made from.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace tsk::driver {

// `targets: files`, one file a line. With `phony`, an empty rule for each file but the first, so
// that a deleted import does not stop make.
std::string dependencyRule(llvm::ArrayRef<std::string> targets, llvm::ArrayRef<std::string> files,
                           bool phony);

} // namespace tsk::driver
