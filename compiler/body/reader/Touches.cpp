#include "compiler/body/reader/Touches.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace tsk::body {

constexpr int64_t MaxVisits = int64_t{1} << 21; // of one touch

bool Touches::add(size_t number, Touch touch) {
  const auto [known, isNew] = all.try_emplace(number, std::move(touch));
  if (isNew)
    return true;
  // Two ways to one statement, or two of one macro: what holds for both.
  Touch &both = known->second;
  both.sum = nullptr;
  both.isWhole = both.isCertain = false;
  both.indices.clear();
  both.elements = nullptr;
  both.isElected &= touch.isElected;
  both.isCollective &= touch.isCollective;
  both.low = std::min(both.low, touch.low);
  both.high = std::max(both.high, touch.high);
  both.bytes = std::max(both.bytes, touch.bytes);
  both.stored = Level::Thread; // each may store another value
  if (both.active != touch.active)
    both.active.clear();
  std::erase_if(both.arms, [&](const auto &arm) {
    const auto other = touch.arms.find(arm.first);
    return other == touch.arms.end() || other->second != arm.second;
  });
  return false;
}

bool Touches::isVague() const {
  return llvm::any_of(all, [](const auto &each) {
    const Touch &touch = each.second;
    return !touch.isTensor && !touch.isWhole && touch.sum == nullptr;
  });
}

// ---- Positions ----------------------------------------------------------------------------------

bool Touches::isFinite(const Touch &touch) const {
  return touch.sum && !touch.isWhole && llvm::all_of(touch.sum->rounds, [&](const auto &round) {
           return round.second.last >= 0 || trips.count(round.first);
         });
}

int64_t Touches::roundsOf(uint32_t number, const Sum::Round &round, unsigned thread) const {
  const auto own = trips.find(number);
  return own == trips.end() ? round.last + 1 : own->second[own->second.size() == 1 ? 0 : thread];
}

bool Touches::visitRounds(const Touch &touch, unsigned thread, int64_t at,
                          std::map<uint32_t, Sum::Round>::const_iterator round, Visit found) const {
  if (round == touch.sum->rounds.end())
    return found(thread, at);
  const int64_t count = roundsOf(round->first, round->second, thread);
  for (int64_t k = 0; k < count; ++k)
    if (!visitRounds(touch, thread, at + k * round->second.weight, std::next(round), found))
      return false;
  return true;
}

// Where each thread begins to touch, but for what all threads share. False: stopped. A loop that a
// thread does not run is seen before those around it are followed.
bool Touches::visit(const Touch &touch, unsigned threads, Visit found) const {
  const std::vector<int64_t> &own = touch.sum->own;
  for (unsigned thread = 0; thread < threads; ++thread) {
    const bool comes = (touch.active.empty() || touch.active[thread]) &&
                       llvm::all_of(touch.sum->rounds, [&](const auto &round) {
                         return roundsOf(round.first, round.second, thread) > 0;
                       });
    if (comes && !visitRounds(touch, thread, own[own.size() == 1 ? 0 : thread],
                              touch.sum->rounds.begin(), found))
      return false;
  }
  return true;
}

bool Touches::range(const Touch &touch, unsigned threads, int64_t &low, int64_t &high) const {
  const auto isOwnTrips = [&](const auto &round) {
    const auto own = trips.find(round.first);
    return own == trips.end() || own->second.size() == 1 || own->second.size() == threads;
  };
  if (!isFinite(touch) || threads == 0 || touch.sum->shared != Sum::Shared() ||
      !llvm::all_of(touch.sum->rounds, isOwnTrips))
    return false;
  low = Value::Max;
  high = Value::Min;
  const std::vector<int64_t> &own = touch.sum->own;
  for (unsigned thread = 0; thread < threads; ++thread) {
    if (!touch.active.empty() && !touch.active[thread])
      continue;
    int64_t least = own[own.size() == 1 ? 0 : thread], most = least;
    bool comes = true;
    for (const auto &[number, round] : touch.sum->rounds) {
      int64_t last = round.last;
      if (const auto trip = trips.find(number); trip != trips.end())
        last = trip->second[trip->second.size() == 1 ? 0 : thread] - 1;
      comes &= last >= 0;
      (round.weight < 0 ? least : most) += round.weight * last;
    }
    if (comes) {
      low = std::min(low, least);
      high = std::max(high, most);
    }
  }
  return true;
}

// ---- Meetings -----------------------------------------------------------------------------------

namespace {

// Who has been at each place: nobody, one, or many.
class Visitors {
public:
  Visitors(int64_t first, size_t count)
      : low(first), ids(count, Nobody), firsts(count), others(count) {}

  // Whether somebody else has been there.
  bool knowsOther(int64_t at, int id) const {
    return ids[at - low] != Nobody && (ids[at - low] != id || id == Anybody);
  }
  void add(int64_t at, int id, unsigned thread) {
    int &known = ids[at - low];
    if (known == Nobody)
      firsts[at - low] = thread;
    else if (known != id && known != Anybody)
      others[at - low] = thread;
    known = known == Nobody || known == id ? id : Anybody;
  }
  // Of somebody else who was there.
  unsigned otherThread(int64_t at, unsigned thread, bool byWarp) const {
    const unsigned first = firsts[at - low];
    const bool isSame = byWarp ? first / 32 == thread / 32 : first == thread;
    return isSame && ids[at - low] == Anybody ? others[at - low] : first;
  }

  static constexpr int Nobody = -1, Anybody = -2;

private:
  int64_t low;
  std::vector<int> ids;
  std::vector<unsigned> firsts, others; // of the first one, and of one who is another
};

// What the difference of two sums' shared parts is a multiple of; 0: it is none.
int64_t grainBetween(const Sum &a, const Sum &b) {
  int64_t grain = 0;
  auto add = [&](const auto &one, const auto &other) {
    for (const auto &[key, weight] : one) {
      const auto known = other.find(key);
      grain = std::gcd(grain, weight - (known == other.end() ? 0 : known->second));
    }
  };
  add(a.shared.roles, b.shared.roles);
  add(b.shared.roles, a.shared.roles);
  add(a.shared.others, b.shared.others);
  add(b.shared.others, a.shared.others);
  return grain;
}

// Whether the places of a touch are the same or apart, never overlapping in a part.
bool isOnGrid(const Touch &touch) {
  if (!touch.sum || touch.bytes <= 0)
    return true;
  auto isOn = [&](int64_t distance) { return distance % touch.bytes == 0; };
  const std::vector<int64_t> &own = touch.sum->own;
  return llvm::all_of(own, [&](int64_t place) { return isOn(place - own[0]); }) &&
         llvm::all_of(touch.sum->rounds,
                      [&](const auto &round) { return isOn(round.second.weight); });
}

// Whether two touches may reach the same bytes by what is known of where they begin.
bool mayOverlap(const Touch &a, const Touch &b) {
  auto endsBefore = [](const Touch &x, const Touch &y) {
    return x.high != Value::Max && y.low != Value::Min && x.bytes > 0 && x.high + x.bytes <= y.low;
  };
  return a.isLogical != b.isLogical || (!endsBefore(a, b) && !endsBefore(b, a));
}

} // namespace

// The bytes that touches are compared on, in units of all their steps: between `low` and `high`, or
// round a circle, where they differ by any multiple of its length.
struct Touches::Grid {
  int64_t unit = 0, circle = 0; // 0: it is none
  int64_t low = Value::Max, high = Value::Min;

  int64_t span() const { return circle ? circle / unit : (high - low) / unit; }
  int64_t indexOf(int64_t at) const {
    const int64_t place = (at - (circle ? 0 : low)) / unit;
    return circle ? ((place % span()) + span()) % span() : place;
  }
};

Touches::Grid Touches::gridOf(const Touch &a, const Touch &b, int64_t grain) const {
  Grid grid;
  grid.circle = std::gcd(grain, grainBetween(*a.sum, *b.sum));
  grid.unit = std::gcd(a.bytes, b.bytes);
  for (const Touch *each : {&a, &b}) {
    for (const auto &[number, round] : each->sum->rounds) {
      grid.unit = std::gcd(grid.unit, round.weight);
      if (round.last < 0 && !trips.count(number))
        grid.circle = std::gcd(grid.circle, round.weight);
    }
    for (int64_t own : each->sum->own)
      grid.unit = std::gcd(grid.unit, own);
  }
  grid.unit = std::gcd(grid.unit, grid.circle);
  return grid;
}

// Rounds without an end are where they begin, on a circle of their length.
Touch Touches::withEnds(const Touch &touch) const {
  Sum sum = *touch.sum;
  for (auto &[number, round] : sum.rounds)
    if (round.last < 0 && !trips.count(number))
      round.last = 0;
  Touch result = touch;
  result.sum = std::make_shared<const Sum>(std::move(sum));
  return result;
}

// How far they reach. False: that takes too long.
bool Touches::measure(llvm::ArrayRef<const Touch *> touches, unsigned threads, Grid &grid) const {
  int64_t visits = 0;
  for (const Touch *each : touches)
    if (!visit(*each, threads, [&](unsigned, int64_t at) {
          grid.low = std::min(grid.low, at);
          grid.high = std::max(grid.high, at + each->bytes);
          visits += each->bytes / grid.unit;
          visitsLeft -= 1 + each->bytes / grid.unit; // now, and when they are compared
          return visits < MaxVisits && visitsLeft > 0;
        }))
      return false;
  return grid.low > grid.high || grid.span() <= MaxSpan;
}

// Whether somebody else is where the second one comes.
bool Touches::haveCommon(const Touch &first, const Touch &second, unsigned threads, bool byWarp,
                         const Grid &grid) const {
  visitsLeft -= grid.span() / 16;
  Visitors visitors(0, static_cast<size_t>(grid.span()));
  bool hasMet = false;
  const auto go = [&](const Touch &touch, bool adds, bool asks) {
    visit(touch, threads, [&](unsigned thread, int64_t at) {
      const int id = touch.isElected && !byWarp ? Visitors::Anybody
                                                : static_cast<int>(byWarp ? thread / 32 : thread);
      for (int64_t i = 0; i < touch.bytes / grid.unit; ++i) {
        const int64_t where = grid.indexOf(at + i * grid.unit);
        if (asks && !hasMet && visitors.knowsOther(where, id)) {
          hasMet = true;
          metThreads = {visitors.otherThread(where, thread, byWarp), thread};
        }
        if (adds)
          visitors.add(where, id, thread);
      }
      return !hasMet;
    });
  };
  const bool isOne = &first == &second;
  go(first, true, isOne);
  if (!isOne)
    go(second, false, true);
  return hasMet;
}

Meeting Touches::meet(const Touch &a, const Touch &b, unsigned threads, bool byWarp,
                      int64_t grain) const {
  if (!mayOverlap(a, b))
    return Meeting::Never;
  if (!a.sum || !b.sum || a.isWhole || b.isWhole || a.isLogical != b.isLogical || a.bytes <= 0 ||
      b.bytes <= 0 || visitsLeft <= 0)
    return Meeting::Perhaps;
  Grid grid = gridOf(a, b, grain);
  const bool isOne = &a == &b;
  const Touch first = withEnds(a), second = withEnds(b);
  if (!measure({&first, &second}, threads, grid))
    return Meeting::Perhaps;
  if (grid.low > grid.high)
    return Meeting::Never;
  if (grid.circle && (a.bytes > grid.circle || b.bytes > grid.circle))
    return Meeting::Perhaps;
  if (!haveCommon(first, isOne ? first : second, threads, byWarp, grid))
    return Meeting::Never;
  const bool isExact =
      grid.circle == 0 && a.isCertain && b.isCertain && !a.isElected && !b.isElected;
  return isExact ? Meeting::Certainly : Meeting::Perhaps;
}

// Whether all threads touch one element.
static bool isOnePlace(const Touch &touch) {
  return llvm::all_of(touch.indices,
                      [](const SumRef &index) { return index && index->own.size() == 1; });
}

std::vector<Touches::Found> Touches::meetings(unsigned threads, bool isOneOfWarp,
                                              bool ofTensors) const {
  std::map<unsigned, Found> byRole;
  auto areArms = [](const Touch &a, const Touch &b) {
    return llvm::any_of(a.arms, [&](const auto &arm) {
      const auto other = b.arms.find(arm.first);
      return other != b.arms.end() && other->second != arm.second;
    });
  };
  for (auto first = all.begin(); first != all.end(); ++first)
    for (auto second = first; second != all.end(); ++second) {
      const Touch &a = first->second, &b = second->second;
      const bool isOne = first == second;
      if (a.role != b.role || a.isTensor != ofTensors || (!a.isWrite && !b.isWrite) ||
          (a.isAtomic && b.isAtomic) || areArms(a, b))
        continue;
      // Of what many write alike, it does not matter who was the last.
      if (isOne && (a.isWhole || (a.stored <= Level::Task && isOnGrid(a))))
        continue;
      const bool isInWarp = isOne ? a.stored > Level::Warp && !a.isElected
                                  : unordered.count({first->first, second->first}) ||
                                        unordered.count({second->first, first->first});
      const bool byWarp = !isInWarp || isOneOfWarp || (a.isElected && b.isElected) ||
                          (a.isCollective && b.isCollective);
      if (byWarp && threads <= 32)
        continue;
      Meeting meeting =
          ofTensors ? meetInElements(a, b, threads, byWarp) : meet(a, b, threads, byWarp);
      // What does not follow from who the thread is may be the same in all: a sum of a warp's
      // lanes. Then a thread that has stored it reads it, too.
      const bool areAlike = a.isWrite && !a.isAtomic && !b.isAtomic && !a.isStoredOwn &&
                            (b.isWrite ? !b.isStoredOwn : isOnePlace(a));
      if (ofTensors && areAlike)
        meeting = std::min(meeting, Meeting::Perhaps);
      Found &found = byRole[a.role];
      if (found.meeting < meeting)
        found = {a.role, &a, &b, meeting, metThreads};
    }
  std::vector<Found> result;
  for (const auto &[role, found] : byRole)
    if (found.meeting != Meeting::Never)
      result.push_back(found);
  return result;
}

bool Touches::mayMeetLater(unsigned role, unsigned threads) const {
  for (const auto &[number, a] : all)
    for (const auto &[other, b] : all) {
      if (a.role != role || b.role != role || !a.isWrite || !b.isWrite || a.isWhole || b.isWhole)
        continue;
      if ((a.isAtomic && b.isAtomic) || (a.isCollective && b.isCollective))
        continue;
      const int64_t grain =
          a.sum && b.sum ? std::gcd(grainBetween(*a.sum, Sum()), grainBetween(*b.sum, Sum())) : 0;
      if (meet(a, b, threads, false, grain) != Meeting::Never)
        return true;
    }
  return false;
}

// ---- Covers -------------------------------------------------------------------------------------

// Marks the bytes of a touch; false: which ones is not known.
bool Touches::cover(const Touch &touch, unsigned threads, std::vector<bool> &into) const {
  const auto size = static_cast<int64_t>(into.size());
  const auto mark = [&](int64_t at, int64_t bytes) {
    for (int64_t i = std::max<int64_t>(at, 0); i < std::min(at + bytes, size); ++i)
      into[static_cast<size_t>(i)] = true;
  };
  if (touch.isWhole) {
    mark(0, touch.bytes);
    return true;
  }
  if (!isFinite(touch) || touch.sum->shared != Sum::Shared() || touch.isElected || visitsLeft <= 0)
    return false;
  int64_t visits = 0;
  return visit(touch, threads, [&](unsigned, int64_t at) {
    mark(at, touch.bytes);
    visitsLeft -= touch.bytes;
    return (visits += touch.bytes) < MaxVisits && visitsLeft > 0;
  });
}

std::vector<CoverFact> Touches::covers(unsigned threads, llvm::ArrayRef<int64_t> bytes) const {
  std::vector<CoverFact> result;
  for (unsigned role = 0; role < bytes.size(); ++role)
    for (bool isWrite : {false, true}) {
      std::vector<bool> covered(static_cast<size_t>(bytes[role]));
      bool isTouched = false, isLogical = false, isPhysical = false;
      for (const auto &[number, touch] : all) {
        if (touch.role != role || touch.isWrite != isWrite || touch.isTensor)
          continue;
        isTouched = true;
        (touch.isLogical ? isLogical : isPhysical) |= !touch.isWhole;
        std::vector<bool> more(covered.size());
        const bool isKnown = cover(touch, threads, more);
        for (size_t i = 0; i < covered.size(); ++i)
          if (isWrite ? isKnown && touch.isCertain && more[i] : !isKnown || more[i])
            covered[i] = true;
      }
      if (!isTouched || bytes[role] == 0)
        continue;
      // A field that is looked at in two ways: all of it, or nothing.
      if (isLogical && isPhysical && !llvm::all_of(covered, [](bool byte) { return byte; }))
        covered.assign(covered.size(), !isWrite);
      CoverFact fact;
      fact.role = role;
      fact.isWrite = isWrite;
      for (size_t i = 0; i < covered.size(); ++i)
        if (covered[i] && (i == 0 || !covered[i - 1]))
          fact.ranges.push_back({static_cast<int64_t>(i), static_cast<int64_t>(i + 1)});
        else if (covered[i])
          ++fact.ranges.back().second;
      result.push_back(std::move(fact));
    }
  return result;
}

} // namespace tsk::body
