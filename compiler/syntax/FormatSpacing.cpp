// White space between neighbours, and where a line may be broken.
#include "compiler/syntax/FormatTree.h"

namespace tsk::syntax {

static bool isAny(const Lexeme &lexeme, std::initializer_list<TokenKind> kinds) {
  return lexeme.token && llvm::is_contained(kinds, lexeme.token->token.kind);
}

bool hasGap(const Lexeme &left, const Lexeme &right) {
  using enum TokenKind;
  if (left.isComment())
    return !right.wasAdjacent && !isAny(right, {RightParen, RightBracket, Comma, Semicolon});
  if (right.isComment())
    return right.isLineComment || !isAny(left, {LeftParen, LeftBracket});
  if (isAny(left, {LeftParen, LeftBracket, Dot, ColonColon}))
    return false;
  bool isSpaced = right.token->before == TracedToken::Gap::Spaced;
  if (left.token->tightAfter)
    return isSpaced && right.is(Minus); // `- -x`
  if (isAny(right, {RightParen, RightBracket, Comma, Semicolon, Dot, ColonColon}))
    return false;
  if (right.token->before != TracedToken::Gap::Auto)
    return isSpaced;
  if (isAny(right, {LeftBracket, Colon}))
    return false;
  return !(left.is(LeftBrace) && right.is(RightBrace));
}

// Words that begin a clause of a declaration: a good place for a new line.
static bool beginsClause(const Lexeme &lexeme) {
  static constexpr llvm::StringRef Words[] = {
      "across",  "align",   "as",     "by",    "fallback", "from",  "multicast", "of",
      "order",   "per",     "regs",   "reads", "runs",     "share", "stages",    "step",
      "strides", "swizzle", "unroll", "view",  "when",     "with",  "writes"};
  return lexeme.is(TokenKind::Identifier) && llvm::is_contained(Words, lexeme.text);
}

std::optional<unsigned> breakCost(const Lexeme &left, const Lexeme &right, unsigned depth) {
  using enum TokenKind;
  constexpr unsigned DepthCost = 8;
  if (!hasGap(left, right))
    return std::nullopt;
  auto cost = [&](unsigned base) { return std::optional<unsigned>(base + DepthCost * depth); };
  if (left.isComment() || right.isComment())
    return cost(20);
  if (right.is(Body) || right.token->opensBlock || right.is(RightBrace) || left.is(LeftBrace))
    return std::nullopt;
  if (left.is(Comma))
    return cost(0);
  // After an operator; the weaker it binds, the better.
  if (isAny(left, {OrOr, AndAnd}))
    return cost(4);
  if (isAny(left, {EqualEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual}))
    return cost(7);
  if (isAny(left, {Caret, Plus, Minus}))
    return cost(9);
  if (isAny(left, {Star, Slash, Percent}))
    return cost(22);
  if (isAny(right, {EqualEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual, Caret, Plus,
                    Minus, Star, Slash, Percent, OrOr, AndAnd, Equal, Colon, DotDot, BackArrow}) ||
      left.is(DotDot))
    return std::nullopt;
  if (right.is(Question) || right.is(Arrow) || right.is(ExchangeArrow))
    return cost(3);
  if (isAny(left, {Equal, BackArrow}))
    return cost(12);
  if (depth == 0 && beginsClause(right))
    return cost(1);
  return cost(30);
}

} // namespace tsk::syntax
