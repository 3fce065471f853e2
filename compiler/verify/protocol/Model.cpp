#include "compiler/verify/protocol/ModelBuilder.h"

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

Model buildModel(const Program &program, bool fold) {
  Model model;
  model.program = &program;
  if (elementsOf(program) > MaxElements) {
    model.unsupported =
        "more than " + std::to_string(MaxElements) + " stages of barriers and fields";
    return model;
  }
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
