// The parser: text to syntax tree, for the grammar of lang/grammar.ebnf.
//
// Recursive descent with recovery: a mistake costs the statement or declaration in which it stands,
// and the rest of the file is still read. Everything it can nest is limited to MaxNesting levels,
// in what it builds too, so that no later phase can overflow the stack by walking the tree.
#pragma once

#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

namespace tsk::syntax {

inline constexpr unsigned MaxNesting = 256;

struct TokenTrace;

// Parses the buffer that holds `buffer`. Always returns a tree; where errors were reported it lacks
// what could not be read. Names in the tree point into the buffer's text.
std::unique_ptr<ast::File> parseFile(const SourceManager &sources, SourceLoc buffer,
                                     DiagnosticEngine &diagnostics, TokenTrace *trace = nullptr);

} // namespace tsk::syntax
