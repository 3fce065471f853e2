#include "compiler/sema/Sema.h"

#include "compiler/sema/KernelBuilder.h"
#include "compiler/sema/TestChecks.h"

namespace tsk::sema {

// C++ blocks of all files, imports first, then those inside the kernels of the main file.
static void collectCpp(ir::Module &module, const FileSet &files) {
  auto add = [&](const ast::Decl *decl) {
    if (const auto *cpp = llvm::dyn_cast<ast::CppDecl>(decl))
      module.cpp.push_back({cpp->body.text.str(), cpp->body.range});
  };
  for (const auto &file : files.files())
    for (const ast::Decl *decl : file->ast->decls)
      add(decl);
  for (const ast::Decl *decl : files.main().ast->decls)
    if (const auto *kernel = llvm::dyn_cast<ast::KernelDecl>(decl))
      for (const ast::Decl *item : kernel->items)
        add(item);
}

std::unique_ptr<ir::Module> analyze(const ast::File &file, SourceManager &sources,
                                    DiagnosticEngine &diagnostics, const SemaOptions &options) {
  auto module = std::make_unique<ir::Module>();
  Context context(sources, diagnostics, options);
  llvm::StringRef name = sources.bufferName(file.range.begin);
  module->file = name.str();

  FileSet files(context);
  files.load(file, name);
  module->dependencies.push_back(module->file);
  for (const auto &imported : files.files())
    if (imported.get() != &files.main())
      module->dependencies.push_back(imported->path);
  collectCpp(*module, files);
  llvm::StringSet<> cppNames;
  std::vector<llvm::StringRef> cppTexts;
  for (const ir::CppBlock &block : module->cpp) {
    collectNames(block.text, cppNames);
    cppTexts.push_back(block.text);
  }
  Purity purity(cppTexts);

  TestNames testNames;
  InstanceSet set(context, files.main());
  set.collect();
  for (const Instance &instance : set.instances) {
    KernelState state(context, instance, cppNames, purity);
    buildKernel(state);
    for (const ast::TestDecl *test : instance.tests)
      buildTest(state, *test, testNames, *module);
    module->kernels.push_back(std::move(state.kernel));
  }
  module->isRight = !diagnostics.hasErrors();
  if (options.judgesTestArguments)
    checkTestRequirements(context, *module);
  TSK_CHECK(!context.sawBroken || diagnostics.hasErrors(),
            "something was dropped without an error");
  return module;
}

} // namespace tsk::sema
