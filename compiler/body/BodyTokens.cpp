#include "compiler/body/BodyTokens.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using ir::CppToken;

BodyTokens::BodyTokens(const ir::Work &work) {
  ir::CppLexer lexer(work.body);
  for (CppToken token = lexer.next(); token.kind != CppToken::Kind::End; token = lexer.next()) {
    if (token.kind == CppToken::Kind::Punctuation)
      token.text = ir::spelledOut(token.text);
    tokens.push_back(token);
  }
  if (work.bodyLoc.isValid())
    textBegin = work.bodyLoc.begin.advanced(1);
  findLocals();
}

SourceRange BodyTokens::range(size_t first, size_t last) const {
  if (!textBegin.isValid())
    return {};
  size_t end = tokens[last].offset + tokens[last].text.size();
  return {textBegin.advanced(static_cast<uint32_t>(tokens[first].offset)),
          textBegin.advanced(static_cast<uint32_t>(end))};
}

bool BodyTokens::isFree(size_t i) const {
  return isIdentifier(i) && (i == 0 || !(is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::")));
}

bool BodyTokens::isDeviceFunction(size_t i) const {
  return i >= 2 && isIdentifier(i) && is(i - 1, "::") && is(i - 2, "tsk") &&
         (i == 2 || !is(i - 3, "::") || i == 3 || !isIdentifier(i - 4));
}

bool BodyTokens::isAsmText(size_t i) const {
  auto isLiteral = [&](size_t at) { return tokens[at].kind == CppToken::Kind::Literal; };
  if (!isLiteral(i))
    return false;
  while (i > 0 && isLiteral(i - 1)) // adjacent strings are one
    --i;
  if (i < 2 || !is(i - 1, "("))
    return false;
  size_t before = i - 2;
  if (before > 0 && (is(before, "volatile") || is(before, "__volatile__")))
    --before;
  return is(before, "asm") || is(before, "__asm__") || is(before, "__asm");
}

static bool isKeywordBeforeExpression(llvm::StringRef word) {
  for (llvm::StringRef keyword :
       {"return", "else",      "case",     "goto",     "new",    "delete",  "throw",
        "do",     "co_return", "co_yield", "co_await", "sizeof", "alignof", "typeid",
        "and",    "or",        "not",      "xor",      "compl",  "bitand",  "bitor",
        "and_eq", "or_eq",     "xor_eq",   "not_eq"})
    if (word == keyword)
      return true;
  return false;
}

// `int x`, `auto &x`, `vec<T, 2> x`, `auto [x, y]`: a name behind a type and before what can follow
// a declarator.
void BodyTokens::findLocals() {
  for (size_t i = 1; i < tokens.size(); ++i) {
    if (is(i, "[") && is(i - 1, "auto"))
      for (size_t j = i + 1; j < tokens.size() && !is(j, "]"); ++j)
        if (isIdentifier(j))
          locals.insert(tokens[j].text);
    if (!isIdentifier(i))
      continue;
    bool follows = i + 1 == tokens.size();
    for (llvm::StringRef next : {"=", ";", ",", ")", "[", "(", "{", ":"})
      follows |= is(i + 1, next);
    const CppToken &before = tokens[i - 1];
    bool behindType =
        before.kind == CppToken::Kind::Identifier && !isKeywordBeforeExpression(before.text);
    // `a > b`, `a * b` and `a & b` are expressions unless a type stands in front.
    if (before.is("*") || before.is("&"))
      behindType =
          i >= 2 && (is(i - 2, "auto") || is(i - 2, ">") || is(i - 2, "&")) && is(i + 1, "=");
    if (before.is(">"))
      behindType = is(i + 1, ";") || is(i + 1, "=") || is(i + 1, "{");
    if (follows && behindType)
      locals.insert(tokens[i].text);
  }
}

size_t BodyTokens::skipGroup(size_t open) const {
  size_t depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    if (is(i, "(") || is(i, "[") || is(i, "{"))
      ++depth;
    else if (is(i, ")") || is(i, "]") || is(i, "}"))
      if (--depth == 0)
        return i + 1;
  }
  return tokens.size();
}

bool BodyTokens::isAssigned(size_t i) const {
  size_t next = i + 1;
  while (is(next, "(") || is(next, "["))
    next = skipGroup(next);
  auto adjacent = [&](size_t at) {
    return at + 1 < tokens.size() && tokens[at].offset + 1 == tokens[at + 1].offset;
  };
  if (is(next, "="))
    return !(is(next + 1, "=") && adjacent(next));
  for (llvm::StringRef op : {"and_eq", "or_eq", "xor_eq"})
    if (is(next, op))
      return true;
  for (llvm::StringRef op : {"<", ">"}) // <<= and >>=
    if (is(next, op))
      return is(next + 1, op) && adjacent(next) && is(next + 2, "=") && adjacent(next + 1);
  for (llvm::StringRef op : {"+", "-", "*", "/", "%", "&", "|", "^"})
    if (is(next, op))
      return adjacent(next) &&
             (is(next + 1, "=") || (is(next + 1, op) && (op == "+" || op == "-")));
  size_t first = i; // of `box.data`
  while (first >= 2 && is(first - 1, "."))
    first -= 2;
  for (llvm::StringRef op : {"+", "-"}) // ++x
    if (first >= 2 && is(first - 1, op) && is(first - 2, op))
      return adjacent(first - 2);
  return false;
}

// A `[` behind what cannot be indexed opens a lambda, unless it is an attribute's or names parts.
bool BodyTokens::opensLambda(size_t i) const {
  if (!is(i, "["))
    return false;
  if (is(i + 1, "[") || i == 0)
    return !is(i + 1, "[");
  const CppToken &before = tokens[i - 1];
  if (before.is("[") || before.is(")") || before.is("]"))
    return false;
  if (before.kind == CppToken::Kind::Identifier)
    return isKeywordBeforeExpression(before.text);
  bool isBinding = before.is("&") && (is(i - 2, "auto") || (is(i - 2, "&") && is(i - 3, "auto")));
  return before.kind == CppToken::Kind::Punctuation && !isBinding;
}

// `case x:`, `c ? x : y` and the `x :` of a range have something else in front.
bool BodyTokens::isLabel(size_t i) const {
  return isIdentifier(i) && is(i + 1, ":") && !is(i, "default") &&
         (i == 0 || is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}"));
}

bool BodyTokens::isOuter(size_t i) const {
  return isFree(i) && !isLocal(tokens[i].text) && !isLabel(i) && !(i > 0 && is(i - 1, "goto"));
}

bool namesFreely(const ir::Work &work, llvm::StringRef name) {
  const auto named = [&](const auto &param) { return param.name == name; };
  if (llvm::any_of(work.params, named) || llvm::any_of(work.holds, named) ||
      llvm::any_of(work.results, named))
    return false;
  const BodyTokens tokens(work);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].text == name && tokens.isOuter(i))
      return true;
  return false;
}

} // namespace tsk::body
