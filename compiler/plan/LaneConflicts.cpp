#include "compiler/plan/LaneConflicts.h"
#include "compiler/plan/LoopHeads.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::plan {

namespace {

// One access that no barrier lies behind yet.
struct Open {
  const Step *step;
  const Access *access;
  bool operator<(const Open &other) const { return access < other.access; }
};

// What is known at a step.
struct Known {
  std::set<Open> open;
  std::set<Open> arrived;      // surely, before the last arrival by hand
  const Step *fence = nullptr; // of all lanes, and no barrier since
  bool hasWritten = false;     // lanes have, to shared memory

  // On one way or the other.
  bool join(const Known &other) {
    const Known before = *this;
    open.insert(other.open.begin(), other.open.end());
    std::erase_if(arrived, [&](const Open &one) { return other.arrived.count(one) == 0; });
    fence = fence ? fence : other.fence;
    hasWritten |= other.hasWritten;
    return open.size() != before.open.size() || arrived.size() != before.arrived.size() ||
           fence != before.fence || hasWritten != before.hasWritten;
  }
};

class Finder {
public:
  Finder(const Plan &thePlan, const Task &theTask,
         llvm::function_ref<bool(FieldId, FieldId)> sharing,
         llvm::function_ref<void(const LaneConflict &)> callback)
      : plan(thePlan), task(theTask), shareBytes(sharing), found(callback) {}

  bool run() {
    visit(task.body, /*isDivergent=*/false);
    return !reported.empty();
  }

private:
  void visit(RegionId region, bool isDivergent) {
    if (!region)
      return;
    const std::vector<Step> &steps = plan.regions[region].steps;
    for (size_t i = 0; i < steps.size(); ++i)
      visit(steps[i], {region, i, nullptr, &steps[i], nullptr, {}, isDivergent});
  }

  void visit(const Step &step, LaneConflict place) {
    switch (step.kind) {
    case StepKind::Sync:
      if (!place.isDivergent) {
        now.open.clear();
        now.fence = nullptr;
      }
      break;
    case StepKind::Fence:
      // What lanes have stored, each has to fence by itself.
      if (step.fence == FenceKind::ProxyAsync && step.by == By::All && now.hasWritten)
        now.fence = &step;
      break;
    case StepKind::Arrive:
    case StepKind::ArriveExpect:
      if (step.by == By::All)
        arrive(plan.barriers[step.barrier].resource);
      else
        arriveAlone(step, place);
      break;
    case StepKind::Wait:
      if (step.by == By::All)
        leave(now.arrived);
      break;
    case StepKind::Advance:
      advance(step.cursor);
      break;
    case StepKind::Call:
      visitCall(step, place);
      break;
    case StepKind::For:
      visitLoop(step, place.isDivergent || isThreads(step.loop.lower) ||
                          isThreads(step.loop.upper) || isThreads(step.loop.step));
      break;
    case StepKind::ParallelFor:
      visitLoop(step, /*isDivergent=*/true);
      break;
    case StepKind::If: {
      const bool isDivergent = place.isDivergent || isThreads(step.args[0]);
      const Known before = now;
      visit(step.body, isDivergent);
      const Known taken = std::exchange(now, before);
      visit(step.elseBody, isDivergent);
      now.join(taken);
      break;
    }
    default:
      break;
    }
  }

  // What an iteration leaves meets the next.
  void visitLoop(const Step &step, bool isDivergent) {
    auto follow = [&](Known head) {
      now = std::move(head);
      visit(step.body, isDivergent);
      return now;
    };
    now = loops.settle(step, now, follow).head; // which has what the last iteration left
  }

  // What the lanes do to each other inside one call is the body's own affair.
  void visitCall(const Step &step, LaneConflict place) {
    for (const Access &access : step.accesses) {
      const Open *earlier = task.warps == 1 && isLater(access) ? conflictOf(step, access) : nullptr;
      if (!earlier)
        continue;
      place.earlier = earlier->step;
      place.earlierAccess = earlier->access;
      place.field = access.field;
      if (reported.insert(&step).second)
        found(place);
      if (!place.isDivergent) // a barrier will stand here
        now.open.clear();
      break;
    }
    for (const Access &access : step.accesses) {
      if (isOurs(access))
        now.open.insert({&step, &access});
      now.hasWritten |= step.by == By::All && access.field && access.isWrite &&
                        access.mechanism == ir::Mechanism::Async &&
                        shareBytes(access.field, access.field);
    }
  }

  // What one lane gives notice of, the others may not have done yet. A field whose resource has
  // barriers of its own is ordered by these alone.
  void arriveAlone(const Step &step, LaneConflict place) {
    const std::string &resource = plan.barriers[step.barrier].resource;
    for (const Open &one : now.open) {
      const std::string &field = plan.fields[one.access->field];
      auto isOwner = [&](const std::string &name) {
        return !name.empty() && llvm::StringRef(field).starts_with(name + ".");
      };
      const bool isGuarded = llvm::any_of(
          plan.barriers, [&](const Barrier &barrier) { return isOwner(barrier.resource); });
      if (one.step->by != By::All || !shareBytes(one.access->field, one.access->field) ||
          (isGuarded && !resource.empty() && !isOwner(resource)))
        continue;
      place.earlier = one.step;
      place.earlierAccess = one.access;
      place.field = one.access->field;
      if (reported.insert(&step).second)
        found(place);
      if (!place.isDivergent) // a barrier will stand here
        now.open.clear();
      return;
    }
    if (!now.fence)
      return;
    place.earlier = now.fence;
    place.earlierAccess = nullptr;
    if (reported.insert(&step).second)
      found(place);
    if (!place.isDivergent)
      now.fence = nullptr;
  }

  // A copy that one lane starts takes, or overwrites, what others have still to write or to read.
  static bool isLater(const Access &access) {
    return access.field &&
           (access.mechanism == ir::Mechanism::Async || access.mechanism == ir::Mechanism::Tma);
  }
  // What the copy engine loads is ordered by barriers; a store of its own takes what the lanes have
  // written before.
  bool isOurs(const Access &access) const {
    return access.field && !access.isAtPeer &&
           (access.mechanism == ir::Mechanism::Async ||
            (access.mechanism == ir::Mechanism::Tma && !access.isWrite));
  }

  const Open *conflictOf(const Step &step, const Access &access) const {
    auto earlier =
        llvm::find_if(now.open, [&](const Open &o) { return conflicts(o, step, access); });
    return earlier == now.open.end() ? nullptr : &*earlier;
  }

  bool conflicts(const Open &earlier, const Step &step, const Access &access) const {
    if (!earlier.access->isWrite && !access.isWrite)
      return false;
    if (!shareBytes(earlier.access->field, access.field))
      return false;
    if (earlier.step->by != By::All && step.by != By::All)
      return false; // one lane, the same
    // One site in two trips: each lane writes its own again, as far as is known.
    if (earlier.access == &access)
      return access.elements.mayMeet;
    bool areStages =
        earlier.access->field == access.field && !earlier.access->at.cursor && !access.at.cursor;
    return !areStages || earlier.access->at.stage == access.at.stage;
  }

  // Who touches a stage of a pipeline again has waited for a phase in which every lane arrived:
  // that is what brackets are for. With a barrier by hand it shows when the task waits next.
  void arrive(const std::string &resource) {
    if (resource.empty()) {
      now.arrived = now.open;
      return;
    }
    std::set<Open> ofResource;
    for (const Open &one : now.open)
      if (llvm::StringRef(plan.fields[one.access->field]).starts_with(resource + "."))
        ofResource.insert(one);
    leave(ofResource);
  }

  // The next stage is another one, and coming round to this one again takes a wait.
  void advance(CursorId cursor) {
    std::set<Open> atCursor;
    for (const Open &one : now.open)
      if (one.access->at.cursor == cursor)
        atCursor.insert(one);
    leave(atCursor);
  }

  void leave(const std::set<Open> &ordered) {
    for (const Open &one : ordered)
      now.open.erase(one);
  }

  bool isThreads(ExprId id) const {
    return id && plan.tables.exprs[id].uniformity == ir::Uniformity::Thread;
  }

  const Plan &plan;
  const Task &task;
  llvm::function_ref<bool(FieldId, FieldId)> shareBytes;
  llvm::function_ref<void(const LaneConflict &)> found;
  Known now;
  std::set<const Step *> reported;
  LoopHeads<Known> loops;
};

} // namespace

bool findLaneConflicts(const Plan &plan, const Task &task,
                       llvm::function_ref<bool(FieldId, FieldId)> shareBytes,
                       llvm::function_ref<void(const LaneConflict &)> found) {
  if (task.isSingleLane)
    return false;
  return Finder(plan, task, shareBytes, found).run();
}

} // namespace tsk::plan
