// Tests.
#include "compiler/syntax/ParserImpl.h"

namespace tsk::syntax {

const ast::Decl *Parser::parseTest() {
  SourceLoc begin = consume().range.begin;
  auto *test = make<ast::TestDecl>();
  test->name = expectName("the test");
  bool isRead = test->name && (!at(TokenKind::Less) || parseTemplateArgs(test->compileTimeArgs)) &&
                parseCallArgs(test->args);
  if (!isRead && !recoverToBlock())
    return nullptr;
  SourceRange open = tok().range;
  if (!openBlock("of the test"))
    return nullptr;
  Items<ast::TestStmt> stmts;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Test, open))
      break;
    unsigned before = progress();
    beginItem();
    ast::TestStmt stmt;
    SourceLoc stmtBegin = tok().range.begin;
    if (parseTestStmt(stmt)) {
      stmt.range = from(stmtBegin);
      stmts.push_back(stmt);
    } else {
      recover(Scope::Test, before);
    }
    if (progress() == before)
      consume();
  }
  test->stmts = file.list(llvm::ArrayRef(stmts));
  closeBlock(open);
  return isRead ? done(test, begin) : nullptr;
}

bool Parser::parseTestStmt(ast::TestStmt &stmt) {
  using Kind = ast::TestStmt::Kind;
  if (isKeyword(tok().kind) && peek(1).is(TokenKind::Colon)) {
    expectName("the tensor");
    return false;
  }
  if (accept(TokenKind::KwRun)) {
    stmt.kind = Kind::Run;
    if (at(TokenKind::LeftParen) && !parseCallArgs(stmt.args))
      return false;
    return expectSemicolon("`run`");
  }
  if (accept(TokenKind::KwExpect))
    return parseExpectStmt(stmt);
  if (accept(TokenKind::KwCpp)) {
    stmt.kind = Kind::Cpp;
    std::optional<ast::Body> body = expectBody("after `cpp`");
    if (body)
      stmt.body = *body;
    return body.has_value();
  }
  if (accept(TokenKind::KwLet)) {
    stmt.kind = Kind::Let;
    stmt.name = expectName("the value");
    if (!stmt.name || !expect(TokenKind::Equal, "and the value"))
      return false;
    stmt.expr = parseExpr();
    return stmt.expr && expectSemicolon("the value");
  }
  if (at(TokenKind::Identifier) && peek(1).is(TokenKind::Colon))
    return parseTestTensor(stmt);
  if (at(TokenKind::Identifier) ? reportForeignStmt(Scope::Test) : reportForeign())
    return false;
  if (at(TokenKind::LeftBrace) || at(TokenKind::Semicolon)) {
    unexpected("a statement of the test");
    return false;
  }
  stmt.kind = Kind::Expr;
  stmt.expr = parseExpr();
  return stmt.expr && expectSemicolon("the statement");
}

bool Parser::parseExpectStmt(ast::TestStmt &stmt) {
  if (atWord("fault") && peek(1).is(TokenKind::Identifier)) {
    consume();
    stmt.kind = ast::TestStmt::Kind::ExpectFault;
    stmt.name = nameOf(consume());
  } else {
    stmt.kind = ast::TestStmt::Kind::Expect;
    stmt.expr = parseExpr();
    if (!stmt.expr)
      return false;
  }
  return expectSemicolon("the expectation");
}

// want : tensor<f32>[M, N];
bool Parser::parseTestTensor(ast::TestStmt &stmt) {
  stmt.kind = ast::TestStmt::Kind::Tensor;
  stmt.name = nameOf(consume());
  gap(TracedToken::Gap::Spaced);
  consume(); // the colon
  if (!expectWord("tensor", "as the type of the test's own memory") || !openAngle())
    return false;
  stmt.elementType = parseType();
  return stmt.elementType && closeAngle("after the tensor's element type") &&
         expect(TokenKind::LeftBracket, "and the tensor's dimensions") &&
         parseExprList(TokenKind::RightBracket, "after the dimensions", stmt.dims) &&
         expectSemicolon("the tensor");
}

} // namespace tsk::syntax
