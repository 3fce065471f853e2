#include "Expand.h"

#include "compiler/support/Check.h"

#include <algorithm>
#include <map>

namespace tsk::protocol::oracle {

namespace {

class WarpExpander {
public:
  WarpExpander(const Program &from, const Scenario &values, const Task &task, unsigned onRank,
               unsigned index)
      : program(from), scenario(values), rank(onRank), warp(index) {
    place.assign(task.cursors.size(), 0);
    item.assign(task.cursors.size(), 0);
  }
  void region(const Region &region, int iteration, int trips);
  std::vector<Step> steps;

private:
  void op(const Op &op);
  int trips(const Count &count) const {
    int value = count.add;
    if (count.symbol >= 0)
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
  unsigned rank;
  unsigned warp;
  int tileLoop = -1, tile = -1;
  std::vector<int> place, item;
  std::map<unsigned, int> calls; // by provenance
};

} // namespace

void WarpExpander::region(const Region &nodes, int iteration, int trip) {
  for (const Node &node : nodes) {
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
        region(node.body, i, count);
      }
      if (isTiles)
        tileLoop = tile = -1;
      break;
    }
    case NodeKind::First:
      if (iteration == 0)
        region(node.body, iteration, trip);
      break;
    case NodeKind::Last:
      if (iteration == trip - 1)
        region(node.body, iteration, trip);
      break;
    case NodeKind::Every:
      if (iteration % node.modulus == node.remainder)
        region(node.body, iteration, trip);
      break;
    case NodeKind::If:
      region(scenario.valueIn(tileLoop, tile, node.symbol) ? node.body : node.elseBody, iteration,
             trip);
      break;
    case NodeKind::Leader:
      if (warp == 0)
        region(node.body, iteration, trip);
      break;
    case NodeKind::OnRanks:
      if (node.ranks >> rank & 1)
        region(node.body, iteration, trip);
      break;
    }
  }
}

static int base(const Program &program, int array, bool isBarrier) {
  int sum = 0;
  for (int i = 0; i < array; ++i)
    sum += static_cast<int>((isBarrier ? program.barriers[i].stages : program.cells[i].stages) *
                            program.clusterSize);
  return sum;
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
  step.named = isCluster ? -1 : static_cast<int>(rank) * 32 + op.named;
  if (op.bar.array >= 0) {
    int stages = static_cast<int>(program.barriers[op.bar.array].stages);
    for (int r : ranks(op.bar.ranks))
      step.bars.push_back(base(program, op.bar.array, true) + r * stages +
                          stage(op.bar.at, stages));
    int value = op.parity.cursor < 0 ? 0 : place[op.parity.cursor] + op.parity.offset;
    int divisor = static_cast<int>(op.parity.divisor);
    int lap = value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
    step.parity = (lap & 1) ^ static_cast<int>(op.parity.inverted);
  }
  for (const CellRef &ref : op.cells) {
    int stages = static_cast<int>(program.cells[ref.array].stages);
    for (int r : ranks(ref.ranks)) {
      CellAccess access;
      access.cell = base(program, ref.array, false) + r * stages + stage(ref.at, stages);
      access.rank = r;
      access.isWrite = ref.isWrite;
      access.isVersioned = ref.isVersioned;
      access.isGlobal = program.cells[ref.array].space == Space::Global;
      access.item =
          ref.isVersioned && ref.at.cursor >= 0 ? item[ref.at.cursor] + ref.at.offset : AnyItem;
      access.array = ref.array;
      step.cells.push_back(access);
    }
  }
  steps.push_back(std::move(step));
}

Expanded expand(const Program &program, const Scenario &scenario) {
  Expanded expanded;
  for (const BarrierArray &bar : program.barriers)
    for (unsigned r = 0; r < program.clusterSize; ++r)
      for (unsigned s = 0; s < bar.stages; ++s) {
        expanded.arrivals.push_back(static_cast<int>(bar.arrivals));
        expanded.barrierRank.push_back(static_cast<int>(r));
        expanded.barrierNames.push_back(bar.name + "[" + std::to_string(s) + "]");
      }
  for (const CellArray &cell : program.cells)
    for (unsigned i = 0; i < program.clusterSize * cell.stages; ++i) {
      ++expanded.cells;
      expanded.cellNames.push_back(cell.name);
    }
  for (unsigned t = 0; t < program.tasks.size(); ++t) {
    const Task &task = program.tasks[t];
    for (unsigned r = 0; r < program.clusterSize; ++r)
      for (unsigned w = 0; w < task.warps && (task.ranks >> r & 1); ++w) {
        WarpExpander expander(program, scenario, task, r, w);
        expander.region(task.body, 0, 1);
        expanded.warps.push_back({task.name + "." + std::to_string(w), t, static_cast<int>(r),
                                  std::move(expander.steps)});
      }
  }
  return expanded;
}

} // namespace tsk::protocol::oracle
