// V2 inside a warp: no lane uses shared memory that another lane of its warp has used without a
// barrier between them. The rest of the verifier takes a warp as one agent.
#include "compiler/plan/LaneConflicts.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include <map>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string> LaneRace{
    kind::LaneRace, "lanes of a warp of task `{}` may race for `{}`: `call {}` does not wait for "
                    "what other lanes did before; `warp.sync()` between them would"};

// Bytes of shared memory, all stages of a field together.
struct Range {
  uint64_t begin = 0, end = 0;
};

} // namespace

bool checkLanes(const plan::Plan &plan, DiagnosticEngine &diags) {
  std::map<ir::FieldId, Range> ranges;
  for (const plan::Allocation &allocation : plan.allocations)
    ranges[allocation.field] = {allocation.offset, allocation.offset + uint64_t(allocation.stages) *
                                                                           allocation.stageBytes};
  auto shareBytes = [&](ir::FieldId a, ir::FieldId b) {
    auto first = ranges.find(a), second = ranges.find(b);
    return first != ranges.end() && second != ranges.end() &&
           first->second.begin < second->second.end && second->second.begin < first->second.end;
  };
  bool isGood = true;
  for (const plan::Task &task : plan.tasks) {
    // Larger tasks: what warps need between them, their lanes need less of.
    if (task.warps != 1)
      continue;
    isGood &=
        !plan::findLaneConflicts(plan, task, shareBytes, [&](const plan::LaneConflict &conflict) {
          auto report = diags.report(conflict.later->loc, LaneRace, task.name,
                                     plan.fields[conflict.field], plan.works[conflict.later->work]);
          report.note(conflict.earlier->loc, "`{}` is {} here",
                      plan.fields[conflict.earlierAccess->field],
                      conflict.earlierAccess->isWrite ? "written" : "read");
          if (conflict.isDivergent)
            report.note(conflict.later->loc,
                        "lanes may have parted here, so no barrier of the warp "
                        "can stand between; let all lanes come here");
        });
  }
  return isGood;
}

} // namespace tsk::verify
