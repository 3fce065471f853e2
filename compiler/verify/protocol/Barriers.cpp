// The barriers' side of the machine: phases, their knowledge, and the conditions of V3.
#include "compiler/verify/protocol/Machine.h"

namespace tsk::protocol {

static constexpr int ThreadsPerWarp = 32;

static uint64_t bitsOf(const uint64_t *row, const Bits &bits) {
  return row[bits.word] & bits.mask();
}

static bool hasAll(const uint64_t *row, const Bits &bits) {
  return bitsOf(row, bits) == (bits.count ? bits.mask() : 0);
}

static Column columnOf(const Bits &bits, size_t index) {
  return static_cast<Column>(bits.word * 64 + bits.shift + index);
}

static size_t indexOf(const std::vector<int> &agents, int agent) {
  return std::find(agents.begin(), agents.end(), agent) - agents.begin();
}

void Machine::clearEverywhere(Column column) {
  uint64_t keep = ~(1ull << column % 64);
  uint64_t *word = state.rows.data() + column / 64;
  for (unsigned i = 0, rows = model.rows(); i < rows; ++i, word += model.words)
    *word &= keep;
}

void Machine::copyEverywhere(Column from, Column to) {
  uint64_t *words = state.rows.data();
  for (unsigned i = 0, rows = model.rows(); i < rows; ++i, words += model.words) {
    uint64_t bit = words[from / 64] >> from % 64 & 1;
    words[to / 64] = (words[to / 64] & ~(1ull << to % 64)) | bit << to % 64;
  }
}

void Machine::setEverywhere(const Bits &bits) {
  if (bits.count == 0)
    return;
  uint64_t mask = bits.mask();
  uint64_t *word = state.rows.data() + bits.word;
  for (unsigned i = 0, rows = model.rows(); i < rows; ++i, word += model.words)
    *word |= mask;
}

void Machine::join(uint64_t *into, const uint64_t *from) {
  for (unsigned word = 0; word < model.words; ++word)
    into[word] |= from[word];
}

// Age 0: the newest completed phase, 1: the one before. A holder comes after a phase if it has
// waited for it, or if it comes after everything that was contributed to it.
bool Machine::knowsPhase(const uint64_t *row, const Element &element, int age) const {
  return knows(row, columnOf(element.phases, age)) || hasAll(row, element.contributors[age + 1]);
}

Machine::Flow Machine::execute(int agent, const Instr &instr) {
  switch (instr.kind) {
  case OpKind::Wait:
    return wait(agent, instr);
  case OpKind::TryWait:
    probe(agent, instr);
    break;
  case OpKind::Arrive:
  case OpKind::Expect:
  case OpKind::ArriveExpect:
    contributeThreads(agent, instr);
    break;
  case OpKind::Load:
    access(agent, instr);
    if (!fault)
      contributeAsync(agent, instr);
    break;
  case OpKind::TensorCommit:
  case OpKind::CopyArrive:
    contributeAsync(agent, instr);
    break;
  case OpKind::Init:
  case OpKind::Inval:
    initBarrier(agent, instr);
    break;
  case OpKind::InitFence:
    add(row(agent), model.initMask[agent]);
    break;
  case OpKind::Sync:
  case OpKind::NamedArrive:
    return sync(agent, instr);
  case OpKind::ClusterArrive:
    clusterArrive(agent, instr);
    break;
  case OpKind::ClusterWait: {
    AgentState &who = state.agents[agent];
    if (who.cluster != 2) {
      report(FaultKind::ClusterMisuse, agent, who.pc);
      break;
    }
    who.cluster = 0;
    join(row(agent), row(model.rowNamedPast(instr.named)));
    break;
  }
  case OpKind::Access:
  case OpKind::Mma:
  case OpKind::Group:
    access(agent, instr);
    break;
  case OpKind::GroupCommit:
    groupCommit(agent, instr);
    break;
  case OpKind::GroupWait:
    groupWait(agent, instr);
    break;
  case OpKind::ProxyFence:
    proxyFence(agent);
    break;
  case OpKind::TmemAlloc:
  case OpKind::TmemDealloc:
    allocation(agent, instr);
    break;
  case OpKind::PdlWait:
    set(row(agent), model.pdl);
    break;
  case OpKind::PdlLaunch:
    if (model.waitsForPdl && !knows(row(agent), model.pdl))
      report(FaultKind::Predecessor, agent, currentPc);
    break;
  case OpKind::SetRegisters:
    setRegisters(agent, instr);
    break;
  case OpKind::Next:
    state.cursors[instr.cursor].place += instr.n;
    state.cursors[instr.cursor].item += instr.n;
    break;
  case OpKind::SetCursor:
    state.cursors[instr.cursor].place = instr.n;
    break;
  }
  return Flow::Next;
}

Machine::Flow Machine::wait(int agent, const Instr &instr) {
  int index = elementAt(instr.bar, 0);
  const Element &element = model.elements[index];
  useBarrier(agent, instr, index, false);
  if (fault)
    return Flow::Next;
  uint64_t *mine = row(agent);
  AgentState &who = state.agents[agent];
  bool isStale = !knowsPhase(mine, element, 1);
  if (who.probe == index && who.probeAge > 0)
    isStale = true; // the probe succeeded on a phase before the one that is meant
  who.probe = -1;
  if (isStale) {
    report(FaultKind::StaleWait, agent, currentPc);
    fault->element = index;
    return Flow::Next;
  }
  join(mine, row(model.rowPast(index)));
  Column column = columnOf(element.waiters, indexOf(element.waiterAgents, agent));
  clearEverywhere(column);
  set(mine, column);
  return Flow::Next;
}

// The success of a probe stands for the next wait on that phase: it must not be able to see an
// older one. A probe that fails says nothing.
void Machine::probe(int agent, const Instr &instr) {
  int index = elementAt(instr.bar, 0);
  const Element &element = model.elements[index];
  AgentState &who = state.agents[agent];
  int parity = static_cast<int>(instr.parity.inverted);
  if (instr.parity.cursor >= 0) {
    int place = state.cursors[instr.parity.cursor].place + instr.parity.offset;
    int divisor = static_cast<int>(instr.parity.divisor);
    parity ^= (place >= 0 ? place / divisor : (place - divisor + 1) / divisor) & 1;
  }
  bool succeeds = state.elements[index].parity != parity;
  if (!knowsPhase(row(agent), element, succeeds ? 1 : 0)) {
    report(FaultKind::StaleWait, agent, currentPc);
    fault->element = index;
    return;
  }
  who.probe = succeeds ? index : -1;
  who.probeAge = 0;
}

void Machine::contributeThreads(int agent, const Instr &instr) {
  int weight = static_cast<int>(model.agents[agent].weight);
  // An arrival that hands a buffer back orders the reads before it; arming a barrier does not.
  if (instr.kind == OpKind::Arrive)
    for (auto [column, proxy] : model.readProxies)
      if (knows(row(agent), column))
        set(row(agent), proxy);
  for (size_t i = 0; i < instr.bar.bases.size() && !fault; ++i) {
    int index = elementAt(instr.bar, i);
    useBarrier(agent, instr, index, false);
    if (fault)
      return;
    int arrivals = instr.kind == OpKind::Expect ? 0 : instr.kind == OpKind::Arrive ? instr.n : 1;
    int bytes = instr.kind == OpKind::Arrive ? 0 : instr.n;
    std::copy_n(row(agent), model.words, scratch.begin());
    contribute(index, arrivals * weight, bytes * weight, agent, agent,
               instr.kind == OpKind::Expect);
  }
}

// Loads, tensor commits, copy arrivals. Completing at once is one of the legal interleavings.
void Machine::contributeAsync(int agent, const Instr &instr) {
  int weight = static_cast<int>(model.agents[agent].weight);
  std::vector<Column> columns = completing;
  for (size_t i = 0; i < instr.bar.bases.size() && !fault; ++i) {
    int index = elementAt(instr.bar, i);
    completing.clear();
    useBarrier(agent, instr, index, true);
    if (fault)
      return;
    std::copy_n(row(agent), model.words, scratch.begin());
    for (auto [word, mask] : model.asyncHides)
      scratch[word] &= ~mask;
    for (Column column : completing) // its use of the barrier
      set(scratch.data(), column);
    if (instr.kind == OpKind::Load) {
      // The completion on a rank's barrier speaks for that rank's copy, or for all of them where
      // one barrier takes all the bytes.
      for (Column column : columns)
        if (instr.bar.bases.size() == 1 ||
            model.atoms[model.columnAtom[column]].rank == model.elements[index].rank)
          set(scratch.data(), column);
      contribute(index, 0, -instr.n * weight, agent, -1, false);
      continue;
    }
    add(scratch.data(),
        instr.kind == OpKind::TensorCommit ? model.tensorMask[agent] : model.copyMask[agent]);
    contribute(index, instr.n * weight, 0, agent, -1, false);
  }
}

// `scratch`: what the contribution knows. `contributor` -1: asynchronous.
void Machine::contribute(int index, int arrivals, int bytes, int agent, int contributor,
                         bool isPlainExpect) {
  const Element &element = model.elements[index];
  ElementState &bar = state.elements[index];
  if (!knowsPhase(scratch.data(), element, 0)) {
    report(FaultKind::EarlyArrival, agent, currentPc);
    fault->element = index;
    return;
  }
  if (arrivals > bar.pending) {
    report(FaultKind::Overrun, agent, currentPc);
    fault->element = index;
    return;
  }
  size_t place = contributor < 0 ? element.contributorAgents.size()
                                 : indexOf(element.contributorAgents, contributor);
  Column column = columnOf(element.contributors[0], place);
  clearEverywhere(column);
  scratch[column / 64] &= ~(1ull << column % 64);
  if (contributor >= 0) {
    set(row(contributor), column);
    set(scratch.data(), column);
  }
  if (isPlainExpect)
    announce(index, agent, bytes);
  else if (element.open >= 0 && contributor < 0 && bytes < 0)
    noteLoad(index, -bytes);
  // Only an arrival covers the expects that it comes after.
  if (arrivals == 0 && element.expects.count)
    scratch[element.expects.word] &= ~element.expects.mask();
  bar.pending -= arrivals;
  bar.bytes += bytes;
  join(row(model.rowAcc(index)), scratch.data());
  if (element.open >= 0 && arrivals > 0)
    cover(index);
  if (bar.pending == 0 && bar.bytes == 0)
    fire(index, agent);
}

// Moves the facts about phases one on: newest becomes second newest, and so on.
static void shiftPhases(uint64_t *row, const Element &element) {
  uint64_t &phases = row[element.phases.word];
  uint64_t newest = phases >> element.phases.shift & 1;
  phases = (phases & ~element.phases.mask()) | newest << (element.phases.shift + 1);
  if (element.contributors[0].count == 0)
    return;
  auto move = [&](const Bits &from, const Bits &to) {
    uint64_t value = bitsOf(row, from) >> from.shift << to.shift;
    row[to.word] = (row[to.word] & ~to.mask()) | value;
  };
  move(element.contributors[1], element.contributors[2]);
  move(element.contributors[0], element.contributors[1]);
  row[element.contributors[0].word] |= element.contributors[0].mask();
}

void Machine::fire(int index, int agent) {
  const Element &element = model.elements[index];
  uint64_t *acc = row(model.rowAcc(index));
  if (!hasAll(acc, element.waiters)) {
    report(FaultKind::MissedPhase, agent, currentPc);
    fault->element = index;
    for (size_t i = 0; i < element.waiters.count && fault->otherAgent < 0; ++i)
      if (!knows(acc, columnOf(element.waiters, i)))
        fault->otherAgent = element.waiterAgents[i];
    return;
  }
  if (element.open >= 0) {
    if (!checkLate(index, agent))
      return;
    state.open[element.open] = {};
  }
  uint64_t *all = state.rows.data();
  for (unsigned i = 0, rows = model.rows(); i < rows; ++i, all += model.words)
    shiftPhases(all, element);
  setEverywhere(element.waiters);
  setEverywhere(element.expects);
  set(acc, columnOf(element.phases, 0));
  std::copy_n(acc, model.words, row(model.rowPast(index)));
  std::fill_n(acc, model.words, 0);
  ElementState &bar = state.elements[index];
  bar.pending = element.arrivals;
  bar.parity ^= 1;
  for (AgentState &other : state.agents)
    if (other.probe == index)
      other.probeAge = 1;
}

Machine::Flow Machine::sync(int agent, const Instr &instr) {
  AgentState &who = state.agents[agent];
  if (who.blocked == Blocked::Released) {
    who.blocked = Blocked::No;
    return Flow::Next;
  }
  const Named &barrier = model.named[instr.named];
  NamedState &counts = state.named[instr.named];
  uint64_t *mine = row(agent);
  bool knowsLast = knows(mine, columnOf(barrier.phase, 0)) || hasAll(mine, barrier.contributors[1]);
  counts.arrived += ThreadsPerWarp * static_cast<int>(model.agents[agent].weight);
  FaultKind kind = !knowsLast                                           ? FaultKind::EarlySync
                   : counts.expected != 0 && counts.expected != instr.n ? FaultKind::SyncCount
                   : counts.arrived > instr.n                           ? FaultKind::SyncCount
                                                                        : FaultKind::Hang;
  if (kind != FaultKind::Hang) {
    report(kind, agent, currentPc);
    fault->named = instr.named;
    return Flow::Next;
  }
  counts.expected = instr.n;
  Column column = columnOf(barrier.contributors[0], indexOf(barrier.agents, agent));
  clearEverywhere(column);
  set(mine, column);
  join(row(model.rowNamed(instr.named)), mine);
  bool blocks = instr.kind == OpKind::Sync;
  if (blocks)
    who.blocked = Blocked::InSync;
  if (counts.arrived == instr.n)
    fireNamed(instr.named);
  return blocks ? Flow::Stay : Flow::Next;
}

// Whoever is blocked in it learns what the generation knew at once, not when it is resumed: a later
// generation is not its business.
void Machine::fireNamed(int index) {
  const Named &barrier = model.named[index];
  uint64_t *all = state.rows.data();
  for (unsigned i = 0, rows = model.rows(); i < rows; ++i, all += model.words) {
    all[barrier.phase.word] &= ~barrier.phase.mask();
    const Bits &from = barrier.contributors[0], &to = barrier.contributors[1];
    uint64_t value = bitsOf(all, from) >> from.shift << to.shift;
    all[to.word] = (all[to.word] & ~to.mask()) | value;
    all[from.word] |= from.mask();
  }
  uint64_t *acc = row(model.rowNamed(index));
  set(acc, columnOf(barrier.phase, 0));
  for (int agent : barrier.agents) {
    AgentState &who = state.agents[agent];
    if (barrier.id < 0) {
      who.cluster = who.cluster == 1 ? 2 : who.cluster;
    } else if (who.blocked == Blocked::InSync && model.agents[agent].code[who.pc].named == index) {
      who.blocked = Blocked::Released;
      join(row(agent), acc);
    }
  }
  if (barrier.id < 0)
    std::copy_n(acc, model.words, row(model.rowNamedPast(index)));
  std::fill_n(acc, model.words, 0);
  state.named[index] = {};
}

void Machine::clusterArrive(int agent, const Instr &instr) {
  AgentState &who = state.agents[agent];
  if (who.cluster != 0) {
    report(FaultKind::ClusterMisuse, agent, currentPc);
    return;
  }
  const Named &barrier = model.named[instr.named];
  who.cluster = 1;
  Column column = columnOf(barrier.contributors[0], indexOf(barrier.agents, agent));
  clearEverywhere(column);
  set(row(agent), column);
  join(row(model.rowNamed(instr.named)), row(agent));
  NamedState &counts = state.named[instr.named];
  counts.arrived += static_cast<int>(model.agents[agent].weight);
  if (counts.arrived == barrier.total)
    fireNamed(instr.named);
}

} // namespace tsk::protocol
