// `for (…) {` for the loops of schedules.
#pragma once

#include "compiler/codegen/cuda/Expressions.h"

namespace tsk::codegen {

struct LoopHead {
  std::string line;
  std::string first; // a statement before the body; may be empty
};

LoopHead loopHead(const KernelContext &context, const ir::Loop &loop);

// Of a loop that a task's threads share: thread k of n takes the iterations k, k + n, k + 2n, …
LoopHead parallelLoopHead(const KernelContext &context, const plan::Task &task,
                          const plan::Step &step);

} // namespace tsk::codegen
