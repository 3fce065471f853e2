// Edits of schedules that fix-its offer. Each is nothing where the text around does not look as
// expected: a comment, a string or a brace where a statement should go on.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::verify {

struct Edit {
  SourceRange range; // empty: an insertion
  std::string text;
};

// Inserts a statement behind the one that `place` is in, on a line of its own.
std::optional<Edit> insertBehind(const SourceManager *sources, SourceRange place,
                                 llvm::StringRef statement);
// Inserts what follows a loop's upper bound, behind the parentheses around it.
std::optional<Edit> insertBehindBound(const SourceManager *sources, SourceRange bound,
                                      llvm::StringRef words);
// Inserts it before the statement that `place` is in.
std::optional<Edit> insertBefore(const SourceManager *sources, SourceRange place,
                                 llvm::StringRef statement);
std::optional<Edit> removeStatement(const SourceManager *sources, SourceRange place);
// Moves the statement `moved` behind the later one that `place` is in, of the same block.
std::optional<Edit> moveBehind(const SourceManager *sources, SourceRange moved, SourceRange place);

} // namespace tsk::verify
