#include "compiler/sema/KernelBuilder.h"

#include "compiler/ir/CppText.h"

namespace tsk::sema {

static void collectNames(llvm::StringRef text, llvm::StringSet<> &names) {
  ir::CppLexer lexer(text);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End; token = lexer.next())
    if (token.kind == ir::CppToken::Kind::Identifier)
      names.insert(token.text);
}

// What the kernel's file brings. Constants that the kernel's text names become its own, so that
// bodies and what we emit can speak of them.
static void declareGlobals(KernelState &state) {
  const Scope &visible = state.instance.kernel.home->visible;
  for (const std::string &name : visible.names()) {
    Symbol symbol = *visible.find(name);
    if (symbol.kind == Symbol::Kind::Constant && state.namesInText.contains(name)) {
      ir::Constant constant;
      constant.name = name;
      constant.loc = symbol.loc;
      constant.type = ir::Type::ofScalar(symbol.constant.type);
      constant.value = symbol.constant.value;
      constant.real = symbol.constant.real;
      symbol.constantId = state.kernel->constants.add(std::move(constant));
    }
    state.global.insert(std::move(symbol));
  }
}

static void collectCppBlocks(KernelState &state, const FileSet &files) {
  for (const auto &file : files.files())
    for (const ast::Decl *decl : file->ast->decls)
      if (const auto *cpp = llvm::dyn_cast<ast::CppDecl>(decl))
        collectNames(cpp->body.text, state.cppNames);
  for (const ast::Decl *decl : state.decl.items)
    if (const auto *cpp = llvm::dyn_cast<ast::CppDecl>(decl))
      collectNames(cpp->body.text, state.cppNames);
}

void buildKernel(KernelState &state, const FileSet &files) {
  ir::Kernel &kernel = *state.kernel;
  kernel.name = state.instance.name;
  kernel.templateName = state.decl.name.text.str();
  kernel.isTestOnly = state.instance.isTestOnly;
  kernel.loc = state.decl.name.range;
  collectNames(state.context.text(state.decl.range), state.namesInText);
  collectCppBlocks(state, files);

  declareGlobals(state);
  declareCompileTimeParams(state);
  buildKernelParams(state);
  flattenItems(state);
  declareItems(state);
  buildLaunch(state);
  buildResources(state);
  buildTasks(state);
  buildDepends(state);
  checkRoles(state);
}

} // namespace tsk::sema
