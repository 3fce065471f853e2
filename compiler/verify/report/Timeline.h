// A run as a table of text: one column a task, time downwards.
//
//    time  Store                   Load
//       1                          wait box.empty[0]
//       2                          arrive_expect box.full[0] 16384
//       3  wait box.full[0]        call box.load -> box.data[0]
#pragma once

#include "compiler/verify/report/Describe.h"
#include "compiler/verify/run/CanonicalRun.h"

namespace tsk::verify {

struct TimelineOptions {
  size_t maxRows = 24;
  bool keepsFirstRows = false; // of more rows the first ones, else the last ones
  std::vector<Place> marked;   // the guilty steps, shown with `>`
  bool showsBlocked = false;   // a last row with what each unfinished task waits for
};

std::string renderTimeline(const Model &model, const Program &program, const CanonicalRun &run,
                           const TimelineOptions &options);

} // namespace tsk::verify
