// `@FILE` on the command line: the words in FILE.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <string>

namespace tsk::driver {

// Replaces them, also in such files; `allocator` holds the new words. The result says what is wrong
// with one of them; empty if nothing is. A file that is not there is a word like others.
std::string expandResponseFiles(llvm::SmallVectorImpl<const char *> &words,
                                llvm::BumpPtrAllocator &allocator);

} // namespace tsk::driver
