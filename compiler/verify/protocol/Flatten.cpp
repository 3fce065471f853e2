// Agents and their flat code. Code of one agent: for each part that it has, its instructions and a
// PartEnd.
#include "compiler/verify/protocol/ModelBuilder.h"

#include <algorithm>
#include <numeric>

namespace tsk::protocol {

namespace {

constexpr size_t MaxCode = 100000;

class AgentBuilder {
public:
  AgentBuilder(Model &built, Agent &added, const Task &from)
      : model(built), program(*built.program), agent(added), task(from) {}

  void build(std::vector<int> &tileLoops);
  void emitParts(const std::vector<int> &tileLoops);

private:
  struct Piece {
    int tiles = -1; // symbol, -1: straight
    Region region;
    unsigned provenance = 0;
  };

  void inlineWho(const Region &from, Region &into);
  void emitRegion(const Region &region);
  void emitLoop(const Node &node);
  void emitGuard(const Node &node);
  void emitOp(const Op &op);
  ElementRef resolve(Index at, Ranks ranks, unsigned stages, bool &isRemote);
  int push(Instr instr);
  Count meaningOf(Count count) const;

  Model &model;
  const Program &program;
  Agent &agent;
  const Task &task;
  std::vector<Piece> pieces;
  std::vector<int> loopSlots; // of enclosing loops; -1: the tile loop
  int outermost = -1;
  int partStart = 0;
  bool inTiles = false;
};

} // namespace

// Who-nodes are decided for one agent once and for all; what they hold takes their place.
void AgentBuilder::inlineWho(const Region &from, Region &into) {
  for (const Node &node : from) {
    bool isHere = (node.kind == NodeKind::Leader && agent.warp == 0) ||
                  (node.kind == NodeKind::Warps && agent.warp >= node.firstWarp &&
                   agent.warp < node.endWarp) ||
                  (node.kind == NodeKind::OnRanks && (node.ranks >> agent.rank & 1));
    if (isHere) {
      inlineWho(node.body, into);
    } else if (node.kind != NodeKind::Leader && node.kind != NodeKind::Warps &&
               node.kind != NodeKind::OnRanks) {
      Node copy = node;
      copy.body.clear();
      copy.elseBody.clear();
      inlineWho(node.body, copy.body);
      inlineWho(node.elseBody, copy.elseBody);
      into.push_back(std::move(copy));
    }
  }
}

static bool holdsTiles(const Region &region) {
  return std::any_of(region.begin(), region.end(), [](const Node &node) {
    return node.kind == NodeKind::Tiles || holdsTiles(node.body) || holdsTiles(node.elseBody);
  });
}

// Splits the agent's program at its tile loops and merges their order into the program's.
void AgentBuilder::build(std::vector<int> &tileLoops) {
  Region all;
  inlineWho(task.body, all);
  pieces.push_back({});
  size_t place = 0;
  for (Node &node : all) {
    if (node.kind == NodeKind::Tiles && node.count.symbol < 0)
      node.kind = NodeKind::Loop;
    if (node.kind != NodeKind::Tiles) {
      if (holdsTiles(node.body) || holdsTiles(node.elseBody))
        model.unsupported = "a tile loop inside another construct";
      pieces.back().region.push_back(std::move(node));
      continue;
    }
    if (node.count.scale != 1 || node.count.add != 0 || holdsTiles(node.body))
      model.unsupported = "a tile loop whose count is not a symbol alone, or in a tile loop";
    int symbol = node.count.symbol;
    if (const Count &meaning = model.meaning[symbol]; meaning.add == 0)
      symbol = meaning.symbol;
    auto found = std::find(tileLoops.begin() + place, tileLoops.end(), symbol);
    if (found == tileLoops.end())
      found = tileLoops.insert(tileLoops.begin() + place, symbol);
    place = found - tileLoops.begin() + 1;
    pieces.push_back({symbol, std::move(node.body), node.provenance});
    pieces.push_back({});
  }
}

void AgentBuilder::emitParts(const std::vector<int> &tileLoops) {
  agent.partBegin.assign(2 * tileLoops.size() + 1, -1);
  agent.partOrigin.assign(2 * tileLoops.size() + 1, 0);
  size_t place = 0; // index into tileLoops
  size_t part = 0;
  for (const Piece &piece : pieces) {
    if (piece.tiles >= 0) {
      while (tileLoops[place] != piece.tiles)
        ++place;
      part = 2 * place + 1;
      ++place;
    }
    partStart = static_cast<int>(agent.code.size());
    agent.partBegin[part] = partStart;
    agent.partOrigin[part] = piece.provenance;
    agent.lastPart = static_cast<int>(part);
    inTiles = piece.tiles >= 0;
    outermost = -1;
    if (inTiles)
      loopSlots.push_back(-1);
    emitRegion(piece.region);
    if (inTiles)
      loopSlots.pop_back();
    Instr end;
    end.code = Code::PartEnd;
    push(end);
    part = 2 * place;
  }
}

int AgentBuilder::push(Instr instr) {
  int at = static_cast<int>(agent.code.size());
  agent.loopHorizon.push_back(outermost >= 0 ? outermost : at);
  agent.horizon.push_back(inTiles ? partStart : agent.loopHorizon.back());
  agent.code.push_back(std::move(instr));
  if (agent.code.size() > MaxCode)
    model.unsupported = "the program is too large";
  return at;
}

void AgentBuilder::emitRegion(const Region &region) {
  for (const Node &node : region) {
    if (!model.unsupported.empty())
      return;
    switch (node.kind) {
    case NodeKind::Op:
      emitOp(node.op);
      break;
    case NodeKind::Loop:
    case NodeKind::Tiles:
      emitLoop(node);
      break;
    case NodeKind::First:
    case NodeKind::Last:
    case NodeKind::Every:
    case NodeKind::If:
      emitGuard(node);
      break;
    case NodeKind::Leader:
    case NodeKind::Warps:
    case NodeKind::OnRanks:
      break; // inlined
    }
  }
}

Count AgentBuilder::meaningOf(Count count) const {
  if (count.symbol < 0)
    return count;
  const Count &meaning = model.meaning[count.symbol];
  return {meaning.symbol, count.scale, count.add + count.scale * meaning.add};
}

void AgentBuilder::emitLoop(const Node &node) {
  int depth = 0;
  for (int slot : loopSlots)
    depth += slot >= 0;
  if (depth >= static_cast<int>(MaxLoopDepth)) {
    model.unsupported = "loops are nested too deeply";
    return;
  }
  bool isOutermost = outermost < 0;
  if (isOutermost)
    outermost = static_cast<int>(agent.code.size());
  Instr enter;
  enter.code = Code::LoopEnter;
  enter.slot = depth;
  enter.count = meaningOf(node.count);
  enter.provenance = node.provenance;
  if (node.count.symbol >= 0) {
    enter.loop = static_cast<int>(model.loopSymbols.size());
    model.loopSymbols.push_back(enter.count.symbol);
    model.loopModulus.push_back(1);
  }
  push(enter);
  Instr test = enter;
  test.code = Code::LoopTest;
  int testAt = push(test);
  loopSlots.push_back(depth);
  emitRegion(node.body);
  loopSlots.pop_back();
  Instr back = enter;
  back.code = Code::LoopBack;
  back.target = testAt;
  push(back);
  agent.code[testAt].target = static_cast<int>(agent.code.size());
  if (isOutermost)
    outermost = -1;
}

void AgentBuilder::emitGuard(const Node &node) {
  Instr guard;
  guard.provenance = node.provenance;
  guard.modulus = node.modulus;
  guard.remainder = node.remainder;
  guard.symbol = node.symbol;
  guard.bound = node.bound;
  bool hasLoop = node.level < static_cast<int>(loopSlots.size());
  guard.slot = hasLoop ? loopSlots[loopSlots.size() - 1 - node.level] : -1;
  if (node.kind == NodeKind::If) {
    guard.code = Code::Branch;
    int &largest = model.largestBound[node.symbol];
    largest = std::max(largest, node.bound);
  } else if (!hasLoop) {
    model.unsupported = "a guard outside a loop";
    return;
  } else if (guard.slot < 0 && node.kind == NodeKind::Every) {
    model.unsupported = "`every` directly in a tile loop";
    return;
  } else {
    bool tiles = guard.slot < 0;
    guard.code = node.kind == NodeKind::First  ? (tiles ? Code::TileFirst : Code::First)
                 : node.kind == NodeKind::Last ? (tiles ? Code::TileLast : Code::Last)
                                               : Code::Every;
    for (size_t i = agent.code.size(); !tiles && i-- > 0;)
      if (agent.code[i].code == Code::LoopTest && agent.code[i].slot == guard.slot) {
        guard.count = agent.code[i].count;
        if (int loop = agent.code[i].loop; loop >= 0)
          model.loopModulus[loop] = std::lcm(model.loopModulus[loop], node.modulus);
        break;
      }
  }
  int at = push(guard);
  emitRegion(node.body);
  if (!node.elseBody.empty()) {
    Instr jump;
    jump.code = Code::Jump;
    int jumpAt = push(jump);
    agent.code[at].target = static_cast<int>(agent.code.size());
    emitRegion(node.elseBody);
    agent.code[jumpAt].target = static_cast<int>(agent.code.size());
    return;
  }
  agent.code[at].target = static_cast<int>(agent.code.size());
}

ElementRef AgentBuilder::resolve(Index at, Ranks ranks, unsigned stages, bool &isRemote) {
  ElementRef ref;
  ref.stages = stages;
  ref.cursor = at.cursor < 0 ? -1 : static_cast<int>(agent.firstCursor) + at.cursor;
  ref.offset = at.offset;
  uint16_t set = ranks.set ? ranks.set : static_cast<uint16_t>(1u << (agent.rank ^ ranks.flip));
  for (unsigned rank = 0; rank < MaxRanks; ++rank)
    if (set >> rank & 1) {
      if (rank >= program.clusterSize)
        model.unsupported = "an operation names a rank outside the cluster";
      ref.bases.push_back(static_cast<int>(rank));
      isRemote |= rank != agent.rank;
    }
  return ref;
}

void AgentBuilder::emitOp(const Op &op) {
  Instr instr;
  instr.kind = op.kind;
  instr.n = op.n;
  instr.named = op.named;
  instr.queue = op.queue;
  instr.readOnly = op.readOnly;
  instr.provenance = op.provenance;
  if (op.cursor >= 0)
    instr.cursor = static_cast<int>(agent.firstCursor) + op.cursor;
  bool isRemoteCell = false;
  if (op.bar.array >= 0) {
    const BarrierArray &array = program.barriers[op.bar.array];
    instr.bar = resolve(op.bar.at, op.bar.ranks, array.stages, instr.isRemote);
    for (int &base : instr.bar.bases)
      base = model.barrierBase[op.bar.array] + base * static_cast<int>(array.stages);
    instr.parity = op.parity;
    if (op.parity.cursor >= 0)
      instr.parity.cursor += static_cast<int>(agent.firstCursor);
  }
  for (const CellRef &ref : op.cells) {
    CellUse use;
    use.array = ref.array;
    use.at = resolve(ref.at, ref.ranks, program.cells[ref.array].stages, isRemoteCell);
    for (int &base : use.at.bases)
      base = model.cellBase[ref.array] + base * static_cast<int>(program.cells[ref.array].stages);
    use.isWrite = ref.isWrite;
    use.isVersioned = ref.isVersioned;
    use.isAsync = op.kind == OpKind::Load || op.kind == OpKind::Mma || op.kind == OpKind::Group;
    instr.cells.push_back(std::move(use));
  }
  push(std::move(instr));
}

static bool hasLeader(const Region &region) {
  return std::any_of(region.begin(), region.end(), [](const Node &node) {
    return node.kind == NodeKind::Leader || hasLeader(node.body) || hasLeader(node.elseBody);
  });
}

template <typename F> static void forOps(const Region &region, const F &visit) {
  for (const Node &node : region) {
    if (node.kind == NodeKind::Op)
      visit(node.op);
    forOps(node.body, visit);
    forOps(node.elseBody, visit);
  }
}

// Whether the task's warps announce or bring bytes to a barrier to which plain expects go: how many
// of them have done so then matters (Bytes.cpp).
static bool countsBytes(const Task &task, const std::vector<bool> &isPlain) {
  bool counts = false;
  forOps(task.body, [&](const Op &op) {
    if (op.kind == OpKind::Expect || op.kind == OpKind::Load)
      counts |= isPlain[op.bar.array];
  });
  return counts;
}

static bool tellsWarpsApart(const Region &region) {
  return std::any_of(region.begin(), region.end(), [](const Node &node) {
    return node.kind == NodeKind::Warps || tellsWarpsApart(node.body) ||
           tellsWarpsApart(node.elseBody);
  });
}

// The warps of a task that stand for all of them, with how many each stands for.
static std::vector<std::pair<unsigned, unsigned>> chooseWarps(const Task &task, bool fold) {
  std::vector<std::pair<unsigned, unsigned>> chosen;
  unsigned first = hasLeader(task.body) ? 1 : 0; // the first of those that do the same
  if (fold && task.warps > first + 2 && !tellsWarpsApart(task.body)) {
    if (first)
      chosen.push_back({0, 1});
    chosen.push_back({first, 1});
    chosen.push_back({first + 1, task.warps - first - 1});
    return chosen;
  }
  for (unsigned warp = 0; warp < task.warps; ++warp)
    chosen.push_back({warp, 1});
  return chosen;
}

static std::vector<bool> plainBarriers(const Program &program) {
  std::vector<bool> isPlain(program.barriers.size());
  for (const Task &task : program.tasks)
    forOps(task.body, [&](const Op &op) {
      if (op.kind == OpKind::Expect)
        isPlain[op.bar.array] = true;
    });
  return isPlain;
}

static void addAgents(Model &model, unsigned taskIndex, bool fold) {
  const Program &program = *model.program;
  const Task &task = program.tasks[taskIndex];
  for (unsigned rank = 0; rank < program.clusterSize; ++rank) {
    if (!(task.ranks >> rank & 1))
      continue;
    for (auto [warp, weight] : chooseWarps(task, fold)) {
      Agent agent;
      agent.name = task.name;
      if (task.warps > 1)
        agent.name += "." + std::to_string(warp);
      if (program.clusterSize > 1)
        agent.name += "@" + std::to_string(rank);
      agent.task = taskIndex;
      agent.rank = rank;
      agent.warp = warp;
      agent.weight = weight;
      agent.firstCursor = static_cast<unsigned>(model.cursors.size());
      agent.cursorCount = static_cast<unsigned>(task.cursors.size());
      for (const std::string &name : task.cursors) {
        Cursor cursor;
        cursor.name = name;
        cursor.agent = static_cast<int>(model.agents.size());
        model.cursors.push_back(cursor);
      }
      model.agents.push_back(std::move(agent));
    }
  }
}

void flattenAgents(Model &model, bool fold) {
  const Program &program = *model.program;
  model.largestBound.assign(program.symbols.size(), 0);
  int base = 0;
  for (const BarrierArray &array : program.barriers) {
    model.barrierBase.push_back(base);
    base += static_cast<int>(array.stages * program.clusterSize);
  }
  base = 0;
  for (const CellArray &array : program.cells) {
    model.cellBase.push_back(base);
    base += static_cast<int>(array.stages * program.clusterSize);
  }
  std::vector<bool> isPlain = plainBarriers(program);
  for (unsigned task = 0; task < program.tasks.size(); ++task)
    addAgents(model, task, fold && !countsBytes(program.tasks[task], isPlain));
  std::vector<AgentBuilder> builders;
  std::vector<int> tileLoops;
  for (Agent &agent : model.agents) {
    builders.emplace_back(model, agent, program.tasks[agent.task]);
    builders.back().build(tileLoops);
  }
  if (!model.unsupported.empty())
    return;
  for (AgentBuilder &builder : builders)
    builder.emitParts(tileLoops);
  for (size_t part = 0; part < 2 * tileLoops.size() + 1; ++part)
    model.parts.push_back({part % 2 ? tileLoops[part / 2] : -1});
}

} // namespace tsk::protocol
