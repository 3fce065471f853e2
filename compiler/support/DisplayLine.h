// One source line as a terminal shows it.
//
// Source lines hold tabs, wide characters, control characters, bytes that are no UTF-8, and may be
// megabytes long. A caret under a column only stands right after all of these were given a
// definite width, so a line is laid out here once and both the text and the underline are cut from
// the result.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tsk {

struct DisplayLine {
  std::string text;      // valid UTF-8, no control characters, tabs as spaces
  std::string underline; // `^~~~` below the marked bytes, no trailing spaces
};

// Lays out `line` and marks the bytes [first, last). At least one column is marked, also at the end
// of the line. A line wider than `maxWidth` columns is cut to a window around the mark, with `…`
// where text is missing.
DisplayLine displayLine(llvm::StringRef line, size_t first, size_t last, unsigned maxWidth = 120);

// Text safe to print in a message: control characters and bytes that are no UTF-8 as `\x1b`.
std::string printable(llvm::StringRef text);

} // namespace tsk
