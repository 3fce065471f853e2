#include "compiler/verify/protocol/ReaderImpl.h"

namespace tsk::protocol {

std::optional<Program> readProgram(llvm::StringRef text, ReadError &error) {
  return ReaderImpl(text).read(error);
}

std::optional<Program> ReaderImpl::read(ReadError &error) {
  while (!tokens.atEnd())
    readDeclaration();
  finishPipes();
  if (!tokens.failed() && program.tasks.empty())
    tokens.fail("a program needs at least one `warp`");
  if (tokens.failed()) {
    error = tokens.error();
    return std::nullopt;
  }
  return std::move(program);
}

void ReaderImpl::readDeclaration() {
  if (tokens.accept("symbol"))
    return readSymbols(false, false);
  if (tokens.accept("choice"))
    return readSymbols(true, false);
  if (tokens.accept("tile")) {
    bool isChoice = tokens.peek() == "choice";
    if (!isChoice && tokens.peek() != "symbol")
      return tokens.fail("expected `symbol` or `choice`");
    tokens.take();
    return readSymbols(isChoice, true);
  }
  if (tokens.accept("let"))
    return readLet();
  if (tokens.accept("require"))
    return readRelations();
  if (tokens.accept("bar"))
    return readBarrier();
  if (tokens.accept("cell"))
    return readCells();
  if (tokens.accept("pipe"))
    return readPipe();
  if (tokens.accept("warp"))
    return readTask();
  if (tokens.accept("cluster")) {
    program.clusterSize = tokens.number("a cluster size", 1, MaxRanks);
    return;
  }
  if (tokens.accept("registers")) {
    program.entryRegisters = tokens.number("registers a thread", 8, 256);
    return;
  }
  if (tokens.accept("readfence")) {
    program.arrivalOrdersReads = false;
    return;
  }
  tokens.fail("expected a declaration: `symbol`, `choice`, `tile`, `let`, `require`, `bar`, "
              "`cell`, `pipe`, "
              "`cluster`, `registers`, `readfence` or `warp`");
}

void ReaderImpl::readSymbols(bool isCondition, bool isPerTile) {
  do {
    Symbol symbol;
    symbol.name = tokens.name("a symbol's name");
    symbol.isCondition = isCondition;
    symbol.isPerTile = isPerTile;
    if (isCondition)
      symbol.max = 1;
    if (!isCondition && tokens.accept(">="))
      symbol.min = tokens.number("a bound", 0, 1000);
    if (!isCondition && tokens.accept("<="))
      symbol.max = tokens.number("a bound", 0, 1000);
    if (symbols.count(symbol.name))
      return tokens.fail("`" + symbol.name + "` is declared twice");
    symbols[symbol.name] = static_cast<int>(program.symbols.size());
    program.symbols.push_back(symbol);
  } while (tokens.accept(","));
}

// require n >= m + 1, m >= k
void ReaderImpl::readRelations() {
  do {
    Relation relation;
    relation.larger = readSymbolUse();
    tokens.expect(">=");
    relation.smaller = readSymbolUse();
    if (tokens.accept("+"))
      relation.atLeast = tokens.number("an offset", 0, 1000);
    else if (tokens.accept("-"))
      relation.atLeast = -tokens.number("an offset", 0, 1000);
    if (tokens.failed())
      return;
    program.relations.push_back(relation);
  } while (tokens.accept(","));
}

// let N2 = 2 * n + 1: another name for a count.
void ReaderImpl::readLet() {
  std::string name = tokens.name("a name");
  tokens.expect("=");
  lets[name] = readCount();
}

unsigned ReaderImpl::readStages() {
  if (!tokens.accept("["))
    return 1;
  unsigned stages = tokens.number("a number of stages", 1, 64);
  tokens.expect("]");
  return stages;
}

void ReaderImpl::readBarrier() {
  do {
    BarrierArray bar;
    bar.name = tokens.name("a barrier's name");
    bar.stages = readStages();
    if (tokens.atNumber())
      bar.arrivals = tokens.number("an arrival count", 1, 1 << 20);
    if (tokens.accept("init"))
      bar.needsInit = true;
    if (tokens.accept("in")) {
      auto found = cells.find(tokens.name("a cell"));
      if (found == cells.end() || program.cells[found->second].stages != bar.stages)
        return tokens.fail("expected a cell with as many stages as the barrier");
      bar.storage = found->second;
    }
    if (barriers.count(bar.name))
      return tokens.fail("`" + bar.name + "` is declared twice");
    barriers[bar.name] = static_cast<int>(program.barriers.size());
    program.barriers.push_back(bar);
  } while (tokens.accept(","));
}

void ReaderImpl::readCells() {
  do {
    CellArray cell;
    cell.name = tokens.name("a cell's name");
    cell.stages = readStages();
    for (;;) {
      if (tokens.accept("tensor"))
        cell.space = Space::Tensor;
      else if (tokens.accept("global"))
        cell.space = Space::Global;
      else if (tokens.accept("regs"))
        cell.space = Space::Registers;
      else if (tokens.accept("predecessor"))
        cell.isPredecessors = true;
      else if (tokens.accept("at")) {
        cell.hasAddress = true;
        cell.address = tokens.number("an address", 0, 1 << 26);
        tokens.expect("size");
        cell.stageBytes = tokens.number("a size", 1, 1 << 24);
      } else
        break;
    }
    if (cells.count(cell.name))
      return tokens.fail("`" + cell.name + "` is declared twice");
    cells[cell.name] = static_cast<int>(program.cells.size());
    program.cells.push_back(cell);
  } while (tokens.accept(","));
}

uint16_t ReaderImpl::readRankSet() {
  if (tokens.accept("all"))
    return static_cast<uint16_t>((1u << program.clusterSize) - 1);
  uint16_t set = 0;
  bool braced = tokens.accept("{");
  do
    set |= 1u << tokens.number("a rank", 0, static_cast<int>(program.clusterSize) - 1);
  while (braced && tokens.accept(","));
  if (braced)
    tokens.expect("}");
  return set;
}

void ReaderImpl::readTask() {
  Task added;
  added.name = tokens.name("a task's name");
  if (tokens.accept("*"))
    added.warps = tokens.number("a number of warps", 1, 256);
  if (tokens.accept("@"))
    added.ranks = readRankSet();
  task = &added;
  added.body = readBlock();
  task = nullptr;
  program.tasks.push_back(std::move(added));
}

} // namespace tsk::protocol
