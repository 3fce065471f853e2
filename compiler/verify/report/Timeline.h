// A run as a timeline with one column a task.
#pragma once

#include "compiler/support/Timeline.h"
#include "compiler/verify/report/Trace.h"

namespace tsk::verify {

struct TimelineOptions {
  llvm::ArrayRef<Moment> marked; // the guilty steps
  bool showsBlocked = false;     // a last row with what each unfinished task waits for
  bool showsPhases = false;      // which phase each wait passes on and each arrival is counted in
};

Timeline timelineOf(const Trace &trace, const TimelineOptions &options);

} // namespace tsk::verify
