// tsk-syntax: the front half of the compiler, one step at a time, for the text tests.
//
//   tsk-syntax tokens|ast|ast-locations|fmt|check FILE
//
// Exit status: 0, or 1 after errors.
#include "compiler/support/Files.h"
#include "compiler/support/TextRenderer.h"
#include "compiler/syntax/AstDump.h"
#include "compiler/syntax/Formatter.h"
#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace tsk;

static void dumpTokens(const SourceManager &sources, SourceLoc buffer, DiagnosticEngine &engine) {
  syntax::SyntaxErrors errors(engine);
  syntax::checkEncoding(sources, buffer, errors);
  syntax::Lexer lexer(sources, buffer, errors);
  syntax::Token token;
  do {
    token = lexer.next();
    PresumedLoc loc = sources.presumed(token.range.begin);
    llvm::outs() << loc.line << ':' << loc.column << ' ' << name(token.kind)
                 << (token.startsLine ? " first" : "");
    if (!token.is(syntax::TokenKind::EndOfFile))
      llvm::outs() << " `" << token.text << '`';
    llvm::outs() << '\n';
  } while (!token.is(syntax::TokenKind::EndOfFile));
}

int main(int argc, char **argv) {
  llvm::StringRef mode = argc == 3 ? argv[1] : "";
  if (mode != "tokens" && mode != "ast" && mode != "ast-locations" && mode != "fmt" &&
      mode != "check") {
    llvm::errs() << "usage: tsk-syntax tokens|ast|ast-locations|fmt|check FILE\n";
    return 2;
  }
  auto text = readSourceFile(argv[2]);
  if (!text) {
    llvm::errs() << "cannot read " << argv[2] << ": " << text.getError().message() << '\n';
    return 2;
  }
  SourceManager sources;
  SourceLoc buffer = sources.addBuffer(std::move(*text), llvm::sys::path::filename(argv[2]));
  TextRenderer renderer(sources, llvm::errs(), /*useColor=*/false);
  DiagnosticEngine engine(renderer);
  if (mode == "tokens") {
    dumpTokens(sources, buffer, engine);
  } else if (mode == "fmt") {
    if (std::optional<std::string> formatted = syntax::format(sources, buffer, engine))
      llvm::outs() << *formatted;
  } else {
    std::unique_ptr<ast::File> file = syntax::parseFile(sources, buffer, engine);
    if (mode.starts_with("ast") && !engine.hasErrors())
      ast::dump(*file, sources, llvm::outs(), {mode == "ast-locations"});
  }
  return engine.hasErrors() ? 1 : 0;
}
