// What is known of pairs of symbols: that one number is at least another by so much, and that one
// condition implies another.
#include "compiler/verify/proof/Symbols.h"

#include <algorithm>
#include <climits>

namespace tsk::proof {

static constexpr int64_t MaxDistance = 1000; // what lies further apart is not related
static constexpr size_t MaxSymbols = 100;    // whose pairs are looked at

// Those that the ranges of the two do not say already.
std::vector<Symbols::Distance> Symbols::distances() {
  std::vector<Distance> result;
  Terms &terms = facts.all();
  if (counted.size() > MaxSymbols)
    return result;
  for (const auto &[a, first] : counted)
    for (const auto &[b, second] : counted) {
      if (a == b || first.suffix != second.suffix || first.term == second.term ||
          program.symbols[a].isPerTile != program.symbols[b].isPerTile)
        continue;
      // One loop's count, far beyond the other's: runs in which both are small are no matter.
      if (isFar(sumOf(first.term)) || isFar(sumOf(second.term)))
        continue;
      Range difference = terms.range(terms.difference(first.term, second.term));
      Wide known = terms.range(first.term).low - terms.range(second.term).high;
      if (difference.low > known && difference.low <= MaxDistance && difference.low >= -MaxDistance)
        result.push_back({a, b, static_cast<int64_t>(difference.low)});
    }
  return result;
}

// Numbers stand for all below them where these make no difference. The distance must hold of what
// stands there, too: the smaller one goes on as far down as the larger one does. False: it has not
// been so.
bool Symbols::keepDistance(const Distance &distance) {
  Limits &smaller = numbers[distance.smaller];
  Limits &larger = numbers[distance.larger];
  larger.low = std::max(larger.low, std::min(MaxDistance, smaller.low + distance.atLeast));
  need(distance.larger, larger.needed);
  int64_t end = program.symbols[distance.larger].min - distance.atLeast;
  if (program.symbols[distance.smaller].min <= end)
    return true;
  need(distance.smaller, end);
  return program.symbols[distance.smaller].min <= end;
}

// `n > 7` implies `n > 5`.
void Symbols::relateChoices() {
  for (const auto &[a, first] : chosen)
    for (const auto &[b, second] : chosen) {
      const Term &one = facts.all()[first.term], &other = facts.all()[second.term];
      bool isOrder = one.kind == TermKind::AtMost && other.kind == TermKind::AtMost &&
                     one.operands == other.operands && one.constant < other.constant;
      if (!isOrder || first.suffix != second.suffix ||
          program.symbols[a].isPerTile != program.symbols[b].isPerTile)
        continue;
      // The first implies the second; 1 says so of both or of neither.
      if (isContrary[a])
        program.relations.push_back({a, b, 0});
      else
        program.relations.push_back({b, a, 0});
    }
}

void Symbols::relate() {
  std::vector<Distance> all = distances();
  // Each step down of one may need others; whoever does not come to rest is not related.
  constexpr int Rounds = 8;
  for (int round = 0; round < Rounds; ++round) {
    bool isStable = true;
    for (const Distance &distance : all) {
      int before = program.symbols[distance.smaller].min;
      keepDistance(distance);
      isStable &= program.symbols[distance.smaller].min == before;
    }
    if (isStable)
      break;
  }
  for (const Distance &distance : all)
    if (program.symbols[distance.smaller].min + distance.atLeast <=
        program.symbols[distance.larger].min)
      program.relations.push_back(
          {distance.larger, distance.smaller, static_cast<int>(distance.atLeast)});
  relateChoices();
}

} // namespace tsk::proof
