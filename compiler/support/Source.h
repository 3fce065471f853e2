// Source text and places in it.
//
// All buffers share one 32-bit offset space, so a location is four bytes and a range eight; the
// SourceManager maps one back to a file, a line and a column. Offset 0 is "no location".
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tsk {

struct SourceLoc {
  uint32_t offset = 0;

  bool isValid() const { return offset != 0; }
  SourceLoc advanced(uint32_t bytes) const { return {offset + bytes}; }
  friend bool operator==(SourceLoc, SourceLoc) = default;
  friend auto operator<=>(SourceLoc, SourceLoc) = default;
};

// Half-open: [begin, end). Both ends lie in the same buffer.
struct SourceRange {
  SourceLoc begin;
  SourceLoc end;

  bool isValid() const { return begin.isValid(); }
  static SourceRange at(SourceLoc loc) { return {loc, loc.advanced(1)}; }
  static SourceRange join(SourceRange first, SourceRange last) { return {first.begin, last.end}; }
  friend bool operator==(SourceRange, SourceRange) = default;
};

// A location as a person reads it. Lines and columns count from 1; columns count bytes.
struct PresumedLoc {
  llvm::StringRef file;
  unsigned line = 0;
  unsigned column = 0;
};

class SourceManager {
public:
  SourceManager();
  ~SourceManager();
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  // Takes over a text; `name` is what messages and #line directives say. Returns the buffer's
  // first location. The text must be smaller than 1 GiB in all; larger input is the caller's error.
  // A carriage return that no newline follows becomes a newline.
  SourceLoc addBuffer(std::unique_ptr<llvm::MemoryBuffer> text, llvm::StringRef name);

  PresumedLoc presumed(SourceLoc loc) const;
  llvm::StringRef text(SourceRange range) const;
  // The whole line (without its line break) that holds `loc`.
  llvm::StringRef lineText(SourceLoc loc) const;
  // The place of a line and column that another tool names; invalid if no buffer has it. An
  // absolute path counts by its last part too, as generated code calls it.
  SourceLoc locate(llvm::StringRef name, unsigned line, unsigned column) const;
  // The whole text and the name of the buffer that holds `loc`.
  llvm::StringRef bufferText(SourceLoc loc) const;
  llvm::StringRef bufferName(SourceLoc loc) const;
  SourceLoc bufferBegin(SourceLoc loc) const;
  // Whether the text is not what the file holds, because it ended lines by carriage returns.
  bool hadLoneReturns(SourceLoc loc) const;
  bool sameBuffer(SourceLoc a, SourceLoc b) const;

private:
  struct Buffer;
  const Buffer &find(SourceLoc loc) const;

  std::vector<std::unique_ptr<Buffer>> buffers;
  uint32_t nextOffset = 1;
};

} // namespace tsk
