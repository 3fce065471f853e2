// A fault of the engine in the plan's words: both sides, and what they are about.
#pragma once

#include "compiler/verify/report/Trace.h"

namespace tsk::verify {

struct Finding {
  protocol::FaultKind kind = protocol::FaultKind::Hang;
  Moment place;                         // where it shows
  Moment other;                         // the other side; none: there is only one
  bool isWrite = false, isCopy = false; // of the access at `place`
  bool isOtherWrite = false, isOtherCopy = false;
  int element = -1;                // barrier
  int cell = -1;                   // element of a field
  int64_t expected = 0, found = 0; // WrongItem: which items, counted from 0
  bool isClobbered = false;        // WrongItem: of another field

  // Memory is what is wrong; all barriers do what they should, in this run and in any other.
  bool isAboutData() const;
};

Finding findingOf(const Trace &trace);

} // namespace tsk::verify
