#include "compiler/verify/checks/InFlightState.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"

namespace tsk::verify {

bool May::needs(proof::TermId condition) const {
  return llvm::any_of(ifs, [&](const Guard &guard) { return guard.condition == condition; });
}

// Of two ways with one contrary condition each, one is taken.
static bool areContrary(const std::set<Guard> &a, const std::set<Guard> &b, size_t common) {
  if (a.size() != common + 1 || b.size() != common + 1)
    return false;
  return llvm::any_of(a, [&](const Guard &guard) { return b.count(guard.negated()) != 0; });
}

May May::either(const May &other, bool isEven) const {
  May result{ifs, false};
  llvm::set_intersect(result.ifs, other.ifs);
  const size_t common = result.ifs.size();
  const bool isHere = !isVague && common == ifs.size();
  const bool isThere = !other.isVague && common == other.ifs.size();
  const bool isAlways = !isVague && !other.isVague && areContrary(ifs, other.ifs, common);
  result.isVague = !isHere && !(isEven && (isThere || isAlways));
  return result;
}

void May::forget(llvm::function_ref<bool(const Guard &)> isGone) {
  isVague |= std::erase_if(ifs, isGone) != 0;
}

bool Known::join(const Known &other) {
  const std::optional<May> touched = unfenced;
  if (unfenced && other.unfenced)
    unfenced = unfenced->either(*other.unfenced, /*isEven=*/true);
  else if (other.unfenced)
    unfenced = other.unfenced;
  bool isChanged = unfenced != touched;
  for (const auto &[field, flight] : other.flying) {
    auto [known, isNew] = flying.try_emplace(field, flight);
    Flight &mine = known->second;
    const bool isLess = flight.rank() < mine.rank(), isEven = flight.rank() == mine.rank();
    const May may =
        isLess ? flight.may.either(mine.may, false) : mine.may.either(flight.may, isEven);
    isChanged |= isNew || isLess || may != mine.may;
    if (isLess)
      mine = flight;
    mine.may = may;
  }
  const size_t before = written.size() + writtenIf.size();
  llvm::set_intersect(written, other.written);
  llvm::set_intersect(writtenIf, other.writtenIf);
  return isChanged || written.size() + writtenIf.size() != before;
}

void Known::enter(const Guard &guard) {
  std::erase_if(flying, [&](const auto &each) { return each.second.may.needs(guard.contrary); });
  if (unfenced && unfenced->needs(guard.contrary))
    unfenced.reset();
}

void Known::leave(const Guard &guard) {
  for (auto &[field, flight] : flying)
    flight.may.ifs.insert(guard);
  if (unfenced)
    unfenced->ifs.insert(guard);
}

void Known::forget(llvm::function_ref<bool(const Guard &)> isGone) {
  for (auto &[field, flight] : flying)
    flight.may.forget(isGone);
  if (unfenced)
    unfenced->forget(isGone);
}

} // namespace tsk::verify
