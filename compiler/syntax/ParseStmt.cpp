// Schedules and their plain statements. Those with blocks are in ParseLoop.cpp.
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

#include "llvm/ADT/StringSwitch.h"

namespace tsk::syntax {

using llvm::StringRef;

constexpr Diagnostic<> StrayStatementSemicolon{kind::StraySemicolon,
                                               "stray `;`: there is no empty statement"};
constexpr Diagnostic<StringRef, StringRef, std::string> UnknownStatement{
    kind::UnknownStatement, "`{}` begins no statement of {}{}"};
constexpr Diagnostic<StringRef, StringRef, StringRef> ForeignStatement{
    kind::ForeignStatement, "{} is not C++ and has no `{}`; {}"};

const ast::Decl *Parser::parseSchedule() {
  SourceLoc begin = consume().range.begin;
  auto *schedule = make<ast::ScheduleDecl>();
  schedule->name = expectName("the schedule");
  bool isRead = static_cast<bool>(schedule->name);
  schedule->hasParams = at(TokenKind::LeftParen);
  if (isRead && schedule->hasParams)
    isRead = parseParams("the schedule", schedule->params);
  if (!isRead && !recoverToBlock())
    return nullptr;
  if (!parseBlock("of the schedule", schedule->body))
    return nullptr;
  return isRead ? done(schedule, begin) : nullptr;
}

bool Parser::parseBlock(StringRef what, ast::Block &block) {
  Nesting nesting(*this);
  SourceRange open = tok().range;
  if (!nesting || !openBlock(what))
    return false;
  Items<const ast::Stmt *> stmts;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Schedule, open))
      break;
    unsigned before = progress();
    beginItem();
    if (const ast::Stmt *stmt = parseStmt())
      stmts.push_back(stmt);
    else
      recover(Scope::Schedule, before);
    if (progress() == before)
      consume();
  }
  block.stmts = file.list(llvm::ArrayRef(stmts));
  closeBlock(open);
  block.range = from(open.begin);
  return true;
}

const ast::Stmt *Parser::parseStmt() {
  switch (tok().kind) {
  case TokenKind::KwLet:
    return parseLet();
  case TokenKind::KwVar:
    return parseVar();
  case TokenKind::KwFor:
    return parseFor();
  case TokenKind::KwIf:
    return parseIfStmt<ast::IfStmt>();
  case TokenKind::KwStatic:
    return parseStatic();
  case TokenKind::KwParallel:
    return parseParallelFor();
  case TokenKind::Semicolon:
    error(tok().range, StrayStatementSemicolon).fixit(tok().range, "", "remove the `;`");
    return nullptr;
  case TokenKind::Identifier:
    if (atWord("await") && peek(1).is(TokenKind::Identifier))
      return parseAwait();
    if (peek(1).is(TokenKind::Equal))
      return parseAssign();
    if (reportForeignStmt(Scope::Schedule))
      return nullptr;
    return parseExprStmt();
  case TokenKind::LeftParen:
    return atTupleAssign() ? parseAssign() : parseExprStmt();
  case TokenKind::LeftBrace:
    break;
  default:
    if (isKeyword(tok().kind))
      break;
    return parseExprStmt();
  }
  error(tok().range, UnknownStatement, tok().text, "a schedule", "");
  return nullptr;
}

// What to write instead of a C++ statement; empty for other words.
static StringRef adviceFor(StringRef word) {
  constexpr StringRef Loop = "loops are written `for i in lo .. hi { … }`";
  constexpr StringRef Skip = "every trip of a loop runs; guard statements with `if (…) { … }`";
  constexpr StringRef Value =
      "`let x = e;` names a value, `var x : T = e;` one that loops carry on";
  return llvm::StringSwitch<StringRef>(word)
      .Cases("while", "do", Loop)
      .Cases("break", "continue", Skip)
      .Case("return", "values leave it as arguments of works")
      .Case("switch", "use `if` and `else if`")
      .Cases("auto", "int", "unsigned", "long", "short", "char", "float", "double", "bool", Value)
      .Cases("uint32_t", "int32_t", "uint64_t", "int64_t", "size_t", Value)
      .Default("");
}

// A statement that cannot be meant as one of ours: a C++ one, or a mistyped keyword.
bool Parser::reportForeignStmt(Scope scope) {
  const Token &next = peek(1);
  bool isNamed = next.is(TokenKind::Identifier);
  StringRef owner = scope == Scope::Test ? "a test" : "a schedule";
  StringRef advice = adviceFor(tok().text);
  if (!advice.empty() && !next.is(TokenKind::Dot) && !next.is(TokenKind::ColonColon)) {
    if (scope == Scope::Test)
      advice = "C++ stands in `cpp { … }`";
    error(tok().range, ForeignStatement, owner, tok().text, advice);
    return true;
  }
  bool isLikeFor = isNamed && peek(2).isWord("in");
  if (!isLikeFor && (!isNamed || next.startsLine))
    return false;
  static constexpr StringRef For[] = {"for"};
  static constexpr StringRef Schedule[] = {"let",    "var",      "for",  "if",
                                           "static", "parallel", "await"};
  static constexpr StringRef Test[] = {"let", "run", "expect", "cpp"};
  llvm::ArrayRef<StringRef> words = Schedule;
  if (scope == Scope::Test)
    words = Test;
  else if (isLikeFor)
    words = For;
  ReportBuilder report =
      error(tok().range, UnknownStatement, tok().text.take_front(40), owner, suggestion(words));
  addFix(report, words);
  return true;
}

const ast::Stmt *Parser::parseLet() {
  SourceLoc begin = consume().range.begin;
  auto *let = make<ast::LetStmt>();
  let->isTuple = at(TokenKind::LeftParen);
  if (let->isTuple) {
    if (!parseTuple("the value", let->names))
      return nullptr;
  } else {
    ast::Name name = expectName("the value");
    if (!name)
      return nullptr;
    let->names = file.list(llvm::ArrayRef(name));
  }
  if (!expect(TokenKind::Equal, "and the value"))
    return nullptr;
  let->value = parseExpr();
  return let->value && expectSemicolon("the value") ? done(let, begin) : nullptr;
}

bool Parser::parseTuple(StringRef what, ast::List<ast::Name> &names) {
  gap(TracedToken::Gap::Spaced);
  return expect(TokenKind::LeftParen, "and the names") && parseNameList(what, names) &&
         expect(TokenKind::RightParen, "after the names");
}

const ast::Stmt *Parser::parseVar() {
  SourceLoc begin = consume().range.begin;
  auto *var = make<ast::VarStmt>();
  var->name = expectName("the variable");
  if (!var->name)
    return nullptr;
  gap(TracedToken::Gap::Spaced);
  if (!expect(TokenKind::Colon, "and the type of the variable"))
    return nullptr;
  var->type = parseType();
  if (!var->type || !expect(TokenKind::Equal, "and the variable's first value"))
    return nullptr;
  var->value = parseExpr();
  return var->value && expectSemicolon("the variable") ? done(var, begin) : nullptr;
}

// `(a, b) = e;` is one, `(a).b();` is not.
bool Parser::atTupleAssign() {
  if (!peek(1).is(TokenKind::Identifier))
    return false;
  return peek(2).is(TokenKind::Comma) ||
         (peek(2).is(TokenKind::RightParen) && peek(3).is(TokenKind::Equal));
}

const ast::Stmt *Parser::parseAssign() {
  SourceLoc begin = tok().range.begin;
  auto *assign = make<ast::AssignStmt>();
  assign->isTuple = at(TokenKind::LeftParen);
  if (assign->isTuple) {
    if (!parseTuple("the variable", assign->names))
      return nullptr;
  } else {
    ast::Name name = nameOf(consume());
    assign->names = file.list(llvm::ArrayRef(name));
  }
  if (!expect(TokenKind::Equal, "and the value to assign"))
    return nullptr;
  assign->value = parseExpr();
  return assign->value && expectSemicolon("the assignment") ? done(assign, begin) : nullptr;
}

const ast::Stmt *Parser::parseAwait() {
  SourceLoc begin = consume().range.begin;
  auto *await = make<ast::AwaitStmt>();
  if (!parsePath(await->target, "the work to await"))
    return nullptr;
  if (acceptWord("but")) {
    await->but = parseExpr();
    if (!await->but)
      return nullptr;
  }
  await->read = acceptWord("read");
  return expectSemicolon("`await`") ? done(await, begin) : nullptr;
}

const ast::Stmt *Parser::parseExprStmt() {
  SourceLoc begin = tok().range.begin;
  auto *stmt = make<ast::ExprStmt>();
  stmt->expr = parseExpr();
  return stmt->expr && expectSemicolon("the statement") ? done(stmt, begin) : nullptr;
}

} // namespace tsk::syntax
