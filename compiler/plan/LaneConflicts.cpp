#include "compiler/plan/LaneConflicts.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tsk::plan {

namespace {

// One access that no barrier lies behind yet.
struct Open {
  const Step *step;
  const Access *access;
  bool operator<(const Open &other) const { return access < other.access; }
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
        open.clear();
        fence = nullptr;
      }
      break;
    case StepKind::Fence:
      // What lanes have stored, each has to fence by itself.
      if (step.fence == FenceKind::ProxyAsync && step.by == By::All && hasWritten)
        fence = &step;
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
        leave(arrived);
      break;
    case StepKind::Advance:
      advance(step.cursor);
      break;
    case StepKind::Call:
      visitCall(step, place);
      break;
    case StepKind::For:
      visitLoop(step, place);
      break;
    case StepKind::ParallelFor: {
      std::set<Open> before = open;
      visit(step.body, /*isDivergent=*/true);
      open.insert(before.begin(), before.end());
      break;
    }
    case StepKind::If: {
      bool isDivergent = place.isDivergent || isThreads(step.args[0]);
      std::set<Open> before = open;
      const Step *fenceBefore = fence;
      visit(step.body, isDivergent);
      std::swap(before, open);
      std::swap(fenceBefore, fence);
      visit(step.elseBody, isDivergent);
      open.insert(before.begin(), before.end());
      fence = fence ? fence : fenceBefore;
      break;
    }
    default:
      break;
    }
  }

  // What an iteration leaves meets the next, until that changes nothing. A loop within others is
  // seen again only if more can be open before it: each level of a nest would double the work else.
  void visitLoop(const Step &step, const LaneConflict &place) {
    const bool isDivergent = place.isDivergent || isThreads(step.loop.lower) ||
                             isThreads(step.loop.upper) || isThreads(step.loop.step);
    LoopState &known = loops[&step];
    while (known.grow(open, arrived, fence, hasWritten)) {
      open = known.open;
      arrived = known.arrived;
      fence = known.fence;
      visit(step.body, isDivergent);
    }
    open = known.open; // which has what the last iteration left
    arrived = known.arrived;
    fence = known.fence;
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
        open.clear();
      break;
    }
    for (const Access &access : step.accesses) {
      if (isOurs(access))
        open.insert({&step, &access});
      hasWritten |= step.by == By::All && access.field && access.isWrite &&
                    access.mechanism == ir::Mechanism::Async &&
                    shareBytes(access.field, access.field);
    }
  }

  // What one lane gives notice of, the others may not have done yet. A field whose resource has
  // barriers of its own is ordered by these alone.
  void arriveAlone(const Step &step, LaneConflict place) {
    const std::string &resource = plan.barriers[step.barrier].resource;
    for (const Open &one : open) {
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
        open.clear();
      return;
    }
    if (!fence)
      return;
    place.earlier = fence;
    place.earlierAccess = nullptr;
    if (reported.insert(&step).second)
      found(place);
    if (!place.isDivergent)
      fence = nullptr;
  }

  // A copy that one lane starts takes, or overwrites, what others have still to write or to read.
  static bool isLater(const Access &access) {
    return access.field &&
           (access.mechanism == ir::Mechanism::Async || access.mechanism == ir::Mechanism::Tma);
  }
  // What the copy engine loads is ordered by barriers; a store of its own takes what the lanes have
  // written before.
  bool isOurs(const Access &access) const {
    return access.field && (access.mechanism == ir::Mechanism::Async ||
                            (access.mechanism == ir::Mechanism::Tma && !access.isWrite));
  }

  const Open *conflictOf(const Step &step, const Access &access) const {
    auto earlier = llvm::find_if(open, [&](const Open &o) { return conflicts(o, step, access); });
    return earlier == open.end() ? nullptr : &*earlier;
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
      arrived = open;
      return;
    }
    std::set<Open> ofResource;
    for (const Open &one : open)
      if (llvm::StringRef(plan.fields[one.access->field]).starts_with(resource + "."))
        ofResource.insert(one);
    leave(ofResource);
  }

  // The next stage is another one, and coming round to this one again takes a wait.
  void advance(CursorId cursor) {
    std::set<Open> atCursor;
    for (const Open &one : open)
      if (one.access->at.cursor == cursor)
        atCursor.insert(one);
    leave(atCursor);
  }

  void leave(const std::set<Open> &ordered) {
    for (const Open &one : ordered)
      open.erase(one);
  }

  bool isThreads(ExprId id) const {
    return id && plan.tables.exprs[id].uniformity == ir::Uniformity::Thread;
  }

  // Before an iteration of a loop, whichever: all that may be open, and what has arrived surely.
  struct LoopState {
    std::set<Open> open, arrived;
    const Step *fence = nullptr;
    bool hasWritten = false, isReached = false;

    bool grow(const std::set<Open> &moreOpen, const std::set<Open> &nowArrived,
              const Step *nowFence, bool hasWrittenNow) {
      const size_t before = open.size(), arrivedBefore = arrived.size();
      const bool isFenced = nowFence && !fence;
      const bool isNewlyWritten = hasWrittenNow && !hasWritten;
      hasWritten |= hasWrittenNow;
      open.insert(moreOpen.begin(), moreOpen.end());
      if (isFenced)
        fence = nowFence;
      if (!isReached) {
        isReached = true;
        arrived = nowArrived;
        return true;
      }
      std::erase_if(arrived, [&](const Open &one) { return nowArrived.count(one) == 0; });
      return isFenced || isNewlyWritten || open.size() != before || arrived.size() != arrivedBefore;
    }
  };

  const Plan &plan;
  const Task &task;
  llvm::function_ref<bool(FieldId, FieldId)> shareBytes;
  llvm::function_ref<void(const LaneConflict &)> found;
  std::set<Open> open;
  std::set<Open> arrived; // before the last arrival by hand
  std::set<const Step *> reported;
  std::map<const Step *, LoopState> loops;
  const Step *fence = nullptr; // of all lanes, and no barrier since
  bool hasWritten = false;     // lanes have, to shared memory
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
