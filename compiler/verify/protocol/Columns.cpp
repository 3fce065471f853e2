// The columns of the knowledge matrix: one for each fact that a check asks about, named statically.
#include "compiler/verify/protocol/ModelBuilder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tsk::protocol {

namespace {

class ColumnAssigner {
public:
  explicit ColumnAssigner(Model &built) : model(built) {}
  void run();

private:
  Bits allocate(size_t count);
  void collectUses();
  void collectBarrierUse(int agent, const Instr &instr);
  void collectCellUse(int agent, Instr &instr);
  int source(SourceKind kind, int agent, unsigned rank, bool isWrite, int group);
  void findSharedCalls();
  void useAtom(int atom, int source, int agent);
  void layOutElements();
  void layOutNamed();
  void layOutAtom(int index);
  void layOutAtoms();
  void addMasks(int index);
  bool readByOthers(const Atom &atom, int agent) const;

  Model &model;
  struct ArrayUse {
    std::set<int> waiters, contributors, expecters, users;
    bool hasAsync = false;
  };
  std::map<std::pair<int, unsigned>, ArrayUse> barrierUses; // array, rank
  std::map<std::tuple<SourceKind, int, unsigned, bool, int>, int> sourceIds;
  std::vector<std::set<int>> atomSources;
  std::vector<std::set<int>> atomUsers;
};

} // namespace

static void addMask(WordMasks &masks, Column column) {
  uint32_t word = column / 64;
  uint64_t bit = 1ull << column % 64;
  for (auto &entry : masks)
    if (entry.first == word) {
      entry.second |= bit;
      return;
    }
  masks.push_back({word, bit});
}

// Up to 64 columns lie in one word; more begin at one.
Bits ColumnAssigner::allocate(size_t count) {
  if (model.columns % 64 + count > 64)
    model.columns = (model.columns / 64 + 1) * 64;
  Bits bits{model.columns / 64, model.columns % 64, static_cast<uint32_t>(count)};
  model.columns += count;
  return bits;
}

void ColumnAssigner::collectBarrierUse(int agent, const Instr &instr) {
  for (int base : instr.bar.bases) {
    const Element &element = model.elements[base];
    ArrayUse &use = barrierUses[{element.array, element.rank}];
    use.users.insert(agent);
    switch (instr.kind) {
    case OpKind::Wait:
      use.waiters.insert(agent);
      break;
    case OpKind::Expect:
      use.expecters.insert(agent);
      use.contributors.insert(agent);
      break;
    case OpKind::Arrive:
    case OpKind::ArriveExpect:
      use.contributors.insert(agent);
      break;
    case OpKind::Load:
    case OpKind::TensorCommit:
    case OpKind::CopyArrive:
      use.hasAsync = true;
      break;
    default:
      break;
    }
  }
}

int ColumnAssigner::source(SourceKind kind, int agent, unsigned rank, bool isWrite, int group) {
  auto [place, isNew] =
      sourceIds.try_emplace({kind, agent, rank, isWrite, group}, model.sources.size());
  if (isNew)
    model.sources.push_back({kind, agent, rank, isWrite, group});
  return place->second;
}

void ColumnAssigner::useAtom(int atom, int source, int agent) {
  atomSources[atom].insert(source);
  atomUsers[atom].insert(agent);
}

static SourceKind sourceKindOf(const Instr &instr) {
  switch (instr.kind) {
  case OpKind::Load:
    return SourceKind::Loads;
  case OpKind::Mma:
    return SourceKind::Tensor;
  case OpKind::Group:
    return instr.queue == Queue::Gmma    ? SourceKind::Gmma
           : instr.queue == Queue::Store ? SourceKind::Store
                                         : SourceKind::Copy;
  default:
    return SourceKind::Threads;
  }
}

void ColumnAssigner::collectCellUse(int agent, Instr &instr) {
  for (CellUse &use : instr.cells) {
    SourceKind kind = sourceKindOf(instr);
    int owner = kind == SourceKind::Loads ? -1 : agent;
    use.source = source(kind, owner, owner < 0 ? 0 : model.agents[agent].rank, use.isWrite,
                        instr.call < 0 ? -1 : model.calls[instr.call].group);
    // All stages alike, so that a ring's elements have one layout.
    for (int base : use.at.bases)
      for (unsigned stage = 0; stage < use.at.stages; ++stage)
        for (int atom : model.atomsOf[base + stage]) {
          useAtom(atom, use.source, agent);
          model.atoms[atom].hasGets |= use.isVersioned && !use.isWrite;
        }
  }
}

// Accesses that write and that several warps of a task execute.
void ColumnAssigner::findSharedCalls() {
  std::map<std::tuple<unsigned, unsigned, unsigned>, std::vector<size_t>>
      users; // task, rank, origin
  auto isWriting = [](const Instr &instr) {
    return instr.code == Code::Op && instr.kind == OpKind::Access &&
           std::any_of(instr.cells.begin(), instr.cells.end(),
                       [](const CellUse &use) { return use.isWrite; });
  };
  auto keyOf = [](const Agent &agent, const Instr &instr) {
    return std::tuple(agent.task, agent.rank, instr.provenance);
  };
  for (size_t index = 0; index < model.agents.size(); ++index)
    for (const Instr &instr : model.agents[index].code)
      if (isWriting(instr))
        if (auto &list = users[keyOf(model.agents[index], instr)];
            list.empty() || list.back() != index)
          list.push_back(index);
  std::map<std::tuple<unsigned, unsigned, unsigned>, int> groups;
  std::map<std::pair<int, size_t>, int> callOf;
  for (size_t index = 0; index < model.agents.size(); ++index)
    for (Instr &instr : model.agents[index].code) {
      if (!isWriting(instr) || users[keyOf(model.agents[index], instr)].size() < 2)
        continue;
      auto [group, isNew] =
          groups.try_emplace(keyOf(model.agents[index], instr), model.callGroups.size());
      if (isNew)
        model.callGroups.emplace_back();
      auto [call, isFirst] = callOf.try_emplace({group->second, index}, model.calls.size());
      if (isFirst) {
        model.callGroups[group->second].push_back(static_cast<int>(model.calls.size()));
        model.calls.push_back({static_cast<int>(index), group->second});
      }
      instr.call = call->second;
    }
}

void ColumnAssigner::collectUses() {
  atomSources.resize(model.atoms.size());
  atomUsers.resize(model.atoms.size());
  findSharedCalls();
  for (size_t agent = 0; agent < model.agents.size(); ++agent)
    for (size_t pc = 0; pc < model.agents[agent].code.size(); ++pc) {
      Instr &instr = model.agents[agent].code[pc];
      if (instr.code != Code::Op)
        continue;
      int who = static_cast<int>(agent);
      collectBarrierUse(who, instr);
      collectCellUse(who, instr);
      bool isAsync = instr.kind == OpKind::Load || instr.kind == OpKind::TensorCommit ||
                     instr.kind == OpKind::CopyArrive;
      bool writes = instr.kind == OpKind::Init || instr.kind == OpKind::Inval;
      int barrierSource =
          instr.bar.bases.empty() ? -1
          : isAsync ? source(SourceKind::Barrier, -1, model.agents[agent].rank, false, -1)
                    : source(SourceKind::Threads, who, model.agents[agent].rank, writes, -1);
      for (int base : instr.bar.bases)
        for (unsigned stage = 0; stage < instr.bar.stages; ++stage)
          for (int atom : model.elements[base + stage].storage)
            useAtom(atom, barrierSource, who);
    }
}

void ColumnAssigner::layOutElements() {
  for (Element &element : model.elements) {
    const ArrayUse &use = barrierUses[{element.array, element.rank}];
    element.waiterAgents.assign(use.waiters.begin(), use.waiters.end());
    element.contributorAgents.assign(use.contributors.begin(), use.contributors.end());
    element.expectAgents.assign(use.expecters.begin(), use.expecters.end());
    element.users.assign(use.users.begin(), use.users.end());
    element.hasAsync = use.hasAsync;
    element.phases = allocate(2);
    for (Bits &bits : element.contributors)
      bits = allocate(use.contributors.size() + use.hasAsync);
    element.waiters = allocate(use.waiters.size());
    element.expects = allocate(use.expecters.size() * ExpectColumns);
    if (!use.expecters.empty())
      element.open = static_cast<int>(model.openPhases++);
  }
}

// Named barriers that some agent uses, by rank and id; the cluster's last.
void ColumnAssigner::layOutNamed() {
  std::map<std::pair<unsigned, int>, std::set<int>> users;
  for (size_t agent = 0; agent < model.agents.size(); ++agent)
    for (const Instr &instr : model.agents[agent].code) {
      if (instr.code != Code::Op)
        continue;
      if (instr.kind == OpKind::Sync || instr.kind == OpKind::NamedArrive)
        users[{model.agents[agent].rank, instr.named}].insert(static_cast<int>(agent));
      if (instr.kind == OpKind::ClusterArrive || instr.kind == OpKind::ClusterWait)
        users[{0, -1}].insert(static_cast<int>(agent));
    }
  std::map<std::pair<unsigned, int>, int> index;
  for (auto &[key, agents] : users) {
    Named named;
    named.rank = key.first;
    named.id = key.second;
    named.agents.assign(agents.begin(), agents.end());
    named.phase = allocate(1);
    for (Bits &bits : named.contributors)
      bits = allocate(named.agents.size());
    if (named.id < 0)
      for (const Agent &agent : model.agents)
        named.total += static_cast<int>(agent.weight);
    index[key] = static_cast<int>(model.named.size());
    model.named.push_back(std::move(named));
  }
  for (Agent &agent : model.agents)
    for (Instr &instr : agent.code) {
      if (instr.code != Code::Op)
        continue;
      if (instr.kind == OpKind::Sync || instr.kind == OpKind::NamedArrive)
        instr.named = index[{agent.rank, instr.named}];
      if (instr.kind == OpKind::ClusterArrive || instr.kind == OpKind::ClusterWait)
        instr.named = index[{0, -1}];
    }
}

bool ColumnAssigner::readByOthers(const Atom &atom, int agent) const {
  return std::any_of(atom.items.begin(), atom.items.end(), [&](const AtomItem &item) {
    const Source &source = model.sources[item.source];
    return source.kind == SourceKind::Threads && !source.isWrite && source.agent != agent;
  });
}

static bool isAsyncProxy(SourceKind kind) {
  return kind == SourceKind::Loads || kind == SourceKind::Tensor || kind == SourceKind::Gmma ||
         kind == SourceKind::Store;
}

void ColumnAssigner::layOutAtom(int index) {
  Atom &atom = model.atoms[index];
  atom.users.assign(atomUsers[index].begin(), atomUsers[index].end());
  bool hasAsync = false, hasAsyncWrite = false;
  for (int source : atomSources[index]) {
    const Source &from = model.sources[source];
    atom.items.push_back({source});
    hasAsync |= isAsyncProxy(from.kind);
    hasAsyncWrite |= isAsyncProxy(from.kind) && from.isWrite;
  }
  bool isMemory = !atom.isBarrier && (atom.space == Space::Shared || atom.space == Space::Global);
  // Which extra columns each item needs, then all of them one after the other.
  std::vector<Column *> wanted;
  for (AtomItem &item : atom.items)
    wanted.push_back(&item.column);
  for (AtomItem &item : atom.items) {
    const Source &from = model.sources[item.source];
    bool isGeneric = from.kind == SourceKind::Threads || from.kind == SourceKind::Copy;
    if (isMemory && isGeneric && (from.isWrite ? hasAsync : hasAsyncWrite))
      wanted.push_back(&item.proxy);
    if (atom.holdsBarrier && from.kind == SourceKind::Threads && from.isWrite)
      wanted.push_back(&item.init);
    if (isMemory && from.kind == SourceKind::Threads && from.isWrite &&
        readByOthers(atom, from.agent))
      wanted.push_back(&item.visibility);
    if (from.group >= 0)
      wanted.push_back(&item.older);
  }
  for (size_t i = 0; i < wanted.size(); i += 64) {
    Bits bits = allocate(std::min<size_t>(64, wanted.size() - i));
    atom.blocks.push_back(bits);
    for (size_t k = 0; k < bits.count; ++k)
      *wanted[i + k] = static_cast<Column>(bits.word * 64 + bits.shift + k);
  }
}

void ColumnAssigner::addMasks(int index) {
  Atom &atom = model.atoms[index];
  for (AtomItem &item : atom.items) {
    const Source &from = model.sources[item.source];
    if (from.group >= 0) {
      item.call = static_cast<int>(model.sharedItems.size());
      model.sharedItems.push_back({from.group, item.column});
    }
    model.columnAtom[item.column] = index;
    model.columnSource[item.column] = item.source;
    addMask(atom.all, item.column);
    if (from.isWrite)
      addMask(atom.writes, item.column);
    if (item.proxy >= 0) {
      if (from.kind == SourceKind::Copy)
        model.copyProxies.push_back({item.column, item.proxy});
      else
        addMask(model.fenceMask[from.agent], item.proxy);
      if (!from.isWrite && model.program->arrivalOrdersReads)
        model.readProxies.push_back({item.column, item.proxy});
    }
    if (item.init >= 0)
      addMask(model.initMask[from.agent], item.init);
    if (item.visibility >= 0)
      addMask(model.visibilities, item.visibility);
    if (from.kind == SourceKind::Tensor)
      addMask(model.tensorMask[from.agent], item.column);
    if (from.kind == SourceKind::Copy)
      addMask(model.copyMask[from.agent], item.column);
    int queue = from.kind == SourceKind::Gmma    ? 0
                : from.kind == SourceKind::Store ? 1
                : from.kind == SourceKind::Copy  ? 2
                                                 : -1;
    if (queue >= 0)
      model.queueColumns[queue][from.agent].push_back(item.column);
  }
}

void ColumnAssigner::layOutAtoms() {
  size_t agents = model.agents.size();
  for (auto *masks : {&model.fenceMask, &model.initMask, &model.tensorMask, &model.copyMask})
    masks->resize(agents);
  for (auto &columns : model.queueColumns)
    columns.resize(agents);
  for (size_t atom = 0; atom < model.atoms.size(); ++atom)
    layOutAtom(static_cast<int>(atom));
  model.columnAtom.assign(model.columns, -1);
  model.columnSource.assign(model.columns, -1);
  for (size_t atom = 0; atom < model.atoms.size(); ++atom)
    addMasks(static_cast<int>(atom));
}

void ColumnAssigner::run() {
  collectUses();
  layOutElements();
  layOutNamed();
  model.pdl = static_cast<Column>(model.columns++);
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank)
    model.raised.push_back(static_cast<Column>(model.columns++));
  model.facts = model.raised;
  model.facts.push_back(model.pdl);
  for (const Agent &agent : model.agents)
    for (const Instr &instr : agent.code)
      model.waitsForPdl |= instr.code == Code::Op && instr.kind == OpKind::PdlWait;
  layOutAtoms();
  model.words = (model.columns + 63) / 64;
}

void assignColumns(Model &model) { ColumnAssigner(model).run(); }

} // namespace tsk::protocol
