// Whether threads of one call meet in a tensor, by its indices.
#include "compiler/body/reader/Touches.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::body {

constexpr int64_t MaxTensorVisits = int64_t{1} << 26; // of all tensors of a work

// Indices of which both know the same of what all threads share, as one position among as many as
// there are. `isAll`: of no index more is known. None: of none.
std::optional<std::pair<Touch, Touch>> Touches::packed(const Touch &a, const Touch &b,
                                                       unsigned threads, bool &isAll) const {
  std::pair<Touch, Touch> result = {a, b};
  Sum sums[2];
  int64_t stride = 1;
  bool isInner = true; // the last one, which vectors are wide in
  for (size_t dim = a.indices.size(); dim-- > 0; isInner = false) {
    int64_t low = Value::Max, high = Value::Min;
    bool isKnown = a.indices[dim] && b.indices[dim] &&
                   a.indices[dim]->shared == b.indices[dim]->shared && stride <= MaxSpan;
    const Touch *sides[] = {&a, &b};
    for (size_t side = 0; side < 2 && isKnown; ++side) {
      Touch one = *sides[side];
      Sum own = *one.indices[dim];
      own.shared = {};
      one.sum = std::make_shared<const Sum>(std::move(own));
      int64_t least = 0, most = 0;
      isKnown = range(one, threads, least, most);
      if (!isKnown || least > most)
        continue;
      low = std::min(low, least);
      high = std::max(high, most + (isInner ? one.bytes - 1 : 0));
    }
    isAll &= isKnown;
    if (!isKnown || low > high || high - low >= MaxSpan) {
      isAll &= low > high && isKnown;
      if (isInner)
        result.first.bytes = result.second.bytes = 1;
      continue;
    }
    for (size_t side = 0; side < 2; ++side) {
      const Sum &from = *sides[side]->indices[dim];
      Sum &into = sums[side];
      if (into.own.size() < from.own.size())
        into.own.resize(from.own.size(), into.own[0]);
      for (size_t i = 0; i < into.own.size(); ++i)
        into.own[i] += stride * (from.own[from.own.size() == 1 ? 0 : i] - low);
      for (const auto &[number, round] : from.rounds) {
        Sum::Round &known = into.rounds[number];
        known.last = round.last;
        known.weight += stride * round.weight;
      }
    }
    stride *= high - low + 1;
  }
  if (stride == 1 && !isAll)
    return std::nullopt;
  result.first.sum = std::make_shared<const Sum>(std::move(sums[0]));
  result.second.sum = std::make_shared<const Sum>(std::move(sums[1]));
  return result;
}

// Elements differ where one index does, or where all that are comparable do together.
Meeting Touches::meetInElements(const Touch &a, const Touch &b, unsigned threads, Among among,
                                bool inOtherRound) const {
  if (a.elements && b.elements && a.elements->forms.size() == 1 &&
      a.elements->forms == b.elements->forms && a.elements->forms[0].isOwn)
    return Meeting::Never;
  if (a.indices.empty() || a.indices.size() != b.indices.size() || a.isFlat != b.isFlat ||
      a.isByBytes != b.isByBytes)
    return Meeting::Perhaps;
  const bool isOne = &a == &b;
  // In one dimension, nobody sees the rounds that others count: there, all of them are others.
  auto ask = [&](const Touch &first, const Touch &second, bool areRoundsSeen) {
    return meet(first, isOne ? first : second, threads, among, 0, inOtherRound && areRoundsSeen);
  };
  for (size_t dim = 0; dim < a.indices.size(); ++dim) {
    Touch first = a, second = b;
    first.sum = a.indices[dim];
    second.sum = b.indices[dim];
    if (dim + 1 < a.indices.size())
      first.bytes = second.bytes = 1;
    if (ask(first, second, false) == Meeting::Never)
      return Meeting::Never;
  }
  bool isAll = true;
  const auto together = packed(a, b, threads, isAll);
  const Meeting meeting =
      together ? ask(together->first, together->second, isAll) : Meeting::Perhaps;
  return meeting == Meeting::Certainly && (!isAll || a.isPart || b.isPart) ? Meeting::Perhaps
                                                                           : meeting;
}

std::vector<Touches::Found> Touches::tensorMeetings(unsigned threads, bool isOneOfWarp) const {
  visitsLeft = MaxTensorVisits;
  std::vector<Found> result = meetings(threads, isOneOfWarp, /*ofTensors=*/true);
  std::set<unsigned> written = writtenSomewhere, unseen = somewhere;
  unseen.insert(writtenSomewhere.begin(), writtenSomewhere.end());
  for (const auto &[number, touch] : all)
    if (touch.isTensor && touch.isWrite)
      written.insert(touch.role);
  for (unsigned role : unseen)
    if (written.count(role) &&
        llvm::none_of(result, [&](const Found &found) { return found.role == role; }))
      result.push_back({role, nullptr, nullptr, Meeting::Perhaps, {}});
  return result;
}

} // namespace tsk::body
