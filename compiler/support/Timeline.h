// A run of several parties side by side: who did what, and when. Part of a report, and the body of
// the schedule table.
//
//    time  Store                   Load
//       1                          wait box.empty[0]
//       2                          arrive_expect box.full[0] 16384
//       3  wait box.full[0]        call box.load -> box.data[0]
#pragma once

#include "compiler/support/Source.h"

#include <string>
#include <vector>

namespace tsk {

struct Timeline {
  struct Entry {
    unsigned column = 0;
    unsigned time = 0;
    std::string text;
    std::string detail; // " in iteration 3 of `r`"
    SourceRange range;
    bool isMarked = false;  // one of the guilty steps
    bool isBlocked = false; // it stands there and does not go on
  };
  std::string title;                // "the run that leads there"
  std::vector<std::string> columns; // names
  std::vector<Entry> entries;       // by time, then by column
  // Of more rows than that, the last ones are shown as text, or the first ones.
  size_t maxRows = 24;
  bool keepsFirstRows = false;
};

// The lines, without a line break behind the last one.
std::string render(const Timeline &timeline);

} // namespace tsk
