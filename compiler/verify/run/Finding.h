// What a run found: the first violation on it, which is real in some interleaving; what follows it
// might not be.
#pragma once

#include "compiler/verify/model/Program.h"

namespace tsk::verify {

enum class FindingKind : uint8_t {
  Stuck,        // V1: nothing can go on
  Race,         // V2: two accesses to one cell, one of them a write, in no order
  EarlyArrival, // V3: may be counted in the phase before
  StalePass,    // V3: a wait may pass on the phase before
  MissedPhase,  // V3: the phase after may complete before a waiter has looked
  LateExpect,   // V3: the phase may complete before the expect
  Overrun,      // V3: more arrivals than the phase has left
  LoadAtExit,   // V4: a bulk load may be in flight when the CTA ends
  Unwritten,    // V5: read before any write
  Clobbered,    // V5: read after a field that shares the bytes was written
  WrongVersion  // V5: read of another stage's contents than the cursor counts
};

// An operation of a warp.
struct Place {
  unsigned warp = 0;
  unsigned op = 0;
};

struct Finding {
  FindingKind kind = FindingKind::Stuck;
  Place place;
  std::optional<Place> other;
  int barrier = -1;                           // barrier cell
  int threadBarrier = -1;                     // a barrier of threads
  int cell = -1;                              // field cell
  bool isWrite = false, isOtherWrite = false; // Race: who does what
  bool isLoad = false, isOtherLoad = false;
  int64_t expected = 0, found = 0; // WrongVersion: positions
};

} // namespace tsk::verify
