#include "compiler/syntax/FormatTree.h"

namespace tsk::syntax {

unsigned displayWidth(llvm::StringRef text) {
  return static_cast<unsigned>(
      llvm::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool FormatItem::needsOwnLine() const {
  for (const FormatNode &node : nodes)
    if (!node.lexeme->isComment())
      return node.lexeme->token->ownLine;
  return true;
}

namespace {

// Tokens and comments in the order of the text.
std::vector<Lexeme> mergeLexemes(const SourceManager &sources, SourceLoc buffer,
                                 const TokenTrace &trace) {
  llvm::StringRef text = sources.bufferText(buffer);
  uint32_t begin = sources.bufferBegin(buffer).offset;
  std::vector<Lexeme> lexemes;
  lexemes.reserve(trace.tokens.size() + trace.comments.size());
  size_t lastEnd = 0;
  unsigned column = 0; // at lastEnd
  auto advance = [&](llvm::StringRef piece) {
    size_t lastLine = piece.rfind('\n');
    bool isOnLine = lastLine == llvm::StringRef::npos;
    column = (isOnLine ? column : 0) + displayWidth(isOnLine ? piece : piece.substr(lastLine + 1));
  };
  auto add = [&](const TracedToken *token, bool isLineComment, SourceRange range) {
    Lexeme lexeme;
    lexeme.token = token;
    lexeme.isLineComment = isLineComment;
    size_t from = range.begin.offset - begin;
    size_t to = range.end.offset - begin;
    lexeme.text = text.slice(from, to);
    llvm::StringRef between = text.slice(lastEnd, from);
    lexeme.newlinesBefore = static_cast<unsigned>(between.count('\n'));
    lexeme.wasAdjacent = between.empty() && from != 0;
    advance(between);
    lexeme.column = column;
    advance(lexeme.text);
    lastEnd = to;
    lexemes.push_back(lexeme);
  };
  auto comment = trace.comments.begin();
  auto addCommentsBefore = [&](SourceLoc loc) {
    for (; comment != trace.comments.end() && comment->range.begin < loc; ++comment)
      add(nullptr, comment->isLine, comment->range);
  };
  for (const TracedToken &token : trace.tokens) {
    addCommentsBefore(token.token.range.begin);
    add(&token, false, token.token.range);
  }
  addCommentsBefore(SourceLoc{UINT32_MAX});
  return lexemes;
}

class Builder {
public:
  explicit Builder(std::vector<Lexeme> &list) : lexemes(list) {}

  // Items up to the `}` of the block, which stays, or to the end.
  void items(FormatBlock &block) {
    while (at < lexemes.size() && !closes(at)) {
      if (lexemes[at].isComment() && takeComment(block))
        continue;
      block.items.push_back(item());
    }
  }

private:
  bool closes(size_t index) const {
    return index < lexemes.size() && !lexemes[index].isComment() &&
           lexemes[index].token->closesBlock;
  }
  bool begins(size_t index) const {
    return !lexemes[index].isComment() && lexemes[index].token->beginsItem;
  }
  // Whether an item begins after this comment, on the same line.
  bool leadsItem(size_t index) const {
    for (; index < lexemes.size() && lexemes[index].isComment(); ++index)
      if (index + 1 == lexemes.size() || lexemes[index + 1].newlinesBefore != 0)
        return false;
    return !closes(index);
  }

  // The next token at or after `index`.
  size_t nextToken(size_t index) const {
    while (index < lexemes.size() && lexemes[index].isComment())
      ++index;
    return index;
  }

  // Puts a comment between items where it belongs. False: it stands at the beginning of the line of
  // the item that follows, and is part of that.
  bool takeComment(FormatBlock &block) {
    Lexeme &comment = lexemes[at];
    bool endsLine = !leadsItem(at);
    bool isFirst = block.items.empty();
    if (comment.newlinesBefore == 0 && endsLine && (block.open || !isFirst)) {
      bool isAfterOwnLine = !isFirst && block.items.back().isComment();
      if (!isAfterOwnLine) {
        (isFirst ? block.openTrailing : block.items.back().trailing).push_back(&comment);
        ++at;
        return true;
      }
    }
    if (!endsLine)
      return false;
    FormatItem own;
    own.nodes.push_back({&comment, nullptr});
    block.items.push_back(std::move(own));
    ++at;
    return true;
  }

  FormatItem item() {
    FormatItem result;
    bool isFirst = true; // its leading comments may be followed by the token that begins it
    while (at < lexemes.size()) {
      size_t token = nextToken(at);
      if (token == lexemes.size() || closes(token) || (begins(token) && !isFirst))
        break;
      for (; at < token; ++at)
        result.nodes.push_back({&lexemes[at], nullptr});
      isFirst = false;
      FormatNode node{&lexemes[at++], nullptr};
      if (node.lexeme->token->opensBlock)
        node.block = block(node.lexeme);
      result.nodes.push_back(std::move(node));
    }
    return result;
  }

  std::unique_ptr<FormatBlock> block(Lexeme *open) {
    auto result = std::make_unique<FormatBlock>();
    size_t first = at;
    result->open = open;
    items(*result);
    result->close = &lexemes[at++];
    result->wasOneLine = true;
    for (size_t i = first; i < at; ++i)
      result->wasOneLine &= lexemes[i].newlinesBefore == 0;
    return result;
  }

  std::vector<Lexeme> &lexemes;
  size_t at = 0;
};

} // namespace

FormatTree buildFormatTree(const SourceManager &sources, SourceLoc buffer,
                           const TokenTrace &trace) {
  FormatTree tree;
  tree.lexemes = mergeLexemes(sources, buffer, trace);
  Builder(tree.lexemes).items(tree.root);
  return tree;
}

// ---- Widths -------------------------------------------------------------------------------------

static std::optional<unsigned> flatWidth(const FormatBlock &block) {
  if (block.items.empty() && block.openTrailing.empty())
    return 2; // {}
  if (!block.wasOneLine)
    return std::nullopt;
  unsigned width = 4; // `{ ` and ` }`
  for (const Lexeme *comment : block.openTrailing)
    width += 1 + displayWidth(comment->text);
  for (const FormatItem &item : block.items) {
    std::optional<unsigned> itemWidth = flatWidth(item);
    if (!itemWidth || item.needsOwnLine())
      return std::nullopt;
    width += *itemWidth + (&item == &block.items.front() ? 0 : 1);
    for (const Lexeme *comment : item.trailing)
      width += 1 + displayWidth(comment->text);
  }
  return width;
}

std::optional<unsigned> flatWidth(const FormatItem &item) {
  unsigned width = 0;
  const Lexeme *left = nullptr;
  for (const FormatNode &node : item.nodes) {
    const Lexeme &lexeme = *node.lexeme;
    bool isForced = lexeme.isComment() && left && lexeme.newlinesBefore != 0;
    if (lexeme.isMultiline() || isForced || (lexeme.isLineComment && item.nodes.size() > 1))
      return std::nullopt;
    width += lexeme.pad + (left && hasGap(*left, lexeme) ? 1 : 0);
    left = &lexeme;
    if (!node.block) {
      width += displayWidth(lexeme.text);
      continue;
    }
    std::optional<unsigned> blockWidth = flatWidth(*node.block);
    if (!blockWidth)
      return std::nullopt;
    width += *blockWidth;
    left = node.block->close;
  }
  return width;
}

} // namespace tsk::syntax
