// Statements with blocks: loops and conditions.
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> ForeignLoop{
    kind::ForeignLoop,
    "loops are written `for i in lo .. hi [step s] {{ … }}`, without parentheses"};

const ast::Stmt *Parser::parseStatic() {
  if (peek(1).is(TokenKind::KwFor))
    return parseStaticFor();
  if (peek(1).is(TokenKind::KwIf))
    return parseIfStmt<ast::StaticIfStmt>();
  consume();
  unexpected("`for` or `if` after `static`");
  return nullptr;
}

// `if` and `static if`; the one does not continue the other.
template <typename IfNode> const ast::Stmt *Parser::parseIfStmt() {
  SourceLoc begin = tok().range.begin;
  auto *node = make<IfNode>();
  auto readThen = [&](ast::Block &block) { return parseBlock("after the condition", block); };
  auto readElse = [&] { return parseBlock("after `else`", node->elseBlock.emplace()); };
  return parseIfChain("", node->branches, readThen, readElse) ? done(node, begin) : nullptr;
}
template const ast::Stmt *Parser::parseIfStmt<ast::IfStmt>();

bool Parser::parseLoopVariable(llvm::StringRef what, ast::Name &variable) {
  if (at(TokenKind::LeftParen)) {
    error(tok().range, ForeignLoop);
    // `int i = 0; i < n; ++i`, so that the block after it is found.
    unsigned open = 0;
    do {
      open += at(TokenKind::LeftParen);
      open -= at(TokenKind::RightParen);
      consume();
    } while (open != 0 && !atEnd() && !at(TokenKind::LeftBrace) && !at(TokenKind::RightBrace));
    return false;
  }
  variable = expectName("the loop variable");
  return variable && expectWord("in", what);
}

bool Parser::parseRange(const ast::Expr *&lower, const ast::Expr *&upper) {
  lower = parseExpr();
  if (!lower || !expect(TokenKind::DotDot, "and the end of the range"))
    return false;
  upper = parseExpr();
  return upper != nullptr;
}

// A `reversed` before the range, not a value of that name.
bool Parser::atReversed() {
  // `reversed -5 .. n`, where the sign is the number's; `reversed - 5` computes with the value.
  const bool isSigned = peek(1).is(TokenKind::Minus) &&
                        peek(1).text.end() == peek(2).text.begin() &&
                        tok().text.end() != peek(1).text.begin();
  return atWord("reversed") &&
         (peek(1).is(TokenKind::Identifier) || peek(1).is(TokenKind::Integer) ||
          peek(1).is(TokenKind::LeftParen) || isSigned);
}

bool Parser::parseClause(llvm::StringRef word, const ast::Expr *&value) {
  if (!acceptWord(word))
    return true;
  value = parseExpr();
  return value != nullptr;
}

const ast::Stmt *Parser::parseFor() {
  SourceLoc begin = consume().range.begin;
  ast::Name variable;
  bool isRead = parseLoopVariable("and the range or queue, after the loop variable", variable);
  bool isReversed = isRead && atReversed();
  if (isReversed)
    consume();
  const ast::Expr *lower = isRead ? parseExpr() : nullptr;
  isRead = lower != nullptr;
  if (isRead && !isReversed && !at(TokenKind::DotDot) && !reportForeign())
    return parseQueueFor(begin, variable, lower);
  auto *loop = make<ast::ForStmt>();
  loop->variable = variable;
  loop->isReversed = isReversed;
  loop->lower = lower;
  isRead = isRead && expect(TokenKind::DotDot, "and the end of the range");
  loop->upper = isRead ? parseExpr() : nullptr;
  isRead = loop->upper && parseClause("step", loop->step) && parseClause("unroll", loop->unroll);
  if (!isRead && !recoverToBlock())
    return nullptr;
  return parseBlock("of the loop", loop->body) && isRead ? done(loop, begin) : nullptr;
}

const ast::Stmt *Parser::parseQueueFor(SourceLoc begin, ast::Name variable,
                                       const ast::Expr *queue) {
  auto *loop = make<ast::QueueForStmt>();
  loop->variable = variable;
  loop->queue = queue;
  bool isRead = parseClause("share", loop->shareIndex);
  if (isRead && loop->shareIndex) {
    isRead = expectWord("of", "and the number of sharers, after `share`");
    loop->shareCount = isRead ? parseExpr() : nullptr;
    isRead = loop->shareCount != nullptr;
  }
  if (!isRead && !recoverToBlock())
    return nullptr;
  bool hasBlock = parseBlock("of the loop (or `..` and the end of a range)", loop->body);
  return hasBlock && isRead ? done(loop, begin) : nullptr;
}

const ast::Stmt *Parser::parseParallelFor() {
  SourceLoc begin = consume().range.begin;
  auto *loop = make<ast::ParallelForStmt>();
  bool isRead = expect(TokenKind::KwFor, "after `parallel`") &&
                parseLoopVariable("and the range, after the loop variable", loop->variable) &&
                parseRange(loop->lower, loop->upper) && parseClause("step", loop->step) &&
                expectWord("across", "and who shares the trips, after the range");
  auto across =
      isRead ? expectOneOf({"grid", "cta", "task", "warp"}, "after `across`") : std::nullopt;
  loop->across = static_cast<ast::Across>(across.value_or(0));
  isRead = across && parseClause("unroll", loop->unroll);
  if (!isRead && !recoverToBlock())
    return nullptr;
  return parseBlock("of the loop", loop->body) && isRead ? done(loop, begin) : nullptr;
}

const ast::Stmt *Parser::parseStaticFor() {
  SourceLoc begin = consume().range.begin;
  consume(); // `for`
  auto *loop = make<ast::StaticForStmt>();
  bool isRead = parseLoopVariable("and the range, after the loop variable", loop->variable) &&
                parseRange(loop->lower, loop->upper) && parseClause("step", loop->step);
  if (!isRead && !recoverToBlock())
    return nullptr;
  return parseBlock("of the loop", loop->body) && isRead ? done(loop, begin) : nullptr;
}

} // namespace tsk::syntax
