#include "compiler/syntax/Parser.h"
#include "compiler/syntax/Literal.h"
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> UnmatchedBrace{kind::UnmatchedBrace,
                                      "this `}}` closes nothing; remove it, or open a block"};
constexpr Diagnostic<llvm::StringRef> DeclarationOutsideKernel{
    kind::MisplacedDeclaration, "`{}` cannot stand here; its place is directly in a kernel"};

std::unique_ptr<ast::File> parseFile(const SourceManager &sources, SourceLoc buffer,
                                     DiagnosticEngine &diagnostics, TokenTrace *trace) {
  auto file = std::make_unique<ast::File>();
  SyntaxErrors errors(diagnostics);
  checkEncoding(sources, buffer, errors);
  Parser(sources, buffer, errors, *file, trace).parseFile();
  return file;
}

void Parser::parseFile() {
  SourceLoc begin = sources.bufferBegin(previousEnd());
  file.range = {begin, begin.advanced(static_cast<uint32_t>(sources.bufferText(begin).size()))};
  Items<const ast::Decl *> decls;
  while (!atEnd()) {
    if (at(TokenKind::RightBrace)) {
      error(tok().range, UnmatchedBrace);
      consume();
      continue;
    }
    unsigned before = progress();
    beginItem(/*ownLine=*/true);
    if (const ast::Decl *decl = parseFileItem())
      decls.push_back(decl);
    else
      recover(Scope::File, before);
    if (progress() == before)
      consume();
  }
  file.decls = file.list(llvm::ArrayRef(decls));
}

const ast::Decl *Parser::parseFileItem() {
  switch (tok().kind) {
  case TokenKind::KwImport:
    return parseImport();
  case TokenKind::KwCpp:
    return parseCpp();
  case TokenKind::KwConst:
    return parseConst();
  case TokenKind::KwFunction:
    return parseFunction();
  case TokenKind::KwKernel:
    return parseKernel();
  case TokenKind::KwInstantiate:
    return parseInstantiate();
  case TokenKind::KwResource: {
    const Token keyword = tok();
    const ast::Decl *decl = parseResource();
    if (!decl || llvm::isa<ast::ResourceTypeDecl>(decl))
      return decl;
    error(keyword.range, DeclarationOutsideKernel, keyword.text)
        .note(decl->range, "a resource type, which can stand here, has parameters: `resource "
                           "Name<…>(…) : …`");
    return decl;
  }
  default:
    break;
  }
  if (startsItem(Scope::Kernel)) {
    error(tok().range, DeclarationOutsideKernel, tok().text);
    return parseKernelItem(); // to find what else is wrong with it
  }
  reportNoDeclaration(Scope::File);
  return nullptr;
}

const ast::Decl *Parser::parseImport() {
  SourceLoc begin = consume().range.begin;
  auto *import = make<ast::ImportDecl>();
  if (at(TokenKind::String)) {
    Token path = consume();
    import->isPath = true;
    import->target = file.string(decodeString(path, errors));
    import->targetRange = path.range;
  } else {
    SourceLoc first = tok().range.begin;
    std::string target;
    do {
      ast::Name part = expectName("the imported module; write `import tsk.sm90;` or "
                                  "`import \"file.tsk\";`");
      if (!part)
        return nullptr;
      target += (target.empty() ? "" : ".") + part.text.str();
    } while (accept(TokenKind::Dot));
    import->target = file.string(target);
    import->targetRange = from(first);
  }
  if (acceptWord("as")) {
    import->alias = expectName("the imported file");
    if (!import->alias)
      return nullptr;
  }
  return expectSemicolon("the import") ? done(import, begin) : nullptr;
}

const ast::Decl *Parser::parseCpp() {
  SourceLoc begin = consume().range.begin;
  auto *cpp = make<ast::CppDecl>();
  std::optional<ast::Body> body = expectBody("after `cpp`");
  if (!body)
    return nullptr;
  cpp->body = *body;
  return done(cpp, begin);
}

const ast::Decl *Parser::parseConst() {
  SourceLoc begin = consume().range.begin;
  auto *constant = make<ast::ConstDecl>();
  constant->name = expectName("the constant");
  if (!constant->name)
    return nullptr;
  if (accept(TokenKind::Colon)) {
    constant->type = parseType();
    if (!constant->type)
      return nullptr;
  }
  if (!expect(TokenKind::Equal, "and the value of the constant"))
    return nullptr;
  constant->value = parseExpr();
  if (!constant->value || !expectSemicolon("the constant"))
    return nullptr;
  return done(constant, begin);
}

const ast::Decl *Parser::parseFunction() {
  SourceLoc begin = consume().range.begin;
  auto *function = make<ast::FunctionDecl>();
  function->name = expectName("the function");
  bool isRead = function->name && parseParams("the function", function->params) &&
                expect(TokenKind::Arrow, "and the type of the function's result");
  if (isRead) {
    function->result = parseType();
    isRead = function->result != nullptr;
  }
  if (!isRead && !recoverToBlock())
    return nullptr;
  std::optional<ast::Body> body = expectBody("of the function");
  if (!body || !isRead)
    return nullptr;
  function->body = *body;
  return done(function, begin);
}

const ast::Decl *Parser::parseInstantiate() {
  SourceLoc begin = consume().range.begin;
  auto *instantiate = make<ast::InstantiateDecl>();
  instantiate->kernel = expectName("the kernel to instantiate");
  if (!instantiate->kernel || !parseTemplateArgs(instantiate->args) ||
      !expectWord("as", "and a name for the variant"))
    return nullptr;
  instantiate->alias = expectName("the variant");
  if (!instantiate->alias)
    return nullptr;
  if (acceptWord("when") && !parseCondition("after `when`", instantiate->condition))
    return nullptr;
  return expectSemicolon("the variant") ? done(instantiate, begin) : nullptr;
}

} // namespace tsk::syntax
