#include "compiler/syntax/ParserBase.h"
#include "compiler/support/Check.h"
#include "compiler/support/Suggest.h"

namespace tsk::syntax {

using llvm::StringRef;

constexpr Diagnostic<StringRef, std::string> ExpectedToken{DiagnosticKind::ExpectedToken,
                                                           "expected {}, found {}"};
constexpr Diagnostic<StringRef, std::string> ExpectedName{DiagnosticKind::ExpectedName,
                                                          "expected a name for {}, found {}"};
constexpr Diagnostic<StringRef, StringRef> KeywordAsName{DiagnosticKind::KeywordAsName,
                                                         "`{}` is a keyword and cannot name {}"};
constexpr Diagnostic<std::string, StringRef, std::string, std::string> ExpectedOneOf{
    DiagnosticKind::ExpectedOneOf, "expected {} {}, found {}{}"};
constexpr Diagnostic<StringRef> MissingSemicolon{DiagnosticKind::MissingSemicolon,
                                                 "expected `;` after {}"};
constexpr Diagnostic<std::string> UnclosedBlock{
    DiagnosticKind::UnclosedBlock, "expected `}}` before {}: a block opened above is not closed"};
constexpr Diagnostic<StringRef, StringRef> MisplacedDeclaration{
    DiagnosticKind::MisplacedDeclaration, "`{}` cannot stand here; its place is {}"};
constexpr Diagnostic<> CharacterLiteral{DiagnosticKind::CharacterLiteral,
                                        "a character literal can stand only in a C++ body"};
constexpr Diagnostic<StringRef, StringRef> ForeignOperator{
    DiagnosticKind::ForeignOperator, "there is no `{}` outside C++ bodies; {}"};
constexpr Diagnostic<> ArrowMember{DiagnosticKind::ArrowMember,
                                   "members are named with `.`; there is no `->` in expressions"};
constexpr Diagnostic<unsigned> NestingTooDeep{
    DiagnosticKind::NestingTooDeep,
    "nested too deeply: blocks, types and expressions may nest {} levels; this file is not read "
    "further"};

// How a message speaks of a token that it did not expect.
static std::string found(const Token &token) {
  switch (token.kind) {
  case TokenKind::EndOfFile:
  case TokenKind::String:
    return describe(token.kind).str();
  default:
    // A name may be megabytes long.
    if (token.text.size() > 40)
      return fmt::format("`{}…`", token.text.take_front(40));
    return fmt::format("`{}`", token.text);
  }
}

ParserBase::ParserBase(const SourceManager &manager, SourceLoc buffer, SyntaxErrors &reporter,
                       ast::File &tree, TokenTrace *tokenTrace)
    : sources(manager), errors(reporter), file(tree), lexer(manager, buffer, reporter),
      trace(tokenTrace), lastEnd(manager.bufferBegin(buffer)) {
  if (trace)
    lexer.comments = &trace->comments;
}

// ---- Tokens -------------------------------------------------------------------------------------

const Token &ParserBase::peek(unsigned distance) {
  while (ahead.size() <= distance)
    ahead.push_back(lexer.next());
  return ahead[distance];
}

Token ParserBase::consume() {
  Token token = tok();
  if (token.is(TokenKind::EndOfFile))
    return token;
  ahead.erase(ahead.begin());
  traceToken(token);
  return token;
}

void ParserBase::traceToken(const Token &token) {
  lastEnd = token.range.end;
  lastKind = token.kind;
  ++consumedTokens;
  if (trace) {
    TracedToken traced{token};
    traced.before = pendingGap;
    traced.beginsItem = pendingItem;
    traced.ownLine = pendingOwnLine;
    trace->tokens.push_back(traced);
  }
  pendingGap = TracedToken::Gap::Auto;
  pendingItem = pendingOwnLine = false;
}

bool ParserBase::accept(TokenKind kind) {
  if (!at(kind))
    return false;
  consume();
  return true;
}

bool ParserBase::acceptWord(StringRef word) {
  if (!atWord(word))
    return false;
  consume();
  return true;
}

bool ParserBase::acceptBackArrow() {
  if (!at(TokenKind::Less) || !peek(1).is(TokenKind::Minus) ||
      peek(1).range.begin != tok().range.end)
    return false;
  Token arrow = tok();
  arrow.kind = TokenKind::BackArrow;
  arrow.range.end = peek(1).range.end;
  arrow.text = {arrow.text.data(), 2};
  ahead.erase(ahead.begin(), ahead.begin() + 2);
  traceToken(arrow);
  return true;
}

void ParserBase::beginItem(bool ownLine) {
  pendingItem = true;
  pendingOwnLine = ownLine;
}

void ParserBase::tightAfter() {
  if (trace)
    trace->tokens.back().tightAfter = true;
}

void ParserBase::breaksAfter() {
  if (trace)
    trace->tokens.back().breaksAfter = true;
}

// ---- Expectations -------------------------------------------------------------------------------

// What to write instead of a C++ operator that the language does not have.
static StringRef adviceFor(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusPlus:
  case TokenKind::MinusMinus:
    return "write `i = i + 1;` for a `var`, or loop with `for i in lo .. hi`";
  case TokenKind::Ampersand:
  case TokenKind::Pipe:
    return "conditions are joined with `&&` and `||`";
  case TokenKind::Ellipsis:
    return "a range is written `lo .. hi`";
  default:
    return "write `s = s + e;`";
  }
}

bool ParserBase::reportForeign() {
  if (isForeign(tok().kind))
    error(tok().range, ForeignOperator, tok().text, adviceFor(tok().kind));
  else if (at(TokenKind::Character))
    error(tok().range, CharacterLiteral);
  else
    return false;
  return true;
}

void ParserBase::unexpected(StringRef what) {
  if (reportForeign())
    return;
  error(tok().range, ExpectedToken, what, found(tok()));
}

bool ParserBase::expect(TokenKind kind, StringRef what) {
  if (accept(kind))
    return true;
  unexpected(fmt::format("{} {}", describe(kind), what));
  return false;
}

bool ParserBase::expectWord(StringRef word, StringRef what) {
  return expectOneOf({word}, what).has_value();
}

bool ParserBase::expectSemicolon(StringRef what) {
  if (accept(TokenKind::Semicolon))
    return true;
  if (reportForeign())
    return false;
  if (at(TokenKind::Arrow)) {
    error(tok().range, ArrowMember).fixit(tok().range, ".", "write `.`");
    return false;
  }
  SourceRange gapRange{lastEnd, lastEnd};
  if (tok().startsLine || at(TokenKind::RightBrace) || atEnd() || isKeyword(tok().kind)) {
    error(gapRange, MissingSemicolon, what).fixit(gapRange, ";", "insert `;`");
    errorPosition = ~0u; // mended: what is wrong with the next item is another matter
    return true;
  }
  unexpected(fmt::format("`;` after {}", what));
  return false;
}

ast::Name ParserBase::expectName(StringRef what) {
  if (at(TokenKind::Identifier))
    return nameOf(consume());
  if (isKeyword(tok().kind))
    error(tok().range, KeywordAsName, tok().text, what);
  else if (!reportForeign())
    error(tok().range, ExpectedName, what, found(tok()));
  return {};
}

bool ParserBase::expectNameFor(StringRef what) {
  if (at(TokenKind::Identifier))
    return true;
  if (isKeyword(tok().kind))
    error(tok().range, KeywordAsName, tok().text, what);
  else
    unexpected(what);
  return false;
}

static std::string listOf(llvm::ArrayRef<StringRef> words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef separator = i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    list += fmt::format("{}`{}`", separator, words[i]);
  }
  return list;
}

std::optional<unsigned> ParserBase::expectOneOf(llvm::ArrayRef<StringRef> words, StringRef what) {
  for (unsigned i = 0; i < words.size(); ++i)
    if (tok().text == words[i] && !at(TokenKind::String)) {
      consume();
      return i;
    }
  if (reportForeign())
    return std::nullopt;
  ReportBuilder report =
      error(tok().range, ExpectedOneOf, listOf(words), what, found(tok()), suggestion(words));
  addFix(report, words);
  return std::nullopt;
}

static StringRef meantWord(const Token &token, llvm::ArrayRef<StringRef> words) {
  return token.is(TokenKind::Identifier) ? closestWord(token.text, words) : StringRef();
}

std::string ParserBase::suggestion(llvm::ArrayRef<StringRef> words) {
  StringRef meant = meantWord(tok(), words);
  return meant.empty() ? "" : fmt::format("; did you mean `{}`?", meant);
}

void ParserBase::addFix(ReportBuilder &report, llvm::ArrayRef<StringRef> words) {
  StringRef meant = meantWord(tok(), words);
  if (!meant.empty())
    report.fixit(tok().range, meant.str(), fmt::format("write `{}`", meant));
}

bool ParserBase::openBlock(StringRef what) {
  if (!expect(TokenKind::LeftBrace, what))
    return false;
  if (trace)
    trace->tokens.back().opensBlock = true;
  return true;
}

bool ParserBase::closeBlock(SourceRange open) {
  if (accept(TokenKind::RightBrace)) {
    if (trace)
      trace->tokens.back().closesBlock = true;
    return true;
  }
  if (!atEnd() || !lexer.lostRest())
    error(tok().range, UnclosedBlock, found(tok())).note(open, "the block opened here");
  return false;
}

std::optional<ast::Body> ParserBase::expectBody(StringRef what) {
  if (!at(TokenKind::LeftBrace)) {
    unexpected(fmt::format("the `{{` of a C++ body {}", what));
    return std::nullopt;
  }
  Token body = lexer.lexBody(tok());
  ahead.clear();
  traceToken(body);
  StringRef inner = body.text.drop_front();
  inner.consume_back("}");
  return ast::Body{inner, body.range};
}

// ---- Recovery -----------------------------------------------------------------------------------

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
  bool isFieldName = scope == Scope::Resource && peek(1).is(TokenKind::Colon);
  if (isFieldName || startsItem(scope))
    return false;
  bool isFileItem = isFileKeyword(tok().kind);
  bool isKernelItem = startsItem(Scope::Kernel) && !at(TokenKind::KwStatic);
  bool isMember = scope == Scope::Plain && startsItem(Scope::Resource);
  if (!isFileItem && !isKernelItem && !isMember)
    return false;
  // The author's indentation tells a forgotten brace from a declaration in the wrong place.
  if (tok().startsLine && indentOf(tok().range.begin) <= indentOf(open.begin)) {
    error(tok().range, UnclosedBlock, found(tok())).note(open, "the block opened here");
    return true;
  }
  error(tok().range, MisplacedDeclaration, tok().text,
        isFileItem     ? "outside kernels"
        : isKernelItem ? "directly in a kernel"
                       : "in a resource");
  return false;
}

void ParserBase::reportTooDeep() {
  error(tok().range, NestingTooDeep, MaxNesting);
  errors.stop();
  lexer.stop();
  ahead.clear();
}

} // namespace tsk::syntax
