// Turns text into tokens, one at a time: the parser decides where a `{` opens a C++ body, and asks
// for the whole of it with lexBody.
//
// No input makes it fail: what cannot be read is reported and skipped, in linear time.
#pragma once

#include "compiler/syntax/SyntaxErrors.h"
#include "compiler/syntax/Token.h"

#include <vector>

namespace tsk::syntax {

struct Comment {
  SourceRange range; // without the line break that ends a `//` comment
  bool isLine = false;
};

// Reports invalid UTF-8 and NUL bytes anywhere in the buffer, comments and bodies included.
void checkEncoding(const SourceManager &sources, SourceLoc buffer, SyntaxErrors &errors);

class Lexer {
public:
  Lexer(const SourceManager &sources, SourceLoc buffer, SyntaxErrors &errors);

  // The next token; EndOfFile for ever at the end.
  Token next();

  // Reads on from `open`, a `{`, to the brace that closes it as C++ would. Returns a Body token
  // that covers both braces. Unterminated: reported, and the body ends with the file.
  Token lexBody(const Token &open);

  // From now on there are only EndOfFile tokens.
  void stop();
  // Whether a comment or body without an end, already reported, took the rest of the text with it.
  bool lostRest() const { return hasLostRest; }

  // Where to record comments (of text outside bodies), or null.
  std::vector<Comment> *comments = nullptr;

private:
  void skipTrivia();
  void skipLineComment();
  void skipBlockComment();
  void skipUnexpected();
  Token make(TokenKind kind, size_t length);
  Token lexWord();
  Token lexNumber();
  Token lexQuoted(char quote, TokenKind kind);
  Token lexPunctuation();
  void reportFindings(const struct BodyScan &scan);
  char peek(size_t ahead) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  SourceLoc loc(size_t offset) const { return begin.advanced(static_cast<uint32_t>(offset)); }
  SourceRange range(size_t from, size_t to) const { return {loc(from), loc(to)}; }

  SyntaxErrors &errors;
  llvm::StringRef text;
  SourceLoc begin;
  size_t at = 0;
  bool atLineStart = true;
  bool hasLostRest = false;
};

} // namespace tsk::syntax
