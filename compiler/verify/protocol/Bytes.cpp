// Condition U: no part of a phase that has all its arrivals and balances its bytes may leave out a
// contribution. Only expects that no arrival comes after, and loads, can be left out.
#include "compiler/verify/protocol/Machine.h"

#include <algorithm>
#include <set>

namespace tsk::protocol {

static constexpr size_t MaxExpects = 32;   // listed in one phase
static constexpr size_t MaxChoices = 4096; // of them, in one check

static Column columnOf(const Element &element, const Announcement &expect) {
  return element.expects.column(size_t(expect.user) * ExpectColumns + expect.column);
}

// The expects in a list that the row comes after.
static uint64_t knownTo(const Knowledge &known, unsigned row, const Element &element,
                        const OpenPhase &open) {
  uint64_t list = 0;
  for (size_t i = 0; i < open.expects.size(); ++i)
    list |= uint64_t(known.knows(row, columnOf(element, open.expects[i]))) << i;
  return list;
}

// Expects of one agent share a column as long as nobody else knows the older ones: whoever learns
// of one later learns of all.
void Machine::announce(int index, int agent, int bytes) {
  const Element &element = model.elements[index];
  OpenPhase &open = state.open[element.open];
  Announcement added;
  added.bytes = bytes;
  added.after = knownTo(state.known, agent, element, open);
  added.pc = currentPc;
  added.user = static_cast<int16_t>(
      std::find(element.expectAgents.begin(), element.expectAgents.end(), agent) -
      element.expectAgents.begin());
  size_t place = 0; // behind the others of this agent
  while (place < open.expects.size() && open.expects[place].user <= added.user)
    ++place;
  bool isTaken[ExpectColumns] = {};
  for (const Announcement &other : open.expects)
    if (other.user == added.user)
      isTaken[other.column] = true;
  int column = -1;
  if (place > 0 && open.expects[place - 1].user == added.user) {
    Column last = columnOf(element, open.expects[place - 1]);
    bool isPrivate = true;
    for (unsigned other = 0; other < model.rows(); ++other)
      isPrivate &= other == static_cast<unsigned>(agent) || !state.known.knows(other, last);
    if (isPrivate)
      column = open.expects[place - 1].column;
  }
  for (unsigned i = 0; i < ExpectColumns && column < 0; ++i)
    if (!isTaken[i])
      column = static_cast<int>(i);
  if (column < 0 || open.expects.size() == MaxExpects) {
    beyond = "too many announcements of bytes in one phase that no arrival covers yet";
    return;
  }
  added.column = static_cast<int16_t>(column);
  auto makeRoom = [&](uint64_t &after) {
    uint64_t below = (uint64_t(1) << place) - 1;
    after = (after & below) | (after & ~below) << 1;
  };
  makeRoom(added.after);
  for (auto *list : {&open.expects, &open.loads})
    for (Announcement &other : *list)
      makeRoom(other.after);
  state.known.renew(columnOf(element, added));
  state.known.learn(agent, columnOf(element, added));
  open.expects.insert(open.expects.begin() + static_cast<std::ptrdiff_t>(place), added);
}

// In the scratch row: what the load's completion knows.
void Machine::noteLoad(int index, int bytes) {
  const Element &element = model.elements[index];
  OpenPhase &open = state.open[element.open];
  Announcement load;
  load.bytes = bytes;
  load.after = knownTo(state.known, model.rowScratch(), element, open);
  open.loads.push_back(load);
}

// After an arrival: expects that it comes after cannot be left out any more.
void Machine::cover(int index) {
  const Element &element = model.elements[index];
  OpenPhase &open = state.open[element.open];
  for (size_t i = open.expects.size(); i-- > 0;) {
    if (!state.known.knows(model.rowAcc(index), columnOf(element, open.expects[i])))
      continue;
    open.expects.erase(open.expects.begin() + static_cast<std::ptrdiff_t>(i));
    uint64_t below = (uint64_t(1) << i) - 1;
    for (auto *list : {&open.expects, &open.loads})
      for (Announcement &other : *list)
        other.after = (other.after & below) | (other.after >> 1 & ~below);
  }
}

// Whether some of the loads that may have landed bring exactly so many bytes.
static bool canBring(const std::vector<Announcement> &loads, uint64_t made, int64_t bytes) {
  std::set<int64_t> sums = {0};
  for (const Announcement &load : loads) {
    if (load.after & ~made)
      continue;
    std::set<int64_t> next = sums;
    for (int64_t sum : sums)
      if (sum + load.bytes <= bytes)
        next.insert(sum + load.bytes);
    sums = std::move(next);
  }
  return sums.count(bytes) != 0;
}

// A listed expect without which the phase, all its arrivals in, can be complete; -1: none. A phase
// that balances with all its expects is complete only with all its loads.
int Machine::lateExpect(int index) {
  const OpenPhase &open = state.open[model.elements[index].open];
  if (open.expects.empty())
    return -1;
  uint64_t all = (uint64_t(1) << open.expects.size()) - 1;
  int64_t base = state.elements[index].bytes;
  for (const Announcement &expect : open.expects)
    base -= expect.bytes;
  for (const Announcement &load : open.loads)
    base += load.bytes;
  std::set<uint64_t> choices = {0}; // expects made; with each all that come before it
  for (auto choice = choices.begin(); choice != choices.end(); ++choice) {
    int64_t bytes = base;
    for (size_t i = 0; i < open.expects.size(); ++i)
      if (*choice >> i & 1)
        bytes += open.expects[i].bytes;
    bool isWhole = *choice == all && state.elements[index].bytes == 0;
    if (!isWhole && canBring(open.loads, *choice, bytes)) {
      int missing = 0;
      while (*choice >> missing & 1)
        ++missing;
      return std::min(missing, static_cast<int>(open.expects.size()) - 1);
    }
    // Larger numbers come later in the set.
    for (size_t i = 0; i < open.expects.size(); ++i)
      if (!(*choice >> i & 1) && !(open.expects[i].after & ~*choice))
        choices.insert(*choice | uint64_t(1) << i);
    if (choices.size() > MaxChoices) {
      beyond = "too many orders in which bytes of one phase can be announced";
      return -1;
    }
  }
  return -1;
}

bool Machine::checkLate(int index, int agent) {
  int late = lateExpect(index);
  if (late < 0)
    return beyond.empty();
  const Element &element = model.elements[index];
  const Announcement &expect = state.open[element.open].expects[late];
  int who = element.expectAgents[expect.user];
  if (agent >= 0)
    report(FaultKind::LateExpect, agent, currentPc);
  else
    report(FaultKind::LateExpect, who, expect.pc);
  fault->element = index;
  fault->otherAgent = who;
  return false;
}

} // namespace tsk::protocol
