// Barriers and cells as elements, and the atoms that overlapping cells are made of.
#include "compiler/verify/protocol/ModelBuilder.h"

#include <algorithm>
#include <map>
#include <set>

namespace tsk::protocol {

static void addBarriers(Model &model) {
  const Program &program = *model.program;
  for (size_t array = 0; array < program.barriers.size(); ++array)
    for (unsigned rank = 0; rank < program.clusterSize; ++rank)
      for (unsigned stage = 0; stage < program.barriers[array].stages; ++stage) {
        Element element;
        element.array = static_cast<int>(array);
        element.rank = rank;
        element.stage = stage;
        element.arrivals = static_cast<int>(program.barriers[array].arrivals);
        model.elements.push_back(std::move(element));
      }
}

static std::string elementName(const std::string &name, unsigned stages, unsigned stage) {
  return stages == 1 ? name : name + "[" + std::to_string(stage) + "]";
}

// Arrays with an address are cut where any of them begins or ends; the others are one atom a stage.
static void addCells(Model &model) {
  const Program &program = *model.program;
  for (unsigned rank = 0; rank < program.clusterSize; ++rank) {
    std::map<Space, std::set<unsigned>> cuts;
    for (const CellArray &cell : program.cells)
      for (unsigned stage = 0; cell.hasAddress && stage < cell.stages; ++stage) {
        cuts[cell.space].insert(cell.stageAt(stage));
        cuts[cell.space].insert(cell.stageAt(stage) + cell.stageBytes);
      }
    std::map<std::pair<Space, unsigned>, int> atomAt;
    for (size_t array = 0; array < program.cells.size(); ++array) {
      const CellArray &cell = program.cells[array];
      for (unsigned stage = 0; stage < cell.stages; ++stage) {
        size_t element = model.cellBase[array] + rank * cell.stages + stage;
        if (model.atomsOf.size() <= element)
          model.atomsOf.resize(element + 1);
        Atom atom;
        atom.name = elementName(cell.name, cell.stages, stage);
        atom.rank = rank;
        atom.space = cell.space;
        if (!cell.hasAddress) {
          model.atomsOf[element].push_back(static_cast<int>(model.atoms.size()));
          model.atoms.push_back(atom);
          continue;
        }
        unsigned begin = cell.stageAt(stage);
        const std::set<unsigned> &set = cuts[cell.space];
        for (auto cut = set.find(begin); *cut < begin + cell.stageBytes; ++cut) {
          auto [place, isNew] = atomAt.try_emplace({cell.space, *cut}, model.atoms.size());
          if (isNew)
            model.atoms.push_back(atom);
          model.atomsOf[element].push_back(place->second);
        }
      }
    }
  }
}

// A barrier's memory is of interest where it is initialised by some agent, shared with other data,
// or touched from another rank.
static void addBarrierStorage(Model &model) {
  const Program &program = *model.program;
  std::vector<bool> isWanted(program.barriers.size());
  for (size_t i = 0; i < program.barriers.size(); ++i)
    isWanted[i] = program.barriers[i].needsInit;
  for (const Agent &agent : model.agents)
    for (const Instr &instr : agent.code)
      if (instr.code == Code::Op && !instr.bar.bases.empty() &&
          (instr.isRemote || instr.kind == OpKind::Init))
        isWanted[model.elements[instr.bar.bases.front()].array] = true;
  for (Element &element : model.elements) {
    const BarrierArray &array = program.barriers[element.array];
    if (array.storage >= 0) {
      element.storage =
          model
              .atomsOf[model.cellBase[array.storage] + element.rank * array.stages + element.stage];
      for (int atom : element.storage)
        model.atoms[atom].holdsBarrier = true;
    } else if (isWanted[element.array]) {
      Atom atom;
      atom.name = elementName(array.name, array.stages, element.stage);
      atom.rank = element.rank;
      atom.isBarrier = atom.holdsBarrier = true;
      element.storage.push_back(static_cast<int>(model.atoms.size()));
      model.atoms.push_back(std::move(atom));
    }
  }
}

void layOutElements(Model &model) {
  addBarriers(model);
  addCells(model);
  addBarrierStorage(model);
}

} // namespace tsk::protocol
