#include "compiler/ir/TextReader.h"
#include "compiler/ir/CppText.h"
#include "compiler/ir/IrDiagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::ir {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> TextUnexpected{kind::TextUnexpected,
                                                                      "expected {}, found {}"};
constexpr Diagnostic<llvm::StringRef, int64_t, int64_t> TextNumberRange{kind::TextNumberRange,
                                                                        "{} must lie in {} .. {}"};
constexpr Diagnostic<llvm::StringRef> TextUnterminated{kind::TextUnterminated, "{} has no end"};

TextReader::TextReader(SourceManager &sources, SourceLoc begin, DiagnosticEngine &diagnostics)
    : diags(diagnostics), text(sources.bufferText(begin)), origin(sources.bufferBegin(begin)),
      position(begin.offset - origin.offset), lastEnd(begin) {
  advance();
}

void TextReader::skipSpace() {
  while (position < text.size()) {
    if (llvm::isSpace(text[position])) {
      ++position;
    } else if (text.substr(position).starts_with("//")) {
      size_t end = text.find('\n', position);
      position = end == llvm::StringRef::npos ? text.size() : end;
    } else {
      return;
    }
  }
}

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

// A number never swallows `..`.
static size_t numberEnd(llvm::StringRef text, size_t at) {
  for (; at < text.size(); ++at) {
    bool sign =
        (text[at] == '-' || text[at] == '+') && (text[at - 1] == 'e' || text[at - 1] == 'E');
    bool point = text[at] == '.' && !text.substr(at).starts_with("..");
    if (!isNamePart(text[at]) && !point && !sign)
      break;
  }
  return at;
}

static size_t stringEnd(llvm::StringRef text, size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      return at + 1;
  }
  return llvm::StringRef::npos;
}

void TextReader::advance() {
  lastEnd = current.range.isValid() ? current.range.end : lastEnd;
  if (hasFailed)
    return;
  skipSpace();
  size_t begin = position;
  auto finish = [&](TextToken::Kind kind, size_t end) {
    position = end;
    current = {kind,
               text.slice(begin, end),
               {origin.advanced(static_cast<uint32_t>(begin)),
                origin.advanced(static_cast<uint32_t>(end))}};
  };
  if (begin >= text.size())
    return finish(TextToken::Kind::End, text.size());
  char c = text[begin];
  if (llvm::isDigit(c))
    return finish(TextToken::Kind::Number, numberEnd(text, begin + 1));
  if (isNamePart(c))
    return finish(TextToken::Kind::Word,
                  std::min(text.find_if_not(isNamePart, begin), text.size()));
  if (c == '"') {
    size_t end = stringEnd(text, begin);
    if (end != llvm::StringRef::npos)
      return finish(TextToken::Kind::String, end);
    return fail(SourceRange::at(origin.advanced(static_cast<uint32_t>(begin))), TextUnterminated,
                "the string");
  }
  llvm::StringRef rest = text.substr(begin);
  for (llvm::StringRef joined : {"..", "->", "::", "==", "!=", "<=", ">=", "&&", "||"})
    if (rest.starts_with(joined))
      return finish(TextToken::Kind::Punctuation, begin + 2);
  finish(TextToken::Kind::Punctuation, begin + 1);
}

void TextReader::stop() {
  hasFailed = true;
  current.kind = TextToken::Kind::End;
  current.text = {};
}

TextToken TextReader::take() {
  TextToken token = current;
  advance();
  return token;
}

bool TextReader::at(llvm::StringRef spelling) const {
  return (current.kind == TextToken::Kind::Word || current.kind == TextToken::Kind::Punctuation) &&
         current.text == spelling;
}

bool TextReader::accept(llvm::StringRef spelling) {
  if (!at(spelling))
    return false;
  advance();
  return true;
}

bool TextReader::expect(llvm::StringRef spelling) {
  if (accept(spelling))
    return true;
  unexpected(fmt::format("`{}`", spelling));
  return false;
}

void TextReader::unexpected(llvm::StringRef what) {
  std::string found = atEnd() ? "the end of the text" : fmt::format("`{}`", current.text);
  SourceRange range = current.range;
  if (atEnd())
    range.end = range.begin;
  fail(range, TextUnexpected, what, found);
}

TextToken TextReader::word(llvm::StringRef what) {
  if (current.kind == TextToken::Kind::Word)
    return take();
  unexpected(what);
  return {TextToken::Kind::Word, {}, current.range};
}

std::string TextReader::dottedName(llvm::StringRef what) {
  std::string result = name(what);
  while (accept("."))
    result += "." + name(what);
  return result;
}

int64_t TextReader::integer(llvm::StringRef what, int64_t low, int64_t high) {
  SourceRange range = current.range;
  bool isNegative = accept("-");
  int64_t magnitude = 0;
  if (current.kind != TextToken::Kind::Number || current.text.getAsInteger(10, magnitude)) {
    unexpected(what);
    return low;
  }
  range.end = current.range.end;
  advance();
  int64_t value = isNegative ? -magnitude : magnitude;
  if (value < low || value > high) {
    fail(range, TextNumberRange, what, low, high);
    return low;
  }
  return value;
}

std::string TextReader::string(llvm::StringRef what) {
  if (current.kind != TextToken::Kind::String) {
    unexpected(what);
    return {};
  }
  llvm::StringRef quoted = take().text.drop_front().drop_back();
  std::string result;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 == quoted.size())
      result += quoted[i];
    else
      result += quoted[++i] == 'n' ? '\n' : quoted[i];
  }
  return result;
}

std::string TextReader::braced(SourceRange &range) {
  if (!at("{")) {
    unexpected("`{`");
    return {};
  }
  size_t begin = position;
  size_t length = findClosingBrace(text.substr(begin));
  if (length == llvm::StringRef::npos) {
    fail(current.range, TextUnterminated, "the body");
    return {};
  }
  range = {current.range.begin, origin.advanced(static_cast<uint32_t>(begin + length + 1))};
  std::string body = text.substr(begin, length).str();
  position = begin + length + 1;
  current.range = range;
  advance();
  return body;
}

std::string TextReader::typeText(llvm::StringRef what) {
  size_t begin = current.range.begin.offset - origin.offset;
  size_t end = begin;
  int depth = 0;
  while (!atEnd()) {
    bool closes = at(")") || at(">") || at("]");
    bool ends = at(",") || at("=") || at(";") || at("{") || closes;
    if (depth == 0 && ends)
      break;
    depth += at("(") || at("<") || at("[") ? 1 : closes ? -1 : 0;
    end = current.range.end.offset - origin.offset;
    advance();
  }
  if (end == begin)
    unexpected(what);
  return text.slice(begin, end).str();
}

void TextReader::list(llvm::StringRef open, llvm::StringRef close,
                      llvm::function_ref<void()> item) {
  expect(open);
  if (accept(close))
    return;
  do
    item();
  while (!hasFailed && accept(","));
  expect(close);
}

} // namespace tsk::ir
