// What `check` says of a kernel, for programs. docs/json.md describes the members.
#pragma once

#include "compiler/driver/Compilation.h"

#include "llvm/Support/JSON.h"

namespace tsk::driver {

// With `withTable`, also one run and what the kernel takes, as the schedule table shows them.
llvm::json::Object describeVerdict(const Compilation &compilation, const ir::Kernel &kernel,
                                   const SourceManager &sources, bool withTable);

} // namespace tsk::driver
