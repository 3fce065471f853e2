#include "compiler/ir/CppText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tsk::ir {

static bool isIdentifierStart(char c) { return llvm::isAlpha(c) || c == '_' || (c & 0x80); }
static bool isIdentifierPart(char c) { return isIdentifierStart(c) || llvm::isDigit(c); }

// `cudaStreamDefault`, `CUDA_VERSION`: which ones there are depends on the toolkit.
static bool isToolkits(llvm::StringRef name) {
  static constexpr llvm::StringRef Begins[] = {
#define TSK_CPP_MACROS(Names)
#define TSK_CPP_PREFIX(Begin) Begin,
#include "compiler/ir/CppMacros.def"
  };
  return llvm::any_of(Begins, [&](llvm::StringRef begin) { return name.starts_with(begin); }) ||
         (name.consume_front("cuda") && !name.empty() && llvm::isUpper(name.front()));
}

static llvm::StringSet<> cppWords() {
  llvm::StringSet<> words = {
// As text: some are macros.
#define TSK_CPP_WORD(Word) #Word,
#include "compiler/ir/CppWords.def"
  };
  static constexpr llvm::StringRef Macros[] = {
#define TSK_CPP_PREFIX(Begin)
#define TSK_CPP_MACROS(Names) Names,
#include "compiler/ir/CppMacros.def"
  };
  for (llvm::StringRef line : Macros) {
    llvm::SmallVector<llvm::StringRef, 8> names;
    line.split(names, ' ');
    for (llvm::StringRef name : names)
      words.insert(name);
  }
  return words;
}

bool isCppWord(llvm::StringRef name) {
  static const llvm::StringSet<> Words = cppWords();
  return Words.contains(name) || isToolkits(name);
}

bool CppLexer::skipSpaceAndComments() {
  while (at < text.size()) {
    llvm::StringRef rest = text.drop_front(at);
    if (llvm::isSpace(rest[0]) || rest[0] == '\\') {
      ++at;
    } else if (rest.starts_with("//")) {
      size_t end = text.find('\n', at);
      at = end == llvm::StringRef::npos ? text.size() : end;
    } else if (rest.starts_with("/*")) {
      size_t end = text.find("*/", at + 2);
      unterminated |= end == llvm::StringRef::npos;
      at = end == llvm::StringRef::npos ? text.size() : end + 2;
    } else {
      return true;
    }
  }
  return false;
}

CppToken CppLexer::token(CppToken::Kind kind, size_t begin) {
  return {kind, text.slice(begin, at), begin};
}

// `at` stands on the opening quote.
bool CppLexer::skipQuoted(char quote) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == quote)
      return ++at, true;
    else if (text[at] == '\n')
      return false; // a stray quote ends with its line, so that one mistake stays one
  }
  at = text.size();
  return false;
}

// `at` stands on the quote of R"delimiter( … )delimiter".
bool CppLexer::skipRawString() {
  size_t open = text.find('(', at);
  if (open == llvm::StringRef::npos || open - at > 17)
    return skipQuoted('"');
  std::string close = ")" + text.slice(at + 1, open).str() + "\"";
  size_t end = text.find(close, open);
  at = end == llvm::StringRef::npos ? text.size() : end + close.size();
  return end != llvm::StringRef::npos;
}

static bool isRawPrefix(llvm::StringRef name) {
  return name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
}

static size_t punctuationLength(llvm::StringRef rest) {
  // `vec<::tsk::f16>` is a template's argument.
  bool isQualified =
      rest.starts_with("<::") && !rest.starts_with("<:::") && !rest.starts_with("<::>");
  llvm::StringRef pair = rest.take_front(2);
  bool isOne = pair == "::" || pair == "->" || (spelledOut(pair) != pair && !isQualified);
  return isOne ? 2 : 1;
}

CppToken CppLexer::next() {
  if (!skipSpaceAndComments())
    return token(CppToken::Kind::End, at);
  size_t begin = at;
  char c = text[at];
  if (isIdentifierStart(c)) {
    while (at < text.size() && isIdentifierPart(text[at]))
      ++at;
    if (at < text.size() && text[at] == '"' && isRawPrefix(text.slice(begin, at))) {
      unterminated |= !skipRawString();
      return token(CppToken::Kind::Literal, begin);
    }
    return token(CppToken::Kind::Identifier, begin);
  }
  if (llvm::isDigit(c)) {
    // 1'000, 0x1p-3, 1e+5 and suffixes; the quote is a separator only before a digit or letter.
    for (++at; at < text.size(); ++at) {
      bool sign = (text[at] == '+' || text[at] == '-') &&
                  llvm::StringRef("eEpP").contains(text[at - 1]) &&
                  (llvm::toLower(text[at - 1]) == 'p' ||
                   !text.slice(begin, at).starts_with_insensitive("0x"));
      bool separator = text[at] == '\'' && at + 1 < text.size() && llvm::isAlnum(text[at + 1]);
      if (!isIdentifierPart(text[at]) && text[at] != '.' && !sign && !separator)
        break;
    }
    return token(CppToken::Kind::Number, begin);
  }
  if (c == '"' || c == '\'') {
    unterminated |= !skipQuoted(c);
    return token(CppToken::Kind::Literal, begin);
  }
  at += punctuationLength(text.drop_front(at));
  return token(CppToken::Kind::Punctuation, begin);
}

bool spells(llvm::StringRef text, llvm::StringRef name) {
  CppLexer lexer(text);
  for (CppToken token = lexer.next(); token.kind != CppToken::Kind::End; token = lexer.next())
    if (token.kind == CppToken::Kind::Identifier && token.text == name)
      return true;
  return false;
}

llvm::StringRef spelledOut(llvm::StringRef punctuation) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Digraphs[] = {
      {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}, {"%:", "#"}};
  for (const auto &[digraph, meaning] : Digraphs)
    if (punctuation == digraph)
      return meaning;
  return punctuation;
}

size_t findClosingBrace(llvm::StringRef text) {
  CppLexer lexer(text);
  size_t depth = 0;
  for (CppToken token = lexer.next(); token.kind != CppToken::Kind::End; token = lexer.next()) {
    if (token.is("{"))
      ++depth;
    else if (token.is("}") && depth-- == 0)
      return token.offset;
  }
  return llvm::StringRef::npos;
}

} // namespace tsk::ir
