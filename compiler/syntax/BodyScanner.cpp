#include "compiler/syntax/BodyScanner.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::syntax {
namespace {

bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }

class Scanner {
public:
  Scanner(llvm::StringRef source, size_t open) : text(source), at(open) {}

  BodyScan scan() {
    size_t open = at;
    unsigned depth = 0;
    while (at < text.size()) {
      char c = text[at];
      if (c == '{') {
        ++depth;
        ++at;
      } else if (c == '}') {
        ++at;
        if (--depth == 0) {
          result.closed = true;
          break;
        }
      } else {
        skipOne(c);
      }
    }
    result.end = at;
    // What swallowed the rest of the file is the better explanation.
    if (!result.closed && !swallowedRest)
      result.findings.push_back({BodyScan::Problem::Body, open});
    return std::move(result);
  }

private:
  void skipOne(char c) {
    if (c == '\n') {
      ++at;
      inDirective = startsDirective();
    } else if (c == '/' && peek(1) == '/') {
      skipLineComment();
    } else if (c == '/' && peek(1) == '*') {
      skipBlockComment();
    } else if (c == '"') {
      skipQuoted('"', BodyScan::Problem::String);
    } else if (c == '\'') {
      skipQuoted('\'', BodyScan::Problem::Character);
    } else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1)))) {
      skipNumber();
    } else if (isWordChar(c)) {
      skipWord();
    } else if (c == '\\' && spliceLength(at)) {
      at += spliceLength(at); // a directive goes on
    } else {
      ++at;
    }
  }

  char peek(size_t ahead) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  // Length of a backslash-newline at `where`, or 0.
  size_t spliceLength(size_t where) const {
    if (where >= text.size() || text[where] != '\\')
      return 0;
    if (where + 1 < text.size() && text[where + 1] == '\n')
      return 2;
    return text.substr(where + 1).starts_with("\r\n") ? 3 : 0;
  }

  // In `#error don't` a quote opens nothing.
  bool startsDirective() const { return text.substr(at).ltrim(" \t").starts_with("#"); }

  void skipLineComment() {
    while (at < text.size() && text[at] != '\n') {
      size_t splice = spliceLength(at);
      at += splice ? splice : 1;
      if (splice)
        result.pinnedLines.push_back(at);
    }
  }

  void skipBlockComment() {
    size_t open = at;
    size_t close = text.find("*/", at + 2);
    bool closed = close != llvm::StringRef::npos;
    at = closed ? close + 2 : text.size();
    pinLines(open, at);
    if (!closed) {
      swallowedRest = true;
      result.findings.push_back({BodyScan::Problem::Comment, open});
    }
  }

  void skipQuoted(char quote, BodyScan::Problem problem) {
    size_t open = at++;
    while (at < text.size() && text[at] != quote && text[at] != '\n') {
      if (size_t splice = spliceLength(at)) {
        at += splice;
        result.pinnedLines.push_back(at);
      } else {
        at += text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n' ? 2 : 1;
      }
    }
    if (at < text.size() && text[at] == quote)
      ++at;
    else if (!inDirective)
      result.findings.push_back({problem, open});
  }

  // A preprocessing number: 1'000, 0x1.8p-3, 1e+5, 7_km.
  void skipNumber() {
    ++at;
    while (at < text.size()) {
      char c = text[at];
      if ((c == '+' || c == '-') && llvm::StringRef("eEpP").contains(text[at - 1]))
        ++at;
      else if (c == '\'' && isWordChar(peek(1)))
        at += 2;
      else if (isWordChar(c) || c == '.')
        ++at;
      else
        break;
    }
  }

  void skipWord() {
    size_t begin = at;
    while (at < text.size() && isWordChar(text[at]))
      ++at;
    llvm::StringRef word = text.slice(begin, at);
    if (peek(0) == '"' &&
        (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"))
      skipRawString();
  }

  void skipRawString() {
    size_t open = at;
    size_t paren = at + 1;
    while (paren < text.size() && paren - at <= 17 &&
           !llvm::StringRef("()\\ \t\v\f\n\"").contains(text[paren]))
      ++paren;
    if (paren >= text.size() || text[paren] != '(') {
      skipQuoted('"', BodyScan::Problem::String); // not a raw string; Clang will say so
      return;
    }
    std::string terminator = (")" + text.slice(at + 1, paren) + "\"").str();
    size_t close = text.find(terminator, paren);
    bool closed = close != llvm::StringRef::npos;
    at = closed ? close + terminator.size() : text.size();
    pinLines(open, at);
    if (!closed) {
      swallowedRest = true;
      result.findings.push_back({BodyScan::Problem::RawString, open});
    }
  }

  void pinLines(size_t begin, size_t end) {
    for (size_t line = text.find('\n', begin); line < end; line = text.find('\n', line + 1))
      result.pinnedLines.push_back(line + 1);
  }

  llvm::StringRef text;
  size_t at;
  bool inDirective = false;
  bool swallowedRest = false;
  BodyScan result;
};

} // namespace

BodyScan scanBody(llvm::StringRef text, size_t open) { return Scanner(text, open).scan(); }

} // namespace tsk::syntax
