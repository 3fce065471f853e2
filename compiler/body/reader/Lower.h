// From Clang's AST to our tree.
#pragma once

#include "compiler/body/reader/Tree.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace tsk::body {

// Where a declaration's file tells what it is.
struct Homes {
  llvm::StringRef runtimeFolder;
  llvm::StringRef shimFolder;
  llvm::StringRef generatedFile; // text that is in no .tsk file
};

inline bool isInside(llvm::StringRef path, llvm::StringRef folder) {
  return path.consume_front(folder.rtrim('/')) && path.starts_with("/");
}

// Every function that is annotated as a work, with all that it can reach.
tree::Tree lower(clang::ASTContext &context, const Homes &homes);

} // namespace tsk::body
