// What the parser notes down for the formatter: every token in its order, with what its place in
// the grammar says about the white space around it.
#pragma once

#include "compiler/syntax/Lexer.h"

namespace tsk::syntax {

struct TracedToken {
  enum class Gap : uint8_t {
    Auto,  // the formatter's table of neighbours decides
    Tight, // none
    Spaced // one blank
  };
  Token token;
  Gap before = Gap::Auto;
  bool tightAfter = false;  // nothing between this token and the next: a unary operator
  bool beginsItem = false;  // first token of a declaration, member or statement
  bool ownLine = false;     // such an item always begins a line
  bool opensBlock = false;  // a `{` whose items may be laid out on lines of their own
  bool closesBlock = false; // its `}`
  bool breaksAfter = false; // a `(`: where a list that does not fit goes to the next line
};

struct TokenTrace {
  std::vector<TracedToken> tokens; // without the end of the file
  std::vector<Comment> comments;
};

} // namespace tsk::syntax
