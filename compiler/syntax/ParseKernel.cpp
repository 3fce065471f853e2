// Kernels, their parameters and what a kernel says about itself.
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> StraySemicolon{kind::StraySemicolon,
                                      "stray `;`: a declaration with a block needs none"};
constexpr Diagnostic<llvm::StringRef, std::string> UnknownDeclaration{
    kind::UnknownDeclaration, "`{}` begins no declaration{}"};
constexpr Diagnostic<> MissingDimensions{
    kind::MissingDimensions, "a tensor parameter names its dimensions: `tensor<f16>[rows, cols]`"};

void Parser::reportNoDeclaration(Scope scope) {
  if (at(TokenKind::Semicolon)) {
    error(tok().range, StraySemicolon).fixit(tok().range, "", "remove the `;`");
    return;
  }
  static constexpr llvm::StringRef FileWords[] = {"kernel", "resource", "function",   "const",
                                                  "import", "cpp",      "instantiate"};
  static constexpr llvm::StringRef KernelWords[] = {
      "resource", "schedule", "task",   "depends", "const",   "requires",
      "grid",     "cluster",  "target", "queue",   "barrier", "function",
      "group",    "overlay",  "order",  "test",    "static",  "cpp"};
  // At file level a mistyped word of kernels is at least named.
  llvm::ArrayRef<llvm::StringRef> words = KernelWords;
  if (scope == Scope::File && !suggestion(FileWords).empty())
    words = FileWords;
  // A long unreadable word is not worth showing whole.
  ReportBuilder report =
      error(tok().range, UnknownDeclaration, tok().text.take_front(40), suggestion(words));
  addFix(report, words);
}

const ast::Decl *Parser::parseKernel() {
  SourceLoc begin = consume().range.begin;
  auto *kernel = make<ast::KernelDecl>();
  // A mistake in the head must not cost the kernel: its items are read all the same.
  if (!parseKernelHead(*kernel) && !recoverToBlock())
    return nullptr;
  SourceRange open = tok().range;
  if (!openBlock("after the kernel's parameters"))
    return nullptr;
  kernel->items = parseKernelItems(open, /*ownLines=*/true);
  closeBlock(open);
  return done(kernel, begin);
}

bool Parser::parseKernelHead(ast::KernelDecl &kernel) {
  kernel.name = expectName("the kernel");
  if (!kernel.name)
    return false;
  if (at(TokenKind::Less) && !parseCompileTimeParams(kernel.compileTimeParams))
    return false;
  return parseKernelParams("the kernel", /*needsDims=*/true, kernel.params);
}

bool Parser::parseKernelParams(llvm::StringRef owner, bool needsDims,
                               ast::List<ast::KernelParam> &params) {
  gap(TracedToken::Gap::Tight);
  if (!expect(TokenKind::LeftParen, fmt::format("and the parameters of {}", owner)))
    return false;
  breaksAfter();
  Items<ast::KernelParam> list;
  while (!at(TokenKind::RightParen)) {
    ast::KernelParam param;
    if (parseKernelParam(param, needsDims))
      list.push_back(param);
    else
      recoverInList(TokenKind::RightParen);
    if (!accept(TokenKind::Comma))
      break;
    if (at(TokenKind::RightParen))
      expectName("the parameter after `,`");
  }
  params = file.list(llvm::ArrayRef(list));
  return expect(TokenKind::RightParen, "after the parameters");
}

bool Parser::parseKernelParam(ast::KernelParam &param, bool needsDims) {
  SourceLoc begin = tok().range.begin;
  bool mayHaveDirection = needsDims; // a resource type takes what its kernel declared
  if (mayHaveDirection && (peek(1).is(TokenKind::Identifier) || isKeyword(peek(1).kind))) {
    param.direction = atWord("in")      ? ast::Direction::In
                      : atWord("out")   ? ast::Direction::Out
                      : atWord("inout") ? ast::Direction::InOut
                                        : ast::Direction::None;
    if (param.direction != ast::Direction::None)
      consume();
  }
  param.name = expectName("the parameter");
  if (!param.name || !expect(TokenKind::Colon, "and the type of the parameter"))
    return false;
  bool isTemplate = peek(1).is(TokenKind::Less);
  if (atWord("tensor") && isTemplate) {
    if (!parseTensorType(param, needsDims))
      return false;
  } else if (atWord("ptr") && isTemplate) {
    consume();
    param.shape = ast::KernelParam::Shape::Pointer;
    if (!openAngle())
      return false;
    param.type = parseType();
    if (!param.type || !closeAngle("after the pointer's type"))
      return false;
  } else {
    param.type = parseType();
    if (!param.type)
      return false;
  }
  if (acceptWord("from")) {
    if (!expectWord("host", "after `from`"))
      return false;
    param.fromHost = true;
  }
  param.range = from(begin);
  return true;
}

bool Parser::parseTensorType(ast::KernelParam &param, bool needsDims) {
  consume();
  param.shape = ast::KernelParam::Shape::Tensor;
  if (!openAngle())
    return false;
  param.type = parseType();
  if (!param.type || !closeAngle("after the tensor's element type"))
    return false;
  if (!at(TokenKind::LeftBracket)) {
    if (!needsDims)
      return true;
    error(tok().range, MissingDimensions);
    return false;
  }
  consume();
  if (!parseExprList(TokenKind::RightBracket, "after the dimensions", param.dims))
    return false;
  if (!acceptWord("strides"))
    return true;
  gap(TracedToken::Gap::Spaced);
  return expect(TokenKind::LeftBracket, "after `strides`") &&
         parseExprList(TokenKind::RightBracket, "after the strides", param.strides);
}

ast::List<const ast::Decl *> Parser::parseKernelItems(SourceRange open, bool ownLines) {
  Items<const ast::Decl *> items;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Kernel, open))
      break;
    unsigned before = progress();
    beginItem(ownLines);
    if (const ast::Decl *item = parseKernelItem())
      items.push_back(item);
    else
      recover(Scope::Kernel, before);
    if (progress() == before)
      consume();
  }
  return file.list(llvm::ArrayRef(items));
}

const ast::Decl *Parser::parseKernelItem() {
  switch (tok().kind) {
  case TokenKind::KwBarrier:
    return parseBarrier();
  case TokenKind::KwConst:
    return parseConst();
  case TokenKind::KwCpp:
    return parseCpp();
  case TokenKind::KwDepends:
    return parseDepends();
  case TokenKind::KwFunction:
    return parseFunction();
  case TokenKind::KwGroup:
    return parseGroup();
  case TokenKind::KwOverlay:
    return parseOverlay();
  case TokenKind::KwQueue:
    return parseQueue();
  case TokenKind::KwRequires:
    return parseRequires();
  case TokenKind::KwResource:
    return parseResource();
  case TokenKind::KwSchedule:
    return parseSchedule();
  case TokenKind::KwStatic:
    return parseStaticIfDecl();
  case TokenKind::KwTest:
    return parseTest();
  case TokenKind::Identifier:
    return parseKernelWord();
  default:
    reportNoDeclaration(Scope::Kernel);
    return nullptr;
  }
}

const ast::Decl *Parser::parseKernelWord() {
  if (atWord("grid"))
    return parseGrid();
  if (atWord("cluster"))
    return parseCluster();
  if (atWord("target"))
    return parseTarget();
  if (atWord("task"))
    return parseTask();
  if (atWord("order"))
    return parseOrder();
  reportNoDeclaration(Scope::Kernel);
  return nullptr;
}

const ast::Decl *Parser::parseStaticIfDecl() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  SourceLoc begin = tok().range.begin;
  auto *node = make<ast::StaticIfDecl>();
  auto read = [&](llvm::StringRef what, ast::List<const ast::Decl *> &decls) {
    SourceRange open = tok().range;
    if (!openBlock(what))
      return false;
    decls = parseKernelItems(open, /*ownLines=*/false);
    return closeBlock(open);
  };
  auto readThen = [&](ast::List<const ast::Decl *> &decls) {
    return read("after the condition", decls);
  };
  auto readElse = [&] {
    node->hasElse = true;
    return read("after `else`", node->elseDecls);
  };
  bool isRead =
      parseIfChain("after `static` between declarations", node->branches, readThen, readElse);
  return isRead ? done(node, begin) : nullptr;
}

const ast::Decl *Parser::parseRequires() {
  SourceLoc begin = consume().range.begin;
  auto *node = make<ast::RequiresDecl>();
  Items<const ast::Expr *> conditions;
  do {
    const ast::Expr *condition = parseExpr();
    if (!condition)
      return nullptr;
    conditions.push_back(condition);
  } while (accept(TokenKind::Comma));
  node->conditions = file.list(llvm::ArrayRef(conditions));
  return expectSemicolon("the conditions") ? done(node, begin) : nullptr;
}

const ast::Decl *Parser::parseGrid() {
  SourceLoc begin = consume().range.begin;
  auto *grid = make<ast::GridDecl>();
  if (acceptWord("persistent")) {
    grid->isPersistent = true;
    if (at(TokenKind::LeftParen)) {
      gap(TracedToken::Gap::Tight);
      consume();
      const ast::Expr *perSm = parseExpr();
      if (!perSm || !expect(TokenKind::RightParen, "after the number of CTAs per SM"))
        return nullptr;
      grid->values = file.list(llvm::ArrayRef(perSm));
    }
  } else if (!parseParenExprs("after `grid`", grid->values)) {
    return nullptr;
  }
  return expectSemicolon("the grid") ? done(grid, begin) : nullptr;
}

const ast::Decl *Parser::parseCluster() {
  SourceLoc begin = consume().range.begin;
  auto *cluster = make<ast::ClusterDecl>();
  if (!parseParenExprs("after `cluster`", cluster->extents))
    return nullptr;
  if (acceptWord("fallback") && !parseParenExprs("after `fallback`", cluster->fallback))
    return nullptr;
  return expectSemicolon("the cluster's extents") ? done(cluster, begin) : nullptr;
}

const ast::Decl *Parser::parseTarget() {
  SourceLoc begin = consume().range.begin;
  auto *target = make<ast::TargetDecl>();
  if (!parseNameList("the target", target->names))
    return nullptr;
  return expectSemicolon("the targets") ? done(target, begin) : nullptr;
}

} // namespace tsk::syntax
