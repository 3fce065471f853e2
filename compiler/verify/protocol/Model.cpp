#include "compiler/verify/protocol/ModelBuilder.h"
#include "compiler/verify/protocol/Prepare.h"

namespace tsk::protocol {

// The matrix grows with the square of what there is.
static constexpr uint64_t MaxElements = 1024;

static uint64_t elementsOf(const Program &program) {
  uint64_t sum = 0;
  for (const BarrierArray &array : program.barriers)
    sum += array.stages;
  for (const CellArray &array : program.cells)
    sum += array.stages;
  return sum * program.clusterSize;
}

// Adds what follows from two relations, until nothing new does.
static void relateSymbols(Model &model) {
  size_t symbols = model.program->symbols.size();
  constexpr int None = INT_MIN;
  std::vector<int> atLeast(symbols * symbols, None);
  for (const Relation &one : model.program->relations) {
    int &known = atLeast[one.larger * symbols + one.smaller];
    known = std::max(known, one.atLeast);
  }
  for (size_t via = 0; via < symbols; ++via)
    for (size_t a = 0; a < symbols; ++a)
      for (size_t b = 0; b < symbols; ++b) {
        int first = atLeast[a * symbols + via], second = atLeast[via * symbols + b];
        if (first != None && second != None)
          atLeast[a * symbols + b] = std::max(atLeast[a * symbols + b], first + second);
      }
  for (size_t a = 0; a < symbols; ++a)
    for (size_t b = 0; b < symbols; ++b) {
      int least = atLeast[a * symbols + b];
      if (a == b && least > 0)
        model.unsupported = "relations between symbols that no numbers satisfy";
      if (a != b && least != None)
        model.relations.push_back({static_cast<int>(a), static_cast<int>(b), least});
    }
  // Loops of symbols with a fixed distance move together: they are loops of one symbol.
  for (size_t a = 0; a < symbols; ++a) {
    model.meaning.push_back({static_cast<int>(a), 1, 0});
    for (size_t b = 0; b < a; ++b) {
      int least = atLeast[a * symbols + b], back = atLeast[b * symbols + a];
      if (least != None && back != None && least + back == 0 &&
          model.program->symbols[a].isPerTile == model.program->symbols[b].isPerTile &&
          !model.program->symbols[a].isDerived && !model.program->symbols[b].isDerived) {
        model.meaning[a] = {static_cast<int>(b), 1, least};
        break;
      }
    }
  }
}

Model buildModel(const Program &program, bool fold) {
  Model model;
  model.program = std::make_shared<Program>(prepare(program, model.unsupported));
  if (elementsOf(program) > MaxElements)
    model.unsupported =
        "more than " + std::to_string(MaxElements) + " stages of barriers and fields";
  if (!model.unsupported.empty())
    return model;
  relateSymbols(model);
  flattenAgents(model, fold);
  if (model.unsupported.empty())
    layOutElements(model);
  if (model.unsupported.empty())
    findRings(model);
  if (model.unsupported.empty())
    assignColumns(model);
  return model;
}

} // namespace tsk::protocol
