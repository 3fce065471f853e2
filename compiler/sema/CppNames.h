// Names that mean something in the C++ that we emit.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tsk::sema {

// What `word` is there, "a name of C++, which we emit"; empty if a program may have it.
llvm::StringRef cppMeaning(llvm::StringRef word);

} // namespace tsk::sema
