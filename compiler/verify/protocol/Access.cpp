// Accesses: races (V2), items (V5), proxies and publication (V6), groups, allocation, registers.
#include "compiler/target/Limits.h"
#include "compiler/verify/protocol/Machine.h"

namespace tsk::protocol {

// Older than any wait asks for.
static constexpr uint8_t MaxGroupAge = target::MaxPendingGroups + 1;

static Bits bitsOf(Column column) {
  auto place = static_cast<uint32_t>(column);
  return {place / 64, place % 64, 1};
}

static bool isAsyncProxy(SourceKind kind) {
  return kind == SourceKind::Loads || kind == SourceKind::Tensor || kind == SourceKind::Gmma ||
         kind == SourceKind::Store;
}

// Two operations of one in-order queue never collide.
bool Machine::isExempt(int source, const Source &other) const {
  const Source &mine = model.sources[source];
  // Bulk stores of one queue write different tiles of a tensor.
  if (mine.kind == SourceKind::Tensor || mine.kind == SourceKind::Gmma ||
      (mine.kind == SourceKind::Store && mine.isWrite && other.isWrite))
    return other.kind == mine.kind && other.agent == mine.agent;
  return false;
}

// The newest access of the item is another warp's part of the very call that `call` counts.
bool Machine::isSameCall(int source, const AtomItem &item, int call) const {
  return call >= 0 && item.call >= 0 &&
         model.sources[item.source].group == model.sources[source].group &&
         state.itemCalls[item.call] == state.calls[call];
}

// Warps of a task do not collide in one call of one work, nor where they write a tensor in global
// memory, of which only the whole is modelled.
bool Machine::isShare(int agent, const Atom &atom, int source, const AtomItem &item, int call) {
  if (atom.space == Space::Global)
    return call >= 0 && model.sources[item.source].group == model.sources[source].group;
  return isSameCall(source, item, call) && state.known.knows(agent, item.older);
}

// `call`: of a shared access, its agent's count.
void Machine::accessAtom(int agent, int index, int source, bool isWrite, int call) {
  const Atom &atom = model.atoms[index];
  const Knowledge &known = state.known;
  if (!known.knowsAll(agent, isWrite ? atom.all : atom.writes))
    for (const AtomItem &item : atom.items) {
      const Source &other = model.sources[item.source];
      if ((isWrite || other.isWrite) && !known.knows(agent, item.column) &&
          !isExempt(source, other) && !isShare(agent, atom, source, item, call)) {
        report(atom.isBarrier ? FaultKind::NotInitialised : FaultKind::Race, agent, currentPc);
        fault->atom = index;
        fault->source = item.source;
        fault->otherAgent = other.agent;
        fault->isOlder = isSameCall(source, item, call);
        return;
      }
    }
  const Source &mineSource = model.sources[source];
  bool isThreads = mineSource.kind == SourceKind::Threads;
  if (isThreads && !isWrite)
    for (const AtomItem &item : atom.items)
      if (item.visibility >= 0 && !known.knows(agent, item.visibility) &&
          !isSameCall(source, item, call)) {
        report(FaultKind::Visibility, agent, currentPc);
        fault->atom = index;
        fault->source = item.source;
        fault->otherAgent = model.sources[item.source].agent;
        return;
      }
  if (isAsyncProxy(mineSource.kind))
    checkProxies(agent, atom, index, isWrite);
  if (fault)
    return;
  const AtomItem &item = model.item(index, source);
  if (item.call >= 0) {
    state.known.move(bitsOf(item.column), bitsOf(item.older));
    if (record)
      record->lastAccess[item.older] = record->lastAccess[item.column];
    state.itemCalls[item.call] = state.calls[call];
  }
  state.known.renew(item.column);
  if (isThreads)
    state.known.learn(agent, item.column);
  if (item.proxy >= 0)
    state.known.renew(item.proxy);
  if (item.visibility >= 0) {
    state.known.renew(item.visibility);
    state.known.learn(agent, item.visibility);
  }
  if (!isThreads)
    completing.push_back(item.column);
  if (record)
    record->lastAccess[item.column] = static_cast<int>(record->events.size()) - 1;
}

void Machine::checkProxies(int agent, const Atom &atom, int index, bool isWrite) {
  for (const AtomItem &item : atom.items) {
    const Source &other = model.sources[item.source];
    if (item.proxy < 0 || (!other.isWrite && !isWrite) || state.known.knows(agent, item.proxy))
      continue;
    report(FaultKind::ProxyOrder, agent, currentPc);
    fault->atom = index;
    fault->source = item.source;
    fault->otherAgent = other.agent;
    return;
  }
}

// Each item put is numbered by how many its producer has moved on; a get names its number too.
void Machine::versions(int agent, const CellUse &use, int index) {
  AtomState &atom = state.atoms[index];
  bool counts = use.isVersioned && use.at.cursor >= 0;
  int32_t item = counts ? state.cursors[use.at.cursor].item + use.at.offset : AnyItem;
  if (use.isWrite) {
    atom.array = use.array;
    atom.item = item;
    return;
  }
  if (!use.isVersioned)
    return;
  if (atom.item == NoItem || atom.array != use.array ||
      (counts && atom.item != item && atom.item != AnyItem)) {
    report(atom.item == NoItem ? FaultKind::Unwritten : FaultKind::WrongItem, agent, currentPc);
    fault->atom = index;
  }
}

void Machine::access(int agent, const Instr &instr) {
  completing.clear();
  for (const CellUse &use : instr.cells)
    for (size_t i = 0; i < use.at.bases.size(); ++i)
      for (int atom : model.atomsOf[elementAt(use.at, i)]) {
        if (model.program->cells[use.array].isPredecessors &&
            !state.known.knows(agent, model.pdl)) {
          report(FaultKind::Predecessor, agent, currentPc);
          fault->atom = atom;
          return;
        }
        accessAtom(agent, atom, use.source, use.isWrite, instr.call);
        if (!fault)
          versions(agent, use, atom);
        if (fault)
          return;
      }
  if (instr.call >= 0)
    ++state.calls[instr.call];
  if (instr.kind == OpKind::Group)
    for (Column column : completing)
      state.groupAge[column] = 0;
}

// A use of a barrier reads its memory; asynchronous and remote uses need its initialisation
// published by a fence as well.
void Machine::useBarrier(int agent, int index, bool isAsync) {
  const Element &element = model.elements[index];
  if (!state.elements[index].isReady) {
    report(FaultKind::NotInitialised, agent, currentPc);
    fault->element = index;
    return;
  }
  if (element.storage.empty())
    return;
  SourceKind kind = isAsync ? SourceKind::Barrier : SourceKind::Threads;
  for (int atom : element.storage) {
    bool isRemote = element.rank != model.agents[agent].rank;
    for (const AtomItem &item : model.atoms[atom].items) {
      if (item.init >= 0 && (isAsync || isRemote) && !state.known.knows(agent, item.init) &&
          state.known.knows(agent, item.column)) {
        report(FaultKind::InitNotPublished, agent, currentPc);
        fault->element = index;
        fault->otherAgent = model.sources[item.source].agent;
        return;
      }
    }
    for (const AtomItem &item : model.atoms[atom].items) {
      const Source &source = model.sources[item.source];
      if (source.kind != kind || source.isWrite || source.rank != model.agents[agent].rank ||
          (!isAsync && source.agent != agent))
        continue;
      accessAtom(agent, atom, item.source, false);
      if (fault && fault->kind == FaultKind::NotInitialised)
        fault->element = index;
      break;
    }
    if (fault)
      return;
  }
}

// The newest initialisation is the one to be published, whoever made those before.
void Machine::beginInit(int atom, const AtomItem &newest) {
  for (const AtomItem &item : model.atoms[atom].items)
    if (item.init >= 0)
      state.known.retire(bitsOf(item.init));
  state.known.renew(newest.init);
}

void Machine::initBarrier(int agent, const Instr &instr) {
  bool isInit = instr.kind == OpKind::Init;
  for (size_t i = 0; i < instr.bar.bases.size(); ++i) {
    int index = elementAt(instr.bar, i);
    const Element &element = model.elements[index];
    for (int atom : element.storage)
      for (const AtomItem &item : model.atoms[atom].items) {
        const Source &source = model.sources[item.source];
        if (source.kind == SourceKind::Threads && source.isWrite && source.agent == agent) {
          accessAtom(agent, atom, item.source, true);
          if (isInit)
            beginInit(atom, item);
          break;
        }
      }
    if (fault) {
      fault->element = index;
      return;
    }
    ElementState &bar = state.elements[index];
    // One that lives may not be initialised again, one that does not may not be ended.
    if (bar.isReady == isInit) {
      report(FaultKind::NotInitialised, agent, currentPc);
      fault->element = index;
      return;
    }
    if (element.open >= 0) {
      if (bar.pending == 0 && !checkLate(index, agent))
        return;
      state.open[element.open] = {};
    }
    bar.isReady = isInit;
    wake(element.users);
    if (!isInit)
      continue;
    // A fresh barrier: no phase has completed, nobody has contributed or waited.
    bar.pending = element.arrivals;
    bar.bytes = 0;
    bar.parity = 0;
    state.known.retire(element.phases);
    for (const Bits &bits : element.contributors)
      state.known.retire(bits);
    state.known.retire(element.waiters);
    state.known.retire(element.expects);
    state.known.clear(model.rowAcc(index));
    state.known.clear(model.rowPast(index));
  }
}

void Machine::groupCommit(int agent, const Instr &instr) {
  for (Column column : model.queueColumns[static_cast<int>(instr.queue)][agent])
    if (uint8_t &age = state.groupAge[column]; age < MaxGroupAge)
      ++age;
}

void Machine::groupWait(int agent, const Instr &instr) {
  for (Column column : model.queueColumns[static_cast<int>(instr.queue)][agent]) {
    uint8_t &age = state.groupAge[column];
    if (age == NoGroup || age <= instr.n)
      continue;
    if (instr.readOnly && model.sources[model.columnSource[column]].isWrite)
      continue;
    state.known.learn(agent, column);
    age = NoGroup;
  }
}

void Machine::proxyFence(int agent) {
  state.known.learn(agent, model.fenceMask[agent]);
  for (auto [access, proxy] : model.copyProxies)
    if (state.known.knows(agent, access))
      state.known.learn(agent, proxy);
}

void Machine::allocation(int agent, const Instr &instr) {
  access(agent, instr);
  for (const CellUse &use : instr.cells)
    for (size_t i = 0; i < use.at.bases.size() && !fault; ++i)
      for (int index : model.atomsOf[elementAt(use.at, i)]) {
        bool allocates = instr.kind == OpKind::TmemAlloc;
        AtomState &atom = state.atoms[index];
        if (atom.isAllocated == allocates) {
          report(FaultKind::Allocation, agent, currentPc);
          fault->atom = index;
          return;
        }
        atom.isAllocated = allocates;
        atom.item = NoItem;
      }
}

bool Machine::registersAvailable(int agent, const Instr &instr) const {
  int more =
      (instr.n - state.agents[agent].registers) * static_cast<int>(model.agents[agent].weight);
  return more <= 0 || model.program->entryRegisters == 0 ||
         more <= state.freeRegisters[model.agents[agent].rank];
}

// Which raise is granted first is anybody's guess. It does not matter as long as what is given back
// is given back whatever is granted, and for good.
void Machine::setRegisters(int agent, const Instr &instr) {
  AgentState &who = state.agents[agent];
  int more = (instr.n - who.registers) * static_cast<int>(model.agents[agent].weight);
  if (more == 0 || model.program->entryRegisters == 0)
    return;
  Column raised = model.raised[model.agents[agent].rank];
  if (who.hasSetRegisters || (more < 0 && state.known.knows(agent, raised)))
    beyond = "registers are given back by somebody who has raised his, or waits for one who has";
  if (more > 0)
    state.known.learn(agent, raised);
  who.hasSetRegisters = true;
  state.freeRegisters[model.agents[agent].rank] -= more;
  who.registers = instr.n;
  for (AgentState &other : state.agents)
    other.isAsleep = false;
}

} // namespace tsk::protocol
