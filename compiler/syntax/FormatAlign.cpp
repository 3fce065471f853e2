// Columns of neighbouring lines: `=` of constants, the parts of tasks.
#include "compiler/syntax/FormatTree.h"

namespace tsk::syntax {
namespace {

using Run = llvm::MutableArrayRef<FormatItem>;

// The first token of an item, past comments before it.
const Token *firstToken(const FormatItem &item) {
  for (const FormatNode &node : item.nodes)
    if (!node.lexeme->isComment())
      return &node.lexeme->token->token;
  return nullptr;
}

// A place of an item that shall stand in the same column as those of its neighbours.
Lexeme *findWord(FormatItem &item, llvm::StringRef word) {
  for (FormatNode &node : item.nodes)
    if (node.lexeme->text == word)
      return node.lexeme;
  return nullptr;
}

unsigned widthBefore(const FormatItem &item, const Lexeme *place) {
  unsigned width = 0;
  const Lexeme *left = nullptr;
  for (const FormatNode &node : item.nodes) {
    width += node.lexeme->pad + (left && hasGap(*left, *node.lexeme) ? 1 : 0);
    if (node.lexeme == place)
      break;
    width += displayWidth(node.lexeme->text);
    left = node.lexeme;
  }
  return width;
}

// Pads the places, one an item or null, to one column.
void alignPlaces(Run run, llvm::ArrayRef<Lexeme *> places) {
  unsigned column = 0;
  for (size_t i = 0; i < run.size(); ++i)
    if (places[i])
      column = std::max(column, widthBefore(run[i], places[i]));
  for (size_t i = 0; i < run.size(); ++i)
    if (places[i])
      places[i]->pad = column - widthBefore(run[i], places[i]);
}

void alignConstants(Run run) {
  std::vector<Lexeme *> places;
  for (FormatItem &item : run)
    places.push_back(findWord(item, "="));
  alignPlaces(run, places);
}

// task Load  on warps 0 .. 1  regs 40  runs fill;
void alignTasks(Run run) {
  std::vector<Lexeme *> on, regs, tail;
  for (FormatItem &item : run) {
    on.push_back(findWord(item, "on"));
    regs.push_back(findWord(item, "regs"));
    Lexeme *of = findWord(item, "of");
    tail.push_back(of ? of : findWord(item, "runs"));
  }
  alignPlaces(run, on);
  alignPlaces(run, regs);
  size_t withRegs = run.size() - llvm::count(regs, nullptr);
  if (withRegs == 0 || withRegs == run.size())
    alignPlaces(run, tail);
}

void alignRun(Run run, bool isConst, unsigned indent) {
  if (run.size() < 2)
    return;
  if (isConst)
    alignConstants(run);
  else
    alignTasks(run);
  bool fits = llvm::all_of(run, [&](const FormatItem &item) {
    return indent + flatWidth(item).value_or(LineWidth) <= LineWidth;
  });
  if (fits)
    return;
  for (FormatItem &item : run)
    for (FormatNode &node : item.nodes)
      node.lexeme->pad = 0;
}

} // namespace

void alignColumns(FormatBlock &block, unsigned indent) {
  enum class Group { None, Const, Task };
  auto groupOf = [&](const FormatItem &item) {
    const Token *token = firstToken(item);
    // Comments among the parts would be counted as columns.
    bool isPlain =
        llvm::none_of(item.nodes, [](const FormatNode &node) { return node.lexeme->isComment(); });
    std::optional<unsigned> width = flatWidth(item);
    if (!token || !isPlain || !width || indent + *width > LineWidth)
      return Group::None;
    return token->is(TokenKind::KwConst) ? Group::Const
           : token->isWord("task")       ? Group::Task
                                         : Group::None;
  };
  for (size_t begin = 0, end = 0; begin < block.items.size(); begin = end) {
    Group group = groupOf(block.items[begin]);
    for (end = begin + 1; end < block.items.size() && group != Group::None; ++end) {
      const FormatItem &next = block.items[end];
      bool isAlone = block.wasOneLine || next.first().newlinesBefore == 1 || next.needsOwnLine();
      if (groupOf(next) != group || !isAlone || next.first().newlinesBefore > 1)
        break;
    }
    if (group != Group::None)
      alignRun(Run(block.items).slice(begin, end - begin), group == Group::Const, indent);
  }
}

} // namespace tsk::syntax
