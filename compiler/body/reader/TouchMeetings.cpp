// Whether threads of one call meet in a field: who has been at each of its places.
#include "compiler/body/reader/Touches.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace tsk::body {

namespace {

// Who has been at each place, and in which rounds: nobody, one, or many.
class Visitors {
public:
  Visitors(int64_t first, size_t count, bool doesRoundMatter)
      : low(first), ids(count, Nobody), firsts(count), others(count),
        rounds(doesRoundMatter ? count : 0, Nobody) {}

  // Whether somebody else has been there; where rounds matter, in another round. Of many that have
  // been there pairwise alike in one of the two, one is: else they have met before.
  bool knowsOther(int64_t at, int id, int64_t round) const {
    return ids[at - low] != Nobody && isOther(ids[at - low], id) &&
           (rounds.empty() || isOther(rounds[at - low], round));
  }
  void add(int64_t at, int id, int64_t round, unsigned thread) {
    int &known = ids[at - low];
    if (known == Nobody)
      firsts[at - low] = thread;
    else if (known != id && known != Anybody)
      others[at - low] = thread;
    addTo(known, id);
    if (!rounds.empty())
      addTo(rounds[at - low], round);
  }
  // Of somebody else who was there.
  unsigned otherThread(int64_t at, unsigned thread, bool byWarp) const {
    const unsigned first = firsts[at - low];
    const bool isSame = byWarp ? first / 32 == thread / 32 : first == thread;
    return isSame && ids[at - low] == Anybody ? others[at - low] : first;
  }

  static constexpr int Nobody = -1, Anybody = -2;

private:
  template <typename T> static bool isOther(T known, T one) {
    return known != one || one == Anybody;
  }
  template <typename T> static void addTo(T &known, T one) {
    known = known == Nobody || known == one ? one : Anybody;
  }

  int64_t low;
  std::vector<int> ids;
  std::vector<unsigned> firsts, others; // of the first one, and of one who is another
  std::vector<int64_t> rounds;
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
    if (!visit(*each, threads, [&](unsigned, int64_t at, int64_t) {
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
bool Touches::haveCommon(const Touch &first, const Touch &second, unsigned threads, Among among,
                         bool inOtherRound, const Grid &grid) const {
  visitsLeft -= grid.span() / 16;
  const bool byWarp = among == Among::Warps;
  Visitors visitors(0, static_cast<size_t>(grid.span()), inOtherRound);
  bool hasMet = false;
  const auto go = [&](const Touch &touch, bool adds, bool asks) {
    visit(touch, threads, [&](unsigned thread, int64_t at, int64_t round) {
      const int id = touch.isElected && !byWarp ? Visitors::Anybody
                                                : static_cast<int>(byWarp ? thread / 32 : thread);
      for (int64_t i = 0; i < touch.bytes / grid.unit; ++i) {
        const int64_t where = grid.indexOf(at + i * grid.unit);
        if (asks && !hasMet && visitors.knowsOther(where, id, round)) {
          hasMet = true;
          metThreads = {visitors.otherThread(where, thread, byWarp), thread};
        }
        if (adds)
          visitors.add(where, id, round, thread);
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

Meeting Touches::meet(const Touch &a, const Touch &b, unsigned threads, Among among, int64_t grain,
                      bool inOtherRound) const {
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
  if (!haveCommon(first, isOne ? first : second, threads, among, inOtherRound, grid))
    return Meeting::Never;
  const bool isExact = grid.circle == 0 && a.isCertain && b.isCertain && !a.isElected &&
                       !b.isElected && !(isOne && a.isPerhapsAlike);
  return isExact ? Meeting::Certainly : Meeting::Perhaps;
}

// Whether all threads touch one element.
static bool isOnePlace(const Touch &touch) {
  return llvm::all_of(touch.indices,
                      [](const SumRef &index) { return index && index->own.size() == 1; });
}

// What does not follow from who the thread is may be the same in all: a sum of a warp's lanes. Then
// a thread that has stored it reads it, too.
static bool mayBeAlike(const Touch &a, const Touch &b) {
  return a.isWrite && !a.isAtomic && !b.isAtomic && !a.isStoredOwn &&
         (b.isWrite ? !b.isStoredOwn : isOnePlace(a));
}

// Whether two threads that are at one place are there in the same round, since each round goes
// elsewhere. Only asked where they cannot be followed, round by round.
static bool staysInRound(const Touch &touch) {
  const auto tells = [&](const SumRef &sum, uint32_t round, int64_t bytes) {
    return sum && sum->rounds.size() == 1 && sum->rounds.count(round) &&
           std::abs(sum->rounds.begin()->second.weight) >= bytes && llvm::all_equal(sum->own);
  };
  const auto isTold = [&](const auto &round) {
    for (size_t dim = 0; dim < touch.indices.size(); ++dim)
      if (tells(touch.indices[dim], round.first, dim + 1 < touch.indices.size() ? 1 : touch.bytes))
        return true;
    return tells(touch.sum, round.first, touch.bytes);
  };
  const auto areTold = [&](const SumRef &sum) { return !sum || llvm::all_of(sum->rounds, isTold); };
  return (touch.sum || touch.isTensor) && areTold(touch.sum) &&
         llvm::all_of(touch.indices, areTold);
}

Meeting Touches::meetAnywhere(const Touch &a, const Touch &b, unsigned threads, Among among,
                              bool inOtherRound) const {
  if (among == Among::Warps && threads <= 32)
    return Meeting::Never;
  if (!a.isTensor)
    return meet(a, b, threads, among, 0, inOtherRound);
  const Meeting meeting = meetInElements(a, b, threads, among, inOtherRound);
  return mayBeAlike(a, b) ? std::min(meeting, Meeting::Perhaps) : meeting;
}

// Of what many write alike, it does not matter who was the last.
Meeting Touches::meetItself(size_t number, const Touch &touch, unsigned threads,
                            bool isOneOfWarp) const {
  if (touch.isWhole)
    return Meeting::Never;
  const bool isOneByOne = isOneOfWarp || touch.isElected || touch.isCollective;
  const bool isAlike = touch.stored <= Level::Warp && isOnGrid(touch);
  const bool isAlikeEverywhere = isAlike && touch.stored <= Level::Task;
  const auto meetAmong = [&](Among among, bool isAlikeThere) {
    if (isAlikeThere && (!touch.isByRound || staysInRound(touch)))
      return Meeting::Never;
    if (isAlikeThere && !touch.isTensor && !isFinite(touch))
      return among == Among::Warps && threads <= 32 ? Meeting::Never : Meeting::Perhaps;
    return meetAnywhere(touch, touch, threads, among, isAlikeThere);
  };
  if (!isAlike && !isOneByOne)
    return meetAmong(Among::Threads, false);
  const Meeting amongWarps = meetAmong(Among::Warps, isAlikeEverywhere);
  // The rounds of one warp follow one another where its barrier lies between.
  const bool isOrdered = isAlike && !unordered.count({number, number});
  if (isOneByOne || isOrdered || amongWarps == Meeting::Certainly)
    return amongWarps;
  return std::max(amongWarps, meetAmong(Among::Threads, isAlike));
}

Meeting Touches::meetOther(size_t first, size_t second, unsigned threads, bool isOneOfWarp) const {
  const Touch &a = all.at(first), &b = all.at(second);
  const bool isInWarp = unordered.count({first, second}) || unordered.count({second, first});
  const bool byWarp = !isInWarp || isOneOfWarp || (a.isElected && b.isElected) ||
                      (a.isCollective && b.isCollective);
  return meetAnywhere(a, b, threads, byWarp ? Among::Warps : Among::Threads, false);
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
      if (a.role != b.role || a.isTensor != ofTensors || (!a.isWrite && !b.isWrite) ||
          (a.isAtomic && b.isAtomic) || areArms(a, b))
        continue;
      const Meeting meeting = first == second
                                  ? meetItself(first->first, a, threads, isOneOfWarp)
                                  : meetOther(first->first, second->first, threads, isOneOfWarp);
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
      if (meet(a, b, threads, Among::Threads, grain) != Meeting::Never)
        return true;
    }
  return false;
}

} // namespace tsk::body
