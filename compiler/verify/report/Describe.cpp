#include "compiler/verify/report/Describe.h"

#include <fmt/format.h>

namespace tsk::verify {

const Op &Describe::op(Place place) const {
  return program.tasks[model.warps[place.warp].task.index].ops[place.op];
}

std::string Describe::iteration(Place place) const {
  const TaskProgram &task = program.tasks[model.warps[place.warp].task.index];
  std::string text;
  for (int f = op(place).frame; f >= 0; f = task.frames[f].parent) {
    const Frame &frame = task.frames[f];
    const ir::Value &variable = model.plan().tables.values[frame.loop->loop.variable];
    text += fmt::format(" in iteration {} of `{}`", frame.ordinal + 1, variable.name);
  }
  return text;
}

std::string Describe::operation(Place place) const {
  const Op &operation = op(place);
  const plan::Step &step = *operation.step;
  const plan::Plan &plan = model.plan();
  switch (operation.kind) {
  case OpKind::Wait:
  case OpKind::Arrive:
  case OpKind::Expect: {
    std::string text =
        fmt::format("{} {}", plan::mnemonic(step.kind), model.barrierName(operation.cell));
    if (operation.bytes)
      text += fmt::format(" {}", operation.bytes);
    return text;
  }
  case OpKind::Sync:
  case OpKind::Signal:
    return fmt::format("{} {}", plan::mnemonic(step.kind),
                       step.barrier ? plan.barriers[step.barrier].name
                                    : ir::spelling(step.scope).str());
  case OpKind::Call:
    return fmt::format("call {}", plan.works[step.work]);
  }
  TSK_UNREACHABLE("operation outside its enumeration");
}

std::string Describe::barrier(Place place) const {
  return op(place).kind == OpKind::Wait ? model.barrierName(op(place).cell) : operation(place);
}

} // namespace tsk::verify
