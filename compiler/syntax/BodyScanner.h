// Finds the end of a C++ body. Nothing in it is understood beyond what can hide a brace: comments,
// strings, raw strings, character literals, digit separators and preprocessor lines.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tsk::syntax {

struct BodyScan {
  enum class Problem : uint8_t { Body, Comment, String, RawString, Character };
  struct Finding {
    Problem problem; // what has no end
    size_t at;       // where it opens
  };

  size_t end = 0;      // past the matching `}`; the text's size where there is none
  bool closed = false; // whether there is one
  llvm::SmallVector<Finding, 2> findings;
  // Starts of lines whose leading white space belongs to a string or comment: a formatter must not
  // touch it. In ascending order.
  llvm::SmallVector<size_t, 0> pinnedLines;
};

// `open` is the offset of the `{` in `text`.
BodyScan scanBody(llvm::StringRef text, size_t open);

} // namespace tsk::syntax
