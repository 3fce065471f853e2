#include "compiler/syntax/ParserBase.h"
#include "compiler/support/Check.h"
#include "compiler/support/Suggest.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

using llvm::StringRef;

constexpr Diagnostic<StringRef, std::string> ExpectedToken{kind::ExpectedToken,
                                                           "expected {}, found {}"};
constexpr Diagnostic<StringRef, std::string> ExpectedName{kind::ExpectedName,
                                                          "expected a name for {}, found {}"};
constexpr Diagnostic<StringRef, StringRef> KeywordAsName{kind::KeywordAsName,
                                                         "`{}` is a keyword and cannot name {}"};
constexpr Diagnostic<std::string, StringRef, std::string, std::string> ExpectedOneOf{
    kind::ExpectedOneOf, "expected {} {}, found {}{}"};
constexpr Diagnostic<StringRef> MissingSemicolon{kind::MissingSemicolon, "expected `;` after {}"};
constexpr Diagnostic<> CharacterLiteral{kind::CharacterLiteral,
                                        "a character literal can stand only in a C++ body"};
constexpr Diagnostic<StringRef, StringRef> ForeignOperator{
    kind::ForeignOperator, "there is no `{}` outside C++ bodies; {}"};
constexpr Diagnostic<> ArrowMember{kind::ArrowMember,
                                   "members are named with `.`; there is no `->` in expressions"};

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
  arrow.text = llvm::StringRef(tok().text.begin(), 2); // the two stand together
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

std::string ParserBase::found() { return isKeyword(tok().kind) ? "the keyword " + seen() : seen(); }

std::string ParserBase::seen() {
  const Token &token = tok();
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

bool ParserBase::reportForeign() {
  if (isForeign(tok().kind))
    error(tok().range, ForeignOperator, tok().text, adviceFor(tok().kind));
  else if (at(TokenKind::Character))
    error(tok().range, CharacterLiteral);
  else
    return false;
  return true;
}

bool ParserBase::reportShift() {
  bool isPair = (at(TokenKind::Less) || at(TokenKind::Greater)) && peek(1).is(tok().kind) &&
                peek(1).range.begin == tok().range.end;
  if (isPair)
    error({tok().range.begin, peek(1).range.end}, ForeignOperator,
          at(TokenKind::Less) ? "<<" : ">>", "multiply or divide by a power of two");
  return isPair;
}

void ParserBase::unexpected(StringRef what) {
  if (reportForeign())
    return;
  error(tok().range, ExpectedToken, what, found());
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
    error(tok().range, ExpectedName, what, found());
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
      error(tok().range, ExpectedOneOf, listOf(words), what, found(), suggestion(words));
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
    reportUnclosed(open);
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

} // namespace tsk::syntax
