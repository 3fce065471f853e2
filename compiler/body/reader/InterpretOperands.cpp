// What the instructions of a whole warpgroup take: operands that are the same in all its threads,
// swizzled tiles, rows by eights.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

constexpr int64_t RowsOfPattern = 8; // after which a swizzle repeats

// Whether it is a multiple in each thread and round; nothing: it may be.
static std::optional<bool> isMultiple(const ValueRef &value, int64_t of) {
  const SumRef sum = sumOf(value);
  if (!sum)
    return std::nullopt;
  const auto divides = [&](int64_t weight) { return weight % of == 0; };
  const auto isWhole = [&](const auto &each) { return divides(each.second); };
  if (!llvm::all_of(sum->shared.roles, isWhole) || !llvm::all_of(sum->shared.others, isWhole))
    return std::nullopt;
  if (!llvm::all_of(sum->own, divides))
    return false; // in the first round, if not in all
  const auto isFine = [&](const auto &round) { return divides(round.second.weight); };
  return llvm::all_of(sum->rounds, isFine) ? std::optional(true) : std::nullopt;
}

// The same in all threads of a warp or warpgroup.
void Interpreter::checkAlike(const ValueRef &value, Level together, const std::string &what,
                             const tree::Function &callee, Place place) {
  if (levelOf(value) <= together)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::OperandsDiffer;
  fact.text = what + " of `" + callee.name + "`";
  fact.numbers = {isOwn(value), together == Level::Group ? 128 : 32};
  note(std::move(fact), place);
}

// As many rows as the instruction takes.
void Interpreter::checkCount(const ValueRef &count, int64_t rows, const std::string &what,
                             const tree::Function &callee, Place place) {
  if (count && count->isConstant() && count->low == rows)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::OperandRows;
  fact.text = what + " of `" + callee.name + "`";
  const bool isOther = count && count->isBounded() && (count->high < rows || count->low > rows);
  fact.numbers = {isOther, rows};
  note(std::move(fact), place);
}

void Interpreter::checkSwizzled(const ValueRef &operand, TypeId type, Place place) {
  const tree::Record *tile = tileOf(type);
  if (!tile || tile->name == "tsk::swizzled_tile")
    return;
  for (const Target &object : fieldsIn(operand, place)) {
    EventFact fact;
    fact.kind = EventFact::Kind::NotSwizzled;
    fact.role = object.id;
    fact.text = std::to_string(object.id); // two at one place are two
    note(std::move(fact), place);
  }
}

// Of the accumulator: rows and columns. Where nothing else of it matters, Clang may not have looked
// at its members.
std::vector<int64_t> Interpreter::shapeOf(const tree::Function &callee) const {
  if (callee.params.empty())
    return {};
  const TypeId to = tree.types[tree.variables[callee.params[0]].type].element;
  if (!to || tree.types[to].kind != Type::Kind::Record)
    return {};
  std::vector<int64_t> extents = tree.records[tree.types[to].record].extents;
  return extents.size() == 2 ? extents : std::vector<int64_t>();
}

// wgmma(c, a, b, …) takes 64 rows of `a` and as many of `b` as `c` has columns, whatever count is
// said; all threads of the warpgroup give it the same.
void Interpreter::checkOperands(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                Place place) {
  static const char *const Names[] = {"the accumulator", "the first operand", "the second operand",
                                      "`accumulates`"};
  for (size_t i = 0; i < std::size(Names) && i < given.size(); ++i)
    checkAlike(given[i], Level::Group, Names[i], callee, place);
  const std::vector<int64_t> shape = shapeOf(callee);
  for (size_t i = 1; i <= shape.size() && i < given.size() && i < callee.params.size(); ++i) {
    const TypeId type = tree.variables[callee.params[i]].type;
    const tree::Record *tile = tileOf(type);
    checkSwizzled(given[i], type, place);
    if (!tile || tree.records[tree.types[type].record].name != "tsk::tile_rows")
      continue;
    const std::vector<int64_t> extents = tileExtents(*tile);
    const ValueRef first = partOf(given[i], 1);
    if (extents.empty())
      continue;
    const int64_t rows = shape[i - 1];
    checkRows(first, rows, extents[0], partOf(given[i], 0), place);
    checkCount(partOf(given[i], 2), rows, Names[i], callee, place);
    const std::optional<bool> isFine = isMultiple(first, RowsOfPattern);
    if (isFine == true || !first || !first->isBounded())
      continue; // of what has no bounds, checkRows has said so
    EventFact fact;
    fact.kind = EventFact::Kind::OperandBegins;
    fact.text = Names[i];
    fact.numbers = {isFine.has_value(), RowsOfPattern};
    note(std::move(fact), place);
  }
}

// stmatrix: each warp has rows of its own.
void Interpreter::checkMatrix(const tree::Function &callee, const ValueRef &to, int64_t rows,
                              Place place) {
  checkAlike(to, Level::Warp, "the tile", callee, place);
  checkSwizzled(to, tree.variables[callee.params[0]].type, place);
  if (to && to->parts.size() == 3)
    checkCount(to->parts[2], rows, "the tile", callee, place);
}

} // namespace tsk::body
