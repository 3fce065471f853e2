#include "compiler/verify/protocol/Canon.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tsk::protocol {

static bool knowsNewest(const Knowledge &known, int row, const Element &element) {
  return known.knows(row, element.phases.column(0)) || known.knowsAll(row, element.contributors[1]);
}

void Canon::normaliseAtoms(State &state) const {
  Knowledge &known = state.known;
  for (const Atom &atom : model.atoms)
    for (const Bits &bits : atom.blocks) {
      uint64_t common = bits.mask();
      for (int user : atom.users)
        common &= known.value(user, bits.word);
      if (common && model.program->clusterSize > 1) {
        // At the end somebody of the CTA itself must know.
        uint64_t inCta = 0;
        for (size_t agent = 0; agent < model.agents.size(); ++agent)
          if (model.agents[agent].rank == atom.rank)
            inCta |= known.value(agent, bits.word);
        common &= inCta;
      }
      known.retire(bits.word, common);
    }
}

void Canon::normaliseElement(State &state, unsigned index) const {
  Knowledge &known = state.known;
  const Element &element = model.elements[index];
  bool allKnow = std::all_of(element.users.begin(), element.users.end(),
                             [&](int user) { return knowsNewest(known, user, element); });
  bool waitersKnow =
      std::all_of(element.waiterAgents.begin(), element.waiterAgents.end(),
                  [&](int agent) { return known.knows(agent, element.phases.column(0)); });
  if (allKnow)
    for (const Bits &bits : {element.phases, element.contributors[1], element.contributors[2]})
      known.retire(bits);
  if (waitersKnow) {
    unsigned past = model.rowPast(index);
    known.clear(past);
    for (size_t i = 0; i < element.waiterAgents.size(); ++i)
      if (i == 0)
        known.copy(past, element.waiterAgents[i]);
      else
        known.intersect(past, element.waiterAgents[i]);
  }
  for (const Bits &bits : {element.waiters, element.expects})
    for (uint32_t i = 0; i < bits.words(); ++i) {
      uint64_t common = ~0ull;
      for (int user : element.users)
        common &= known.value(user, bits.word + i);
      common |= known.value(model.rowAcc(index), bits.word + i);
      known.retire(bits.word + i, common & bits.mask(i));
    }
}

void Canon::normaliseNamed(State &state) const {
  Knowledge &known = state.known;
  for (unsigned index = 0; index < model.named.size(); ++index) {
    const Named &barrier = model.named[index];
    bool allKnow = std::all_of(barrier.agents.begin(), barrier.agents.end(), [&](int agent) {
      return known.knows(agent, barrier.phase.column(0)) ||
             known.knowsAll(agent, barrier.contributors[1]);
    });
    if (allKnow) {
      known.retire(barrier.phase);
      known.retire(barrier.contributors[1]);
    }
    bool isAwaited = std::any_of(state.agents.begin(), state.agents.end(),
                                 [](const AgentState &agent) { return agent.cluster == 2; });
    if (barrier.id >= 0 || !isAwaited)
      known.clear(model.rowNamedPast(index));
  }
}

// Calls count from the hindmost warp's next one on. Accesses of older calls, and those that all the
// warps know, are nobody's part of a call to come.
void Canon::normaliseCalls(State &state) const {
  std::vector<int32_t> least;
  for (const std::vector<int> &calls : model.callGroups) {
    least.push_back(INT32_MAX);
    for (int call : calls)
      least.back() = std::min(least.back(), state.calls[call]);
    for (int call : calls)
      state.calls[call] -= least.back();
  }
  for (size_t i = 0; i < model.sharedItems.size(); ++i) {
    auto [group, column] = model.sharedItems[i];
    Column wanted = column; // C++20 does not capture bindings everywhere
    bool isKnown =
        std::all_of(model.callGroups[group].begin(), model.callGroups[group].end(),
                    [&](int call) { return state.known.knows(model.calls[call].agent, wanted); });
    state.itemCalls[i] = isKnown ? -1 : std::max(-1, state.itemCalls[i] - least[group]);
  }
}

void Canon::normalise(State &state) const {
  state.known.clear(model.rowScratch());
  normaliseAtoms(state);
  normaliseCalls(state);
  // Groups whose accesses are known to be over need not be waited for.
  for (const auto &agents : model.queueColumns)
    for (size_t agent = 0; agent < agents.size(); ++agent)
      for (Column column : agents[agent])
        if (state.known.knows(agent, column))
          state.groupAge[column] = NoGroup;
  for (unsigned index = 0; index < model.elements.size(); ++index)
    normaliseElement(state, index);
  normaliseNamed(state);
}

static int horizonOf(const Model &model, const State &state, int agent) {
  const AgentState &at = state.agents[agent];
  const Agent &code = model.agents[agent];
  if (!at.atBoundary)
    return code.horizon[at.pc];
  // Between stages: a tile loop may begin again; what follows it comes next.
  return at.pc < static_cast<int>(code.horizon.size()) ? code.horizon[at.pc]
                                                       : static_cast<int>(code.code.size());
}

bool Canon::isLive(const State &state, int cursor) const {
  const Cursor &which = model.cursors[cursor];
  return which.lastUse >= horizonOf(model, state, which.agent);
}

bool Canon::canTurn(const State &state, const Ring &ring) const {
  if (!ring.canTurn)
    return false;
  for (size_t agent = 0; agent < model.agents.size(); ++agent)
    if (ring.lastConstant[agent] >= 0 &&
        ring.lastConstant[agent] >= horizonOf(model, state, static_cast<int>(agent)))
      return false;
  return true;
}

// ---- turning -----------------------------------------------------------------------------------

// Where the columns of a ring's barriers and cells go, and the rows of their phases.
void Canon::addMoves(const Ring &ring, int shift, Moves &moves, std::vector<unsigned> &rows) const {
  auto move = [&](const Bits &from, const Bits &to) {
    if (from.count)
      moves.push_back({from, to});
  };
  int stages = static_cast<int>(ring.stages);
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank)
    for (int stage = 0; stage < stages; ++stage) {
      int to = (stage + shift) % stages;
      if (to == stage)
        continue;
      for (int array : ring.barrierArrays) {
        int base = model.barrierBase[array] + static_cast<int>(rank) * stages;
        const Element &source = model.elements[base + stage], &target = model.elements[base + to];
        rows[model.rowAcc(base + stage)] = model.rowAcc(base + to);
        rows[model.rowPast(base + stage)] = model.rowPast(base + to);
        move(source.phases, target.phases);
        for (int age = 0; age < 3; ++age)
          move(source.contributors[age], target.contributors[age]);
        move(source.waiters, target.waiters);
        move(source.expects, target.expects);
        for (size_t i = 0; i < source.storage.size(); ++i)
          for (size_t k = 0; k < model.atoms[source.storage[i]].blocks.size(); ++k)
            move(model.atoms[source.storage[i]].blocks[k],
                 model.atoms[target.storage[i]].blocks[k]);
      }
      for (int array : ring.cellArrays) {
        int base = model.cellBase[array] + static_cast<int>(rank) * stages;
        const Atom &source = model.atoms[model.atomsOf[base + stage].front()];
        const Atom &target = model.atoms[model.atomsOf[base + to].front()];
        for (size_t k = 0; k < target.blocks.size(); ++k)
          move(source.blocks[k], target.blocks[k]);
      }
    }
}

// By how far each ring turns, there are only so many.
const Permutation &Canon::permutation(const std::vector<int> &shifts) const {
  constexpr size_t MaxKept = 256;
  if (permutations.size() > MaxKept)
    permutations.clear();
  auto [known, isNew] = permutations.try_emplace(shifts);
  if (isNew) {
    Moves moves;
    std::vector<unsigned> rows(model.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    for (size_t i = 0; i < shifts.size(); ++i)
      if (shifts[i] != 0)
        addMoves(model.rings[i], shifts[i], moves, rows);
    known->second = Permutation(moves, std::move(rows));
  }
  return known->second;
}

void Canon::turnBarriers(State &state, int array, int shift) const {
  int stages = static_cast<int>(model.program->barriers[array].stages);
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank) {
    int base = model.barrierBase[array] + static_cast<int>(rank) * stages;
    std::vector<ElementState> before(state.elements.begin() + base,
                                     state.elements.begin() + base + stages);
    std::vector<OpenPhase> open;
    for (int stage = 0; stage < stages && model.elements[base].open >= 0; ++stage)
      open.push_back(state.open[model.elements[base + stage].open]);
    for (int stage = 0; stage < stages; ++stage) {
      int to = (stage + shift) % stages;
      state.elements[base + to] = before[stage];
      if (!open.empty())
        state.open[model.elements[base + to].open] = open[stage];
      state.elements[base + to].parity ^= (stage + shift) / stages & 1;
    }
  }
}

void Canon::turnCells(State &state, int array, int shift) const {
  int stages = static_cast<int>(model.program->cells[array].stages);
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank) {
    int base = model.cellBase[array] + static_cast<int>(rank) * stages;
    std::vector<AtomState> before;
    std::vector<uint8_t> ages;  // stage after stage, of all the same number
    std::vector<int32_t> calls; // likewise
    for (int stage = 0; stage < stages; ++stage) {
      int atom = model.atomsOf[base + stage].front();
      before.push_back(state.atoms[atom]);
      for (const Bits &bits : model.atoms[atom].blocks)
        for (unsigned i = 0; i < bits.count; ++i)
          ages.push_back(state.groupAge[bits.word * 64 + bits.shift + i]);
      for (const AtomItem &item : model.atoms[atom].items)
        if (item.call >= 0)
          calls.push_back(state.itemCalls[item.call]);
    }
    for (int stage = 0; stage < stages; ++stage) {
      int to = (stage + shift) % stages;
      if (to == stage)
        continue;
      int target = model.atomsOf[base + to].front();
      state.atoms[target] = before[stage];
      size_t next = static_cast<size_t>(stage) * (calls.size() / static_cast<size_t>(stages));
      for (const AtomItem &item : model.atoms[target].items)
        if (item.call >= 0)
          state.itemCalls[item.call] = calls[next++];
      next = static_cast<size_t>(stage) * (ages.size() / static_cast<size_t>(stages));
      for (size_t k = 0; k < model.atoms[target].blocks.size(); ++k) {
        const Bits &bits = model.atoms[target].blocks[k];
        for (unsigned i = 0; i < bits.count; ++i)
          state.groupAge[bits.word * 64 + bits.shift + i] = ages[next++];
      }
    }
  }
}

std::vector<int> Canon::turnControl(State &state) const {
  std::vector<int> shifts(model.rings.size(), 0);
  for (size_t number = 0; number < model.rings.size(); ++number) {
    const Ring &ring = model.rings[number];
    int first = -1;
    for (int cursor : ring.cursors) {
      if (!isLive(state, cursor))
        state.cursors[cursor] = {};
      else if (first < 0)
        first = cursor;
    }
    if (first < 0)
      continue;
    int firstItem = state.cursors[first].item;
    for (int cursor : ring.cursors)
      if (isLive(state, cursor))
        state.cursors[cursor].item = ring.hasGets ? state.cursors[cursor].item - firstItem : 0;
    // Gets name ever later items: what is older than the next one of all is just old.
    int oldest = INT32_MAX;
    for (int cursor : ring.cursors)
      if (isLive(state, cursor))
        oldest = std::min(oldest, state.cursors[cursor].item + ring.firstGet);
    for (int array : ring.cellArrays)
      for (unsigned i = 0; i < model.program->cells[array].stages * model.program->clusterSize; ++i)
        for (int atom : model.atomsOf[model.cellBase[array] + i])
          if (AtomState &held = state.atoms[atom]; held.array == array && held.item >= FirstItem) {
            held.item -= firstItem;
            if (held.item < oldest)
              held.item = OldItem;
          }
    if (!canTurn(state, ring)) {
      for (int cursor : ring.cursors)
        if (isLive(state, cursor)) {
          int modulus = model.cursors[cursor].modulus, &place = state.cursors[cursor].place;
          place = ((place % modulus) + modulus) % modulus;
        }
      continue;
    }
    int laps = 2 * static_cast<int>(ring.stages);
    int shift = (laps - state.cursors[first].place % laps) % laps;
    for (int cursor : ring.cursors)
      if (isLive(state, cursor))
        state.cursors[cursor].place = (state.cursors[cursor].place + shift) % laps;
    if (shift == 0)
      continue;
    shifts[number] = shift;
    for (int array : ring.barrierArrays)
      turnBarriers(state, array, shift);
    for (int array : ring.cellArrays)
      turnCells(state, array, shift);
  }
  return shifts;
}

void Canon::turnKnowledge(Knowledge &known, const std::vector<int> &shifts) const {
  if (std::any_of(shifts.begin(), shifts.end(), [](int shift) { return shift != 0; }))
    known.permute(permutation(shifts));
}

// Symbols that an agent behind the newest stage may still ask for.
static void appendOldSymbols(const Model &model, const State &state, std::vector<int32_t> &key) {
  for (size_t index = 0; index < state.agents.size(); ++index) {
    const AgentState &agent = state.agents[index];
    if (agent.atBoundary)
      continue;
    const Stage &stage = state.stages[state.stages.size() - 1 - agent.lag];
    key.push_back(stage.isFirstTile);
    const std::vector<Instr> &code = model.agents[index].code;
    for (size_t pc = model.agents[index].loopHorizon[agent.pc]; code[pc].code != Code::PartEnd;
         ++pc) {
      int symbol = code[pc].code == Code::Branch     ? code[pc].symbol
                   : code[pc].code == Code::TileLast ? static_cast<int>(stage.symbols.size()) - 1
                                                     : code[pc].count.symbol;
      if (symbol >= 0) {
        key.push_back(stage.symbols[symbol].value);
        key.push_back(stage.symbols[symbol].isResolved);
      }
    }
  }
}

static void appendOpenPhase(const OpenPhase &open, std::vector<int32_t> &key) {
  std::vector<Announcement> loads = open.loads;
  std::sort(loads.begin(), loads.end(), [](const Announcement &a, const Announcement &b) {
    return std::tie(a.after, a.bytes) < std::tie(b.after, b.bytes);
  });
  key.push_back(static_cast<int32_t>(open.expects.size()));
  key.push_back(static_cast<int32_t>(loads.size()));
  for (const auto *list : {&open.expects, &std::as_const(loads)})
    for (const Announcement &one : *list)
      for (uint64_t part : {uint64_t(uint32_t(one.bytes)), one.after, one.after >> 32,
                            uint64_t(uint32_t(one.user * 64 + one.column))})
        key.push_back(static_cast<int32_t>(part));
}

std::vector<int32_t> Canon::controlKey(const State &state, int symbol) const {
  std::vector<int32_t> key;
  key.reserve(6 * state.agents.size() + 2 * state.cursors.size() + 3 * state.elements.size() +
              3 * state.atoms.size() + state.calls.size() + state.itemCalls.size() + 32);
  for (size_t index = 0; index < state.agents.size(); ++index) {
    const AgentState &agent = state.agents[index];
    key.push_back(agent.pc);
    key.push_back(int(agent.blocked) | agent.cluster << 2 | agent.atBoundary << 4 |
                  agent.depth << 8 | agent.lag << 16);
    for (unsigned slot = 0; slot < agent.depth; ++slot) {
      int loop = agent.loops[slot], counter = agent.counters[slot];
      if (loop >= 0 && model.loopSymbols[loop] == symbol)
        key.push_back((counter >= 1) | counter % model.loopModulus[loop] << 1);
      else
        key.push_back(counter);
    }
    if (agent.registers)
      key.push_back(agent.registers << 1 | agent.hasSetRegisters);
    if (agent.probe >= 0)
      key.push_back(agent.probe << 1 | agent.probeAge);
  }
  for (size_t cursor = 0; cursor < state.cursors.size(); ++cursor) {
    key.push_back(state.cursors[cursor].place);
    key.push_back(state.cursors[cursor].item);
  }
  for (const ElementState &element : state.elements) {
    key.push_back(element.pending);
    key.push_back(element.bytes);
    key.push_back(element.parity | element.isReady << 1);
  }
  for (const OpenPhase &open : state.open)
    appendOpenPhase(open, key);
  for (const NamedState &named : state.named) {
    key.push_back(named.arrived);
    key.push_back(named.expected);
  }
  for (size_t index = 0; index < state.atoms.size(); ++index) {
    const AtomState &atom = state.atoms[index];
    key.push_back(atom.isAllocated);
    if (model.atoms[index].hasGets) {
      key.push_back(atom.item);
      key.push_back(atom.array);
    }
  }
  for (size_t column = 0; column < state.groupAge.size(); ++column)
    if (state.groupAge[column] != NoGroup)
      key.push_back(static_cast<int32_t>(column << 8 | state.groupAge[column]));
  key.insert(key.end(), state.calls.begin(), state.calls.end());
  key.insert(key.end(), state.itemCalls.begin(), state.itemCalls.end());
  for (int32_t registers : state.freeRegisters)
    key.push_back(registers);
  if (symbol < 0)
    appendOldSymbols(model, state, key);
  return key;
}

uint64_t hashOf(const std::vector<int32_t> &key) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (int32_t value : key)
    hash = (hash ^ static_cast<uint32_t>(value)) * 0x100000001b3ull;
  return hash;
}

} // namespace tsk::protocol
