// The tokens of C++ text, as far as a compiler needs them that leaves the text to nvcc: names,
// numbers, punctuation; comments, strings, characters and raw strings are stepped over correctly.
// Used to find the end of a body and to look for names inside it.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tsk::ir {

struct CppToken {
  enum class Kind : uint8_t { End, Identifier, Number, Literal, Punctuation };
  Kind kind = Kind::End;
  llvm::StringRef text;
  size_t offset = 0; // in the lexed text

  bool is(llvm::StringRef spelling) const { return text == spelling; }
};

class CppLexer {
public:
  explicit CppLexer(llvm::StringRef source) : text(source) {}

  // The next token; End at the end of the text, for ever. Punctuation comes one character a token,
  // but for `::`, `->` and digraphs. Preprocessor lines are read as ordinary tokens.
  CppToken next();
  // A comment, string or raw string had no end before the text's.
  bool isUnterminated() const { return unterminated; }

private:
  bool skipSpaceAndComments();
  CppToken token(CppToken::Kind kind, size_t begin);
  bool skipQuoted(char quote);
  bool skipRawString();

  llvm::StringRef text;
  size_t at = 0;
  bool unterminated = false;
};

// A keyword of C++ or a name that the emitted code could not declare (CppWords.def, CppMacros.def).
bool isCppWord(llvm::StringRef name);

// Whether the text has this name among its tokens.
bool spells(llvm::StringRef text, llvm::StringRef name);

// What a digraph stands for: `[` for `<:`. Other text as it is.
llvm::StringRef spelledOut(llvm::StringRef punctuation);

// The offset of the `}` that closes a body whose text starts at `text` (after its `{`), or npos.
size_t findClosingBrace(llvm::StringRef text);

} // namespace tsk::ir
