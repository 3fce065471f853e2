#include "compiler/verify/protocol/Prepare.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tsk::protocol {

namespace {

using CountKey = std::tuple<int, int, int>; // symbol, scale, add

class Preparer {
public:
  Preparer(Program &rewritten, std::string &why) : program(rewritten), unsupported(why) {}
  void run();

private:
  void unroll(Region &region);
  void findVarying(Region &region, bool isTop);
  void makeTiles(Region &region);
  void replaceVarying(Region &region);
  void separateNested(Region &region);
  int tileSymbol(const CountKey &loop);
  Count countOfTile(const Count &count);
  int shadow(int symbol);
  int add(Symbol symbol) {
    program.symbols.push_back(std::move(symbol));
    return static_cast<int>(program.symbols.size()) - 1;
  }

  Program &program;
  std::string &unsupported;
  std::vector<Node *> loops;          // around the present place
  bool isUnderCondition = false;      // the outermost of them
  std::map<CountKey, int> tileLoops;  // outermost loops on which counts depend: their symbol
  std::map<CountKey, int> tileCounts; // loop symbol, scale, add: symbol
  std::map<int, int> shadows;
  std::vector<int> counting; // symbols of the loops around
  size_t copied = 0;         // nodes
};

} // namespace

static CountKey keyOf(const Count &count) { return {count.symbol, count.scale, count.add}; }

static bool isLoop(const Node &node) {
  return node.kind == NodeKind::Loop || node.kind == NodeKind::Tiles;
}

// Whether a count in the region depends on the loop that many loops out.
static bool dependsOn(const Region &region, int depth) {
  return std::any_of(region.begin(), region.end(), [&](const Node &node) {
    return (isLoop(node) && node.count.outer == depth) ||
           dependsOn(node.body, depth + isLoop(node)) || dependsOn(node.elseBody, depth);
  });
}

// One iteration of a loop without the loop around: `depth` loops out of the region.
static void instantiate(Region &region, int depth, int iteration, bool isLast) {
  Region result;
  for (Node &node : region) {
    if (isLoop(node) && node.count.outer == depth)
      node.count = {-1, 1, node.count.scale * iteration + node.count.add};
    else if (isLoop(node) && node.count.outer > depth)
      --node.count.outer;
    instantiate(node.body, depth + isLoop(node), iteration, isLast);
    instantiate(node.elseBody, depth, iteration, isLast);
    bool isGuard =
        node.kind == NodeKind::First || node.kind == NodeKind::Last || node.kind == NodeKind::Every;
    if (!isGuard || node.level + 1 != depth) {
      node.level -= isGuard && node.level + 1 > depth;
      result.push_back(std::move(node));
      continue;
    }
    bool holds = node.kind == NodeKind::First  ? iteration == 0
                 : node.kind == NodeKind::Last ? isLast
                                               : iteration % node.modulus == node.remainder;
    Region &taken = holds ? node.body : node.elseBody;
    std::move(taken.begin(), taken.end(), std::back_inserter(result));
  }
  region = std::move(result);
}

static size_t sizeOf(const Region &region) {
  size_t size = region.size();
  for (const Node &node : region)
    size += sizeOf(node.body) + sizeOf(node.elseBody);
  return size;
}

// Loops of a constant count on which others depend become what they do.
void Preparer::unroll(Region &region) {
  constexpr int MaxIterations = 64;
  constexpr size_t MaxCopied = 100000;
  Region result;
  for (Node &node : region) {
    bool isConstant = isLoop(node) && node.count.symbol < 0 && node.count.outer == 0;
    if (!isConstant || node.count.add > MaxIterations || !dependsOn(node.body, 1)) {
      unroll(node.body);
      unroll(node.elseBody);
      result.push_back(std::move(node));
      continue;
    }
    const size_t size = sizeOf(node.body);
    for (int i = 0; i < node.count.add; ++i) {
      copied += size;
      if (copied > MaxCopied) { // loops in each other multiply
        unsupported = "the program is too large";
        return;
      }
      Region copy = node.body;
      instantiate(copy, 1, i, i + 1 == node.count.add);
      unroll(copy);
      std::move(copy.begin(), copy.end(), std::back_inserter(result));
    }
  }
  region = std::move(result);
}

// Loops on whose variable a count depends become tile loops: each of their iterations has its own
// counts. For that they must be outermost.
void Preparer::findVarying(Region &region, bool isTop) {
  for (Node &node : region) {
    if (isTop)
      isUnderCondition = !isLoop(node);
    if (isLoop(node) && node.count.outer > 0) {
      Node *outer = loops[loops.size() - static_cast<size_t>(node.count.outer)];
      if (outer != loops.front() || outer->count.outer > 0)
        unsupported = "a loop whose bound changes with a loop that is itself in a loop";
      else if (isUnderCondition)
        unsupported = "a loop whose bound changes with a loop that stands under a condition";
      else
        tileLoops.try_emplace(keyOf(outer->count), -1);
    }
    if (isLoop(node))
      loops.push_back(&node);
    findVarying(node.body, false);
    findVarying(node.elseBody, false);
    if (isLoop(node))
      loops.pop_back();
  }
}

// The symbol that counts such a loop alone.
int Preparer::tileSymbol(const CountKey &loop) {
  auto [symbol, scale, offset] = loop;
  int &known = tileLoops[loop];
  if (known >= 0)
    return known;
  if (symbol >= 0 && scale == 1 && offset == 0)
    return known = symbol;
  Symbol made;
  made.isDerived = true;
  if (symbol < 0) {
    made.name = std::to_string(offset);
    made.min = made.max = made.add = std::max(0, offset);
    return known = add(made);
  }
  made.name = program.symbols[symbol].name + "'";
  made.isPerTile = program.symbols[symbol].isPerTile;
  made.of = symbol;
  made.scale = scale;
  made.add = offset;
  known = add(made);
  if (scale == 1) {
    program.relations.push_back({known, symbol, offset});
    program.relations.push_back({symbol, known, -offset});
  }
  return known;
}

void Preparer::makeTiles(Region &region) {
  for (Node &node : region) {
    if (node.kind != NodeKind::Loop || !tileLoops.count(keyOf(node.count)))
      continue;
    node.kind = NodeKind::Tiles;
    node.count = {tileSymbol(keyOf(node.count)), 1, 0};
  }
}

// A count of its own in each tile: of the tile's number, so that all that grow with it are related.
// One that falls is a number of which no more is known.
Count Preparer::countOfTile(const Count &count) {
  bool isNumber = count.scale >= 1;
  int loop = loops.front()->count.symbol;
  CountKey key = isNumber ? CountKey{loop, 1, 0} : CountKey{loop, count.scale, count.add};
  auto [place, isNew] = tileCounts.try_emplace(key, -1);
  if (isNew) {
    Symbol made;
    made.name = isNumber ? "tile" : std::to_string(count.scale) + " * tile";
    made.isPerTile = made.isDerived = made.isOfTile = true;
    made.scale = std::get<1>(key);
    made.add = std::get<2>(key);
    made.min = isNumber || made.scale > 0 ? std::max(0, made.add) : 0;
    place->second = add(made);
  }
  return isNumber ? Count{place->second, count.scale, count.add} : Count{place->second, 1, 0};
}

void Preparer::replaceVarying(Region &region) {
  for (Node &node : region) {
    if (isLoop(node) && node.count.outer > 0)
      node.count = countOfTile(node.count);
    if (isLoop(node))
      loops.push_back(&node);
    replaceVarying(node.body);
    replaceVarying(node.elseBody);
    if (isLoop(node))
      loops.pop_back();
  }
}

int Preparer::shadow(int symbol) {
  auto [place, isNew] = shadows.try_emplace(symbol, -1);
  if (!isNew)
    return place->second;
  Symbol made = program.symbols[symbol];
  made.name += "'";
  made.isDerived = true;
  made.of = symbol;
  made.scale = 1;
  made.add = 0;
  place->second = add(made);
  program.relations.push_back({place->second, symbol, 0});
  program.relations.push_back({symbol, place->second, 0});
  return place->second;
}

// A certificate speaks of one loop of a symbol at a time.
void Preparer::separateNested(Region &region) {
  for (Node &node : region) {
    bool counts = isLoop(node) && node.count.symbol >= 0;
    if (counts) {
      while (std::find(counting.begin(), counting.end(), node.count.symbol) != counting.end())
        node.count.symbol = shadow(node.count.symbol);
      counting.push_back(node.count.symbol);
    }
    separateNested(node.body);
    separateNested(node.elseBody);
    if (counts)
      counting.pop_back();
  }
}

void Preparer::run() {
  for (Task &task : program.tasks)
    unroll(task.body);
  if (!unsupported.empty())
    return;
  for (Task &task : program.tasks)
    findVarying(task.body, true);
  if (!unsupported.empty())
    return;
  if (!tileLoops.empty())
    for (Task &task : program.tasks) {
      makeTiles(task.body);
      replaceVarying(task.body);
    }
  for (Task &task : program.tasks)
    separateNested(task.body);
}

Program prepare(const Program &program, std::string &unsupported) {
  Program rewritten = program;
  Preparer(rewritten, unsupported).run();
  return rewritten;
}

} // namespace tsk::protocol
