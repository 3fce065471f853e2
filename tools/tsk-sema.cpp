// tsk-sema: reads a .tsk file and prints its task graphs as text. The front end alone, for tests of
// what tskc's own options cannot say.
#include "compiler/ir/Text.h"
#include "compiler/sema/Sema.h"
#include "compiler/support/Files.h"
#include "compiler/support/TextRenderer.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/raw_ostream.h"

using namespace tsk;

static constexpr llvm::StringLiteral Usage =
    "usage: tsk-sema FILE [--no-places] [-D NAME=VALUE] [-I FOLDER] [--library=FOLDER]\n";

int main(int argc, char **argv) {
  sema::SemaOptions options;
  options.readFile = readSourceFile;
  llvm::StringRef file;
  bool places = true;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef arg = argv[i];
    if (arg == "--no-places") {
      places = false;
    } else if (arg == "-D" && i + 1 < argc) {
      auto [name, value] = llvm::StringRef(argv[++i]).split('=');
      options.defines.emplace_back(name.str(), value.str());
    } else if (arg == "-I" && i + 1 < argc) {
      options.importFolders.push_back(argv[++i]);
    } else if (arg.consume_front("--library=")) {
      options.libraryFolder = arg.str();
    } else if (file.empty() && !arg.starts_with("-")) {
      file = arg;
    } else {
      llvm::errs() << Usage;
      return 2;
    }
  }
  auto text = readSourceFile(file);
  if (!text) {
    llvm::errs() << "tsk-sema: cannot read the file\n" << Usage;
    return 2;
  }
  SourceManager sources;
  TextRenderer renderer(sources, llvm::errs(), /*useColor=*/false);
  DiagnosticEngine diags(renderer);
  SourceLoc begin = sources.addBuffer(std::move(*text), file);
  auto ast = syntax::parseFile(sources, begin, diags);
  auto module = sema::analyze(*ast, sources, diags, options);
  if (!diags.hasErrors())
    ir::print(*module, places ? &sources : nullptr, llvm::outs());
  return diags.hasErrors() ? 1 : 0;
}
