// Collects the lines of a file: indentation, line numbers for #line, and line breaks in long lists.
#pragma once

#include "compiler/support/Source.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace tsk::codegen {

class Writer {
public:
  // One line at the current indentation, broken at commas if its code is too long, at spaces if it
  // is a comment.
  void line(llvm::StringRef text);
  template <typename... Args>
  void line(fmt::format_string<const Args &...> text, const Args &...args) {
    line(llvm::StringRef(fmt::format(text, args...)));
  }
  void blank() { raw("\n"); }
  // Text as it is, with its line breaks.
  void raw(llvm::StringRef text);

  // `open {` … `}`: what is written in between stands one level deeper.
  template <typename... Args>
  void open(fmt::format_string<const Args &...> text, const Args &...args) {
    line(llvm::StringRef(fmt::format(text, args...) + " {"));
    indent();
  }
  void close(llvm::StringRef after = "") {
    dedent();
    line(llvm::StringRef("}" + after.str()));
  }
  void indent() { ++depth; }
  void dedent() { --depth; }

  // Whether a line at no indentation need not be broken.
  static bool fits(llvm::StringRef text) { return text.size() <= MaxColumns; }
  // The number of the line that is written next.
  unsigned nextLine() const { return lines + 1; }
  // Notes that the next line comes from there.
  void mark(SourceLoc loc) { marks.emplace_back(nextLine(), loc); }
  std::string take() { return std::move(buffer); }
  std::vector<std::pair<unsigned, SourceLoc>> takeMarks() { return std::move(marks); }

private:
  void commentLine(llvm::StringRef text);

  static constexpr size_t MaxColumns = 100;

  std::string buffer;
  std::vector<std::pair<unsigned, SourceLoc>> marks;
  unsigned depth = 0;
  unsigned lines = 0;
};

} // namespace tsk::codegen
