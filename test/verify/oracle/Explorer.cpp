#include "test/verify/oracle/Explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <vector>

namespace tsk::oracle {

using plan::By;
using plan::Plan;
using plan::Step;
using plan::StepKind;

namespace {

struct Touch {
  unsigned cell;
  bool isWrite, isLoad;
  int barrier; // of a load, -1: none
  int bytes;
  int position; // of the cursor; -1: constant stage
};

struct Instruction {
  enum Kind : uint8_t { Wait, Arrive, Expect, Sync, Signal, Touches } kind = Touches;
  unsigned target = 0; // barrier cell or named barrier
  int parity = 0;
  int arrivals = 0;
  int bytes = 0;
  unsigned call =
      0; // equal for the warps of a task that execute the same step of the same iteration
  std::vector<Touch> touches;
  std::string text;
};

struct WarpProgram {
  unsigned task = 0;
  std::vector<Instruction> code;
};

// ---- expansion ---------------------------------------------------------------------------------

class Compiler {
public:
  explicit Compiler(const Plan &thePlan) : plan(thePlan) {
    for (const plan::Barrier &barrier : plan.barriers) {
      bool isNamed = barrier.kind == plan::Barrier::Kind::Named;
      base.push_back(static_cast<unsigned>(isNamed ? named.size() : counts.size()));
      if (isNamed)
        named.push_back(static_cast<int>(barrier.arrivals));
      else
        counts.insert(counts.end(), barrier.stages, static_cast<int>(barrier.arrivals));
    }
    cellBase.assign(plan.fields.size(), -1);
    for (const plan::Allocation &a : plan.allocations) {
      cellBase[a.field.index] = static_cast<int>(cells);
      cells += a.stages;
    }
    unsigned task = 0;
    for (const plan::Task &t : plan.tasks) {
      for (unsigned w = 0; w < t.warps; ++w) {
        warp = {task, {}};
        index = w;
        current = &t;
        positions.assign(plan.cursors.size(), 0);
        calls = 0;
        run(t.body, 0);
        programs.push_back(warp);
      }
      ++task;
    }
  }

  std::vector<WarpProgram> programs;
  std::vector<int> counts; // arrivals of each barrier cell
  std::vector<int> named;  // threads of each named barrier
  unsigned cells = 0;

private:
  void run(plan::RegionId region, int64_t iteration) {
    if (region)
      for (const Step &step : plan.regions[region].steps)
        run(step, iteration);
  }

  void run(const Step &step, int64_t iteration) {
    ++calls;
    switch (step.kind) {
    case StepKind::For: {
      int64_t upper = *ir::constantValue(plan.tables, step.loop.upper);
      for (int64_t i = *ir::constantValue(plan.tables, step.loop.lower); i < upper; ++i)
        run(step.body, i);
      return;
    }
    case StepKind::If: {
      bool isFirst = plan.tables.exprs[step.args[0]].op == ir::ExprOp::First;
      bool holds = isFirst ? iteration == 0 : *ir::constantValue(plan.tables, step.args[0]) != 0;
      run(holds ? step.body : step.elseBody, iteration);
      return;
    }
    case StepKind::Advance:
      ++positions[step.cursor.index];
      return;
    case StepKind::Sync:
      if (step.scope == ir::SyncScope::Warp) // a warp is one agent here
        return;
      break;
    default:
      break;
    }
    if (step.by == By::Leader && index > 0)
      return;
    Instruction i;
    i.call = calls;
    int lanes = step.by == By::All && !current->isSingleLane ? 32 : 1;
    if (step.kind == StepKind::Call) {
      i.text = "call";
      for (const plan::Access &a : step.accesses)
        i.touches.push_back(
            {cell(a.field, a.at), a.isWrite, a.isWrite && a.mechanism == ir::Mechanism::Tma,
             a.completes ? static_cast<int>(barrier(a.completes, a.completesAt)) : -1,
             static_cast<int>(a.bytes), position(a.at)});
    } else {
      i.target = barrier(step.barrier, step.at);
      i.text = fmt::format("{} {}", plan::mnemonic(step.kind), i.target);
      bool isNamed = plan.barriers[step.barrier].kind == plan::Barrier::Kind::Named;
      i.parity = parity(step.at);
      i.kind = step.kind == StepKind::Wait     ? Instruction::Wait
               : step.kind == StepKind::Sync   ? Instruction::Sync
               : step.kind == StepKind::Expect ? Instruction::Expect
               : isNamed                       ? Instruction::Signal
                                               : Instruction::Arrive;
      bool arrives = i.kind == Instruction::Arrive;
      i.arrivals = arrives ? lanes : 0;
      bool hasBytes = step.kind == StepKind::Expect || step.kind == StepKind::ArriveExpect;
      i.bytes = hasBytes ? lanes * static_cast<int>(step.bytes) : 0;
    }
    warp.code.push_back(i);
  }

  unsigned stage(const plan::At &at) const {
    return at.cursor ? positions[at.cursor.index] % plan.cursors[at.cursor].stages : at.stage;
  }
  int parity(const plan::At &at) const {
    if (!at.cursor)
      return static_cast<int>(at.parity);
    const plan::Cursor &c = plan.cursors[at.cursor];
    return static_cast<int>((positions[at.cursor.index] / c.stages + c.startParity) % 2);
  }
  int position(const plan::At &at) const {
    return at.cursor ? static_cast<int>(positions[at.cursor.index]) : -1;
  }
  unsigned barrier(plan::BarrierId id, const plan::At &at) const {
    bool isNamed = plan.barriers[id].kind == plan::Barrier::Kind::Named;
    return base[id.index] + (isNamed ? 0 : stage(at));
  }
  unsigned cell(plan::FieldId field, const plan::At &at) const {
    return static_cast<unsigned>(cellBase[field.index]) + stage(at);
  }

  const Plan &plan;
  std::vector<unsigned> base;
  std::vector<int> cellBase;
  std::vector<unsigned> positions;
  WarpProgram warp;
  const plan::Task *current = nullptr;
  unsigned index = 0, calls = 0;
};

// ---- exploration -------------------------------------------------------------------------------

struct State {
  std::vector<int16_t> pc, pending, bytes, completed, arrived, generation, blocked;
  std::vector<int16_t> version;                 // by cell: -2 unwritten, else position + 1, 0: none
  std::vector<std::array<int16_t, 3>> inFlight; // warp, instruction, touch

  std::string key() const {
    std::string result;
    for (const auto *list :
         {&pc, &pending, &bytes, &completed, &arrived, &generation, &blocked, &version}) {
      result.append(reinterpret_cast<const char *>(list->data()), list->size() * 2);
      result.push_back('|');
    }
    auto sorted = inFlight;
    std::sort(sorted.begin(), sorted.end());
    result.append(reinterpret_cast<const char *>(sorted.data()), sorted.size() * 6);
    return result;
  }
};

class Explorer {
public:
  Explorer(const Plan &plan, size_t stateLimit, bool stops)
      : machine(plan), limit(stateLimit), stopsAtFirst(stops) {}

  Exploration run() {
    State initial;
    initial.pc.assign(machine.programs.size(), 0);
    initial.blocked.assign(machine.programs.size(), -1);
    for (int count : machine.counts)
      initial.pending.push_back(static_cast<int16_t>(count));
    initial.bytes.assign(machine.counts.size(), 0);
    initial.completed.assign(machine.counts.size(), 0);
    initial.arrived.assign(machine.named.size(), 0);
    initial.generation.assign(machine.named.size(), 0);
    initial.version.assign(machine.cells, -2);
    visit(initial);
    while (!stack.empty() && !isDone()) {
      State state = std::move(stack.back());
      stack.pop_back();
      if (++result.states > limit) {
        result.isComplete = false;
        break;
      }
      expand(state);
    }
    return result;
  }

private:
  bool isDone() const { return stopsAtFirst && result.faults; }

  void fault(Fault kind, std::string what) {
    if (!result.faults)
      result.first = std::move(what);
    result.faults |= kind;
  }

  void visit(const State &state) {
    if (seen.insert(state.key()).second)
      stack.push_back(state);
  }

  bool isFinished(const State &s, size_t w) const {
    return static_cast<size_t>(s.pc[w]) >= machine.programs[w].code.size();
  }
  const Instruction &at(const State &s, size_t w) const {
    return machine.programs[w].code[static_cast<size_t>(s.pc[w])];
  }

  bool isEnabled(const State &s, size_t w) const {
    if (isFinished(s, w))
      return false;
    const Instruction &i = at(s, w);
    if (i.kind == Instruction::Wait)
      return s.completed[i.target] % 2 != i.parity;
    return s.blocked[w] < 0 || s.generation[i.target] > s.blocked[w];
  }

  void expand(const State &state) {
    findRaces(state);
    bool moved = false;
    for (size_t w = 0; w < machine.programs.size() && !isDone(); ++w)
      if (isEnabled(state, w)) {
        State next = state;
        step(next, w);
        visit(next);
        moved = true;
      }
    for (size_t f = 0; f < state.inFlight.size() && !isDone(); ++f) {
      State next = state;
      land(next, f);
      visit(next);
      moved = true;
    }
    bool allEnded = true;
    for (size_t w = 0; w < machine.programs.size(); ++w)
      allEnded &= isFinished(state, w);
    if (!moved && !allEnded)
      fault(Hang, "hang");
    if (allEnded && !state.inFlight.empty())
      fault(AtExit, "load at exit");
  }

  // In which phase each contribution is counted and each wait passes must not vary.
  void record(size_t w, int pc, int touch, int phase) {
    auto [entry, isNew] = phases.try_emplace({w, pc, touch}, phase);
    if (!isNew && entry->second != phase)
      fault(Phase, fmt::format("phase of warp {} op {} varies", w, pc));
  }

  void contribute(State &s, size_t w, int pc, int touch, unsigned cell, int arrivals, int bytes) {
    record(w, pc, touch, s.completed[cell]);
    if (arrivals > s.pending[cell])
      return fault(Phase, fmt::format("too many arrivals on {}", cell));
    s.pending[cell] = static_cast<int16_t>(s.pending[cell] - arrivals);
    s.bytes[cell] = static_cast<int16_t>(s.bytes[cell] + bytes);
    if (s.pending[cell] != 0 || s.bytes[cell] != 0)
      return;
    // Whoever could pass now and has not will find the other parity.
    for (size_t other = 0; other < machine.programs.size(); ++other)
      if (!isFinished(s, other)) {
        const Instruction &i = at(s, other);
        if (i.kind == Instruction::Wait && i.target == cell && isEnabled(s, other))
          fault(Phase, fmt::format("warp {} misses a phase of {}", other, cell));
      }
    ++s.completed[cell];
    s.pending[cell] = static_cast<int16_t>(machine.counts[cell]);
  }

  void step(State &s, size_t w) {
    const Instruction &i = at(s, w);
    int pc = s.pc[w];
    switch (i.kind) {
    case Instruction::Wait:
      record(w, pc, 0, s.completed[i.target]);
      ++s.pc[w];
      return;
    case Instruction::Arrive:
    case Instruction::Expect:
      ++s.pc[w];
      return contribute(s, w, pc, 0, i.target, i.arrivals, i.bytes);
    case Instruction::Sync:
    case Instruction::Signal:
      return sync(s, w, i);
    case Instruction::Touches:
      for (size_t t = 0; t < i.touches.size(); ++t)
        touch(s, w, pc, t, i.touches[t]);
      ++s.pc[w];
      return;
    }
  }

  void sync(State &s, size_t w, const Instruction &i) {
    if (s.blocked[w] >= 0) { // released
      s.blocked[w] = -1;
      ++s.pc[w];
      return;
    }
    record(w, s.pc[w], 0, s.generation[i.target]);
    if (s.arrived[i.target] + 32 > machine.named[i.target])
      return fault(Phase, "too many threads at a named barrier");
    s.arrived[i.target] = static_cast<int16_t>(s.arrived[i.target] + 32);
    if (i.kind == Instruction::Sync)
      s.blocked[w] = s.generation[i.target];
    else
      ++s.pc[w];
    if (s.arrived[i.target] == machine.named[i.target]) {
      s.arrived[i.target] = 0;
      ++s.generation[i.target];
    }
  }

  void touch(State &s, size_t w, int pc, size_t index, const Touch &t) {
    if (t.isLoad) {
      s.inFlight.push_back(
          {static_cast<int16_t>(w), static_cast<int16_t>(pc), static_cast<int16_t>(index)});
      return;
    }
    if (t.isWrite) {
      s.version[t.cell] = static_cast<int16_t>(t.position + 1);
      return;
    }
    int version = s.version[t.cell];
    if (version == -2 || (version > 0 && t.position >= 0 && version != t.position + 1))
      fault(WrongData, fmt::format("warp {} reads wrong data of {}", w, t.cell));
  }

  void land(State &s, size_t f) {
    auto [w, pc, index] = s.inFlight[f];
    s.inFlight.erase(s.inFlight.begin() + static_cast<std::ptrdiff_t>(f));
    const Touch &t = machine.programs[static_cast<size_t>(w)]
                         .code[static_cast<size_t>(pc)]
                         .touches[static_cast<size_t>(index)];
    s.version[t.cell] = static_cast<int16_t>(t.position + 1);
    if (t.barrier >= 0)
      contribute(s, static_cast<size_t>(w), pc, 1 + index, static_cast<unsigned>(t.barrier), 0,
                 -t.bytes);
  }

  static bool conflicts(const Instruction &a, const Instruction &b) {
    for (const Touch &x : a.touches)
      for (const Touch &y : b.touches)
        if (x.cell == y.cell && (x.isWrite || y.isWrite))
          return true;
    return false;
  }

  void findRaces(const State &s) {
    for (size_t a = 0; a < machine.programs.size(); ++a) {
      if (isFinished(s, a) || at(s, a).kind != Instruction::Touches)
        continue;
      for (size_t b = a + 1; b < machine.programs.size(); ++b) {
        if (isFinished(s, b) || at(s, b).kind != Instruction::Touches)
          continue;
        bool isOneCall =
            machine.programs[a].task == machine.programs[b].task && at(s, a).call == at(s, b).call;
        if (!isOneCall && conflicts(at(s, a), at(s, b)))
          fault(Race, fmt::format("warps {} and {} race", a, b));
      }
      for (auto [w, pc, index] : s.inFlight) {
        const Touch &load = machine.programs[static_cast<size_t>(w)]
                                .code[static_cast<size_t>(pc)]
                                .touches[static_cast<size_t>(index)];
        Instruction alone;
        alone.touches = {load};
        if (conflicts(at(s, a), alone))
          fault(Race, fmt::format("warp {} meets a load in flight", a));
      }
    }
  }

  Compiler machine;
  size_t limit;
  bool stopsAtFirst;
  Exploration result;
  std::vector<State> stack;
  std::unordered_set<std::string> seen;
  std::map<std::tuple<size_t, int, int>, int> phases;
};

} // namespace

Exploration explore(const Plan &plan, size_t limit, bool stopsAtFirst) {
  return Explorer(plan, limit, stopsAtFirst).run();
}

} // namespace tsk::oracle
