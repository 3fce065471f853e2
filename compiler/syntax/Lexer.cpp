#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/BodyScanner.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::syntax {

constexpr Diagnostic<llvm::StringRef> UnexpectedCharacter{
    kind::UnexpectedCharacter, "unexpected character `{}`; no token begins with it"};
constexpr Diagnostic<> UnterminatedComment{kind::UnterminatedComment,
                                           "unterminated comment: this `/*` has no `*/`"};
constexpr Diagnostic<> UnterminatedString{
    kind::UnterminatedString,
    "unterminated string: a string ends with `\"` on the line where it begins"};
constexpr Diagnostic<> UnterminatedRawString{
    kind::UnterminatedRawString,
    "unterminated raw string: its closing parenthesis, delimiter and quote are missing"};
constexpr Diagnostic<> UnterminatedCharacter{
    kind::UnterminatedCharacter,
    "unterminated character literal: it ends with `'` on the line where it begins"};
constexpr Diagnostic<> UnterminatedBody{kind::UnterminatedBody,
                                        "unterminated body: this `{{` has no matching `}}`"};

static bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
static bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }
static bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

Lexer::Lexer(const SourceManager &sources, SourceLoc buffer, SyntaxErrors &reporter)
    : errors(reporter), text(sources.bufferText(buffer)), begin(sources.bufferBegin(buffer)) {
  if (text.starts_with("\xEF\xBB\xBF"))
    at = 3; // a byte-order mark
}

void Lexer::stop() { at = text.size(); }

Token Lexer::make(TokenKind kind, size_t length) {
  Token token{kind, range(at, at + length), text.substr(at, length), atLineStart};
  at += length;
  return token;
}

Token Lexer::next() {
  atLineStart = at == 0 || (at == 3 && text[0] == '\xEF');
  for (;;) {
    skipTrivia();
    if (errors.isExhausted())
      stop();
    if (at >= text.size())
      return make(TokenKind::EndOfFile, 0);
    char c = text[at];
    if (isWordStart(c))
      return lexWord();
    if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
      return lexNumber();
    if (c == '"')
      return lexQuoted('"', TokenKind::String);
    if (c == '\'')
      return lexQuoted('\'', TokenKind::Character);
    Token mark = lexPunctuation();
    if (mark.kind != TokenKind::EndOfFile)
      return mark;
    skipUnexpected();
  }
}

void Lexer::skipTrivia() {
  while (at < text.size()) {
    char c = text[at];
    if (c == '\n')
      atLineStart = true;
    if (isSpace(c))
      ++at;
    else if (c == '/' && peek(1) == '/')
      skipLineComment();
    else if (c == '/' && peek(1) == '*')
      skipBlockComment();
    else
      return;
  }
}

void Lexer::skipLineComment() {
  size_t open = at;
  // As in C++, a backslash at the end of the line makes the comment go on.
  for (;;) {
    size_t end = text.find('\n', at);
    at = end == llvm::StringRef::npos ? text.size() : end;
    llvm::StringRef line = text.slice(open, at);
    line.consume_back("\r");
    if (at == text.size() || !line.ends_with("\\"))
      break;
    ++at;
  }
  size_t close = at;
  while (close > open && text[close - 1] == '\r')
    --close;
  if (comments)
    comments->push_back({range(open, close), true});
}

void Lexer::skipBlockComment() {
  size_t open = at;
  size_t close = text.find("*/", at + 2);
  if (close == llvm::StringRef::npos) {
    errors.report(range(open, open + 2), UnterminatedComment);
    hasLostRest = true;
    stop();
    return;
  }
  at = close + 2;
  if (text.slice(open, at).contains('\n'))
    atLineStart = true;
  if (comments)
    comments->push_back({range(open, at), false});
}

// One message for a whole run of characters that begin no token.
void Lexer::skipUnexpected() {
  auto length = [&](size_t where) {
    size_t end = where + 1;
    while (end < text.size() && (text[end] & 0xC0) == 0x80)
      ++end;
    return end - where;
  };
  size_t open = at;
  size_t first = length(at);
  at += first;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) >= 0x80 ||
                              llvm::StringRef("@#$`\\").contains(text[at])))
    at += length(at);
  llvm::StringRef shown = text.substr(open, first);
  unsigned char lead = static_cast<unsigned char>(shown[0]);
  bool isPrintable = lead >= 0x80 ? first > 1 : llvm::isPrint(shown[0]);
  // Bytes that are no characters at all were reported by checkEncoding.
  if (lead < 0x80 || first > 1)
    errors.report(range(open, open + first), UnexpectedCharacter,
                  isPrintable ? shown : llvm::StringRef(fmt::format("\\x{:02x}", lead)));
}

Token Lexer::lexWord() {
  size_t length = 1;
  while (isWordChar(peek(length)))
    ++length;
  return make(keywordKind(text.substr(at, length)), length);
}

// A preprocessing number as C++ has it, with two exceptions: it never swallows `..`, and the sign
// after an `e` in a hexadecimal number is an operator. Literal.cpp finds out whether it is one.
Token Lexer::lexNumber() {
  bool isHex = text[at] == '0' && (peek(1) == 'x' || peek(1) == 'X');
  bool isBinary = text[at] == '0' && (peek(1) == 'b' || peek(1) == 'B');
  bool isFloat = text[at] == '.';
  size_t length = 1;
  for (;; ++length) {
    char c = peek(length);
    if (c == '\'' && isWordChar(peek(length + 1)))
      continue;
    if (c == '.') {
      if (isFloat || peek(length + 1) == '.')
        break;
      isFloat = true;
      continue;
    }
    if ((c == '+' || c == '-') && !isBinary) {
      char before = text[at + length - 1];
      if (isHex ? before == 'p' || before == 'P' : before == 'e' || before == 'E')
        continue;
    }
    if (!isWordChar(c))
      break;
    if (isHex ? c == 'p' || c == 'P' : !isBinary && (c == 'e' || c == 'E'))
      isFloat = true;
  }
  llvm::StringRef spelled = text.substr(at, length);
  if (spelled == "32B" || spelled == "64B" || spelled == "128B")
    return make(TokenKind::SwizzleSpan, length);
  return make(isFloat ? TokenKind::Float : TokenKind::Integer, length);
}

Token Lexer::lexQuoted(char quote, TokenKind kind) {
  size_t length = 1;
  while (at + length < text.size() && peek(length) != quote && peek(length) != '\n')
    length +=
        peek(length) == '\\' && at + length + 1 < text.size() && peek(length + 1) != '\n' ? 2 : 1;
  if (at + length < text.size() && peek(length) == quote)
    return make(kind, length + 1);
  if (quote == '"')
    errors.report(range(at, at + 1), UnterminatedString);
  else
    errors.report(range(at, at + 1), UnterminatedCharacter);
  return make(kind, length);
}

Token Lexer::lexPunctuation() {
  struct Mark {
    llvm::StringLiteral spelling;
    TokenKind kind;
  };
  static constexpr Mark Marks[] = {
#define TSK_PUNCTUATION(Name, spelling) {spelling, TokenKind::Name},
#define TSK_FOREIGN(Name, spelling) {spelling, TokenKind::Name},
#include "compiler/syntax/TokenKinds.def"
  };
  llvm::StringRef rest = text.substr(at, 3);
  const Mark *best = nullptr;
  for (const Mark &mark : Marks) {
    if (mark.kind == TokenKind::BackArrow) // `a <- b` is a comparison outside `depends`
      continue;
    if (rest.starts_with(mark.spelling) && (!best || mark.spelling.size() > best->spelling.size()))
      best = &mark;
  }
  return best ? make(best->kind, best->spelling.size()) : Token();
}

// Where a declaration seems to begin although a body that opened at `open` has no end: a line that
// is not indented more than the body's own and that begins with a word of ours. Or the text's end.
static size_t findLostDeclaration(llvm::StringRef text, size_t open) {
  static constexpr llvm::StringLiteral Words[] = {"consume",  "depends",  "kernel", "produce",
                                                  "queue",    "resource", "setup",  "static",
                                                  "schedule", "task",     "test",   "update"};
  auto indentAt = [&](size_t line) { return text.find_first_not_of(" \t", line) - line; };
  size_t openLine = text.rfind('\n', open);
  size_t openIndent = indentAt(openLine == llvm::StringRef::npos ? 0 : openLine + 1);
  for (size_t at = text.find('\n', open); at != llvm::StringRef::npos; at = text.find('\n', at)) {
    ++at;
    size_t indent = indentAt(at);
    if (indent > openIndent)
      continue;
    llvm::StringRef word = text.substr(at + indent).take_while(isWordChar);
    if (llvm::is_contained(Words, word) && text.substr(at + indent + word.size()).starts_with(" "))
      return at;
  }
  return text.size();
}

void Lexer::reportFindings(const BodyScan &scan) {
  for (const BodyScan::Finding &finding : scan.findings) {
    SourceRange where = range(finding.at, finding.at + 1);
    switch (finding.problem) {
    case BodyScan::Problem::Body:
      errors.report(where, UnterminatedBody)
          .note(range(scan.end, scan.end), "the body is read up to here");
      break;
    case BodyScan::Problem::Comment:
      errors.report(where, UnterminatedComment);
      break;
    case BodyScan::Problem::String:
      errors.report(where, UnterminatedString);
      break;
    case BodyScan::Problem::RawString:
      errors.report(where, UnterminatedRawString);
      break;
    case BodyScan::Problem::Character:
      errors.report(where, UnterminatedCharacter);
      break;
    }
  }
}

Token Lexer::lexBody(const Token &open) {
  if (errors.isExhausted()) { // reading has stopped
    stop();
    return {TokenKind::Body, open.range, open.text, open.startsLine};
  }
  size_t from = open.range.begin.offset - begin.offset;
  BodyScan scan = scanBody(text, from);
  bool isUnclosed =
      !scan.findings.empty() && scan.findings.back().problem == BodyScan::Problem::Body;
  if (isUnclosed)
    scan.end = findLostDeclaration(text, from);
  reportFindings(scan);
  at = scan.end;
  hasLostRest |= !scan.closed && at == text.size();
  return {TokenKind::Body, range(from, scan.end), text.slice(from, scan.end), open.startsLine};
}

} // namespace tsk::syntax
