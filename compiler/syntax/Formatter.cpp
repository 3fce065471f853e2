#include "compiler/syntax/Formatter.h"
#include "compiler/support/Check.h"
#include "compiler/syntax/FormatTree.h"
#include "compiler/syntax/Parser.h"

namespace tsk::syntax {
namespace {

constexpr unsigned IndentStep = 2;
constexpr unsigned ContinuationIndent = 4;

// A comment at the end of a line of code: its column is found when its neighbours are known.
struct LineEndComment {
  size_t offset;         // in the output, where blanks go
  size_t line;           // of the output
  unsigned codeEnd;      // column after the code
  unsigned wantedColumn; // in the source
};

class Printer {
public:
  Printer(const SourceManager &manager, llvm::StringRef lineEnding)
      : sources(manager), lineBreak(lineEnding) {}

  std::string print(FormatBlock &root) {
    items(root, 0);
    if (!out.empty())
      out += lineBreak;
    placeComments();
    return std::move(out);
  }

private:
  void items(FormatBlock &block, unsigned indent);
  bool continuesLine(const FormatBlock &block, size_t index) const;
  void item(FormatItem &node, unsigned indent);
  void flatItem(const FormatItem &node);
  void flatBlock(const FormatBlock &block);
  void brokenItem(FormatItem &node, unsigned indent);
  void brokenBlock(FormatBlock &block, unsigned indent);
  void segment(llvm::ArrayRef<Lexeme *> lexemes, unsigned indent, bool isFirst);
  size_t lineEnd(llvm::ArrayRef<Lexeme *> lexemes, size_t begin, unsigned depth) const;
  void trailing(llvm::ArrayRef<Lexeme *> comments, unsigned indent);

  void newline(unsigned indent);
  void emit(const Lexeme &lexeme);
  void placeComments();
  unsigned sourceIndent(const Lexeme &lexeme) const;

  const SourceManager &sources;
  llvm::StringRef lineBreak;
  std::string out;
  unsigned column = 0;
  size_t line = 0;
  unsigned itemIndent = 0;
  bool wasBroken = false;       // the item written last takes several lines
  bool mustBreak = false;       // a `//` comment was written
  const Lexeme *last = nullptr; // on this line
  const Lexeme *itemStart = nullptr;
  std::vector<LineEndComment> lineEnds;
};

// ---- Lines --------------------------------------------------------------------------------------

void Printer::newline(unsigned indent) {
  if (!out.empty()) {
    out += lineBreak;
    ++line;
  }
  out.append(indent, ' ');
  column = indent;
  last = nullptr;
  mustBreak = false;
}

void Printer::emit(const Lexeme &lexeme) {
  if (last && lexeme.isLineComment) {
    lineEnds.push_back({out.size(), line, column, lexeme.column});
  } else if (last) {
    unsigned blanks = lexeme.pad + (hasGap(*last, lexeme) ? 1 : 0);
    out.append(blanks, ' ');
    column += blanks;
  }
  std::string shifted;
  llvm::StringRef text = lexeme.text;
  if (lexeme.is(TokenKind::Body) && lexeme.isMultiline()) {
    shifted = shiftBody(text, sourceIndent(*itemStart), itemIndent);
    text = shifted;
  }
  out += text;
  size_t lastLine = text.rfind('\n');
  if (lastLine == llvm::StringRef::npos) {
    column += displayWidth(text);
  } else {
    line += text.count('\n');
    column = displayWidth(text.drop_front(lastLine + 1));
  }
  mustBreak = lexeme.isLineComment;
  last = &lexeme;
}

unsigned Printer::sourceIndent(const Lexeme &lexeme) const {
  // A comment cannot begin an item with a body on another line, so its own text is never asked for.
  SourceLoc loc = lexeme.token ? lexeme.token->token.range.begin : SourceLoc();
  if (!loc.isValid())
    return itemIndent;
  llvm::StringRef text = sources.lineText(loc);
  llvm::StringRef content = text.ltrim(" ");
  return content.starts_with("\t") ? itemIndent
                                   : static_cast<unsigned>(text.size() - content.size());
}

// Comments that stood in one column in neighbouring lines stay in one column.
void Printer::placeComments() {
  std::string placed;
  size_t copied = 0;
  for (size_t begin = 0, end = 0; begin < lineEnds.size(); begin = end) {
    unsigned target = 0;
    for (end = begin; end < lineEnds.size(); ++end) {
      const LineEndComment &comment = lineEnds[end];
      if (comment.wantedColumn != lineEnds[begin].wantedColumn ||
          comment.line != lineEnds[begin].line + (end - begin))
        break;
      target = std::max({target, comment.codeEnd + 1, comment.wantedColumn});
    }
    for (size_t i = begin; i < end; ++i) {
      placed.append(out, copied, lineEnds[i].offset - copied);
      placed.append(target - lineEnds[i].codeEnd, ' ');
      copied = lineEnds[i].offset;
    }
  }
  placed.append(out, copied);
  out = std::move(placed);
}

// ---- Items and blocks ---------------------------------------------------------------------------

bool Printer::continuesLine(const FormatBlock &block, size_t index) const {
  const FormatItem &node = block.items[index];
  if (index == 0 || mustBreak || block.wasOneLine || node.first().newlinesBefore != 0 ||
      node.needsOwnLine() || node.isComment() || block.items[index - 1].isComment())
    return false;
  std::optional<unsigned> width = flatWidth(node);
  return !wasBroken && width && column + 1 + *width <= LineWidth;
}

void Printer::items(FormatBlock &block, unsigned indent) {
  alignColumns(block, indent);
  for (size_t i = 0; i < block.items.size(); ++i) {
    FormatItem &node = block.items[i];
    if (continuesLine(block, i)) {
      flatItem(node);
    } else {
      bool hasBlank = i != 0 && node.first().newlinesBefore > 1;
      if (hasBlank) {
        out += lineBreak;
        ++line;
      }
      newline(indent);
      item(node, indent);
    }
    trailing(node.trailing, indent);
  }
}

void Printer::trailing(llvm::ArrayRef<Lexeme *> comments, unsigned indent) {
  for (const Lexeme *comment : comments) {
    if (mustBreak)
      newline(indent);
    emit(*comment);
  }
}

void Printer::item(FormatItem &node, unsigned indent) {
  itemStart = &node.first();
  itemIndent = indent;
  std::optional<unsigned> width = flatWidth(node);
  bool isFlat = width && column + *width <= LineWidth;
  if (isFlat)
    flatItem(node);
  else
    brokenItem(node, indent);
  wasBroken = !isFlat;
}

void Printer::flatItem(const FormatItem &node) {
  for (const FormatNode &part : node.nodes) {
    emit(*part.lexeme);
    if (part.block)
      flatBlock(*part.block);
  }
}

void Printer::flatBlock(const FormatBlock &block) {
  for (const Lexeme *comment : block.openTrailing)
    emit(*comment);
  for (const FormatItem &node : block.items) {
    flatItem(node);
    for (const Lexeme *comment : node.trailing)
      emit(*comment);
  }
  emit(*block.close);
}

void Printer::brokenItem(FormatItem &node, unsigned indent) {
  std::vector<Lexeme *> head;
  bool isFirst = true;
  for (FormatNode &part : node.nodes) {
    head.push_back(part.lexeme);
    if (!part.block)
      continue;
    segment(head, indent, isFirst);
    head.clear();
    isFirst = false;
    brokenBlock(*part.block, indent);
  }
  segment(head, indent, isFirst);
}

void Printer::brokenBlock(FormatBlock &block, unsigned indent) {
  trailing(block.openTrailing, indent + IndentStep);
  if (block.items.empty() && block.openTrailing.empty()) {
    emit(*block.close);
    return;
  }
  items(block, indent + IndentStep);
  newline(indent);
  emit(*block.close);
}

// ---- Breaking within an item --------------------------------------------------------------------

// Whether a comment in the text, or the item's form, demands a new line before lexemes[index].
static bool isForcedBreak(llvm::ArrayRef<Lexeme *> lexemes, size_t index, bool breaksLists) {
  const Lexeme &left = *lexemes[index - 1];
  const Lexeme &right = *lexemes[index];
  if (left.isLineComment || (right.isComment() && right.newlinesBefore != 0))
    return true;
  if (left.isComment() && left.newlinesBefore != 0 && index >= 2 && right.newlinesBefore != 0)
    return true;
  return breaksLists && left.token && left.token->breaksAfter && !right.isLineComment &&
         !right.is(TokenKind::RightParen);
}

static unsigned depthBehind(const Lexeme &lexeme, unsigned depth) {
  using enum TokenKind;
  depth += lexeme.is(LeftParen) || lexeme.is(LeftBracket);
  bool closes = lexeme.is(RightParen) || lexeme.is(RightBracket);
  return depth - (closes && depth != 0);
}

// Where the line that begins with lexemes[begin] at the present column ends: the cheapest place to
// break among those that fit. `depth` is that of the brackets open there.
size_t Printer::lineEnd(llvm::ArrayRef<Lexeme *> lexemes, size_t begin, unsigned depth) const {
  constexpr unsigned ColumnsPerCost = 5; // a short line is a bad line
  unsigned end = column;
  std::optional<size_t> best;
  unsigned bestCost = UINT_MAX;
  for (size_t i = begin; i < lexemes.size(); ++i) {
    const Lexeme &lexeme = *lexemes[i];
    if (i != begin) {
      if (isForcedBreak(lexemes, i, /*breaksLists=*/true))
        return i;
      if (auto cost = breakCost(*lexemes[i - 1], lexeme, depth); cost && end <= LineWidth) {
        *cost += (LineWidth - end) / ColumnsPerCost;
        if (*cost <= bestCost) {
          bestCost = *cost;
          best = i;
        }
      } else if (cost && !best) {
        return i; // nothing fits: the first chance
      }
      end += lexeme.pad + (hasGap(*lexemes[i - 1], lexeme) ? 1 : 0);
    } else if (last) {
      end += lexeme.pad + (hasGap(*last, lexeme) ? 1 : 0);
    }
    // A body or comment of its own may be as wide as it likes.
    bool isFree = lexeme.is(TokenKind::Body) || lexeme.isLineComment;
    end += isFree ? 1 : displayWidth(lexeme.text.split('\n').first);
    if (end > LineWidth && best && !lexeme.isLineComment)
      return *best;
    if (lexeme.isMultiline())
      end = displayWidth(lexeme.text.rsplit('\n').second);
    depth = depthBehind(lexeme, depth);
  }
  return lexemes.size();
}

// The part of an item up to a block or to its end; `isFirst`: from its beginning.
void Printer::segment(llvm::ArrayRef<Lexeme *> lexemes, unsigned indent, bool isFirst) {
  // After a block, comments may stand before the `else`.
  while (!isFirst && !lexemes.empty() && lexemes[0]->isComment()) {
    if (mustBreak || lexemes[0]->newlinesBefore != 0)
      newline(indent);
    emit(*lexemes[0]);
    mustBreak |= lexemes.size() > 1 && lexemes[1]->newlinesBefore != 0;
    lexemes = lexemes.drop_front();
  }
  if (lexemes.empty())
    return;
  if (mustBreak)
    newline(indent);
  // On one line where that fits and no comment forbids it.
  unsigned end = column + (last && hasGap(*last, *lexemes[0]) ? 1 : 0);
  bool isOneLine = true;
  for (size_t i = 0; i < lexemes.size(); ++i) {
    const Lexeme &lexeme = *lexemes[i];
    if (i != 0) {
      isOneLine &= !isForcedBreak(lexemes, i, /*breaksLists=*/false);
      end += hasGap(*lexemes[i - 1], lexeme) ? 1 : 0;
    }
    bool isFree = lexeme.is(TokenKind::Body) || lexeme.isLineComment;
    isOneLine &= lexeme.is(TokenKind::Body) || !lexeme.isMultiline();
    end += lexeme.pad + (isFree ? 1 : displayWidth(lexeme.text));
  }
  isOneLine &= end <= LineWidth;
  unsigned depth = 0;
  for (size_t begin = 0; begin < lexemes.size();) {
    size_t next = isOneLine ? lexemes.size() : lineEnd(lexemes, begin, depth);
    for (size_t i = begin; i < next; ++i) {
      emit(*lexemes[i]);
      depth = depthBehind(*lexemes[i], depth);
    }
    if (next < lexemes.size())
      newline(indent + ContinuationIndent);
    begin = next;
  }
}

// ---- The whole ----------------------------------------------------------------------------------

// Whether two texts are the same program: the same tokens, with bodies compared without the white
// space at the beginning of their lines.
bool haveSameTokens(const TokenTrace &before, const TokenTrace &after) {
  if (before.tokens.size() != after.tokens.size() ||
      before.comments.size() != after.comments.size())
    return false;
  for (size_t i = 0; i < before.tokens.size(); ++i) {
    llvm::StringRef left = before.tokens[i].token.text;
    llvm::StringRef right = after.tokens[i].token.text;
    while (left != right) {
      auto [leftLine, leftRest] = left.split('\n');
      auto [rightLine, rightRest] = right.split('\n');
      if (leftLine.ltrim(" ") != rightLine.ltrim(" "))
        return false;
      left = leftRest;
      right = rightRest;
    }
  }
  return true;
}

// The author's line breaks: a file from Windows stays one. Those in bodies and comments are theirs.
llvm::StringRef lineBreakOf(llvm::StringRef source) {
  size_t first = source.find('\n');
  bool isCrLf = first != llvm::StringRef::npos && first != 0 && source[first - 1] == '\r';
  return isCrLf ? "\r\n" : "\n";
}

} // namespace

std::optional<std::string> format(const SourceManager &sources, SourceLoc buffer,
                                  DiagnosticEngine &diagnostics) {
  TokenTrace trace;
  unsigned errors = diagnostics.errorCount();
  std::unique_ptr<ast::File> file = parseFile(sources, buffer, diagnostics, &trace);
  if (diagnostics.errorCount() != errors)
    return std::nullopt;
  FormatTree tree = buildFormatTree(sources, buffer, trace);
  llvm::StringRef lineBreak = lineBreakOf(sources.bufferText(buffer));
  std::string text = Printer(sources, lineBreak).print(tree.root);

  // A formatter that changes a program is worse than none.
  SourceManager again;
  SourceLoc formatted = again.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "formatted");
  TokenTrace formattedTrace;
  file = parseFile(again, formatted, diagnostics, &formattedTrace);
  TSK_CHECK(diagnostics.errorCount() == errors && haveSameTokens(trace, formattedTrace),
            "formatting changed the program");
  return text;
}

} // namespace tsk::syntax
