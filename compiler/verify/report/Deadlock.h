// Why a run is stuck: the one wait that cannot be fulfilled, or the circle of those that wait for
// each other. Everything else that is blocked follows from it.
#pragma once

#include "compiler/verify/report/Trace.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tsk::verify {

struct Deadlock {
  enum class Cause : uint8_t {
    NoArrival,      // no step anywhere arrives on the barrier
    ArrivalsSpent,  // whoever arrives on it has ended or made its last arrival
    TripMismatch,   // the same, because its loop runs less often than the waiter's
    TooFewArrivals, // the steps that arrive on it make fewer arrivals than it counts
    Bytes,          // arrivals are complete, but bytes expected and loaded differ
    SyncMissing,    // a barrier of threads that a task reaches no more
    Circle
  };
  Cause cause = Cause::Circle;
  Moment waiter;
  int contributor = -1;                        // an agent: ArrivalsSpent, TripMismatch, SyncMissing
  Moment contribution;                         // its last one on the barrier, if it made any
  const plan::Step *waiterLoop = nullptr;      // TripMismatch: the loops that differ
  const plan::Step *contributorLoop = nullptr; // likewise
  // TooFewArrivals, Bytes: what all steps on the barrier do once.
  uint64_t arrivals = 0, bytesExpected = 0, bytesLoaded = 0;
  std::vector<Moment> circle; // Circle: each waits for the next, the last for the first
};

Deadlock explainDeadlock(const Trace &trace);

// The innermost loop around the first step that is wanted; null: there is none.
const plan::Step *enclosingLoop(const plan::Plan &plan, plan::RegionId region,
                                llvm::function_ref<bool(const plan::Step &)> isWanted);

} // namespace tsk::verify
