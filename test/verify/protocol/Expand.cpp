#include "Expand.h"

#include "compiler/support/Check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace tsk::protocol::oracle {

namespace {

// Which bytes each barrier and each stage of a field are: numbers of pieces, cut where fields with
// addresses begin or end.
class Memory {
public:
  Memory(const Program &from, Expanded &into);
  int barrier(int array, int rank, int stage) const {
    return barrierBase[array] + rank * static_cast<int>(program.barriers[array].stages) + stage;
  }
  const std::vector<int> &pieces(int array, int rank, int stage) const {
    return piecesOf[cellBase[array] + rank * static_cast<int>(program.cells[array].stages) + stage];
  }
  int rankOf(int bar) const { return barrierRanks[bar]; }
  bool isInField(int bar) const { return inField[bar]; } // its memory is used for other things too
  std::vector<std::vector<int>> barrierPieces; // by barrier; empty: nothing is known of its memory

private:
  void addCell(const CellArray &cell, unsigned rank, unsigned stage, Expanded &into);
  bool hasMemory(int array) const;

  const Program &program;
  std::vector<int> barrierRanks;
  std::vector<bool> inField;
  std::vector<int> barrierBase, cellBase;
  std::vector<std::vector<int>> piecesOf;
  std::map<Space, std::set<unsigned>> cuts;
  std::map<std::tuple<unsigned, Space, unsigned>, int> pieceAt;
};

class WarpExpander {
public:
  WarpExpander(const Program &from, const Scenario &values, const Memory &layout, const Task &task,
               unsigned onRank, unsigned index)
      : program(from), scenario(values), memory(layout), rank(onRank), warp(index) {
    place.assign(task.cursors.size(), 0);
    item.assign(task.cursors.size(), 0);
  }
  void region(const Region &region);
  std::vector<Step> steps;

private:
  void op(const Op &op);
  void touchBarriers(Step &step);
  int trips(const Count &count) const {
    int value = count.add;
    if (count.outer > 0)
      value += count.scale * loops[loops.size() - static_cast<size_t>(count.outer)].first;
    else if (count.symbol >= 0)
      value += count.scale * scenario.valueIn(tileLoop, tile, count.symbol);
    return std::max(0, value);
  }
  int stage(Index at, int stages) const {
    int value = at.offset + (at.cursor < 0 ? 0 : place[at.cursor]);
    return ((value % stages) + stages) % stages;
  }
  std::vector<int> ranks(Ranks ranks) const {
    if (!ranks.set)
      return {static_cast<int>(rank ^ ranks.flip)};
    std::vector<int> all;
    for (int r = 0; r < static_cast<int>(program.clusterSize); ++r)
      if (ranks.set >> r & 1)
        all.push_back(r);
    return all;
  }

  const Program &program;
  const Scenario &scenario;
  const Memory &memory;
  unsigned rank;
  unsigned warp;
  int tileLoop = -1, tile = -1;
  std::vector<std::pair<int, int>> loops; // iteration and trips of those around
  std::vector<int> place, item;
  std::map<unsigned, int> calls; // by provenance
};

} // namespace

void WarpExpander::region(const Region &nodes) {
  for (const Node &node : nodes) {
    std::pair<int, int> around;
    if (node.level < static_cast<int>(loops.size()))
      around = loops[loops.size() - 1 - node.level];
    auto [iteration, trip] = around;
    switch (node.kind) {
    case NodeKind::Op:
      op(node.op);
      break;
    case NodeKind::Loop:
    case NodeKind::Tiles: {
      bool isTiles = node.kind == NodeKind::Tiles && node.count.symbol >= 0;
      int count = isTiles ? scenario.values[node.count.symbol] : trips(node.count);
      for (int i = 0; i < count; ++i) {
        if (isTiles)
          tileLoop = node.count.symbol, tile = i;
        loops.push_back({i, count});
        region(node.body);
        loops.pop_back();
      }
      if (isTiles)
        tileLoop = tile = -1;
      break;
    }
    case NodeKind::First:
      region(iteration == 0 ? node.body : node.elseBody);
      break;
    case NodeKind::Last:
      region(iteration == trip - 1 ? node.body : node.elseBody);
      break;
    case NodeKind::Every:
      region(iteration % node.modulus == node.remainder ? node.body : node.elseBody);
      break;
    case NodeKind::If:
      region(scenario.valueIn(tileLoop, tile, node.symbol) > node.bound ? node.body
                                                                        : node.elseBody);
      break;
    case NodeKind::Leader:
      if (warp == 0)
        region(node.body);
      break;
    case NodeKind::Warps:
      if (warp >= node.firstWarp && warp < node.endWarp)
        region(node.body);
      break;
    case NodeKind::OnRanks:
      if (node.ranks >> rank & 1)
        region(node.body);
      break;
    }
  }
}

void WarpExpander::op(const Op &op) {
  if (op.kind == OpKind::Next) {
    place[op.cursor] += op.n;
    item[op.cursor] += op.n;
    return;
  }
  if (op.kind == OpKind::SetCursor) {
    place[op.cursor] = op.n;
    return;
  }
  Step step;
  step.kind = op.kind;
  step.call = calls[op.provenance]++;
  step.n = op.n;
  step.queue = op.queue;
  step.readOnly = op.readOnly;
  step.provenance = op.provenance;
  bool isCluster = op.kind == OpKind::ClusterArrive || op.kind == OpKind::ClusterWait;
  step.named = isCluster ? -1 : static_cast<int>(rank) * 256 + op.named;
  if (op.bar.array >= 0) {
    int stages = static_cast<int>(program.barriers[op.bar.array].stages);
    for (int r : ranks(op.bar.ranks))
      step.bars.push_back(memory.barrier(op.bar.array, r, stage(op.bar.at, stages)));
    int value = op.parity.cursor < 0 ? 0 : place[op.parity.cursor] + op.parity.offset;
    int divisor = static_cast<int>(op.parity.divisor);
    int lap = value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
    step.parity = (lap & 1) ^ static_cast<int>(op.parity.inverted);
  }
  for (const CellRef &ref : op.cells) {
    int stages = static_cast<int>(program.cells[ref.array].stages);
    for (int r : ranks(ref.ranks))
      for (int piece : memory.pieces(ref.array, r, stage(ref.at, stages))) {
        CellAccess access;
        access.cell = piece;
        access.rank = r;
        access.isWrite = ref.isWrite;
        access.isVersioned = ref.isVersioned;
        access.isGlobal = program.cells[ref.array].space == Space::Global;
        access.outlivesCta = access.isGlobal || program.cells[ref.array].space == Space::Registers;
        access.isPredecessors = program.cells[ref.array].isPredecessors;
        access.hasProxies = access.isGlobal || program.cells[ref.array].space == Space::Shared;
        access.item =
            ref.isVersioned && ref.at.cursor >= 0 ? item[ref.at.cursor] + ref.at.offset : AnyItem;
        access.array = ref.array;
        step.cells.push_back(access);
      }
  }
  touchBarriers(step);
  if (step.kind != OpKind::Arrive || step.bars.size() < 2)
    return steps.push_back(std::move(step));
  // At the barriers of several CTAs a thread arrives one after the other.
  for (int bar : step.bars) {
    Step one = step;
    one.bars = {bar};
    one.cells.clear();
    touchBarriers(one);
    steps.push_back(std::move(one));
  }
}

void WarpExpander::touchBarriers(Step &step) {
  for (int bar : step.bars)
    for (int piece : memory.barrierPieces[bar]) {
      CellAccess access;
      access.cell = piece;
      access.isWrite = step.kind == OpKind::Init || step.kind == OpKind::Inval;
      access.isBarrier = true;
      access.hasProxies = memory.isInField(bar);
      access.array = -1;
      access.rank = memory.rankOf(bar);
      step.cells.push_back(access);
    }
}

// Some agent initialises it, or its memory is used for other things, or another rank touches it.
bool Memory::hasMemory(int array) const {
  bool found = program.barriers[array].needsInit || program.barriers[array].storage >= 0;
  auto visit = [&](const Region &region, uint16_t taskRanks, auto &&self) -> void {
    for (const Node &node : region) {
      if (node.kind == NodeKind::Op && node.op.bar.array == array)
        found |= node.op.kind == OpKind::Init || node.op.bar.ranks.flip ||
                 (node.op.bar.ranks.set && node.op.bar.ranks.set != taskRanks);
      self(node.body, taskRanks, self);
      self(node.elseBody, taskRanks, self);
    }
  };
  for (const Task &task : program.tasks)
    visit(task.body, task.ranks, visit);
  return found;
}

void Memory::addCell(const CellArray &cell, unsigned rank, unsigned stage, Expanded &into) {
  std::vector<int> &pieces = piecesOf.emplace_back();
  auto add = [&] {
    into.cellNames.push_back(cell.name);
    into.cellRank.push_back(static_cast<int>(rank));
    return into.cells++;
  };
  if (!cell.hasAddress) {
    pieces.push_back(add());
    return;
  }
  unsigned begin = cell.stageAt(stage);
  for (unsigned cut : cuts[cell.space])
    if (cut >= begin && cut < begin + cell.stageBytes) {
      auto [place, isNew] = pieceAt.try_emplace({rank, cell.space, cut}, 0);
      if (isNew)
        place->second = add();
      pieces.push_back(place->second);
    }
}

Memory::Memory(const Program &from, Expanded &into) : program(from) {
  for (const CellArray &cell : program.cells)
    for (unsigned stage = 0; cell.hasAddress && stage < cell.stages; ++stage)
      for (unsigned end : {0U, cell.stageBytes})
        cuts[cell.space].insert(cell.stageAt(stage) + end);
  for (const CellArray &cell : program.cells) {
    cellBase.push_back(static_cast<int>(piecesOf.size()));
    for (unsigned rank = 0; rank < program.clusterSize; ++rank)
      for (unsigned stage = 0; stage < cell.stages; ++stage)
        addCell(cell, rank, stage, into);
  }
  for (size_t array = 0; array < program.barriers.size(); ++array) {
    const BarrierArray &bar = program.barriers[array];
    barrierBase.push_back(static_cast<int>(into.arrivals.size()));
    bool isMemory = hasMemory(static_cast<int>(array));
    for (unsigned rank = 0; rank < program.clusterSize; ++rank)
      for (unsigned stage = 0; stage < bar.stages; ++stage) {
        into.arrivals.push_back(static_cast<int>(bar.arrivals));
        into.barrierRank.push_back(static_cast<int>(rank));
        into.isReady.push_back(!bar.needsInit);
        into.barrierNames.push_back(bar.name + "[" + std::to_string(stage) + "]");
        barrierPieces.emplace_back();
        inField.push_back(bar.storage >= 0);
        if (bar.storage >= 0) {
          barrierPieces.back() =
              pieces(bar.storage, static_cast<int>(rank), static_cast<int>(stage));
        } else if (isMemory) {
          into.cellNames.push_back(bar.name);
          into.cellRank.push_back(static_cast<int>(rank));
          barrierPieces.back().push_back(into.cells++);
        }
      }
  }
  barrierRanks = into.barrierRank;
}

Expanded expand(const Program &program, const Scenario &scenario) {
  Expanded expanded;
  expanded.ranks = static_cast<int>(program.clusterSize);
  expanded.entryRegisters = static_cast<int>(program.entryRegisters);
  Memory memory(program, expanded);
  for (unsigned t = 0; t < program.tasks.size(); ++t) {
    const Task &task = program.tasks[t];
    for (unsigned r = 0; r < program.clusterSize; ++r)
      for (unsigned w = 0; w < task.warps && (task.ranks >> r & 1); ++w) {
        WarpExpander expander(program, scenario, memory, task, r, w);
        expander.region(task.body);
        expanded.warps.push_back({task.name + "." + std::to_string(w), t, static_cast<int>(r),
                                  std::move(expander.steps)});
      }
  }
  return expanded;
}

std::optional<Scenario> uniformScenario(const Program &program, int size) {
  Scenario scenario;
  for (const Symbol &symbol : program.symbols)
    scenario.values.push_back(std::clamp(size, symbol.min, symbol.max));
  for (size_t round = 0; round < program.relations.size(); ++round)
    for (const Relation &relation : program.relations) {
      int &larger = scenario.values[relation.larger];
      larger = std::max(larger, scenario.values[relation.smaller] + relation.atLeast);
    }
  if (!isAllowed(program, scenario))
    return std::nullopt;
  return scenario;
}

bool isTooWide(const Program &program) {
  constexpr unsigned MaxWarps = 40;
  unsigned warps = 0;
  for (const Task &task : program.tasks)
    warps += task.warps * static_cast<unsigned>(std::popcount(task.ranks));
  return warps > MaxWarps;
}

} // namespace tsk::protocol::oracle
