#include "compiler/verify/protocol/Machine.h"

#include "compiler/support/Check.h"

#include <climits>

namespace tsk::protocol {

const char *propertyOf(FaultKind kind) {
  switch (kind) {
#define TSK_PROTOCOL_FAULT(Name, Property, Title)                                                  \
  case FaultKind::Name:                                                                            \
    return Property;
#include "compiler/verify/protocol/Faults.def"
  }
  TSK_UNREACHABLE("no such fault");
}

const char *titleOf(FaultKind kind) {
  switch (kind) {
#define TSK_PROTOCOL_FAULT(Name, Property, Title)                                                  \
  case FaultKind::Name:                                                                            \
    return Title;
#include "compiler/verify/protocol/Faults.def"
  }
  TSK_UNREACHABLE("no such fault");
}

Machine::Machine(const Model &judged) : model(judged) { reset(); }

void Machine::reset() {
  state = State();
  state.known.reset(model.rows(), model.words);
  for (Column column : model.facts)
    state.known.renew(column);
  state.agents.resize(model.agents.size());
  for (size_t agent = 0; agent < model.agents.size(); ++agent) {
    state.agents[agent].atBoundary = true;
    state.agents[agent].registers = static_cast<int32_t>(model.program->entryRegisters);
  }
  state.cursors.resize(model.cursors.size());
  for (const Element &element : model.elements)
    state.elements.push_back(
        {element.arrivals, 0, 0, !model.program->barriers[element.array].needsInit});
  state.open.resize(model.openPhases);
  state.named.resize(model.named.size());
  state.atoms.resize(model.atoms.size());
  state.groupAge.assign(model.columns, NoGroup);
  state.calls.assign(model.calls.size(), 0);
  state.itemCalls.assign(model.sharedItems.size(), -1);
  state.freeRegisters.assign(model.program->clusterSize, 0);
  fault.reset();
  beyond.clear();
  stageNumber = 0;
}

void Machine::wake(const std::vector<int> &agents) {
  for (int agent : agents)
    state.agents[agent].isAsleep = false;
}

void Machine::beginStage(int part, bool isFirstTile) {
  for (AgentState &agent : state.agents)
    agent.isAsleep = false;
  Stage stage;
  stage.part = part;
  state.loopRuns.clear();
  stage.isFirstTile = isFirstTile;
  stage.symbols.resize(model.program->symbols.size() + 1);
  for (size_t i = 0; i < model.program->symbols.size(); ++i)
    stage.symbols[i].value = model.program->symbols[i].min;
  state.stages.push_back(std::move(stage));
  for (size_t agent = 0; agent < state.agents.size(); ++agent)
    if (!state.agents[agent].atBoundary && !isDetached(static_cast<int>(agent)))
      ++state.agents[agent].lag;
  // The explorer has seen to it that nobody is that far behind.
  if (state.stages.size() > keptStages)
    state.stages.erase(state.stages.begin());
  for (size_t agent = 0; agent < state.agents.size(); ++agent)
    if (state.agents[agent].atBoundary)
      advanceAgent(static_cast<int>(agent));
  ++stageNumber;
}

// What is left of the agent's program depends on no symbol and has nothing behind it: stages do not
// concern it any more.
bool Machine::isDetached(int index) const {
  const AgentState &agent = state.agents[index];
  const Agent &code = model.agents[index];
  if (agent.part % 2 != 0 || agent.part != code.lastPart)
    return false;
  return !hasOpenLoops(index);
}

// Counts or conditions are still to be read in the agent's stage.
bool Machine::hasOpenLoops(int index) const {
  const std::vector<Instr> &code = model.agents[index].code;
  size_t pc = model.agents[index].loopHorizon[state.agents[index].pc];
  for (; code[pc].code != Code::PartEnd; ++pc)
    if (code[pc].code != Code::Op && (code[pc].count.symbol >= 0 || code[pc].symbol >= 0))
      return true;
  return false;
}

// From the end of its stage into the next one that it takes part in, if there is one yet.
void Machine::advanceAgent(int index) {
  AgentState &agent = state.agents[index];
  const Agent &code = model.agents[index];
  if (!agent.atBoundary) {
    if (agent.lag == 0) {
      agent.atBoundary = true;
      return;
    }
    --agent.lag;
  }
  for (;;) {
    int begin = code.partBegin[stageOf(agent).part];
    if (begin >= 0) {
      agent.atBoundary = false;
      agent.pc = begin;
      agent.part = static_cast<int16_t>(stageOf(agent).part);
      return;
    }
    if (agent.lag == 0)
      break;
    --agent.lag;
  }
  agent.atBoundary = true;
}

bool Machine::allAtBoundary() const {
  for (const AgentState &agent : state.agents)
    if (!agent.atBoundary)
      return false;
  return true;
}

int Machine::elementAt(const ElementRef &ref, size_t which) {
  int stage = ref.offset;
  if (ref.cursor >= 0) {
    int stages = static_cast<int>(ref.stages);
    stage = (state.cursors[ref.cursor].place + ref.offset) % stages;
    if (stage < 0)
      stage += stages;
  }
  return ref.bases[which] + stage;
}

int parityAt(const State &state, const Parity &parity) {
  int value = 0;
  if (parity.cursor >= 0) {
    int divisor = static_cast<int>(parity.divisor);
    int place = state.cursors[parity.cursor].place + parity.offset;
    value = (place >= 0 ? place / divisor : (place - divisor + 1) / divisor) & 1;
  }
  return value ^ static_cast<int>(parity.inverted);
}

bool Machine::isEnabled(int index) {
  const AgentState &agent = state.agents[index];
  if (agent.atBoundary)
    return false;
  const Instr &instr = model.agents[index].code[agent.pc];
  if (instr.code != Code::Op)
    return true;
  switch (instr.kind) {
  case OpKind::Wait: {
    const ElementState &bar = state.elements[elementAt(instr.bar, 0)];
    return bar.parity != parityAt(state, instr.parity) || !bar.isReady;
  }
  case OpKind::Sync:
    return agent.blocked != Blocked::InSync;
  case OpKind::ClusterWait:
    return agent.cluster != 1;
  case OpKind::SetRegisters:
    return registersAvailable(index, instr);
  default:
    return true;
  }
}

// Agents outside symbolic loops first, then by the loop's symbol, then who is least advanced, and
// so on for the loops in it: so loops that do not depend on each other move alone, and those that
// do move together, also where one of the agents only counts.
int Machine::pick() {
  int best = -1;
  std::pair<uint64_t, uint64_t> bestKey;
  for (size_t index = 0; index < state.agents.size(); ++index) {
    AgentState &agent = state.agents[index];
    if (agent.isAsleep || agent.atBoundary)
      continue;
    if (!isEnabled(static_cast<int>(index))) {
      agent.isAsleep = true;
      continue;
    }
    auto place = [&](unsigned slot) {
      return (uint64_t(model.loopSymbols[agent.loops[slot]]) + 1) << 32 |
             static_cast<uint32_t>(agent.counters[slot]);
    };
    std::pair<uint64_t, uint64_t> key{0, 0}; // the outermost symbolic loop, the innermost other one
    bool isInside = false;
    for (unsigned slot = 0; slot < agent.depth; ++slot)
      if (agent.loops[slot] >= 0) {
        (isInside ? key.second : key.first) = place(slot);
        isInside = true;
      }
    key.first |= uint64_t(agent.lag == 0) << 62;
    if (best < 0 || key < bestKey) {
      best = static_cast<int>(index);
      bestKey = key;
    }
  }
  return best;
}

Stop Machine::run(bool stopAtIterations) {
  for (;;) {
    int agent = pick();
    if (agent < 0)
      return Stop::Quiet;
    for (bool first = true; first || isEnabled(agent); first = false) {
      if (steps > stepLimit)
        return Stop::Limit;
      Flow flow = step(agent);
      if (fault)
        return Stop::Fault;
      if (!beyond.empty())
        return Stop::Limit;
      if (flow == Flow::Decide)
        return Stop::Decide;
      if (flow == Flow::Iteration) {
        stopped = agent;
        if (stopAtIterations)
          return Stop::Iteration;
        break;
      }
      if (flow == Flow::Boundary)
        break;
    }
  }
}

int Machine::least(const Stage &stage, int symbol) const {
  int value = stage.symbols[symbol].value;
  for (const Relation &relation : model.relations)
    if (relation.larger == symbol)
      value = std::max(value, stage.symbols[relation.smaller].value + relation.atLeast);
  return value;
}

int Machine::most(const Stage &stage, int symbol) const {
  auto own = [&](int which) {
    const SymbolState &known = stage.symbols[which];
    bool isSymbol = which < static_cast<int>(model.program->symbols.size());
    return known.isResolved ? known.value
           : isSymbol       ? model.program->symbols[which].max
                            : 1; // whether the tile is the last
  };
  int value = own(symbol);
  for (const Relation &relation : model.relations)
    if (int larger = relation.smaller == symbol ? own(relation.larger) : INT_MAX; larger != INT_MAX)
      value = std::min(value, larger - relation.atLeast);
  return value;
}

std::optional<bool> Machine::exceeds(int agent, int symbol, int bound) {
  const Stage &stage = stageOf(state.agents[agent]);
  if (least(stage, symbol) > bound)
    return true;
  if (most(stage, symbol) <= bound)
    return false;
  decision = symbol;
  decisionLag = state.agents[agent].lag;
  return std::nullopt;
}

// index < scale * symbol + add
std::optional<bool> Machine::continues(int agent, const Count &count, int index) {
  if (count.symbol < 0)
    return index < count.add;
  int difference = index - count.add;
  int bound =
      difference >= 0 ? difference / count.scale : -((-difference + count.scale - 1) / count.scale);
  return exceeds(agent, count.symbol, bound);
}

Machine::Flow Machine::guard(int index, const Instr &instr, std::optional<bool> holds) {
  if (!holds)
    return Flow::Decide;
  AgentState &agent = state.agents[index];
  agent.pc = *holds ? agent.pc + 1 : instr.target;
  ++agent.steps;
  return Flow::Next;
}

Machine::Flow Machine::stepControl(int index, const Instr &instr) {
  AgentState &agent = state.agents[index];
  switch (instr.code) {
  case Code::LoopEnter:
    agent.counters[instr.slot] = 0;
    agent.loops[instr.slot] = static_cast<int16_t>(instr.loop);
    agent.instances[instr.slot] = agent.nextInstance++;
    agent.depth = static_cast<uint8_t>(instr.slot + 1);
    if (instr.loop >= 0)
      state.loopRuns.push_back({index, agent.instances[instr.slot], instr.loop});
    ++agent.pc;
    ++agent.steps;
    return Flow::Next;
  case Code::LoopTest: {
    std::optional<bool> more = continues(index, instr.count, agent.counters[instr.slot]);
    Flow flow = guard(index, instr, more);
    if (more && !*more)
      agent.depth = static_cast<uint8_t>(instr.slot);
    return flow;
  }
  case Code::LoopBack:
    ++agent.counters[instr.slot];
    agent.pc = instr.target;
    ++agent.steps;
    stoppedSlot = instr.slot;
    return instr.loop >= 0 ? Flow::Iteration : Flow::Next;
  case Code::First:
    return guard(index, instr, agent.counters[instr.slot] == 0);
  case Code::Last: {
    std::optional<bool> more = continues(index, instr.count, agent.counters[instr.slot] + 1);
    return guard(index, instr, more ? std::optional<bool>(!*more) : std::nullopt);
  }
  case Code::Every:
    return guard(index, instr, agent.counters[instr.slot] % instr.modulus == instr.remainder);
  case Code::TileFirst:
    return guard(index, instr, stageOf(agent).isFirstTile);
  case Code::TileLast:
    return guard(index, instr, exceeds(index, static_cast<int>(model.program->symbols.size()), 0));
  case Code::Branch:
    return guard(index, instr, exceeds(index, instr.symbol, instr.bound));
  case Code::Jump:
    agent.pc = instr.target;
    return Flow::Next;
  case Code::PartEnd:
  case Code::End:
    advanceAgent(index);
    return agent.atBoundary ? Flow::Boundary : Flow::Next;
  case Code::Op:
    break;
  }
  TSK_UNREACHABLE("an operation is not control");
}

Machine::Flow Machine::step(int index) {
  ++steps;
  AgentState &agent = state.agents[index];
  const Instr &instr = model.agents[index].code[agent.pc];
  if (instr.code != Code::Op)
    return stepControl(index, instr);
  currentPc = agent.pc;
  if (record && agent.blocked != Blocked::Released) {
    record->newest[index] = static_cast<int>(record->events.size());
    record->events.push_back(eventOf(index));
  }
  Flow flow = execute(index, instr);
  if (flow != Flow::Stay) {
    ++agent.pc;
    ++agent.steps;
  }
  return flow == Flow::Stay ? Flow::Next : flow;
}

void Machine::startRecord(Record &into) {
  into = {};
  into.lastAccess.assign(model.columns, -1);
  into.phases.assign(model.elements.size(), 0);
  into.completedBy.assign(model.elements.size() + model.named.size(), -1);
  into.newest.assign(model.agents.size(), -1);
  record = &into;
}

Event Machine::eventOf(int index) {
  const AgentState &agent = state.agents[index];
  const Instr &instr = model.agents[index].code[agent.pc];
  Event event;
  event.agent = index;
  event.pc = agent.pc;
  event.stage = stageNumber - 1 - agent.lag;
  if (agent.depth > 0)
    event.iteration = agent.counters[0];
  std::copy_n(agent.counters, agent.depth, event.counters.begin());
  if (!instr.bar.bases.empty())
    event.element = elementAt(instr.bar, 0);
  if (record && event.element >= 0)
    event.phase = record->phases[event.element];
  for (const CellUse &use : instr.cells)
    event.cells.push_back(elementAt(use.at, 0));
  return event;
}

std::vector<Event> Machine::skip(int index, size_t limit) {
  std::vector<Event> rest;
  AgentState &agent = state.agents[index];
  while (!agent.atBoundary && rest.size() < limit) {
    const Instr &instr = model.agents[index].code[agent.pc];
    if (instr.code != Code::Op) {
      stepControl(index, instr);
      continue;
    }
    rest.push_back(eventOf(index));
    if (instr.kind == OpKind::Next || instr.kind == OpKind::SetCursor)
      execute(index, instr);
    ++agent.pc;
  }
  return rest;
}

void Machine::report(FaultKind kind, int agent, int pc) {
  if (fault)
    return;
  fault.emplace();
  fault->kind = kind;
  fault->agent = agent;
  fault->pc = pc;
}

// Which of the blocked agents says most about why nobody can go on.
void Machine::reportHang() {
  int best = -1, bestRank = INT_MAX;
  for (size_t index = 0; index < state.agents.size(); ++index) {
    const AgentState &agent = state.agents[index];
    if (agent.atBoundary)
      continue;
    const Instr &instr = model.agents[index].code[agent.pc];
    int rank = instr.kind == OpKind::Sync ? 4 : instr.kind == OpKind::ClusterWait ? 5 : 3;
    if (instr.kind == OpKind::Wait) {
      const Element &element = model.elements[elementAt(instr.bar, 0)];
      // Its newest phase is not known here: the wait may also pass on the one before.
      if (!knowsPhase(static_cast<unsigned>(index), element, 0)) {
        report(FaultKind::StaleWait, static_cast<int>(index), agent.pc);
        fault->element = elementAt(instr.bar, 0);
        return;
      }
      bool isAlone = true; // nobody is left who could complete the phase
      for (int other : element.contributorAgents)
        isAlone &= state.agents[other].atBoundary;
      const ElementState &bar = state.elements[elementAt(instr.bar, 0)];
      bool isPartial = bar.pending != element.arrivals || bar.bytes != 0;
      rank = isPartial ? 0 : isAlone ? 1 : 2;
    }
    if (rank < bestRank) {
      best = static_cast<int>(index);
      bestRank = rank;
    }
  }
  const Instr &instr = model.agents[best].code[state.agents[best].pc];
  report(instr.kind == OpKind::SetRegisters ? FaultKind::Registers : FaultKind::Hang, best,
         state.agents[best].pc);
  fault->element = instr.bar.bases.empty() ? -1 : elementAt(instr.bar, 0);
  fault->named = instr.named;
}

// A CTA ends with its last agent: what nobody of it knows to be over may still be in flight.
bool Machine::checkEnd() {
  if (!allAtBoundary()) {
    reportHang();
    return false;
  }
  // A phase that stays open for want of bytes: elsewhere it may complete.
  for (size_t index = 0; index < model.elements.size(); ++index)
    if (model.elements[index].open >= 0 && state.elements[index].pending == 0 &&
        !checkLate(static_cast<int>(index), -1))
      return false;
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank) {
    state.known.clear(model.rowScratch());
    for (size_t agent = 0; agent < model.agents.size(); ++agent)
      if (model.agents[agent].rank == rank)
        state.known.join(model.rowScratch(), static_cast<unsigned>(agent));
    for (size_t index = 0; index < model.atoms.size(); ++index) {
      const Atom &atom = model.atoms[index];
      if (atom.rank != rank || atom.space == Space::Global || atom.space == Space::Registers)
        continue;
      for (const AtomItem &item : atom.items) {
        const Source &source = model.sources[item.source];
        // Arrivals of its own queues may be on their way to a CTA's barriers when it ends.
        bool isRemote = source.rank != rank && source.kind != SourceKind::Loads;
        bool isAsync = source.kind != SourceKind::Threads && source.kind != SourceKind::Barrier;
        if ((isRemote || isAsync) && !state.known.knows(model.rowScratch(), item.column)) {
          report(FaultKind::ExitInFlight, source.agent, -1);
          fault->atom = static_cast<int>(index);
          fault->source = item.source;
          return false;
        }
      }
      if (state.atoms[index].isAllocated) {
        report(FaultKind::ExitAllocated, -1, -1);
        fault->atom = static_cast<int>(index);
        return false;
      }
    }
  }
  return true;
}

} // namespace tsk::protocol
