// What the generated code of a kernel needs, so that nothing else is declared.
#pragma once

#include "compiler/plan/Plan.h"

#include <map>
#include <set>

namespace tsk::codegen {

struct KernelUses {
  std::set<ir::ConstantId> constants; // by the device code
  std::set<ir::ConstantId> launcherConstants;
  std::set<ir::ScalarId> scalars;                      // parameters of the kernel's function
  std::set<ir::ParamId> params;                        // tensors and pointers that bodies touch
  std::set<ir::FunctionId> functions;                  // that schedules call
  std::set<ir::ValueId> values;                        // read by some expression
  std::map<ir::TaskId, std::vector<ir::WorkId>> works; // in the order of their first call
  std::map<ir::ValueId, ir::Loop> loops;               // by their variable
  std::map<ir::ValueId, ir::ExprId> lets;              // what they stand for
};

KernelUses findUses(const ir::Kernel &kernel, const plan::Plan &plan);

} // namespace tsk::codegen
