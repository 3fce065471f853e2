// Types, paths and the lists of parameters and arguments that name them.
#include "compiler/syntax/ParserImpl.h"

namespace tsk::syntax {

const ast::Type *Parser::parseType() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  SourceLoc begin = tok().range.begin;
  auto *type = make<ast::Type>();
  if (!parseQualifiedName(type->name, "a type"))
    return nullptr;
  if (at(TokenKind::Less) && !parseTypeArgs(*type))
    return nullptr;
  while (at(TokenKind::Star)) {
    gap(TracedToken::Gap::Tight);
    consume();
    ++type->pointerDepth;
  }
  return done(type, begin);
}

bool Parser::openAngle() {
  gap(TracedToken::Gap::Tight);
  if (!expect(TokenKind::Less, "and the arguments in angle brackets"))
    return false;
  tightAfter();
  return true;
}

bool Parser::closeAngle(llvm::StringRef what) {
  gap(TracedToken::Gap::Tight);
  return expect(TokenKind::Greater, what);
}

bool Parser::parseTypeArgs(ast::Type &type) {
  if (!openAngle())
    return false;
  Items<ast::TypeArg> args;
  if (!at(TokenKind::Greater)) {
    do {
      ast::TypeArg arg;
      if (!parseTypeArg(arg))
        return false;
      args.push_back(arg);
    } while (accept(TokenKind::Comma));
  }
  type.hasArgs = true;
  type.args = file.list(llvm::ArrayRef(args));
  return closeAngle("after the arguments of the type");
}

bool Parser::parseTypeArg(ast::TypeArg &arg) {
  if (at(TokenKind::Identifier))
    return parseNameOrType(arg);
  arg.expr = parseAngleExpr();
  return arg.expr != nullptr;
}

// `T`, `T*` and `array<T, N>` are types; `R * C`, `N + 1` and `r.f` are expressions. The token
// after the name decides; nothing is read twice.
bool Parser::parseNameOrType(ast::TypeArg &arg) {
  Nesting nesting(*this);
  if (!nesting)
    return false;
  SourceLoc begin = tok().range.begin;
  auto *type = make<ast::Type>();
  if (!parseQualifiedName(type->name, "a type or an expression"))
    return false;
  if (at(TokenKind::Less) && !parseTypeArgs(*type))
    return false;
  auto endsArg = [](const Token &token) {
    return token.is(TokenKind::Comma) || token.is(TokenKind::Greater);
  };
  bool isPointer = at(TokenKind::Star) && (peek(1).is(TokenKind::Star) || endsArg(peek(1)));
  while (isPointer && at(TokenKind::Star)) {
    gap(TracedToken::Gap::Tight);
    consume();
    ++type->pointerDepth;
  }
  if (type->hasArgs || isPointer || endsArg(tok())) {
    arg.type = done(type, begin);
    return true; // whoever reads the list checks what follows
  }
  auto *name = make<ast::NameExpr>();
  name->parts = type->name;
  const ast::Expr *left = parsePostfix(done(name, begin));
  arg.expr = left ? parseBinary(left, AngleMinPrecedence) : nullptr;
  return arg.expr != nullptr;
}

bool Parser::parsePath(ast::Path &path, llvm::StringRef what) {
  SourceLoc begin = tok().range.begin;
  Items<ast::PathPart> parts;
  do {
    ast::PathPart part;
    part.name = expectName(parts.empty() ? what : "a member, after `.`");
    if (!part.name)
      return false;
    if (accept(TokenKind::LeftBracket)) {
      part.index = parseExpr();
      if (!part.index || !expect(TokenKind::RightBracket, "after the index"))
        return false;
    }
    parts.push_back(part);
  } while (accept(TokenKind::Dot));
  path.parts = file.list(llvm::ArrayRef(parts));
  path.range = from(begin);
  return true;
}

bool Parser::parsePathList(TokenKind close, llvm::StringRef what, ast::List<ast::Path> &paths) {
  Items<ast::Path> list;
  do {
    ast::Path path;
    if (!parsePath(path, what))
      return false;
    list.push_back(path);
  } while (accept(TokenKind::Comma));
  paths = file.list(llvm::ArrayRef(list));
  return close == TokenKind::EndOfFile || expect(close, fmt::format("after the last {}", what));
}

bool Parser::parseNameList(llvm::StringRef what, ast::List<ast::Name> &names) {
  Items<ast::Name> list;
  do {
    ast::Name name = expectName(what);
    if (!name)
      return false;
    list.push_back(name);
  } while (accept(TokenKind::Comma));
  names = file.list(llvm::ArrayRef(list));
  return true;
}

bool Parser::parseCompileTimeParams(ast::List<ast::CompileTimeParam> &params) {
  if (!openAngle())
    return false;
  Items<ast::CompileTimeParam> list;
  do {
    SourceLoc begin = tok().range.begin;
    ast::CompileTimeParam param;
    param.name = expectName("the compile-time parameter");
    if (!param.name)
      return false;
    if (accept(TokenKind::Colon)) {
      param.type = parseType();
      if (!param.type)
        return false;
    }
    if (accept(TokenKind::Equal)) {
      param.defaultValue = parseAngleExpr();
      if (!param.defaultValue)
        return false;
    }
    param.range = from(begin);
    list.push_back(param);
  } while (accept(TokenKind::Comma));
  params = file.list(llvm::ArrayRef(list));
  return closeAngle("after the compile-time parameters");
}

bool Parser::parseTemplateArgs(ast::List<ast::TemplateArg> &args) {
  if (!openAngle())
    return false;
  Items<ast::TemplateArg> list;
  do {
    SourceLoc begin = tok().range.begin;
    ast::TemplateArg arg;
    arg.name = expectName("the compile-time parameter to set");
    if (!arg.name || !expect(TokenKind::Equal, "and a value for the compile-time parameter"))
      return false;
    arg.value = parseAngleExpr();
    if (!arg.value)
      return false;
    arg.range = from(begin);
    list.push_back(arg);
  } while (accept(TokenKind::Comma));
  args = file.list(llvm::ArrayRef(list));
  return closeAngle("after the compile-time arguments");
}

bool Parser::parseParams(llvm::StringRef owner, ast::List<ast::Param> &params) {
  gap(TracedToken::Gap::Tight);
  if (!expect(TokenKind::LeftParen, fmt::format("and the parameters of {}", owner)))
    return false;
  Items<ast::Param> list;
  if (!at(TokenKind::RightParen)) {
    do {
      ast::Param param;
      if (parseParam(param, owner))
        list.push_back(param);
      else
        recoverInList(TokenKind::RightParen);
    } while (accept(TokenKind::Comma));
  }
  params = file.list(llvm::ArrayRef(list));
  return expect(TokenKind::RightParen, "after the parameters");
}

bool Parser::parseParam(ast::Param &param, llvm::StringRef owner) {
  SourceLoc begin = tok().range.begin;
  param.isConst = !peek(1).is(TokenKind::Colon) && accept(TokenKind::KwConst);
  if (atWord("uniform") && peek(1).is(TokenKind::Identifier)) {
    consume();
    param.isUniform = true;
  }
  param.name = expectName(fmt::format("a parameter of {}", owner));
  if (!param.name || !expect(TokenKind::Colon, "and the type of the parameter"))
    return false;
  param.type = parseType();
  if (!param.type)
    return false;
  param.range = from(begin);
  return true;
}

} // namespace tsk::syntax
