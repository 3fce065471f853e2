// The barriers' side of the machine: phases, their knowledge, and the conditions of V3.
#include "compiler/verify/protocol/Machine.h"

namespace tsk::protocol {

static constexpr int ThreadsPerWarp = 32;

static size_t indexOf(const std::vector<int> &agents, int agent) {
  return std::find(agents.begin(), agents.end(), agent) - agents.begin();
}

// Age 0: the newest completed phase, 1: the one before. A holder comes after a phase if it has
// waited for it, or if it comes after everything that was contributed to it.
bool Machine::knowsPhase(unsigned row, const Element &element, int age) const {
  return state.known.knows(row, element.phases.column(age)) ||
         state.known.knowsAll(row, element.contributors[age + 1]);
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
    state.known.learn(agent, model.initMask[agent]);
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
    if (record)
      record->events.back().after = record->completedBy[model.elements.size() + instr.named];
    state.known.join(agent, model.rowNamedPast(instr.named));
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
    state.known.learn(agent, model.pdl);
    break;
  case OpKind::PdlLaunch:
    if (model.waitsForPdl && !state.known.knows(agent, model.pdl))
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
  useBarrier(agent, index, false);
  if (fault)
    return Flow::Next;
  AgentState &who = state.agents[agent];
  bool isStale = !knowsPhase(agent, element, 1);
  if (who.probe == index && who.probeAge > 0)
    isStale = true; // the probe succeeded on a phase before the one that is meant
  who.probe = -1;
  if (isStale) {
    report(FaultKind::StaleWait, agent, currentPc);
    fault->element = index;
    return Flow::Next;
  }
  if (record)
    record->events.back().after = record->completedBy[index];
  state.known.join(agent, model.rowPast(index));
  Column column = element.waiters.column(indexOf(element.waiterAgents, agent));
  state.known.renew(column);
  state.known.learn(agent, column);
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
  if (!knowsPhase(agent, element, succeeds ? 1 : 0)) {
    report(FaultKind::StaleWait, agent, currentPc);
    fault->element = index;
    return;
  }
  who.probe = succeeds ? index : -1;
  who.probeAge = 0;
}

// Announcing bytes and completing an asynchronous operation order time, and publish no writes.
void Machine::publishNothing() {
  for (auto [word, mask] : model.visibilities)
    state.known.forget(model.rowScratch(), word, mask);
}

void Machine::contributeThreads(int agent, const Instr &instr) {
  int weight = static_cast<int>(model.agents[agent].weight);
  // An arrival that hands a buffer back orders the reads before it; arming a barrier does not.
  if (instr.kind == OpKind::Arrive)
    for (auto [column, proxy] : model.readProxies)
      if (state.known.knows(agent, column))
        state.known.learn(agent, proxy);
  for (size_t i = 0; i < instr.bar.bases.size() && !fault; ++i) {
    int index = elementAt(instr.bar, i);
    useBarrier(agent, index, false);
    if (fault)
      return;
    int arrivals = instr.kind == OpKind::Expect ? 0 : instr.kind == OpKind::Arrive ? instr.n : 1;
    int bytes = instr.kind == OpKind::Arrive ? 0 : instr.n;
    state.known.copy(model.rowScratch(), agent);
    if (arrivals == 0)
      publishNothing();
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
    useBarrier(agent, index, true);
    if (fault)
      return;
    state.known.copy(model.rowScratch(), agent);
    publishNothing();
    for (Column column : completing) // its use of the barrier
      state.known.learn(model.rowScratch(), column);
    if (instr.kind == OpKind::Load) {
      // The completion on a rank's barrier speaks for that rank's copy, or for all of them where
      // one barrier takes all the bytes.
      for (Column column : columns)
        if (instr.bar.bases.size() == 1 ||
            model.atoms[model.columnAtom[column]].rank == model.elements[index].rank)
          state.known.learn(model.rowScratch(), column);
      contribute(index, 0, -instr.n * weight, agent, -1, false);
      continue;
    }
    state.known.learn(model.rowScratch(), instr.kind == OpKind::TensorCommit
                                              ? model.tensorMask[agent]
                                              : model.copyMask[agent]);
    contribute(index, instr.n * weight, 0, agent, -1, false);
  }
}

// In the scratch row: what the contribution knows. `contributor` -1: asynchronous.
void Machine::contribute(int index, int arrivals, int bytes, int agent, int contributor,
                         bool isPlainExpect) {
  const Element &element = model.elements[index];
  ElementState &bar = state.elements[index];
  if (!knowsPhase(model.rowScratch(), element, 0)) {
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
  Column column = element.contributors[0].column(place);
  state.known.renew(column);
  if (contributor >= 0) {
    state.known.learn(contributor, column);
    state.known.learn(model.rowScratch(), column);
  }
  if (isPlainExpect)
    announce(index, agent, bytes);
  else if (element.open >= 0 && contributor < 0 && bytes < 0)
    noteLoad(index, -bytes);
  // Only an arrival covers the expects that it comes after.
  if (arrivals == 0 && element.expects.count)
    state.known.forget(model.rowScratch(), element.expects);
  bar.pending -= arrivals;
  bar.bytes += bytes;
  state.known.join(model.rowAcc(index), model.rowScratch());
  if (element.open >= 0 && arrivals > 0)
    cover(index);
  if (bar.pending == 0 && bar.bytes == 0)
    fire(index, agent);
}

void Machine::fire(int index, int agent) {
  const Element &element = model.elements[index];
  Knowledge &known = state.known;
  unsigned acc = model.rowAcc(index);
  if (!known.knowsAll(acc, element.waiters)) {
    report(FaultKind::MissedPhase, agent, currentPc);
    fault->element = index;
    for (size_t i = 0; i < element.waiters.count && fault->otherAgent < 0; ++i)
      if (!known.knows(acc, element.waiters.column(i)))
        fault->otherAgent = element.waiterAgents[i];
    return;
  }
  if (element.open >= 0) {
    if (!checkLate(index, agent))
      return;
    state.open[element.open] = {};
  }
  // Newest becomes second newest, and so on.
  known.move(element.phase(0), element.phase(1));
  known.renew(element.phases.column(0));
  known.move(element.contributors[1], element.contributors[2]);
  known.move(element.contributors[0], element.contributors[1]);
  for (const Bits &bits : {element.contributors[0], element.waiters, element.expects})
    known.retire(bits);
  known.learn(acc, element.phases.column(0));
  known.copy(model.rowPast(index), acc);
  known.clear(acc);
  ElementState &bar = state.elements[index];
  bar.pending = element.arrivals;
  bar.parity ^= 1;
  wake(element.waiterAgents);
  if (record) {
    ++record->phases[index];
    record->completedBy[index] = static_cast<int>(record->events.size()) - 1;
  }
  for (AgentState &other : state.agents)
    if (other.probe == index)
      other.probeAge = 1;
}

Machine::Flow Machine::sync(int agent, const Instr &instr) {
  AgentState &who = state.agents[agent];
  if (who.blocked == Blocked::Released) {
    who.blocked = Blocked::No;
    if (record)
      record->events[record->newest[agent]].after =
          record->completedBy[model.elements.size() + instr.named];
    return Flow::Next;
  }
  const Named &barrier = model.named[instr.named];
  NamedState &counts = state.named[instr.named];
  Knowledge &known = state.known;
  bool knowsLast =
      known.knows(agent, barrier.phase.column(0)) || known.knowsAll(agent, barrier.contributors[1]);
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
  Column column = barrier.contributors[0].column(indexOf(barrier.agents, agent));
  known.renew(column);
  known.learn(agent, column);
  known.join(model.rowNamed(instr.named), agent);
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
  Knowledge &known = state.known;
  known.renew(barrier.phase.column(0));
  known.move(barrier.contributors[0], barrier.contributors[1]);
  known.retire(barrier.contributors[0]);
  unsigned acc = model.rowNamed(index);
  wake(barrier.agents);
  known.learn(acc, barrier.phase.column(0));
  for (int agent : barrier.agents) {
    AgentState &who = state.agents[agent];
    if (barrier.id < 0) {
      who.cluster = who.cluster == 1 ? 2 : who.cluster;
    } else if (who.blocked == Blocked::InSync && model.agents[agent].code[who.pc].named == index) {
      who.blocked = Blocked::Released;
      known.join(agent, acc);
    }
  }
  if (barrier.id < 0)
    known.copy(model.rowNamedPast(index), acc);
  known.clear(acc);
  state.named[index] = {};
  if (record)
    record->completedBy[model.elements.size() + index] =
        static_cast<int>(record->events.size()) - 1;
}

void Machine::clusterArrive(int agent, const Instr &instr) {
  AgentState &who = state.agents[agent];
  if (who.cluster != 0) {
    report(FaultKind::ClusterMisuse, agent, currentPc);
    return;
  }
  const Named &barrier = model.named[instr.named];
  who.cluster = 1;
  Column column = barrier.contributors[0].column(indexOf(barrier.agents, agent));
  state.known.renew(column);
  state.known.learn(agent, column);
  state.known.join(model.rowNamed(instr.named), agent);
  NamedState &counts = state.named[instr.named];
  counts.arrived += static_cast<int>(model.agents[agent].weight);
  if (counts.arrived == barrier.total)
    fireNamed(instr.named);
}

} // namespace tsk::protocol
