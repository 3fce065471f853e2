// "did you mean …?": the nearest of several known words.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tsk {

// The candidate that is closest to `word`, or empty where none is near enough to be meant. Of two
// equally near ones the first wins.
llvm::StringRef closestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace tsk
