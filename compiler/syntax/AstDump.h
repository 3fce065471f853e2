// The syntax tree as indented text, one node a line, for tests and `--emit=ast`. Stable: it names
// no address and depends on nothing but the tree.
#pragma once

#include "compiler/syntax/Ast.h"

namespace llvm {
class raw_ostream;
}

namespace tsk::ast {

// With `locations`, each line begins with the node's line:column.
struct DumpOptions {
  bool locations = false;
};

void dump(const File &file, const SourceManager &sources, llvm::raw_ostream &os,
          DumpOptions options = {});

// An expression, type or path on one line, fully parenthesised: `(+ (* a b) 1)` is not what it
// prints, `((a * b) + 1)` is.
std::string toString(const Expr &expr);
std::string toString(const Type &type);
std::string toString(const Path &path);

} // namespace tsk::ast
