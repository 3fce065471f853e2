#include "compiler/codegen/cuda/Writer.h"

#include <algorithm>
#include <climits>

namespace tsk::codegen {

static constexpr llvm::StringLiteral Continued = "//   ";

static bool opens(llvm::StringRef text, size_t i) {
  const bool isTemplate = text[i] == '<' && i && text[i - 1] != ' ' && text[i - 1] != '<';
  return text[i] == '(' || text[i] == '{' || text[i] == '[' || isTemplate;
}
static bool closes(llvm::StringRef text, size_t i) {
  const bool isTemplate = text[i] == '>' && i && text[i - 1] != ' ' && text[i - 1] != '-';
  return text[i] == ')' || text[i] == '}' || text[i] == ']' || isTemplate;
}

// Steps over strings and characters: whether the text at i is in one, or a `"` of one.
class Quotes {
public:
  bool isInside(llvm::StringRef text, size_t i) {
    if (quote) {
      if (text[i] == '\\')
        isEscaped = !isEscaped;
      else if (text[i] == quote && !isEscaped)
        quote = 0;
      else
        isEscaped = false;
      return true;
    }
    if (text[i] == '"' || text[i] == '\'')
      quote = text[i];
    isEscaped = false;
    return quote != 0;
  }

private:
  char quote = 0;
  bool isEscaped = false;
};

// Where the comment at the end of a line begins, or its end.
static size_t commentOf(llvm::StringRef text) {
  Quotes quotes;
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (!quotes.isInside(text, i) && text.substr(i, 2) == "//")
      return i;
  return text.size();
}

// Where to break code that is too long: after the last comma or semicolon that fits, among those
// that stand in the fewest brackets, outside of strings; or else after the first one.
static size_t findBreak(llvm::StringRef text, size_t limit) {
  size_t found = llvm::StringRef::npos;
  int depth = 0, foundDepth = INT_MAX;
  Quotes quotes;
  const auto goesOn = [&](size_t i) { return i < limit || found == llvm::StringRef::npos; };
  for (size_t i = 0; i + 1 < text.size() && goesOn(i); ++i) {
    if (quotes.isInside(text, i))
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
  const size_t comment = commentOf(text);
  if (comment == 0)
    return commentLine(text);
  size_t margin = size_t(2) * depth;
  size_t code = text.take_front(comment).rtrim().size();
  // A comment stays behind its code and may stick out.
  while (margin + code > MaxColumns) {
    const size_t at = findBreak(text.take_front(code), MaxColumns - margin);
    if (at == llvm::StringRef::npos)
      break;
    raw(std::string(margin, ' ') + text.take_front(at).str() + "\n");
    text = text.drop_front(at + 1);
    code -= at + 1;
    margin = size_t(2) * depth + 4;
  }
  raw(std::string(text.empty() ? 0 : margin, ' ') + text.str() + "\n");
}

// Broken at spaces; each line is a comment.
void Writer::commentLine(llvm::StringRef text) {
  const std::string margin(size_t(2) * depth, ' ');
  std::string rest = text.str();
  while (margin.size() + rest.size() > MaxColumns) {
    const size_t at = llvm::StringRef(rest).take_front(MaxColumns - margin.size()).rfind(' ');
    if (at == llvm::StringRef::npos || at < Continued.size())
      break;
    raw(margin + rest.substr(0, at) + "\n");
    rest = Continued.str() + rest.substr(at + 1);
  }
  raw(margin + rest + "\n");
}

void Writer::raw(llvm::StringRef text) {
  buffer += text;
  lines += static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace tsk::codegen
