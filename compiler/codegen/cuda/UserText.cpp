#include "compiler/codegen/cuda/UserText.h"

#include "compiler/ir/CppText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace tsk::codegen {

std::string displayedPath(llvm::StringRef path) {
  std::string text =
      llvm::sys::path::is_absolute(path) ? llvm::sys::path::filename(path).str() : path.str();
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string quoted(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "\"";
}

std::string lineDirective(unsigned line, llvm::StringRef file) {
  return fmt::format("#line {} \"{}\"\n", line, displayedPath(file));
}

static size_t indentation(llvm::StringRef line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

namespace {

struct Line {
  llvm::StringRef text;
  bool beginsInside = false; // of a literal: its blanks are content
  bool endsInside = false;

  bool isBlank() const { return !beginsInside && text.trim().empty(); }
};

std::vector<Line> linesOf(llvm::StringRef text) {
  std::vector<Line> lines;
  llvm::SmallVector<llvm::StringRef, 16> split;
  text.split(split, '\n');
  for (llvm::StringRef line : split)
    lines.push_back({line});
  ir::CppLexer lexer(text);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;
       token = lexer.next()) {
    const size_t inside = token.text.count('\n');
    size_t line = inside ? text.take_front(token.offset).count('\n') : 0;
    for (size_t end = line + inside; line < end; ++line)
      lines[line].endsInside = lines[line + 1].beginsInside = true;
  }
  return lines;
}

// The margin that all lines have in common.
size_t commonMargin(llvm::ArrayRef<Line> lines) {
  size_t margin = llvm::StringRef::npos;
  for (const Line &line : lines)
    if (!line.isBlank() && !line.beginsInside)
      margin = std::min(margin, indentation(line.text));
  return margin;
}

// Blanks at the end go, but where that would join the next line to this one.
llvm::StringRef withoutEnd(const Line &line) {
  const llvm::StringRef trimmed = line.text.rtrim();
  return line.endsInside || trimmed.ends_with("\\") ? line.text : trimmed;
}

} // namespace

void emitUserText(Writer &out, llvm::StringRef text, SourceLoc loc, const SourceManager &sources,
                  const CudaOptions &options) {
  if (text.trim().empty())
    return;
  PresumedLoc place;
  if (loc.isValid())
    place = sources.presumed(loc);
  // The first line begins behind a brace: its column is part of its place.
  const std::string whole =
      std::string(place.column ? place.column - 1 : 0, ' ') + text.rtrim().str();
  const std::vector<Line> lines = linesOf(whole);
  unsigned skipped = 0;
  while (lines[skipped].isBlank())
    ++skipped;
  const llvm::ArrayRef<Line> shown = llvm::ArrayRef(lines).drop_front(skipped);

  if (place.line)
    out.raw(lineDirective(place.line + skipped, place.file));
  const size_t margin = options.keepColumns ? 0 : commonMargin(shown);
  for (const Line &line : shown) {
    llvm::StringRef own = withoutEnd(line);
    if (line.beginsInside || line.isBlank() || options.keepColumns)
      out.raw((line.isBlank() ? "" : own).str() + "\n");
    else
      out.raw("  " + own.drop_front(margin).str() + "\n");
  }
  if (shown.back().text.ends_with("\\"))
    out.blank(); // which it would join to the directive
  if (place.line)
    out.raw(lineDirective(out.nextLine() + 1, options.sourceName));
}

SourceLoc textBegin(llvm::StringRef text, SourceRange range, const SourceManager &sources) {
  if (!range.isValid())
    return {};
  llvm::StringRef whole = sources.text(range);
  whole.consume_back("}");
  return range.begin.advanced(whole.ends_with(text) ? whole.size() - text.size() : 0);
}

} // namespace tsk::codegen
