#include "compiler/body/reader/Touches.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::body {

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

int64_t Touches::mostRounds(uint32_t number, const Sum::Round &round) const {
  const auto own = trips.find(number);
  return own == trips.end() ? round.last + 1 : *llvm::max_element(own->second);
}

bool Touches::visitRounds(const Touch &touch, unsigned thread, int64_t at, int64_t key,
                          std::map<uint32_t, Sum::Round>::const_iterator round, Visit found) const {
  if (round == touch.sum->rounds.end())
    return found(thread, at, key);
  const int64_t count = roundsOf(round->first, round->second, thread);
  key *= mostRounds(round->first, round->second);
  for (int64_t k = 0; k < count; ++k)
    if (!visitRounds(touch, thread, at + k * round->second.weight, key + k, std::next(round),
                     found))
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
    if (comes && !visitRounds(touch, thread, own[own.size() == 1 ? 0 : thread], 0,
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
  return visit(touch, threads, [&](unsigned, int64_t at, int64_t) {
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
