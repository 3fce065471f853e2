// A file and the files that it imports, each read once.
#pragma once

#include "compiler/sema/Scope.h"

#include <map>

namespace tsk::sema {

struct SourceFile {
  std::string path; // as the file system knows it
  const ast::File *ast = nullptr;
  std::unique_ptr<ast::File> owned; // imported files' trees
  // What the file itself declares, and all that its kernels see: with the names of what it imports
  // without an alias. Kernels have names of their own: only `instantiate` speaks of them.
  Scope exported;
  Scope visible;
  struct Kernel {
    const ast::KernelDecl *decl;
    const SourceFile *home;
  };
  std::vector<Kernel> kernels; // its own and those of imports without alias

  void addKernel(const ast::KernelDecl &decl, const SourceFile &home) {
    kernelIndex.try_emplace(decl.name.text, kernels.size());
    kernels.push_back({&decl, &home});
  }
  const Kernel *findKernel(llvm::StringRef name) const {
    auto it = kernelIndex.find(name);
    return it == kernelIndex.end() ? nullptr : &kernels[it->second];
  }

private:
  llvm::StringMap<size_t> kernelIndex;
};

// Evaluates and declares `const N [: T] = e;`. Null if the name is taken; Broken if the value is
// wrong.
Symbol *declareConstant(Context &context, Scope &scope, const ast::ConstDecl &decl);

// Reads what `main` imports, directly or not, and declares the names of every file: imports first,
// `main` last. Missing files, cycles and errors inside imports are reported at their places.
class FileSet {
public:
  explicit FileSet(Context &semaContext) : context(semaContext) {}

  void load(const ast::File &main, llvm::StringRef path);
  const std::vector<std::unique_ptr<SourceFile>> &files() const { return all; }
  const SourceFile &main() const { return *all.back(); }

private:
  struct Loading { // a file whose imports are being read, and the import that led to it
    std::string key;
    std::string name;
    SourceRange importedAt;
  };

  void loadImports(SourceFile &file, const ast::File &ast);
  const SourceFile *importFile(const ast::ImportDecl &decl, const SourceFile &from);
  std::vector<std::string> candidates(const ast::ImportDecl &decl, const SourceFile &from) const;
  const SourceFile *parse(std::unique_ptr<llvm::MemoryBuffer> text, const std::string &path,
                          const ast::ImportDecl &decl);
  std::string displayName(llvm::StringRef path) const;
  void reportCycle(const ast::ImportDecl &decl, size_t first);
  void declareImport(SourceFile &file, const ast::ImportDecl &decl, const SourceFile &imported);
  void declareNames(SourceFile &file);
  void declareKernel(SourceFile &file, const ast::KernelDecl &kernel);

  Context &context;
  std::vector<std::unique_ptr<SourceFile>> all;    // imports before what imports them
  std::map<std::string, const SourceFile *> byKey; // null: broken, reported
  std::vector<Loading> stack;
  size_t bytes = 0; // of text, in all imports
};

} // namespace tsk::sema
