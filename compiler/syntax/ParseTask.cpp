// Tasks: who runs which schedule.
#include "compiler/syntax/ParserImpl.h"

namespace tsk::syntax {

const ast::Decl *Parser::parseTask() {
  SourceLoc begin = consume().range.begin;
  auto *task = make<ast::TaskDecl>();
  task->name = expectName("the task");
  if (!task->name)
    return nullptr;
  if (accept(TokenKind::LeftBracket)) {
    task->instances = parseExpr();
    if (!task->instances || !expect(TokenKind::RightBracket, "after the number of instances"))
      return nullptr;
  }
  if (!expectWord("on", "and the task's warps") || !parseTaskWarps(*task))
    return nullptr;
  SourceLoc regsBegin = tok().range.begin;
  if (acceptWord("regs")) {
    task->regs = parseExpr();
    if (!task->regs)
      return nullptr;
    task->regsRange = from(regsBegin);
  }
  if (acceptWord("of") && !parseTaskRank(*task))
    return nullptr;
  if (!expectWord("runs", "and the task's schedule"))
    return nullptr;
  task->schedule = expectName("the schedule, after `runs`");
  if (!task->schedule)
    return nullptr;
  task->hasArgs = at(TokenKind::LeftParen);
  if (task->hasArgs && !parseCallArgs(task->args))
    return nullptr;
  return expectSemicolon("the task") ? done(task, begin) : nullptr;
}

// warps a .. b, or n warps
bool Parser::parseTaskWarps(ast::TaskDecl &task) {
  if (acceptWord("warps"))
    return parseRange(task.firstWarp, task.endWarp);
  task.warpCount = parseExpr();
  if (!task.warpCount)
    return false;
  return acceptWord("warp") || expectWord("warps", "after their number");
}

bool Parser::parseTaskRank(ast::TaskDecl &task) {
  auto who = expectOneOf({"pair", "cluster", "rank"}, "after `of`");
  if (!who)
    return false;
  if (*who == 2) {
    task.rank = ast::TaskDecl::Rank::Rank;
    task.rankValue = parseExpr();
    return task.rankValue != nullptr;
  }
  task.rank = *who == 0 ? ast::TaskDecl::Rank::PairLeader : ast::TaskDecl::Rank::ClusterLeader;
  return expectWord("leader", *who == 0 ? "after `pair`" : "after `cluster`");
}

} // namespace tsk::syntax
