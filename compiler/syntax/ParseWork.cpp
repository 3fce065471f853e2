// Works: what may touch a resource.
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> MissingResultParentheses{
    kind::MissingParentheses, "the results of a work stand in parentheses: `-> (v: type)`"};
constexpr Diagnostic<> EffectMechanismAlone{
    kind::EffectMechanismAlone,
    "a mechanism or `in flight` belongs to declared effects; write `reads(…)` or `writes(…)` "
    "before it"};

constexpr Diagnostic<> ResultsAfterClauses{
    kind::ResultsAfterClauses,
    "the results of a work stand behind its parameters, before `by` and its effects"};

static constexpr llvm::StringRef IssueWords[] = {"all", "warp", "leader"};

const ast::Work *Parser::parseWork(ast::WorkKind kind) {
  SourceLoc begin = consume().range.begin;
  auto *work = make<ast::Work>();
  work->kind = kind;
  bool isRead = parseWorkHead(*work);
  if (!isRead && !recoverToBlock())
    return nullptr;
  std::optional<ast::Body> body = expectBody("of the work");
  if (!body || !isRead)
    return nullptr;
  work->body = *body;
  return done(work, begin);
}

bool Parser::parseWorkHead(ast::Work &work) {
  work.name = expectName("the work");
  if (!work.name || !parseParams("the work", work.params) || !parseWorkResults(work))
    return false;
  const llvm::StringRef clauses = tok().text;
  const SourceLoc begin = tok().range.begin;
  return parseWorkClauses(work) &&
         (!at(TokenKind::Arrow) || reportLateResults(work, begin, clauses.begin()));
}

// Results behind the clauses: swapped, they are right. False.
bool Parser::reportLateResults(ast::Work &work, SourceLoc begin, const char *clauses) {
  const char *arrow = tok().text.data();
  const SourceRange place = tok().range;
  if (!parseWorkResults(work))
    return false;
  const char *end = tok().text.data();
  const llvm::StringRef first = llvm::StringRef(clauses, arrow - clauses).rtrim();
  const llvm::StringRef results = llvm::StringRef(arrow, end - arrow).rtrim();
  error(place, ResultsAfterClauses)
      .fixit(from(begin), fmt::format("{} {}", results, first), "write them before");
  return false;
}

bool Parser::parseWorkResults(ast::Work &work) {
  if (!accept(TokenKind::Arrow))
    return true;
  if (!at(TokenKind::LeftParen)) {
    error(tok().range, MissingResultParentheses);
    return false;
  }
  consume();
  Items<ast::Param> results;
  do {
    ast::Param result;
    if (!parseParam(result, "the work's results"))
      return false;
    results.push_back(result);
  } while (accept(TokenKind::Comma));
  work.results = file.list(llvm::ArrayRef(results));
  return expect(TokenKind::RightParen, "after the results");
}

// `by leader` and the declared effects, in either order.
bool Parser::parseWorkClauses(ast::Work &work) {
  for (;;) {
    if (atWord("reads") || atWord("writes")) {
      if (!work.effects.empty() || !parseEffects(work)) {
        unexpected("the body: a work declares its effects in one place");
        return false;
      }
      continue;
    }
    if (atWord("in") && peek(1).isWord("flight")) {
      error(tok().range, EffectMechanismAlone);
      return false;
    }
    if (!atWord("by") || work.by != ast::IssueBy::Unsaid)
      return true;
    SourceLoc begin = consume().range.begin;
    if (work.effects.empty() && isMechanism(tok().text)) {
      error(tok().range, EffectMechanismAlone);
      return false;
    }
    std::optional<unsigned> by = expectOneOf(IssueWords, "after `by`");
    if (!by)
      return false;
    work.by = static_cast<ast::IssueBy>(*by + 1);
    work.byRange = from(begin);
  }
}

bool Parser::parseEffects(ast::Work &work) {
  Items<ast::WorkEffect> effects;
  while (atWord("reads") || atWord("writes")) {
    ast::WorkEffect effect;
    effect.isWrite = atWord("writes");
    SourceLoc begin = consume().range.begin;
    gap(TracedToken::Gap::Tight);
    if (!expect(TokenKind::LeftParen, "and the fields") ||
        !parsePathList(TokenKind::RightParen, "field", effect.paths))
      return false;
    effect.range = from(begin);
    effects.push_back(effect);
  }
  work.effects = file.list(llvm::ArrayRef(effects));
  if (atWord("by") && isMechanism(peek(1).text)) {
    consume();
    work.effectMechanism = parseMechanism("after `by`");
  }
  if (atWord("in") && peek(1).isWord("flight")) {
    consume();
    consume();
    work.effectInFlight = true;
  }
  return true;
}

} // namespace tsk::syntax
