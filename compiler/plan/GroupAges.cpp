#include "compiler/plan/GroupAges.h"

#include "compiler/plan/LoopHeads.h"
#include "compiler/target/Limits.h"

#include <algorithm>

namespace tsk::plan {

namespace {

constexpr unsigned Oldest = target::MaxPendingGroups; // nobody asks for more

// Of each work's calls that may be in flight, the newest first: how many groups are newer, at
// least.
class Ages {
public:
  void issue(WorkId work) {
    for (auto &[other, ages] : known)
      for (unsigned &age : ages)
        age = std::min(age + 1, Oldest);
    std::vector<unsigned> &own = known[work];
    own.insert(own.begin(), 0);
    if (own.size() > Oldest + 1)
      own.pop_back();
  }

  // How many groups are newer than a work's newest call but so many; none: it is over.
  std::optional<unsigned> of(WorkId work, unsigned but) const {
    const auto found = known.find(work);
    if (found == known.end() || but >= found->second.size())
      return std::nullopt;
    return found->second[but];
  }

  // All groups but the newest so many are over.
  void finish(unsigned pending) {
    for (auto &[work, ages] : known)
      ages.erase(std::lower_bound(ages.begin(), ages.end(), pending), ages.end());
  }

  std::set<WorkId> flying() const {
    std::set<WorkId> works;
    for (const auto &[work, ages] : known)
      if (!ages.empty())
        works.insert(work);
    return works;
  }

  // Another way to the same place: each call may be as new as on either.
  bool join(const Ages &other) {
    bool isChanged = false;
    for (const auto &[work, theirs] : other.known) {
      std::vector<unsigned> &ours = known[work];
      for (size_t i = 0; i < theirs.size(); ++i) {
        if (i < ours.size() && ours[i] <= theirs[i])
          continue;
        isChanged = true;
        if (i < ours.size())
          ours[i] = theirs[i];
        else
          ours.push_back(theirs[i]);
      }
    }
    return isChanged;
  }

private:
  std::map<WorkId, std::vector<unsigned>> known;
};

class Follower {
public:
  Follower(const Plan &thePlan, const std::set<WorkId> &queued) : plan(thePlan), works(queued) {}

  void follow(RegionId region, Ages &ages) {
    if (!region)
      return;
    for (const Step &step : plan.regions[region].steps)
      follow(step, ages);
  }

  std::map<const Step *, AwaitedGroups> awaited;

private:
  void follow(const Step &step, Ages &ages) {
    switch (step.kind) {
    case StepKind::Call:
      if (works.count(step.work))
        ages.issue(step.work);
      return;
    case StepKind::WaitGroup:
      if (works.count(step.work))
        await(step, ages);
      return;
    case StepKind::If: {
      Ages other = ages;
      follow(step.body, ages);
      follow(step.elseBody, other);
      ages.join(other);
      return;
    }
    case StepKind::For:
    case StepKind::ParallelFor: {
      const auto &loop = heads.settle(step, ages, [&](Ages inside) {
        follow(step.body, inside);
        return inside;
      });
      ages.join(loop.end); // or no iteration at all
      return;
    }
    default:
      return;
    }
  }

  void await(const Step &step, Ages &ages) {
    AwaitedGroups &found = awaited[&step];
    // Of what is over already nothing is waited for.
    const unsigned none = works.size() > 1 ? Oldest : step.pending;
    found.pending = ages.of(step.work, step.pending).value_or(none);
    Ages behind = ages;
    behind.finish(found.pending);
    found.maybeFlying = behind.flying();
    if (!step.isRead) // else what is stored may still be on its way
      ages = std::move(behind);
  }

  const Plan &plan;
  const std::set<WorkId> &works;
  LoopHeads<Ages> heads;
};

} // namespace

std::map<const Step *, AwaitedGroups> awaitedGroups(const Plan &plan, RegionId body,
                                                    const std::set<WorkId> &works) {
  Follower follower(plan, works);
  Ages none;
  follower.follow(body, none);
  return std::move(follower.awaited);
}

} // namespace tsk::plan
