// Which of a queue's groups an await leaves in flight: those that are newer than the call it waits
// for, on whatever way the task has come there.
//
// Needs steps where each call of a work with a queue makes a group, and all of a queue are made by
// the same threads.
#pragma once

#include "compiler/plan/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>

namespace tsk::plan {

// Behind an await.
struct AwaitedGroups {
  unsigned pending = 0;         // how many groups may still be in flight
  std::set<WorkId> maybeFlying; // works with a call that may be one of them
};

// Of the awaits in a task's body of the works in `works`, which share a queue.
std::map<const Step *, AwaitedGroups> awaitedGroups(const Plan &plan, RegionId body,
                                                    const std::set<WorkId> &works);

} // namespace tsk::plan
