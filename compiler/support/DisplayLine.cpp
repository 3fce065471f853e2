#include "compiler/support/DisplayLine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>

namespace tsk {

static constexpr unsigned TabStop = 4;
static constexpr llvm::StringLiteral Replacement = "\xEF\xBF\xBD"; // U+FFFD
static constexpr llvm::StringLiteral Ellipsis = "\xE2\x80\xA6";    // …

namespace {
// What one character of the source becomes.
struct Cell {
  size_t byte = 0;  // in the source line
  size_t bytes = 1; // of the source line
  std::string text;
  unsigned width = 1;
};
} // namespace

// Bytes of the well-formed UTF-8 character at the start of `text`, 0 if there is none.
static size_t utf8Length(llvm::StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  unsigned length = llvm::getNumBytesForUTF8(*begin);
  if (length > text.size() || !llvm::isLegalUTF8Sequence(begin, begin + length))
    return 0;
  return length;
}

static Cell cellAt(llvm::StringRef line, size_t byte, unsigned column) {
  char c = line[byte];
  if (c == '\t') {
    unsigned width = TabStop - column % TabStop;
    return {byte, 1, std::string(width, ' '), width};
  }
  if (llvm::isPrint(c))
    return {byte, 1, std::string(1, c), 1};
  size_t length = utf8Length(line.drop_front(byte));
  llvm::StringRef text = line.substr(byte, std::max<size_t>(length, 1));
  int width = length > 1 ? llvm::sys::unicode::columnWidthUTF8(text) : -1;
  if (width < 0)
    return {byte, text.size(), Replacement.str(), 1};
  return {byte, length, text.str(), static_cast<unsigned>(width)};
}

namespace {
// The cells of a line, or of its beginning if it is too wide.
struct Layout {
  std::vector<Cell> cells;
  std::vector<unsigned> starts; // column of each cell, one more for the end
  bool isComplete = true;
};
} // namespace

static Layout layOut(llvm::StringRef line, size_t from, size_t markEnd, unsigned maxWidth) {
  Layout layout;
  unsigned column = 0;
  unsigned behindMark = 0;
  for (size_t byte = from; byte < line.size();) {
    if (column >= maxWidth && behindMark > maxWidth / 2) {
      layout.isComplete = false;
      break;
    }
    layout.starts.push_back(column);
    layout.cells.push_back(cellAt(line, byte, column));
    const Cell &cell = layout.cells.back();
    byte += cell.bytes;
    column += cell.width;
    if (byte > markEnd)
      behindMark += cell.width;
  }
  layout.starts.push_back(column);
  return layout;
}

DisplayLine displayLine(llvm::StringRef line, size_t first, size_t last, unsigned maxWidth) {
  first = std::min(first, line.size());
  last = std::clamp(last, first, line.size());
  // A mark longer than the window is shown by its beginning.
  last = std::min(last, first + maxWidth / 2);

  // Start so far before the mark that the part before it takes at most half of the window. Tabs
  // and wide characters make the estimate in bytes too long, never too short, by four at most.
  size_t from = first > maxWidth ? first - maxWidth / 2 : 0;
  while (from > 0 && from < first && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80)
    ++from;
  Layout layout = layOut(line, from, last, maxWidth);

  DisplayLine result;
  std::string marks;
  if (from > 0) {
    result.text += Ellipsis;
    marks += ' ';
  }
  bool isFirstMark = true;
  for (const Cell &cell : layout.cells) {
    result.text += cell.text;
    bool isMarked = cell.byte + cell.bytes > first && cell.byte < std::max(last, first + 1);
    for (unsigned i = 0; i < cell.width; ++i) {
      marks += !isMarked ? ' ' : isFirstMark ? '^' : '~';
      isFirstMark &= !isMarked;
    }
  }
  if (isFirstMark)
    marks += '^'; // the mark is at the end of the line
  if (!layout.isComplete)
    result.text += Ellipsis;
  result.text = llvm::StringRef(result.text).rtrim(' ').str();
  result.underline = llvm::StringRef(marks).rtrim(' ').str();
  return result;
}

std::string printable(llvm::StringRef text) {
  std::string result;
  for (size_t byte = 0; byte < text.size();) {
    Cell cell = cellAt(text, byte, 0);
    bool isClean = cell.text != Replacement || text.substr(byte, cell.bytes) == Replacement;
    if (isClean && text[byte] != '\t') {
      result += cell.text;
    } else {
      for (unsigned char c : text.substr(byte, cell.bytes))
        result += "\\x" + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
    }
    byte += cell.bytes;
  }
  return result;
}

} // namespace tsk
