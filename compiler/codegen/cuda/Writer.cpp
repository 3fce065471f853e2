#include "compiler/codegen/cuda/Writer.h"

#include <algorithm>
#include <climits>

namespace tsk::codegen {

static bool opens(llvm::StringRef text, size_t i) {
  const bool isTemplate = text[i] == '<' && i && text[i - 1] != ' ' && text[i - 1] != '<';
  return text[i] == '(' || text[i] == '{' || text[i] == '[' || isTemplate;
}
static bool closes(llvm::StringRef text, size_t i) {
  const bool isTemplate = text[i] == '>' && i && text[i - 1] != ' ' && text[i - 1] != '-';
  return text[i] == ')' || text[i] == '}' || text[i] == ']' || isTemplate;
}

// Where to break a line that is too long: after the last comma or semicolon that fits, among those
// that stand in the fewest brackets, outside of strings.
static size_t findBreak(llvm::StringRef text, size_t limit) {
  size_t found = llvm::StringRef::npos;
  int depth = 0, foundDepth = INT_MAX;
  bool inString = false;
  for (size_t i = 0; i + 1 < text.size() && i < limit; ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
      inString = !inString;
    if (inString)
      continue;
    depth += opens(text, i) - closes(text, i);
    if ((text[i] == ',' || text[i] == ';') && text[i + 1] == ' ' && depth <= foundDepth) {
      found = i + 1;
      foundDepth = depth;
    }
  }
  return found;
}

void Writer::line(llvm::StringRef text) {
  size_t margin = 2 * depth;
  while (margin + text.size() > MaxColumns) {
    const size_t at = findBreak(text, MaxColumns - margin);
    if (at == llvm::StringRef::npos)
      break;
    raw(std::string(margin, ' ') + text.take_front(at).str() + "\n");
    text = text.drop_front(at + 1);
    margin = 2 * depth + 4;
  }
  raw(std::string(text.empty() ? 0 : margin, ' ') + text.str() + "\n");
}

void Writer::raw(llvm::StringRef text) {
  buffer += text;
  lines += static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace tsk::codegen
