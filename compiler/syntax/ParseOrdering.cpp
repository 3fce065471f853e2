// What orders and connects resources: queues, barriers, groups, overlays, orders, dependencies.
#include "compiler/syntax/ParserImpl.h"

namespace tsk::syntax {

const ast::Decl *Parser::parseQueue() {
  SourceLoc begin = consume().range.begin;
  auto *queue = make<ast::QueueDecl>();
  queue->name = expectName("the queue");
  if (!queue->name)
    return nullptr;
  gap(TracedToken::Gap::Spaced);
  if (!expect(TokenKind::Colon, "and the kind of the queue"))
    return nullptr;
  auto kind = expectOneOf({"static", "clc", "atomic"}, "as the kind of the queue");
  if (!kind || !expectWord("over", "and the queue's extents"))
    return nullptr;
  queue->queueKind = static_cast<ast::QueueKind>(*kind);
  if (!parseParenExprs("after `over`", queue->extents))
    return nullptr;
  Items<ast::QueueAttr> attrs;
  for (bool isAttr = true; isAttr;) {
    ast::QueueAttr attr;
    SourceLoc attrBegin = tok().range.begin;
    if (!parseQueueAttr(attr, isAttr))
      return nullptr;
    attr.range = from(attrBegin);
    if (isAttr)
      attrs.push_back(attr);
  }
  queue->attrs = file.list(llvm::ArrayRef(attrs));
  return expectSemicolon("the queue") ? done(queue, begin) : nullptr;
}

// `isAttr` comes back false where no attribute begins; the result is false after an error.
bool Parser::parseQueueAttr(ast::QueueAttr &attr, bool &isAttr) {
  using Kind = ast::QueueAttr::Kind;
  if (acceptWord("order")) {
    attr.kind = Kind::Order;
    attr.name = expectName("the order of the tiles, after `order`");
    attr.hasArgs = at(TokenKind::LeftParen);
    return attr.name && (!attr.hasArgs || parseCallArgs(attr.args));
  }
  if (acceptWord("stages")) {
    attr.kind = Kind::Stages;
    attr.value = parseExpr();
    return attr.value != nullptr;
  }
  if (acceptWord("per")) {
    auto unit = expectOneOf({"cta", "cluster"}, "after `per`");
    attr.kind = unit == 0u ? Kind::PerCta : Kind::PerCluster;
    return unit.has_value();
  }
  if (acceptWord("as")) {
    attr.kind = Kind::As;
    attr.name = expectName("the function that decodes a tile, after `as`");
    return static_cast<bool>(attr.name);
  }
  isAttr = false;
  return true;
}

const ast::Decl *Parser::parseBarrier() {
  SourceLoc begin = consume().range.begin;
  auto *barrier = make<ast::BarrierDecl>();
  barrier->name = expectName("the barrier");
  if (!barrier->name)
    return nullptr;
  if (accept(TokenKind::LeftBracket)) {
    barrier->count = parseExpr();
    if (!barrier->count || !expect(TokenKind::RightBracket, "after the number of barriers"))
      return nullptr;
  }
  gap(TracedToken::Gap::Spaced);
  if (!expect(TokenKind::Colon, "and the kind of the barrier"))
    return nullptr;
  auto kind = expectOneOf({"named", "mbarrier"}, "as the kind of the barrier");
  if (!kind)
    return nullptr;
  barrier->isNamed = *kind == 0;
  if (!barrier->isNamed) {
    if (!expectWord("arrivals", "and their number, after `mbarrier`"))
      return nullptr;
    barrier->arrivals = parseExpr();
    if (!barrier->arrivals)
      return nullptr;
    if (acceptWord("stages")) {
      barrier->stages = parseExpr();
      if (!barrier->stages)
        return nullptr;
    }
  }
  return expectSemicolon("the barrier") ? done(barrier, begin) : nullptr;
}

const ast::Decl *Parser::parseGroup() {
  SourceLoc begin = consume().range.begin;
  auto *group = make<ast::GroupDecl>();
  group->name = expectName("the group");
  if (!group->name)
    return nullptr;
  auto mode = expectOneOf({"merge", "fork", "fused"}, "as the kind of the group");
  if (!mode)
    return nullptr;
  group->mode = static_cast<ast::GroupMode>(*mode);
  gap(TracedToken::Gap::Spaced);
  if (!expect(TokenKind::LeftParen, "and the group's resources") ||
      !parseNameList("a resource of the group", group->members) ||
      !expect(TokenKind::RightParen, "after the resources"))
    return nullptr;
  return expectSemicolon("the group") ? done(group, begin) : nullptr;
}

const ast::Decl *Parser::parseOverlay() {
  SourceLoc begin = consume().range.begin;
  auto *overlay = make<ast::OverlayDecl>();
  Items<ast::OverlayDecl::Set> sets;
  do {
    if (!sets.empty() && !expectWord("with", "and what shares the bytes"))
      return nullptr;
    ast::OverlayDecl::Set set;
    if (!parseOverlaySet(set))
      return nullptr;
    sets.push_back(set);
  } while (sets.size() < 2 || atWord("with"));
  overlay->sets = file.list(llvm::ArrayRef(sets));
  return expectSemicolon("the overlay") ? done(overlay, begin) : nullptr;
}

bool Parser::parseOverlaySet(ast::OverlayDecl::Set &set) {
  SourceLoc begin = tok().range.begin;
  set.isBraced = accept(TokenKind::LeftBrace);
  if (set.isBraced) {
    if (!parsePathList(TokenKind::RightBrace, "field", set.paths))
      return false;
  } else {
    ast::Path path;
    if (!parsePath(path, "the field that shares bytes"))
      return false;
    set.paths = file.list(llvm::ArrayRef(path));
  }
  set.range = from(begin);
  return true;
}

const ast::Decl *Parser::parseOrder() {
  SourceLoc begin = consume().range.begin;
  auto *order = make<ast::OrderDecl>();
  order->name = expectName("the order");
  if (!order->name)
    return nullptr;
  gap(TracedToken::Gap::Spaced);
  if (!expect(TokenKind::LeftParen, "and the tasks to order") ||
      !parsePathList(TokenKind::RightParen, "task", order->paths))
    return nullptr;
  return expectSemicolon("the order") ? done(order, begin) : nullptr;
}

const ast::Decl *Parser::parseDepends() {
  SourceLoc begin = consume().range.begin;
  auto *depends = make<ast::DependsDecl>();
  SourceRange open = tok().range;
  if (!openBlock("after `depends`"))
    return nullptr;
  Items<ast::DependsDecl::Edge> edges;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Plain, open))
      break;
    unsigned before = progress();
    beginItem();
    ast::DependsDecl::Edge edge;
    if (parseDependsEdge(edge))
      edges.push_back(edge);
    else
      recover(Scope::Plain, before);
    if (progress() == before)
      consume();
  }
  depends->edges = file.list(llvm::ArrayRef(edges));
  return closeBlock(open) ? done(depends, begin) : nullptr;
}

bool Parser::parseDependsEdge(ast::DependsDecl::Edge &edge) {
  SourceLoc begin = tok().range.begin;
  if (!parsePath(edge.downstream, "the dependent resource"))
    return false;
  if (!acceptBackArrow()) {
    unexpected("`<-` and what the resource depends on");
    return false;
  }
  if (!parsePathList(TokenKind::EndOfFile, "the resource after `<-`", edge.upstream) ||
      !expectSemicolon("the dependency"))
    return false;
  edge.range = from(begin);
  return true;
}

} // namespace tsk::syntax
