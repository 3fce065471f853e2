// V2 inside a warp: no lane uses shared memory that another lane of its warp has used without a
// barrier between them, and none arrives for the others before they are there. The rest of the
// verifier takes a warp as one agent; of larger tasks it judges what warps do to each other, which
// their lanes need less of.
#include "compiler/plan/LaneConflicts.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include <map>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string> LaneRace{
    kind::LaneRace, "lanes of a warp of task `{}` may race for `{}`: `call {}` does not wait for "
                    "what other lanes did before; `warp.sync()` between them would"};

constexpr Diagnostic<std::string, std::string, std::string> LaneArrival{
    kind::LaneRace,
    "one lane of task `{}` arrives on `{}` for all, and others may still be at `{}`; "
    "`warp.sync()` before it would wait for them"};

constexpr Diagnostic<std::string, std::string> FenceArrival{
    kind::LaneRace,
    "one lane of task `{}` arrives on `{}` for all, and others may still be before "
    "their `fence proxy_async`; `sync warp` between the fence and the arrival would "
    "wait for them"};

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
    isGood &=
        !plan::findLaneConflicts(plan, task, shareBytes, [&](const plan::LaneConflict &conflict) {
          const plan::Step &later = *conflict.later;
          if (!conflict.earlierAccess) {
            diags.report(later.loc, FenceArrival, task.name, plan.barriers[later.barrier].name)
                .note(conflict.earlier->loc, "the fence is here");
            return;
          }
          auto report = later.kind == plan::StepKind::Call
                            ? diags.report(later.loc, LaneRace, task.name,
                                           plan.fields[conflict.field], plan.works[later.work])
                            : diags.report(later.loc, LaneArrival, task.name,
                                           plan.barriers[later.barrier].name,
                                           plan.works[conflict.earlier->work]);
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
