// Where in a field the threads of a call read and write: whether they stay inside of it, and
// whether they meet there.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// ---- Touches ------------------------------------------------------------------------------------

std::optional<size_t> Interpreter::touchNumber(unsigned role, bool isWrite, Place place) {
  const bool isTensor = isOfTensor(role);
  size_t &count = isTensor ? tensorTouches : fieldTouches;
  const auto [known, isNew] =
      touchNumbers.try_emplace({role, isWrite, isAtomic, sitesTo(place)}, count);
  count += isNew;
  if (known->second < MaxTouches)
    return known->second + (isTensor ? MaxTouches : 0);
  if (isTensor)
    touches.addUnknown(role, isWrite);
  else
    giveUp("it touches shared memory in too many places", place);
  return std::nullopt;
}

// Whether all threads come here, or all of which it is known.
bool Interpreter::isCertain() const {
  return llvm::all_of(controls, [](const Control &control) {
    const bool isKnown =
        !control.active.empty() || control.isExact ||
        (control.kind == Control::Kind::Branch && control.elects != Value::Elects::Nobody);
    return (!control.isConditional || isKnown) &&
           (!control.isParted || (!control.active.empty() && !control.isVague));
  });
}

// The same, and each thread of which the elements speak is one that comes.
bool Interpreter::isCertainOf(const ir::Elements &elements) const {
  const std::vector<bool> active = activeThreads();
  const bool isAnybody = function.isOneLane || llvm::any_of(controls, [](const Control &control) {
                           return control.elects != Value::Elects::Nobody && control.active.empty();
                         });
  auto comesTo = [&](const ir::ElementIndex &index) {
    const std::vector<std::optional<int64_t>> own = ir::threadOffsets(index).own;
    const auto isSame = [&](const std::optional<int64_t> &each) { return !each || each == own[0]; };
    if (own[0] && llvm::all_of(own, isSame))
      return true; // whoever it is
    for (size_t i = 0; i < own.size(); ++i)
      if (own[i] && (isAnybody || (i < active.size() && !active[i])))
        return false;
    return true;
  };
  return isCertain() && llvm::all_of(elements.forms, [&](const ir::ElementForm &form) {
           return llvm::all_of(form.dims, comesTo);
         });
}

// By the threads that come here, of a tensor or a field in shared memory; none: of something else.
std::optional<Touch> Interpreter::startTouch(const Target &target, bool isWrite) const {
  if (function.roles[target.id].bytes == 0 && !isOfTensor(target.id))
    return std::nullopt;
  Touch touch;
  touch.role = target.id;
  touch.isWrite = isWrite;
  touch.isTensor = isOfTensor(target.id);
  touch.active = activeThreads();
  if (touch.active.size() != function.threads)
    touch.active.clear();
  return touch;
}

void Interpreter::addTouch(Touch touch, Place place) {
  const std::optional<size_t> number = touchNumber(touch.role, touch.isWrite, place);
  if (!number)
    return;
  for (size_t other : state.open.set_bits())
    touches.addPair(other, *number);
  bool isInLoop = false;
  for (const Control &control : controls) {
    isInLoop |= control.kind == Control::Kind::Loop;
    if (control.kind == Control::Kind::Branch && control.branch && control.level <= Level::Task &&
        !isInLoop)
      touch.arms[control.branch] = control.isElse;
    touch.isElected |= control.elects == Value::Elects::OneOfWarp && control.active.empty();
  }
  touch.isAtomic = isAtomic;
  touch.isCertain = isCertain();
  const bool isTensor = touch.isTensor;
  const Chain chain = chainTo(place);
  touch.place = chain.empty() ? Place{} : chain.front();
  touch.via = chain.size() > 1 ? chain.back() : Place{};
  if (isRecording && comes)
    isCoarse |= !touches.add(*number, std::move(touch)) && !isTensor;
  state.open.set(static_cast<unsigned>(*number));
}

// Which lane of its warp a thread is, nobody knows: what does not depend on it.
SumRef Interpreter::ofAnyLane(const SumRef &sum) const {
  if (!sum || !function.isOneLane)
    return sum;
  for (size_t i = 0; i < sum->own.size(); ++i)
    if (sum->own[i] != sum->own[function.isByWarp ? i / 32 * 32 : 0])
      return nullptr;
  return sum;
}

// How far threads store the same there: what changes from round to round of the loops around, only
// where the place tells these rounds apart. Rounds that are followed one by one are touches each.
void Interpreter::noteStored(Touch &touch) const {
  touch.stored = storedLevel;
  const auto isTold = [&](uint32_t round) {
    const auto tells = [&](const SumRef &sum) { return sum && sum->rounds.count(round); };
    return tells(touch.sum) || llvm::any_of(touch.indices, tells);
  };
  bool isRepeated = false, areAllTold = true;
  for (const Control &control : controls)
    if (control.kind == Control::Kind::Loop && !control.isFollowed && control.trips != 1) {
      isRepeated = true;
      areAllTold &= control.round && isTold(*control.round);
    }
  if (!isRepeated || (storedSum && storedSum->rounds.empty()))
    return;
  const bool isSumTold = storedSum && llvm::all_of(storedSum->rounds, [&](const auto &round) {
                           return isTold(round.first);
                         });
  touch.isByRound = areAllTold || isSumTold;
  if (touch.isByRound || storedLevel > Level::Warp)
    return;
  touch.isPerhapsAlike = !storedSum;
  touch.stored = Level::Thread;
}

void Interpreter::noteTouch(const Target &target, bool isWrite, Place place, const Location &at) {
  std::optional<Touch> touch = startTouch(target, isWrite);
  if (!touch || function.threads == 0)
    return;
  touch->isLogical = at.isLogical;
  touch->bytes = at.bytes;
  touch->isStoredOwn = isWrite && isStoredOwn;
  if (isOfTensor(target.id)) {
    setElements(*touch, at);
    if (isWrite)
      noteStored(*touch);
    return addTouch(std::move(*touch), place);
  }
  touch->sum = sumOf(at.offset);
  if (touch->sum && touch->sum->own.size() > 1 && touch->sum->own.size() != function.threads)
    touch->sum = nullptr;
  if (at.offset) {
    touch->low = at.offset->low;
    touch->high = at.offset->high;
  }
  if (isWrite)
    noteStored(*touch);
  checkInside(*touch, at, place);
  touch->sum = ofAnyLane(touch->sum);
  addTouch(std::move(*touch), place);
}

// Of a tensor: by its indices, or by bytes where the address was taken.
void Interpreter::setElements(Touch &touch, const Location &at) const {
  if (at.elements) {
    touch.indices = at.elements->indices;
    touch.isFlat = at.elements->isFlat;
    touch.bytes = at.elements->width;
    touch.isPart = at.bytes != at.elements->bytes;
    touch.elements = at.elements;
  } else if (const SumRef offset = sumOf(at.offset); offset && at.bytes > 0) {
    touch.indices = {offset};
    touch.isByBytes = true;
  }
  for (SumRef &index : touch.indices) {
    if (index && index->own.size() > 1 && index->own.size() != function.threads)
      index = nullptr;
    index = ofAnyLane(index);
  }
}

void Interpreter::noteWhole(const Target &target, bool isWrite, Place place) {
  std::optional<Touch> touch = startTouch(target, isWrite);
  if (!touch || isOfTensor(target.id))
    return;
  touch->isWhole = true;
  touch->low = touch->high = 0;
  touch->bytes = function.roles[target.id].bytes;
  addTouch(std::move(*touch), place);
}

// ---- Judged -------------------------------------------------------------------------------------

void Interpreter::checkInside(const Touch &touch, const Location &at, Place place) {
  const int64_t most = function.roles[touch.role].bytes - touch.bytes;
  int64_t low = touch.low, high = touch.high, least = 0, last = 0;
  const bool isExact = touches.range(touch, function.threads, least, last);
  if (isExact && least > last)
    return; // nobody comes
  if (isExact) {
    low = std::max(low, least);
    high = std::min(high, last);
  }
  if (touch.bytes > 0 && low >= 0 && high <= most)
    return;
  const bool isKnown = low != Value::Min && high != Value::Max && touch.bytes > 0;
  const bool isAlways = isKnown && (low > most || high < 0);
  const bool isTaken = isKnown && ((at.offset->isTaken && isUnconditional()) ||
                                   (isExact && least == low && last == high && isCertain()));
  EventFact fact;
  fact.kind = isAlways || isTaken ? EventFact::Kind::Outside : EventFact::Kind::NotShownInside;
  fact.role = touch.role;
  fact.numbers = {function.roles[touch.role].bytes};
  if (isKnown)
    fact.numbers.insert(fact.numbers.begin(), {low, high + touch.bytes - 1});
  note(std::move(fact), place);
}

// Who has left does not come here any more. In a loop this holds for later rounds only, so its
// rounds must be followed one by one. False: nobody knows who it is.
bool Interpreter::partFrom(size_t target) {
  const size_t threads = function.threads;
  if (threads == 0 ||
      (controls[target].kind != Control::Kind::Call && !controls[target].isFollowed))
    return false;
  std::vector<bool> leaving(threads, true);
  for (size_t i = target + 1; i < controls.size(); ++i) {
    const Control &control = controls[i];
    const bool isKnown = control.active.size() == threads && !control.isVague;
    if ((control.kind == Control::Kind::Loop && !control.isFollowed) ||
        ((control.isConditional || control.isParted) && !isKnown))
      return false;
    for (size_t t = 0; t < threads && isKnown; ++t)
      leaving[t] = leaving[t] && control.active[t];
  }
  std::vector<bool> &active = controls[target].active;
  if (controls[target].isParted && active.empty())
    return false; // some have left before
  active.resize(threads, true);
  for (size_t t = 0; t < threads; ++t)
    active[t] = active[t] && !leaving[t];
  return true;
}

void Interpreter::judgeTouches() {
  if (!facts.notFollowed.empty())
    return;
  const unsigned threads = function.threads;
  comes = true;
  const bool isOneOfTask = function.isOneLane && !function.isByWarp;
  if (threads > 0 && !isOneOfTask)
    for (const Touches::Found &found : touches.meetings(threads, function.isOneLane)) {
      EventFact fact;
      fact.kind = EventFact::Kind::Meet;
      fact.role = found.first->role;
      fact.numbers = {found.meeting == Meeting::Certainly, found.first->isWrite,
                      found.second->isWrite};
      fact.via = described(found.second->via);
      note(std::move(fact), found.second->place, found.first->place);
    }
  for (AccessFact &fact : facts.accesses)
    if (threads > 0 && !function.isOneLane && fact.isWrite && function.roles[fact.role].bytes > 0 &&
        fact.mechanism == ast::Mechanism::Async)
      fact.elements.mayMeet = touches.mayMeetLater(fact.role, threads);
  std::vector<int64_t> bytes;
  for (const Role &role : function.roles)
    bytes.push_back(role.bytes);
  facts.covers = touches.covers(isOneOfTask ? std::min(threads, 1U) : threads, bytes);
  if (threads > 0 && !isOneOfTask)
    judgeTensors();
}

// Where threads wait for each other, they may also take turns.
void Interpreter::judgeTensors() {
  for (const Touches::Found &found : touches.tensorMeetings(function.threads, function.isOneLane)) {
    EventFact fact;
    fact.kind = EventFact::Kind::Meet;
    fact.role = found.role;
    fact.text = function.roles[found.role].name;
    fact.numbers = {found.meeting == Meeting::Certainly && !facts.spins};
    if (!found.first) {
      note(std::move(fact), {});
      continue;
    }
    fact.numbers.insert(fact.numbers.end(), {found.first->isWrite, found.second->isWrite,
                                             found.threads.first, found.threads.second});
    fact.via = described(found.second->via);
    note(std::move(fact), found.second->place, found.first->place);
  }
}

} // namespace tsk::body
