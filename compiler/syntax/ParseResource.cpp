// Resources, resource types and their fields.
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<llvm::StringRef, std::string> UnknownMember{
    kind::UnknownMember, "`{}` begins no member of a resource{}"};

static constexpr llvm::StringRef WorkWords[] = {"produce", "consume", "update", "setup"};

const ast::Decl *Parser::parseResource() {
  SourceLoc begin = consume().range.begin;
  ast::Name name = expectName("the resource");
  if (!name) {
    if (recoverToBlock())
      skipBraces();
    return nullptr;
  }
  if (at(TokenKind::Less) || at(TokenKind::LeftParen))
    return parseResourceType(name, begin);
  auto *resource = make<ast::ResourceDecl>();
  resource->name = name;
  if (accept(TokenKind::LeftBracket)) {
    resource->count = parseExpr();
    if (!resource->count || !expect(TokenKind::RightBracket, "after the number of resources"))
      return nullptr;
  }
  if (accept(TokenKind::Equal)) {
    resource->instantiated = parseType();
    if (!resource->instantiated)
      return nullptr;
    if (at(TokenKind::LeftParen) && !parseCallArgs(resource->args))
      return nullptr;
    return expectSemicolon("the resource") ? done(resource, begin) : nullptr;
  }
  gap(TracedToken::Gap::Spaced);
  bool isRead = accept(TokenKind::Colon);
  if (!isRead)
    unexpected("`:` and a space (`gmem`, `smem`, `tmem`, `regs`), or `=` and a resource type,");
  isRead = isRead && parseSpace(resource->space);
  if (!isRead && !recoverToBlock())
    return nullptr;
  if (!parseResourceBody("of the resource", resource->members))
    return nullptr;
  return isRead ? done(resource, begin) : nullptr;
}

const ast::Decl *Parser::parseResourceType(ast::Name name, SourceLoc begin) {
  auto *type = make<ast::ResourceTypeDecl>();
  type->name = name;
  bool isRead = !at(TokenKind::Less) || parseCompileTimeParams(type->compileTimeParams);
  if (isRead && at(TokenKind::LeftParen))
    isRead = parseKernelParams("the resource type", /*needsDims=*/false, type->params);
  if (isRead) {
    gap(TracedToken::Gap::Spaced);
    isRead = expect(TokenKind::Colon, "and the space of the resource") && parseSpace(type->space);
  }
  if (!isRead && !recoverToBlock())
    return nullptr;
  if (!parseResourceBody("of the resource type", type->members))
    return nullptr;
  return isRead ? done(type, begin) : nullptr;
}

bool Parser::parseSpace(ast::Space &space) {
  SourceLoc begin = tok().range.begin;
  std::optional<unsigned> kind = expectOneOf({"gmem", "smem", "tmem", "regs"}, "as the space");
  if (!kind)
    return false;
  space.kind = static_cast<ast::SpaceKind>(*kind);
  if (space.kind == ast::SpaceKind::Gmem && acceptWord("of")) {
    space.tensor = expectName("the tensor in global memory");
    if (!space.tensor)
      return false;
  }
  space.range = from(begin);
  return true;
}

bool Parser::parseResourceBody(llvm::StringRef what, ast::List<ast::ResourceMember> &members) {
  SourceRange open = tok().range;
  if (!openBlock(what))
    return false;
  members = parseMembers(open);
  closeBlock(open);
  return true;
}

ast::List<ast::ResourceMember> Parser::parseMembers(SourceRange open) {
  Items<ast::ResourceMember> members;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Resource, open))
      break;
    unsigned before = progress();
    beginItem();
    ast::ResourceMember member;
    if (parseMember(member))
      members.push_back(member);
    else
      recover(Scope::Resource, before);
    if (progress() == before)
      consume();
  }
  return file.list(llvm::ArrayRef(members));
}

bool Parser::parseMember(ast::ResourceMember &member) {
  if (isKeyword(tok().kind) && peek(1).is(TokenKind::Colon)) {
    expectName("the field");
    return false;
  }
  if (at(TokenKind::KwStatic)) {
    member.staticIf = parseStaticIfMember();
    return member.staticIf != nullptr;
  }
  if (atWord("pipeline") && !peek(1).is(TokenKind::Colon)) {
    member.pipeline = parsePipeline();
    return member.pipeline != nullptr;
  }
  for (unsigned kind = 0; kind < std::size(WorkWords); ++kind)
    if (atWord(WorkWords[kind]) && !peek(1).is(TokenKind::Colon)) {
      member.work = parseWork(static_cast<ast::WorkKind>(kind));
      return member.work != nullptr;
    }
  if (at(TokenKind::Identifier) && peek(1).is(TokenKind::Colon)) {
    member.field = parseField();
    return member.field != nullptr;
  }
  static constexpr llvm::StringRef Words[] = {"produce", "consume", "update", "setup", "pipeline"};
  std::string advice = suggestion(Words);
  if (advice.empty())
    advice = "; a member is a field `name : type;`, a `pipeline` or a work";
  ReportBuilder report = error(tok().range, UnknownMember, tok().text.take_front(40), advice);
  addFix(report, Words);
  return false;
}

const ast::StaticIfMember *Parser::parseStaticIfMember() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  SourceLoc begin = tok().range.begin;
  auto *node = make<ast::StaticIfMember>();
  auto readThen = [&](ast::List<ast::ResourceMember> &members) {
    return parseResourceBody("after the condition", members);
  };
  auto readElse = [&] {
    node->hasElse = true;
    return parseResourceBody("after `else`", node->elseMembers);
  };
  bool isRead = parseIfChain("after `static` between members", node->branches, readThen, readElse);
  return isRead ? done(node, begin) : nullptr;
}

const ast::Field *Parser::parseField() {
  SourceLoc begin = tok().range.begin;
  auto *field = make<ast::Field>();
  field->name = nameOf(consume());
  gap(TracedToken::Gap::Spaced);
  consume(); // the colon
  field->type = parseType();
  if (!field->type)
    return nullptr;
  Items<const ast::Expr *> dims;
  while (accept(TokenKind::LeftBracket)) {
    dims.push_back(parseExpr());
    if (!dims.back() || !expect(TokenKind::RightBracket, "after the extent"))
      return nullptr;
  }
  field->dims = file.list(llvm::ArrayRef(dims));
  Items<ast::FieldAttr> attrs;
  for (bool isAttr = true; isAttr;) {
    ast::FieldAttr attr;
    SourceLoc attrBegin = tok().range.begin;
    if (!parseFieldAttr(attr, isAttr))
      return nullptr;
    attr.range = from(attrBegin);
    if (isAttr)
      attrs.push_back(attr);
  }
  field->attrs = file.list(llvm::ArrayRef(attrs));
  if (accept(TokenKind::Equal)) {
    field->init = parseExpr();
    if (!field->init)
      return nullptr;
  }
  return expectSemicolon("the field") ? done(field, begin) : nullptr;
}

// `isAttr` comes back false where no attribute begins; the result is false after an error.
bool Parser::parseFieldAttr(ast::FieldAttr &attr, bool &isAttr) {
  using Kind = ast::FieldAttr::Kind;
  if (acceptWord("align")) {
    attr.kind = Kind::Align;
    attr.value = parseExpr();
    return attr.value != nullptr;
  }
  if (acceptWord("swizzle")) {
    attr.kind = Kind::Swizzle;
    auto span = expectOneOf({"none", "32B", "64B", "128B"}, "after `swizzle`");
    attr.swizzle = static_cast<ast::Swizzle>(span.value_or(0));
    return span.has_value();
  }
  if (acceptWord("per")) {
    attr.kind = Kind::Per;
    auto unit = expectOneOf({"thread", "warp", "warpgroup"}, "after `per`");
    attr.per = static_cast<ast::PerUnit>(unit.value_or(0));
    return unit.has_value();
  }
  if (acceptWord("of")) {
    attr.kind = Kind::Of;
    return parseNameList("the tensor", attr.tensors);
  }
  if (acceptWord("multicast")) {
    attr.kind = Kind::Multicast;
    auto axis = expectOneOf({"x", "y", "z"}, "as the cluster's axis, after `multicast`");
    attr.axis = static_cast<char>('x' + axis.value_or(0));
    return axis.has_value();
  }
  if (acceptWord("view")) {
    attr.kind = Kind::View;
    if (!expectWord("of", "after `view`"))
      return false;
    attr.viewed = expectName("the viewed field");
    if (!attr.viewed)
      return false;
    if (!acceptWord("at"))
      return true;
    if (!expectWord("column", "after `at`"))
      return false;
    attr.value = parseExpr();
    return attr.value != nullptr;
  }
  isAttr = false;
  if (!at(TokenKind::Identifier) || tok().startsLine)
    return true;
  static constexpr llvm::StringRef Words[] = {"align", "swizzle", "per", "of", "multicast", "view"};
  if (suggestion(Words).empty())
    return true;
  return expectOneOf(Words, "as an attribute").has_value();
}

} // namespace tsk::syntax
