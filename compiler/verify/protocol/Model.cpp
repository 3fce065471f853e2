#include "compiler/verify/protocol/ModelBuilder.h"

namespace tsk::protocol {

Model buildModel(const Program &program, bool fold) {
  Model model;
  model.program = &program;
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
