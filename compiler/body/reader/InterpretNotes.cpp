// What the interpreter writes down: each thing once, with its place and the conditions around it.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using tree::Place;

// Places in .tsk files only: what a header does is done by whoever called it.
Interpreter::Chain Interpreter::chainTo(Place place) const {
  Chain chain;
  auto add = [&](Place at) {
    at.site = 0;
    if (at)
      chain.push_back(at);
  };
  add(place);
  for (const Frame &frame : llvm::reverse(frames))
    add(frame.place);
  return chain;
}

// What tells one touch of memory from others: looked at closely, the expression with the calls and
// rounds around it; else what the text of the body shows of these.
std::vector<uint32_t> Interpreter::sitesTo(Place place) const {
  std::vector<uint32_t> sites;
  if (way == Way::Quickly) {
    for (const Place &at : chainTo(place))
      sites.insert(sites.end(), {at.file, at.line, at.column});
    return sites;
  }
  sites.push_back(place.site);
  for (const Frame &frame : llvm::reverse(frames))
    sites.push_back(frame.place.site);
  sites.insert(sites.end(), rounds.begin(), rounds.end());
  return sites;
}

CxxPlace Interpreter::described(Place place) const {
  if (!place)
    return {};
  return {tree.files[place.file], place.line, place.column, place.length};
}

Level Interpreter::controlLevel(Place *cause) const {
  Level level = Level::Constant;
  for (const Control &control : controls)
    if (level < control.level) {
      level = control.level;
      if (cause)
        *cause = control.place;
    }
  return level;
}

bool Interpreter::isUnconditional() const {
  return llvm::none_of(controls, [](const Control &control) { return control.isConditional; });
}

// Who does what happens here, and how often.
AccessFact Interpreter::accessHere() const {
  AccessFact fact;
  if (function.isOneLane)
    fact.issuer = AccessFact::Issuer::OneOfTask;
  for (const Control &control : controls) {
    // Of one lane alone, a condition on its number says whether it comes here, not which lane does.
    const bool isElection = control.elects != Value::Elects::Nobody && !function.isOneLane;
    if (!control.trips)
      fact.most = std::nullopt;
    else if (fact.most)
      *fact.most *= *control.trips;
    fact.least = control.isConditional && !isElection ? 0 : fact.least * control.trips.value_or(1);
    if (control.elects == Value::Elects::OneOfTask)
      fact.issuer = AccessFact::Issuer::OneOfTask;
    else if (isElection && fact.issuer != AccessFact::Issuer::OneOfTask)
      fact.issuer = AccessFact::Issuer::OneOfWarp;
    else if (control.level == Level::Thread && fact.issuer == AccessFact::Issuer::All)
      fact.issuer = AccessFact::Issuer::Some;
  }
  return fact;
}

void Interpreter::note(AccessFact fact, Place place) {
  hasEffects |= fact.isWrite || fact.isStore;
  if (!isRecording || !comes)
    return;
  const Chain chain = chainTo(place);
  // Of two copies in a header, both count: they stand at one place, that of the call.
  const auto [known, isNew] = seenAccesses.try_emplace(
      {fact.role, fact.isWrite, fact.mechanism, chain}, facts.accesses.size());
  if (!isNew && fact.primitive.empty())
    return facts.accesses[known->second].elements.join(fact.elements);
  if (facts.accesses.size() == MaxAccesses) {
    giveUp("it touches memory in too many ways", place);
    steps = MaxSteps; // the rest would add nothing
    return;
  }
  if (!chain.empty())
    fact.place = described(chain.front());
  if (chain.size() > 1)
    fact.via = described(chain.back());
  facts.accesses.push_back(std::move(fact));
}

// In the first round of a loop, later ones may find what it has written.
void Interpreter::noteUnwritten(const Target &target, Place place) {
  const bool isFirst = isFirstRound || isRecording;
  const bool isCertain = llvm::none_of(controls, [](const Control &control) {
    return control.kind == Control::Kind::Branch || control.isParted;
  });
  if (!isFirst || !isCertain || state.written.test(target.id) ||
      function.roles[target.id].kind != Role::Kind::Field)
    return;
  EventFact fact;
  fact.kind = EventFact::Kind::UnwrittenStage;
  fact.role = target.id;
  const bool wasRecording = std::exchange(isRecording, true);
  note(std::move(fact), place);
  isRecording = wasRecording;
}

void Interpreter::noteAccess(const Target &target, bool isWrite, Place place, const Location &at) {
  if (target.isLocal)
    return;
  if (isWrite) {
    state.written.set(target.id);
    state.unfenced.set(target.id);
    const Chain chain = chainTo(place);
    state.stores[target.id] = chain.empty() ? Place{} : chain.front();
  } else {
    noteUnwritten(target, place);
  }
  AccessFact fact = accessHere();
  fact.role = target.id;
  fact.isWrite = isWrite;
  if (at.elements)
    fact.elements = *at.elements;
  fact.elements.isAtomic = isAtomic;
  fact.elements.isCertain = isCertainOf(fact.elements);
  note(std::move(fact), place);
}

void Interpreter::note(EventFact fact, Place place, Place other) {
  if (!isRecording || !comes)
    return;
  const Chain chain = chainTo(place);
  const Place first = chain.empty() ? Place{} : chain.front();
  if (!seenEvents.insert({fact.kind, first, fact.text}).second)
    return;
  fact.place = described(first);
  if (chain.size() > 1)
    fact.via = described(chain.back());
  fact.other = described(other);
  facts.events.push_back(std::move(fact));
}

void Interpreter::giveUp(const std::string &why, Place place) {
  if (!facts.notFollowed.empty())
    return;
  facts.notFollowed = why;
  const Chain chain = chainTo(place);
  if (!chain.empty())
    facts.notFollowedPlace = described(chain.front());
}

} // namespace tsk::body
