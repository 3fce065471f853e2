#include "compiler/target/Limits.h"
#include "compiler/verify/protocol/ReaderImpl.h"

#include <algorithm>

namespace tsk::protocol {

static constexpr unsigned MaxDepth = 16;

Region ReaderImpl::readBlock() {
  Region region;
  if (!tokens.expect("{"))
    return region;
  if (++depth > MaxDepth)
    tokens.fail("blocks are nested too deeply");
  while (!tokens.atEnd() && tokens.peek() != "}")
    readStatement(region);
  --depth;
  tokens.expect("}");
  return region;
}

void ReaderImpl::readStatement(Region &into) {
  opLine = tokens.line();
  if (!tokens.atName())
    return tokens.fail("expected a statement");
  std::string word = tokens.take().str();
  opText = word;
  if (readControl(into, word) || readPipeOp(into, word) || readOp(into, word))
    return;
  tokens.fail("unknown statement `" + word + "`");
}

Node ReaderImpl::control(NodeKind kind) {
  Node node;
  node.kind = kind;
  return node;
}

bool ReaderImpl::readControl(Region &into, llvm::StringRef word) {
  Node node;
  bool isLoop = word == "loop" || word == "tiles";
  if (isLoop) {
    node = control(word == "loop" ? NodeKind::Loop : NodeKind::Tiles);
    node.count = readCount();
    loopNames.push_back(tokens.accept("as") ? tokens.name("the loop's name") : "");
  } else if (word == "first" || word == "last") {
    node = control(word == "first" ? NodeKind::First : NodeKind::Last);
  } else if (word == "every") {
    node = control(NodeKind::Every);
    node.modulus = tokens.number("a modulus", 1, 64);
    node.remainder = tokens.number("a remainder", 0, node.modulus - 1);
  } else if (word == "if") {
    node = control(NodeKind::If);
    node.isUniform = !tokens.accept("?");
    node.symbol = readSymbolUse();
    if (tokens.accept(">"))
      node.bound = tokens.number("a bound", 0, 1000);
  } else if (word == "warps") {
    node = control(NodeKind::Warps);
    node.firstWarp = static_cast<unsigned>(tokens.number("a warp", 0, 64));
    node.endWarp = static_cast<unsigned>(tokens.number("a warp", 0, 64));
  } else if (word == "leader") {
    node = control(NodeKind::Leader);
  } else if (word == "rank") {
    node = control(NodeKind::OnRanks);
    node.ranks = readRankSet();
  } else {
    return false;
  }
  bool isGuard = word == "first" || word == "last" || word == "every";
  if (isGuard && tokens.accept("out"))
    node.level = tokens.number("a number of loops", 0, static_cast<int>(MaxDepth));
  std::string text = word.str();
  node.provenance = static_cast<unsigned>(program.places.size());
  program.places.push_back(std::to_string(opLine) + ": " + text);
  node.body = readBlock();
  if (isLoop)
    loopNames.pop_back();
  if ((word == "if" || isGuard) && tokens.accept("else"))
    node.elseBody = readBlock();
  into.push_back(std::move(node));
  return true;
}

// 3, n, n - 1, 2 * n + 1; in place of n, the name of a loop around
Count ReaderImpl::readCount() {
  Count count;
  if (tokens.atNumber()) {
    int value = tokens.number("a count", 0, 100000);
    if (!tokens.accept("*")) {
      count.add = value;
      return count;
    }
    count.scale = value;
  }
  std::string name = tokens.name("a count");
  auto loop = std::find(loopNames.rbegin(), loopNames.rend(), name);
  if (loop != loopNames.rend()) {
    count.outer = 1 + static_cast<int>(loop - loopNames.rbegin());
  } else if (auto let = lets.find(name); let != lets.end()) {
    if (count.scale != 1)
      tokens.fail("a multiple of a `let` is not supported");
    count = let->second;
  } else if (auto found = symbols.find(name); found != symbols.end()) {
    count.symbol = found->second;
  } else {
    tokens.fail("unknown symbol `" + name + "`");
  }
  if (tokens.accept("-"))
    count.add -= tokens.number("an offset", 0, 1000);
  else if (tokens.accept("+"))
    count.add += tokens.number("an offset", 0, 1000);
  return count;
}

int ReaderImpl::readSymbolUse() {
  std::string name = tokens.name("a symbol");
  auto found = symbols.find(name);
  if (found == symbols.end()) {
    tokens.fail("unknown symbol `" + name + "`");
    return -1;
  }
  return found->second;
}

int ReaderImpl::cursor(const std::string &name) {
  for (size_t i = 0; i < task->cursors.size(); ++i)
    if (task->cursors[i] == name)
      return static_cast<int>(i);
  task->cursors.push_back(name);
  return static_cast<int>(task->cursors.size()) - 1;
}

Index ReaderImpl::readIndex(unsigned stages) {
  Index index;
  if (tokens.atNumber()) {
    index.offset = tokens.number("a stage", 0, static_cast<int>(stages) - 1);
    return index;
  }
  index.cursor = cursor(tokens.name("a stage or a cursor"));
  if (tokens.accept("+"))
    index.offset = tokens.number("an offset", 0, 1000);
  else if (tokens.accept("-"))
    index.offset = -tokens.number("an offset", 0, 1000);
  return index;
}

// @1, @{0, 1}, @all, @peer, @^2
Ranks ReaderImpl::readRanks() {
  Ranks ranks;
  if (!tokens.accept("@"))
    return ranks;
  if (tokens.accept("peer"))
    ranks.flip = 1;
  else if (tokens.accept("^"))
    ranks.flip = static_cast<uint8_t>(tokens.number("a mask", 0, MaxRanks - 1));
  else
    ranks.set = readRankSet();
  return ranks;
}

BarrierRef ReaderImpl::readBarrierRef(bool needsStage) {
  BarrierRef ref;
  std::string name = tokens.name("a barrier");
  opText += " " + name;
  auto found = barriers.find(name);
  if (found == barriers.end()) {
    tokens.fail("unknown barrier `" + name + "`");
    return ref;
  }
  ref.array = found->second;
  unsigned stages = program.barriers[ref.array].stages;
  if (tokens.accept("[")) {
    ref.at = readIndex(stages);
    tokens.expect("]");
  } else if (stages != 1 && needsStage) {
    tokens.fail("`" + name + "` has stages: name one");
  }
  ref.ranks = readRanks();
  return ref;
}

// Behind the barrier: nothing (its cursor's lap), `!` (the other), `parity 0`, `parity !c+1/2`.
Parity ReaderImpl::readParity(const BarrierRef &bar) {
  Parity parity;
  if (bar.array < 0)
    return parity;
  parity.divisor = program.barriers[bar.array].stages;
  if (tokens.accept("parity")) {
    parity.inverted = tokens.accept("!");
    if (tokens.atNumber()) {
      parity.inverted = tokens.number("a parity", 0, 1) == 1;
      return parity;
    }
    Index index = readIndex(1);
    parity.cursor = index.cursor;
    parity.offset = index.offset;
    if (tokens.accept("/"))
      parity.divisor = tokens.number("a divisor", 1, 64);
    return parity;
  }
  if (bar.at.cursor < 0)
    tokens.fail("expected `parity`: the stage has no cursor");
  parity.cursor = bar.at.cursor;
  parity.offset = bar.at.offset;
  parity.inverted = tokens.accept("!");
  return parity;
}

// X[c], Y[0]#, pipe.c: `#` checks which item is there; `pipe.c` is pipe[pipe.c]#.
void ReaderImpl::readCellRefs(std::vector<CellRef> &into, bool isWrite, bool isVersioned) {
  do {
    CellRef ref;
    ref.isWrite = isWrite;
    ref.isVersioned = isVersioned;
    std::string name = tokens.name("a cell");
    opText += " " + name;
    llvm::StringRef base = llvm::StringRef(name).drop_back(name.size() > 2 ? 2 : 0);
    bool isPipeRef =
        !cells.count(name) && pipes.count(base.str()) &&
        (llvm::StringRef(name).ends_with(".p") || llvm::StringRef(name).ends_with(".c"));
    auto found = cells.find(isPipeRef ? base.str() : name);
    if (found == cells.end())
      return tokens.fail("unknown cell `" + name + "`");
    ref.array = found->second;
    unsigned stages = program.cells[ref.array].stages;
    if (isPipeRef) {
      ref.at.cursor = cursor(name);
      ref.isVersioned = true;
      if (tokens.accept("-"))
        ref.at.offset = -tokens.number("an offset", 0, 64);
      else if (tokens.accept("+"))
        ref.at.offset = tokens.number("an offset", 0, 64);
    } else if (tokens.accept("[")) {
      ref.at = readIndex(stages);
      tokens.expect("]");
      if (tokens.accept("#"))
        ref.isVersioned = true;
    } else if (stages != 1) {
      return tokens.fail("`" + name + "` has stages: name one");
    }
    ref.ranks = readRanks();
    into.push_back(ref);
  } while (tokens.accept(","));
}

void ReaderImpl::add(Region &into, Op op) {
  Node node;
  op.provenance = static_cast<unsigned>(program.places.size());
  program.places.push_back(std::to_string(opLine) + ": " + opText);
  node.op = std::move(op);
  into.push_back(std::move(node));
}

Node ReaderImpl::leader(Region body) {
  Node node = control(NodeKind::Leader);
  node.body = std::move(body);
  return node;
}

bool ReaderImpl::readOp(Region &into, llvm::StringRef word) {
  return readBarrierOp(into, word) || readGroupOp(into, word) || readOtherOp(into, word);
}

bool ReaderImpl::readBarrierOp(Region &into, llvm::StringRef word) {
  Op op;
  if (word == "wait" || word == "try") {
    op.kind = word == "wait" ? OpKind::Wait : OpKind::TryWait;
    op.bar = readBarrierRef();
    op.parity = readParity(op.bar);
  } else if (word == "arrive" || word == "commit" || word == "cparrive") {
    op.kind = word == "arrive"   ? OpKind::Arrive
              : word == "commit" ? OpKind::TensorCommit
                                 : OpKind::CopyArrive;
    op.bar = readBarrierRef();
    if (tokens.atNumber())
      op.n = tokens.number("a count", 1, 1 << 20);
  } else if (word == "expect" || word == "aexpect") {
    op.kind = word == "expect" ? OpKind::Expect : OpKind::ArriveExpect;
    op.bar = readBarrierRef();
    op.n = tokens.number("bytes", 0, 1 << 20);
  } else if (word == "init" || word == "inval") {
    op.kind = word == "init" ? OpKind::Init : OpKind::Inval;
    op.bar = readBarrierRef(false);
    if (op.bar.array < 0)
      return true;
    unsigned stages = program.barriers[op.bar.array].stages;
    bool all = op.bar.at.cursor < 0 && op.bar.at.offset == 0;
    for (unsigned stage = 0; stage < (all ? stages : 1); ++stage) {
      add(into, op);
      ++op.bar.at.offset;
    }
    return true;
  } else if (word == "load") {
    op.kind = OpKind::Load;
    readCellRefs(op.cells, true, false);
    tokens.expect("->");
    op.bar = readBarrierRef();
    op.n = tokens.number("bytes", 1, 1 << 20);
  } else {
    return false;
  }
  add(into, std::move(op));
  return true;
}

bool ReaderImpl::readGroupOp(Region &into, llvm::StringRef word) {
  Op op;
  op.queue = word.starts_with("g")   ? Queue::Gmma
             : word.starts_with("s") ? Queue::Store
                                     : Queue::Copy;
  if (word == "gmma" || word == "store") {
    op.kind = OpKind::Group;
    readCellRefs(op.cells, false, false);
    if (tokens.accept("->"))
      readCellRefs(op.cells, true, false);
  } else if (word == "cpasync") {
    op.kind = OpKind::Group;
    readCellRefs(op.cells, true, false);
  } else if (word == "gcommit" || word == "scommit" || word == "cpcommit") {
    op.kind = OpKind::GroupCommit;
  } else if (word == "gwait" || word == "swait" || word == "swaitread" || word == "cpwait") {
    op.kind = OpKind::GroupWait;
    op.readOnly = word == "swaitread";
    op.n = tokens.number("pending groups", 0, target::MaxPendingGroups);
  } else {
    return false;
  }
  add(into, std::move(op));
  return true;
}

bool ReaderImpl::readOtherOp(Region &into, llvm::StringRef word) {
  Op op;
  if (word == "rd" || word == "wr" || word == "get" || word == "put") {
    readCellRefs(op.cells, word == "wr" || word == "put", word == "get" || word == "put");
  } else if (word == "mma") {
    op.kind = OpKind::Mma;
    if (tokens.peek() != "->")
      readCellRefs(op.cells, false, false);
    if (tokens.accept("->"))
      readCellRefs(op.cells, true, false);
  } else if (word == "sync" || word == "narrive") {
    op.kind = word == "sync" ? OpKind::Sync : OpKind::NamedArrive;
    op.named = tokens.number("a named barrier", 0, 15);
    op.n = tokens.number("threads", 1, 1 << 16);
  } else if (word == "csync") {
    op.kind = OpKind::ClusterArrive;
    add(into, op);
    op.kind = OpKind::ClusterWait;
  } else if (word == "carrive" || word == "cwait") {
    op.kind = word == "carrive" ? OpKind::ClusterArrive : OpKind::ClusterWait;
  } else if (word == "alloc" || word == "dealloc") {
    op.kind = word == "alloc" ? OpKind::TmemAlloc : OpKind::TmemDealloc;
    readCellRefs(op.cells, true, false);
  } else if (word == "setregs") {
    op.kind = OpKind::SetRegisters;
    op.n = tokens.number("registers", 0, 512);
  } else if (word == "next" || word == "set") {
    op.kind = word == "next" ? OpKind::Next : OpKind::SetCursor;
    op.cursor = cursor(tokens.name("a cursor"));
    if (word == "set" || tokens.atNumber())
      op.n = tokens.number("a number of items", 0, 1000);
  } else {
    static const std::map<std::string, OpKind> Plain = {{"pfence", OpKind::ProxyFence},
                                                        {"initfence", OpKind::InitFence},
                                                        {"pdlwait", OpKind::PdlWait},
                                                        {"pdllaunch", OpKind::PdlLaunch}};
    auto found = Plain.find(word.str());
    if (found == Plain.end())
      return false;
    op.kind = found->second;
  }
  add(into, std::move(op));
  return true;
}

} // namespace tsk::protocol
