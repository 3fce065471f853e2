// C++ bodies are not ours to format. When the declaration around one moves, its lines move along.
#include "compiler/syntax/BodyScanner.h"
#include "compiler/syntax/FormatTree.h"

namespace tsk::syntax {

namespace {

struct BodyLine {
  llvm::StringRef text; // with its line break
  bool isPinned = false;
};

std::vector<BodyLine> linesOf(llvm::StringRef body) {
  BodyScan scan = scanBody(body, 0);
  std::vector<BodyLine> lines;
  for (size_t begin = 0; begin < body.size();) {
    size_t end = body.find('\n', begin);
    end = end == llvm::StringRef::npos ? body.size() : end + 1;
    BodyLine line{body.slice(begin, end)};
    llvm::StringRef content = line.text.ltrim(" ");
    // The first line goes with the declaration; a directive at the margin, and what is indented
    // with tabs, keeps its place.
    line.isPinned = begin == 0 || llvm::is_contained(scan.pinnedLines, begin) ||
                    line.text.starts_with("#") || content.starts_with("\t") ||
                    content.trim().empty();
    lines.push_back(line);
    begin = end;
  }
  return lines;
}

} // namespace

std::string shiftBody(llvm::StringRef body, unsigned from, unsigned to) {
  if (from == to || !body.contains('\n'))
    return body.str();
  std::vector<BodyLine> lines = linesOf(body);
  size_t removed = from > to ? from - to : 0; // never more than every line has
  for (const BodyLine &line : lines)
    if (!line.isPinned)
      removed = std::min(removed, line.text.size() - line.text.ltrim(" ").size());
  std::string result;
  for (const BodyLine &line : lines) {
    if (line.isPinned) {
      result += line.text;
      continue;
    }
    if (to > from)
      result.append(to - from, ' ');
    result += line.text.drop_front(removed);
  }
  return result;
}

} // namespace tsk::syntax
