// What an analysis of a plan's steps knows where a loop begins: before an iteration, whichever it
// is. Found by following the body until an iteration leaves nothing new for the next one.
//
// A `State` has `bool join(const State &)`, which takes another way to the same place in and says
// whether that changed anything. It only goes one way, and not for ever, so each loop comes to an
// end. What is known of a loop is kept: where a loop around it begins again, the inner one is
// followed again only if that brings it something new. So a body is followed about as often as its
// own loop's state can change, and not twice for each loop around it.
#pragma once

#include "compiler/plan/Plan.h"

#include <map>

namespace tsk::plan {

template <typename State> class LoopHeads {
public:
  struct Loop {
    State head; // before an iteration
    State end;  // behind it
  };

  // `follow` takes what is known before an iteration, and returns what is known behind it; it may
  // change what `before` refers to, which has been taken in by then.
  template <typename Follow>
  const Loop &settle(const Step &loop, const State &before, Follow follow) {
    auto [place, isNew] = loops.try_emplace(&loop, Loop{before, before});
    Loop &known = place->second;
    for (bool goesOn = isNew || known.head.join(before); goesOn;
         goesOn = known.head.join(known.end))
      known.end = follow(State(known.head));
    return known;
  }

private:
  std::map<const Step *, Loop> loops;
};

} // namespace tsk::plan
