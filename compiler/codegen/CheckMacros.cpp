#include "compiler/codegen/CheckMacros.h"
#include "compiler/codegen/CodegenDiagnostics.h"
#include "compiler/codegen/cuda/UserText.h"
#include "compiler/ir/CppText.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace tsk::codegen {

constexpr Diagnostic<llvm::StringRef, std::string> MacroHitsName{
    kind::MacroHitsName,
    "macro `{0}`{1} replaces a name that the generated code needs; rename it, or `#undef {0}` at "
    "the end of the block"};

// The lines between the directives that lead to the user's text and back, directives apart.
static std::string ownLines(llvm::StringRef text, llvm::StringRef ownFile) {
  const std::string back = "\"" + displayedPath(ownFile) + "\"";
  std::string own;
  bool isOwn = true;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.starts_with("#line "))
      isOwn = line.ends_with(back);
    else if (isOwn && !line.starts_with("#"))
      own += line.str() + "\n";
  return own;
}

bool checkMacros(llvm::ArrayRef<body::Macro> macros, llvm::StringRef text, llvm::StringRef ownFile,
                 DiagnosticEngine &diags) {
  if (macros.empty())
    return true;
  const std::string own = ownLines(text, ownFile);
  std::map<std::string, bool> written; // whether `(` stands behind it somewhere
  ir::CppLexer lexer(own);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;) {
    const ir::CppToken before = token;
    token = lexer.next();
    if (before.kind == ir::CppToken::Kind::Identifier)
      written[before.text.str()] |= token.is("(");
  }
  bool isRight = true;
  for (const body::Macro &macro : macros) {
    const auto hit = written.find(macro.name);
    if (macro.isInBody || hit == written.end() || (macro.takesArguments && !hit->second))
      continue;
    const std::string header = macro.header.empty() ? "" : " of " + displayedPath(macro.header);
    diags.report(macro.range, MacroHitsName, macro.name, header);
    isRight = false;
  }
  return isRight;
}

} // namespace tsk::codegen
