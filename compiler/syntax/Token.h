// Tokens of the language: what the lexer hands to the parser.
#pragma once

#include "compiler/support/Source.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::syntax {

enum class TokenKind : uint8_t {
#define TSK_TOKEN(Name, description) Name,
#include "compiler/syntax/TokenKinds.def"
};

// "KwKernel", as `tokens` dumps show it.
llvm::StringRef name(TokenKind kind);
// "`;`", "a name": how a message speaks of a kind.
llvm::StringRef describe(TokenKind kind);

// The keyword of that spelling, or Identifier.
TokenKind keywordKind(llvm::StringRef text);
inline bool isKeyword(TokenKind kind) { return kind >= TokenKind::KwBarrier; }
inline bool isForeign(TokenKind kind) {
  return kind >= TokenKind::PlusPlus && kind <= TokenKind::Ellipsis;
}
llvm::ArrayRef<llvm::StringRef> contextualKeywords();

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  SourceRange range;
  llvm::StringRef text;
  bool startsLine = false; // only white space and comments stand before it on its line

  bool is(TokenKind k) const { return kind == k; }
  // A contextual keyword.
  bool isWord(llvm::StringRef word) const { return kind == TokenKind::Identifier && text == word; }
};

} // namespace tsk::syntax
