// Which cursors and arrays turn together. Where every use of a set of arrays goes through cursors
// at one and the same number of stages, moving all of them one stage on changes nothing: states
// that differ only so need not be told apart.
#include "compiler/verify/protocol/ModelBuilder.h"

#include <numeric>

namespace tsk::protocol {

namespace {

class RingFinder {
public:
  explicit RingFinder(Model &built);
  void run();

private:
  int barrierNode(int array) const { return static_cast<int>(model.cursors.size()) + array; }
  int cellNode(int array) const {
    return barrierNode(static_cast<int>(model.program->barriers.size())) + array;
  }
  int find(int node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  }
  void use(int agent, int pc, int arrayNode, const ElementRef &ref);
  void useParity(int agent, int pc, const Instr &instr, unsigned stages);
  void scan(int agent, int pc, const Instr &instr);
  void note(int node, int agent, int pc) {
    int &last = constants[node][agent];
    last = std::max(last, pc);
  }
  void markOverlays();
  void collect();

  Model &model;
  std::vector<int> parent;
  std::vector<bool> isRigid, hasGets;      // per node
  std::vector<std::vector<int>> constants; // per node, per agent
  std::vector<int> firstGet;               // per node
  std::vector<unsigned> stagesOf;          // per node; cursors 0
};

} // namespace

RingFinder::RingFinder(Model &built) : model(built) {
  const Program &program = *model.program;
  size_t nodes = model.cursors.size() + program.barriers.size() + program.cells.size();
  parent.resize(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  isRigid.resize(nodes);
  hasGets.resize(nodes);
  firstGet.resize(nodes);
  constants.assign(nodes, std::vector<int>(model.agents.size(), -1));
  stagesOf.resize(nodes);
  for (size_t i = 0; i < program.barriers.size(); ++i)
    stagesOf[barrierNode(static_cast<int>(i))] = program.barriers[i].stages;
  for (size_t i = 0; i < program.cells.size(); ++i)
    stagesOf[cellNode(static_cast<int>(i))] = program.cells[i].stages;
}

void RingFinder::use(int agent, int pc, int arrayNode, const ElementRef &ref) {
  if (ref.cursor < 0) {
    if (ref.stages > 1)
      note(arrayNode, agent, pc);
    return;
  }
  Cursor &cursor = model.cursors[ref.cursor];
  cursor.lastUse = std::max(cursor.lastUse, pc);
  cursor.modulus = std::lcm(cursor.modulus, static_cast<int>(ref.stages));
  parent[find(ref.cursor)] = find(arrayNode);
}

void RingFinder::useParity(int agent, int pc, const Instr &instr, unsigned stages) {
  int arrayNode = barrierNode(model.elements[instr.bar.bases.front()].array);
  if (instr.parity.cursor < 0)
    return note(arrayNode, agent, pc);
  Cursor &cursor = model.cursors[instr.parity.cursor];
  cursor.lastUse = std::max(cursor.lastUse, pc);
  cursor.modulus = std::lcm(cursor.modulus, 2 * static_cast<int>(instr.parity.divisor));
  parent[find(instr.parity.cursor)] = find(arrayNode);
  if (instr.parity.divisor != stages || instr.bar.cursor < 0)
    isRigid[arrayNode] = isRigid[arrayNode] || instr.parity.divisor != stages ||
                         (instr.bar.cursor < 0 && stages > 1);
}

void RingFinder::scan(int agent, int pc, const Instr &instr) {
  if (instr.code != Code::Op)
    return;
  if (instr.kind == OpKind::SetCursor || instr.kind == OpKind::Next) {
    // The place after `set` is a constant, whatever it was before.
    if (instr.kind == OpKind::SetCursor)
      note(instr.cursor, agent, pc);
    return;
  }
  if (!instr.bar.bases.empty()) {
    int array = model.elements[instr.bar.bases.front()].array;
    use(agent, pc, barrierNode(array), instr.bar);
    if (instr.kind == OpKind::Wait || instr.kind == OpKind::TryWait)
      useParity(agent, pc, instr, instr.bar.stages);
  }
  for (const CellUse &cell : instr.cells) {
    use(agent, pc, cellNode(cell.array), cell.at);
    if (cell.isVersioned && !cell.isWrite) {
      hasGets[cellNode(cell.array)] = true;
      firstGet[cellNode(cell.array)] = std::min(firstGet[cellNode(cell.array)], cell.at.offset);
    }
  }
}

void RingFinder::markOverlays() {
  const Program &program = *model.program;
  std::vector<int> owners(model.atoms.size(), 0);
  for (const std::vector<int> &atoms : model.atomsOf)
    for (int atom : atoms)
      ++owners[atom];
  for (const Element &element : model.elements)
    for (int atom : element.storage)
      owners[atom] += model.atoms[atom].isBarrier ? 0 : 1;
  for (size_t array = 0; array < program.cells.size(); ++array)
    for (unsigned i = 0; i < program.cells[array].stages * program.clusterSize; ++i) {
      const std::vector<int> &atoms = model.atomsOf[model.cellBase[array] + i];
      if (atoms.size() != 1 || owners[atoms.front()] != 1)
        isRigid[cellNode(static_cast<int>(array))] = true;
    }
  for (size_t array = 0; array < program.barriers.size(); ++array)
    if (program.barriers[array].storage >= 0)
      isRigid[barrierNode(static_cast<int>(array))] = true;
}

void RingFinder::collect() {
  std::vector<int> ringOf(parent.size(), -1);
  size_t arrays = model.program->barriers.size();
  for (size_t node = 0; node < parent.size(); ++node) {
    int root = find(static_cast<int>(node));
    if (ringOf[root] < 0) {
      ringOf[root] = static_cast<int>(model.rings.size());
      model.rings.emplace_back();
      model.rings.back().lastConstant.assign(model.agents.size(), -1);
    }
    Ring &ring = model.rings[ringOf[root]];
    ring.hasGets = ring.hasGets || hasGets[node];
    ring.firstGet = std::min(ring.firstGet, firstGet[node]);
    if (isRigid[node])
      ring.canTurn = false;
    for (size_t agent = 0; agent < model.agents.size(); ++agent)
      ring.lastConstant[agent] = std::max(ring.lastConstant[agent], constants[node][agent]);
    if (node < model.cursors.size()) {
      ring.cursors.push_back(static_cast<int>(node));
      model.cursors[node].ring = ringOf[root];
      continue;
    }
    if (ring.stages != 0 && ring.stages != stagesOf[node])
      ring.canTurn = false;
    ring.stages = stagesOf[node];
    size_t index = node - model.cursors.size();
    if (index < arrays)
      ring.barrierArrays.push_back(static_cast<int>(index));
    else
      ring.cellArrays.push_back(static_cast<int>(index - arrays));
  }
  for (const Cursor &cursor : model.cursors) {
    Ring &ring = model.rings[cursor.ring];
    if (ring.stages == 0 || (2 * ring.stages) % cursor.modulus != 0)
      ring.canTurn = false;
  }
}

void RingFinder::run() {
  for (size_t agent = 0; agent < model.agents.size(); ++agent)
    for (size_t pc = 0; pc < model.agents[agent].code.size(); ++pc)
      scan(static_cast<int>(agent), static_cast<int>(pc), model.agents[agent].code[pc]);
  markOverlays();
  collect();
}

void findRings(Model &model) { RingFinder(model).run(); }

} // namespace tsk::protocol
