// What the plan's text form leaves unsaid about values: shared by its printer and its reader.
#pragma once

#include "compiler/plan/Plan.h"

namespace tsk::plan {

inline constexpr ir::Uniformity VarUniformity = ir::Uniformity::Cta;
inline constexpr ir::Uniformity ResultUniformity = ir::Uniformity::Thread;

// Of a loop's variable: its bounds', unless each thread has its own.
inline ir::Uniformity loopUniformity(const ir::ValueTables &tables, const Step &step) {
  if (step.kind == StepKind::ParallelFor)
    return ir::Uniformity::Thread;
  return ir::join(
      tables.exprs[step.loop.lower].uniformity,
      ir::join(tables.exprs[step.loop.upper].uniformity, tables.exprs[step.loop.step].uniformity));
}

} // namespace tsk::plan
