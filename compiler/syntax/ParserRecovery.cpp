// Finding the next place from which to go on.
#include "compiler/syntax/ParserBase.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

using llvm::StringRef;

constexpr Diagnostic<StringRef, StringRef> MisplacedDeclaration{
    kind::MisplacedDeclaration, "`{}` cannot stand here; its place is {}"};
constexpr Diagnostic<std::string> UnclosedBlock{
    kind::UnclosedBlock, "expected `}}` before {}: a block opened above is not closed"};
constexpr Diagnostic<unsigned> NestingTooDeep{
    kind::NestingTooDeep,
    "nested too deeply: blocks, types and expressions may nest {} levels; this file is not read "
    "further"};

static bool isFileKeyword(TokenKind kind) {
  return kind == TokenKind::KwImport || kind == TokenKind::KwKernel ||
         kind == TokenKind::KwInstantiate;
}

static bool isKernelKeyword(TokenKind kind) {
  switch (kind) {
  case TokenKind::KwBarrier:
  case TokenKind::KwConst:
  case TokenKind::KwCpp:
  case TokenKind::KwDepends:
  case TokenKind::KwFunction:
  case TokenKind::KwGroup:
  case TokenKind::KwOverlay:
  case TokenKind::KwQueue:
  case TokenKind::KwRequires:
  case TokenKind::KwResource:
  case TokenKind::KwSchedule:
  case TokenKind::KwTest:
    return true;
  default:
    return false;
  }
}

static bool isStmtKeyword(TokenKind kind) {
  return kind == TokenKind::KwLet || kind == TokenKind::KwVar || kind == TokenKind::KwFor ||
         kind == TokenKind::KwIf || kind == TokenKind::KwStatic || kind == TokenKind::KwParallel;
}

bool ParserBase::startsItem(Scope scope) {
  const Token &token = tok();
  if (isFileKeyword(token.kind))
    return scope == Scope::File;
  bool isNamed = token.is(TokenKind::Identifier) && peek(1).is(TokenKind::Identifier);
  if (isKernelKeyword(token.kind) ||
      (isNamed && (token.text == "task" || token.text == "order" || token.text == "target")) ||
      ((token.text == "grid" || token.text == "cluster") && peek(1).is(TokenKind::LeftParen)))
    return scope == Scope::File || scope == Scope::Kernel ||
           (scope == Scope::Test && token.is(TokenKind::KwCpp));
  if (isNamed && (token.text == "produce" || token.text == "consume" || token.text == "update" ||
                  token.text == "setup"))
    return scope == Scope::Resource;
  if (isStmtKeyword(token.kind))
    return scope == Scope::Schedule || scope == Scope::Test || token.is(TokenKind::KwStatic);
  if (token.is(TokenKind::KwRun) || token.is(TokenKind::KwExpect))
    return scope == Scope::Test;
  return scope == Scope::Schedule && token.isWord("await");
}

void ParserBase::recover(Scope scope, unsigned start) {
  // The item was read to its end although something in it was wrong.
  if (consumedTokens != start && (lastKind == TokenKind::Semicolon || lastKind == TokenKind::Body ||
                                  lastKind == TokenKind::RightBrace))
    return;
  for (bool first = true; !atEnd() && !at(TokenKind::RightBrace); first = false) {
    if (accept(TokenKind::Semicolon))
      return;
    if (at(TokenKind::LeftBrace)) {
      skipBraces();
      if (!at(TokenKind::KwElse) && !at(TokenKind::Semicolon))
        return;
      continue;
    }
    if (!first && tok().startsLine &&
        (startsItem(scope) || startsItem(Scope::Kernel) || isFileKeyword(tok().kind)))
      return;
    consume();
  }
}

void ParserBase::skipBraces() {
  bool wasMuted = std::exchange(errors.muted, true);
  Token body = lexer.lexBody(tok()); // holds for our own blocks too: their braces are balanced
  errors.muted = wasMuted;
  ahead.clear();
  traceToken(body);
}

bool ParserBase::recoverToBlock() {
  while (!atEnd() && !at(TokenKind::Semicolon) && !at(TokenKind::RightBrace)) {
    if (at(TokenKind::LeftBrace))
      return true;
    if (tok().startsLine && (isKeyword(tok().kind) || startsItem(Scope::Kernel)))
      return false;
    consume();
  }
  return false;
}

void ParserBase::recoverInList(TokenKind close) {
  unsigned open = 0;
  while (!atEnd() && !at(TokenKind::Semicolon) && !at(TokenKind::LeftBrace) &&
         !at(TokenKind::RightBrace)) {
    if (open == 0 && (at(close) || at(TokenKind::Comma)))
      return;
    if (at(TokenKind::LeftParen) || at(TokenKind::LeftBracket))
      ++open;
    if ((at(TokenKind::RightParen) || at(TokenKind::RightBracket)) && open != 0)
      --open;
    consume();
  }
}

unsigned ParserBase::indentOf(SourceLoc loc) const {
  StringRef line = sources.lineText(loc);
  return static_cast<unsigned>(line.size() - line.ltrim(" \t").size());
}

bool ParserBase::endsUnclosedBlock(Scope scope, SourceRange open) {
  bool hasMembers = scope == Scope::Resource || scope == Scope::Test;
  bool isName = hasMembers && peek(1).is(TokenKind::Colon); // of a field or a test's tensor
  if (isName || startsItem(scope))
    return false;
  bool isFileItem = isFileKeyword(tok().kind);
  bool isKernelItem = startsItem(Scope::Kernel) && !at(TokenKind::KwStatic);
  bool isMember = scope == Scope::Plain && startsItem(Scope::Resource);
  if (!isFileItem && !isKernelItem && !isMember)
    return false;
  // The author's indentation tells a forgotten brace from a declaration in the wrong place.
  if (tok().startsLine && indentOf(tok().range.begin) <= indentOf(open.begin)) {
    reportUnclosed(open);
    return true;
  }
  error(tok().range, MisplacedDeclaration, tok().text,
        isFileItem     ? "outside kernels"
        : isKernelItem ? "directly in a kernel"
                       : "in a resource");
  return false;
}

void ParserBase::reportUnclosed(SourceRange open) {
  error(tok().range, UnclosedBlock, seen()).note(open, "the block opened here");
}

void ParserBase::reportTooDeep() {
  error(tok().range, NestingTooDeep, MaxNesting);
  errors.stop();
  lexer.stop();
  ahead.clear();
}

} // namespace tsk::syntax
