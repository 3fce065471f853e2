#include "compiler/support/Suggest.h"

namespace tsk {

// `bxo` for `box`: one slip, though two letters differ.
static bool isSwapped(llvm::StringRef word, llvm::StringRef candidate) {
  if (word.size() != candidate.size())
    return false;
  size_t at = 0;
  while (at < word.size() && word[at] == candidate[at])
    ++at;
  return at + 1 < word.size() && word[at] == candidate[at + 1] && word[at + 1] == candidate[at] &&
         word.substr(at + 2) == candidate.substr(at + 2);
}

// How many letters may differ: more, and the suggestion is noise. Of two letters none may, but one
// may be missing.
static unsigned mostDifferences(llvm::StringRef word, llvm::StringRef candidate) {
  if (word.size() < 3)
    return word.size() == 2 && candidate.size() == 3 ? 1 : 0;
  return static_cast<unsigned>(word.size() + 2) / 3;
}

llvm::StringRef closestWord(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> candidates) {
  // The distance is quadratic in the length, and no real name is that long.
  if (word.size() > 100)
    return {};
  llvm::StringRef best;
  unsigned bestDistance = ~0u;
  for (llvm::StringRef candidate : candidates) {
    if (candidate == word || candidate.size() > 100)
      continue;
    unsigned most = mostDifferences(word, candidate);
    unsigned distance = isSwapped(word, candidate)
                            ? std::min(most, 1u)
                            : word.edit_distance(candidate, /*AllowReplacements=*/true, most + 1);
    if (distance > most || distance >= candidate.size() || distance >= bestDistance || !most)
      continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

} // namespace tsk
