// The syntax tree of a .tsk file: what was written, nothing resolved.
//
// Nodes live in the tree's arena and are immutable once parsed; lists are arrays in the same arena.
// A node's `range` covers its text. Every keyword-led construct of lang/grammar.ebnf has one node
// of the same name. A rule with alternatives is a base class with a kind; use llvm::isa / dyn_cast.
#pragma once

#include "compiler/syntax/AstKernel.h"

#include "llvm/Support/Allocator.h"

#include <memory>

#undef TSK_AST_NODE

namespace tsk::ast {

// One parsed file. Owns its nodes.
class File {
public:
  List<const Decl *> decls;
  SourceRange range;

  template <typename T> T *make() { return new (arena.Allocate<T>()) T(); }
  template <typename T> List<T> list(llvm::ArrayRef<T> items) {
    T *copy = arena.Allocate<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
  }
  llvm::StringRef string(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena; // nodes hold no memory of their own: no destructor is run
};

} // namespace tsk::ast
