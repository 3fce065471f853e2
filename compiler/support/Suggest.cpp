#include "compiler/support/Suggest.h"

namespace tsk {

llvm::StringRef closestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates) {
  // A third of the letters may differ: more, and the suggestion is noise. The distance is quadratic
  // in the length, and no real name is that long.
  if (word.size() > 100)
    return {};
  unsigned most = word.size() < 3 ? 0 : static_cast<unsigned>(word.size() + 2) / 3;
  llvm::StringRef best;
  for (llvm::StringRef candidate : candidates) {
    if (candidate == word || candidate.size() > 100)
      continue;
    unsigned distance = word.edit_distance(candidate, /*AllowReplacements=*/true, most + 1);
    if (distance > most || distance >= candidate.size())
      continue;
    best = candidate;
    if (distance == 0)
      break;
    most = distance - 1;
  }
  return best;
}

} // namespace tsk
