// The shape that the formatter lays out: items in blocks, made of tokens and comments.
#pragma once

#include "compiler/syntax/TokenTrace.h"

#include <memory>

namespace tsk::syntax {

inline constexpr unsigned LineWidth = 100;

// A token or a comment.
struct Lexeme {
  const TracedToken *token = nullptr; // null: a comment
  bool isLineComment = false;
  llvm::StringRef text;
  unsigned newlinesBefore = 0; // in the source
  unsigned column = 0;         // in the source, from 0
  bool wasAdjacent = false;    // in the source, to what stands before it
  unsigned pad = 0;            // blanks before it beyond the usual, to align it with a neighbour

  bool isComment() const { return !token; }
  bool isMultiline() const { return text.contains('\n'); }
  bool is(TokenKind kind) const { return token && token->token.is(kind); }
};

struct FormatBlock;

struct FormatNode {
  Lexeme *lexeme = nullptr;
  std::unique_ptr<FormatBlock> block; // set: `lexeme` is the `{` that opens it
};

// A declaration, member or statement, or a comment on lines of its own.
struct FormatItem {
  std::vector<FormatNode> nodes;
  std::vector<Lexeme *> trailing; // comments that end its line

  const Lexeme &first() const { return *nodes.front().lexeme; }
  bool isComment() const { return nodes.size() == 1 && first().isComment(); }
  bool needsOwnLine() const;
};

struct FormatBlock {
  Lexeme *open = nullptr; // null: the whole file
  Lexeme *close = nullptr;
  std::vector<Lexeme *> openTrailing; // comments on the line of the `{`
  std::vector<FormatItem> items;
  bool wasOneLine = false; // in the source
};

struct FormatTree {
  std::vector<Lexeme> lexemes;
  FormatBlock root;
};

// `trace` of a file without errors, which must outlive the tree.
FormatTree buildFormatTree(const SourceManager &sources, SourceLoc buffer, const TokenTrace &trace);

// Columns that a one-line text takes: characters, not bytes.
unsigned displayWidth(llvm::StringRef text);

// Whether a blank stands between two neighbours on a line.
bool hasGap(const Lexeme &left, const Lexeme &right);

// What it costs to break the line between two neighbours at this depth of brackets; none where that
// must not happen. Lower is better.
std::optional<unsigned> breakCost(const Lexeme &left, const Lexeme &right, unsigned depth);

// Aligns the `=` of neighbouring constants and the columns of neighbouring tasks by setting pads.
void alignColumns(FormatBlock &block, unsigned indent);

// The item on one line, or none where its comments or line breaks do not allow that.
std::optional<unsigned> flatWidth(const FormatItem &item);

// A body moved by the difference of two indentations, as far as no string or comment in it changes.
std::string shiftBody(llvm::StringRef body, unsigned from, unsigned to);

} // namespace tsk::syntax
