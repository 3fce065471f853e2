#include "test/verify/oracle/RandomPlans.h"
#include "compiler/ir/Fold.h"
#include "compiler/plan/Layout.h"

#include <fmt/format.h>

#include <map>
#include <random>

namespace tsk::oracle {

using namespace plan;

namespace {

// A task under construction: steps before, in and after its loop.
struct Draft {
  std::string name;
  unsigned warps = 1;
  bool isSingleLane = false;
  int64_t trips = 0;
  std::vector<Step> parts[3];
  std::map<unsigned, CursorId> cursors; // by ring: its cursor in this task
};

struct Ring {
  unsigned stages = 1;
  bool isTma = false;
  unsigned producer = 0, consumer = 0; // tasks
  AllocationId memory;
  FieldId field;
  BarrierId full, empty;
};

class Generator {
public:
  explicit Generator(uint32_t seed) : engine(seed) {}

  Plan run() {
    plan.kernel = "random";
    plan.target = "sm_90a";
    unsigned tasks = 2 + chance(30);
    for (unsigned t = 0; t < tasks; ++t) {
      Draft &draft = drafts.emplace_back();
      draft.name = fmt::format("T{}", t);
      draft.warps = 1 + chance(25);
      draft.isSingleLane = draft.warps == 1 && chance(50);
    }
    unsigned ringCount = 1 + chance(35);
    trips = below(4);
    for (unsigned r = 0; r < ringCount; ++r)
      addRing(r);
    for (Draft &draft : drafts)
      draft.trips = chance(8) ? below(4) : trips;
    for (unsigned r = 0; r < rings.size(); ++r)
      weave(r);
    constexpr unsigned Mutations[] = {0, 0, 1, 1, 1, 2, 2, 3};
    unsigned mutations = Mutations[below(8)];
    for (unsigned m = 0; m < mutations; ++m)
      mutate();
    finish();
    return std::move(plan);
  }

private:
  unsigned below(unsigned n) { return n ? engine() % n : 0; }
  bool chance(unsigned percent) { return below(100) < percent; }

  unsigned arrivalsOf(const Draft &draft, By by) const {
    if (by == By::Leader)
      return 1;
    return draft.isSingleLane ? 1 : draft.warps * 32;
  }

  void addRing(unsigned index) {
    Ring ring;
    ring.stages = 1 + below(2);
    ring.isTma = chance(50);
    ring.producer = below(static_cast<unsigned>(drafts.size()));
    do
      ring.consumer = below(static_cast<unsigned>(drafts.size()));
    while (ring.consumer == ring.producer);
    ring.field = plan.fields.add(fmt::format("x{}", index));
    Allocation memory;
    memory.name = plan.fields[ring.field];
    memory.field = ring.field;
    memory.stages = ring.stages;
    memory.stageBytes = 64;
    ring.memory = plan.allocations.add(memory);
    producerBy = ring.isTma || chance(20) ? By::Leader : By::All;
    consumerBy = chance(25) ? By::Leader : By::All;
    ring.full = addBarrier(fmt::format("f{}", index), ring.stages,
                           arrivalsOf(drafts[ring.producer], producerBy));
    ring.empty = addBarrier(fmt::format("e{}", index), ring.stages,
                            arrivalsOf(drafts[ring.consumer], consumerBy));
    issuers.push_back({producerBy, consumerBy});
    rings.push_back(ring);
  }

  BarrierId addBarrier(std::string name, unsigned stages, unsigned arrivals) {
    Barrier barrier;
    barrier.name = std::move(name);
    barrier.stages = stages;
    barrier.arrivals = arrivals;
    return plan.barriers.add(barrier);
  }

  CursorId cursorOf(unsigned task, unsigned ring, unsigned parity) {
    auto known = drafts[task].cursors.find(ring);
    if (known != drafts[task].cursors.end())
      return known->second;
    Cursor cursor{fmt::format("c{}", ring), plan.tasks.idAt(task), rings[ring].stages, parity};
    return drafts[task].cursors[ring] = plan.cursors.add(cursor);
  }

  Step barrierStep(StepKind kind, BarrierId barrier, CursorId cursor, By by) {
    Step step;
    step.kind = kind;
    step.barrier = barrier;
    step.at.cursor = cursor;
    step.by = by;
    return step;
  }

  Step callStep(unsigned ring, CursorId cursor, bool isWrite, bool isLoad, By by) {
    Step step;
    step.kind = StepKind::Call;
    step.by = by;
    if (plan.works.empty())
      plan.works.add("w");
    step.work = plan.works.idAt(0);
    Access access;
    access.field = rings[ring].field;
    access.at.cursor = cursor;
    access.isWrite = isWrite;
    if (isLoad) {
      access.mechanism = ir::Mechanism::Tma;
      access.completes = rings[ring].full;
      access.completesAt = access.at;
      access.bytes = 4;
    }
    step.accesses.push_back(access);
    return step;
  }

  Step advanceStep(CursorId cursor) {
    Step step;
    step.kind = StepKind::Advance;
    step.cursor = cursor;
    return step;
  }

  // The two sides of a ring, added to the loops of their tasks.
  void weave(unsigned r) {
    const Ring &ring = rings[r];
    auto [producerBy_, consumerBy_] = issuers[r];
    std::vector<Step> &producer = drafts[ring.producer].parts[1];
    CursorId in = cursorOf(ring.producer, r, 1);
    By waiter = ring.isTma ? By::Leader : By::All;
    producer.push_back(barrierStep(StepKind::Wait, ring.empty, in, waiter));
    if (ring.isTma) {
      producer.push_back(barrierStep(StepKind::ArriveExpect, ring.full, in, By::Leader));
      producer.back().bytes = 4;
    }
    producer.push_back(callStep(r, in, true, ring.isTma, ring.isTma ? By::Leader : By::All));
    if (!ring.isTma)
      producer.push_back(barrierStep(StepKind::Arrive, ring.full, in, producerBy_));
    producer.push_back(advanceStep(in));

    std::vector<Step> &consumer = drafts[ring.consumer].parts[1];
    CursorId out = cursorOf(ring.consumer, r, 0);
    consumer.push_back(barrierStep(StepKind::Wait, ring.full, out, By::All));
    consumer.push_back(callStep(r, out, false, false, By::All));
    consumer.push_back(barrierStep(StepKind::Arrive, ring.empty, out, consumerBy_));
    consumer.push_back(advanceStep(out));
  }

  // ---- mutations
  // ---------------------------------------------------------------------------------

  std::vector<Step> &somePart() {
    Draft &draft = drafts[below(static_cast<unsigned>(drafts.size()))];
    unsigned part = chance(75) ? 1 : 2 * below(2);
    return draft.parts[part];
  }

  void mutate() {
    std::vector<Step> &steps = somePart();
    unsigned at = below(static_cast<unsigned>(steps.size()));
    if (steps.empty())
      return mutateOther();
    Step &step = steps[at];
    switch (below(10)) {
    case 0:
      steps.erase(steps.begin() + at);
      return;
    case 1: {
      Step copy = step;
      steps.insert(steps.begin() + at, copy);
      return;
    }
    case 2: {
      Step copy = step;
      steps.erase(steps.begin() + at);
      steps.insert(steps.begin() + below(static_cast<unsigned>(steps.size()) + 1), copy);
      return;
    }
    case 3:
      if (at + 1 < steps.size())
        std::swap(steps[at], steps[at + 1]);
      return;
    case 4: // constants instead of a cursor
      if (step.barrier)
        step.at = {{}, below(plan.barriers[step.barrier].stages), below(2)};
      return;
    case 5:
      if (step.bytes)
        step.bytes = 4 * (1 + below(2));
      return;
    case 6: // an expect without arrival, or the reverse
      if (step.kind == StepKind::ArriveExpect)
        step.kind = StepKind::Expect;
      else if (step.kind == StepKind::Arrive)
        step.by = step.by == By::All ? By::Leader : By::All;
      return;
    case 7:
      return guard(steps, at);
    default:
      return mutateOther();
    }
  }

  void mutateOther() {
    switch (below(5)) {
    case 0: { // a count that is off
      Barrier &barrier =
          plan.barriers[plan.barriers.idAt(below(static_cast<unsigned>(plan.barriers.size())))];
      int unit = barrier.kind == Barrier::Kind::Named ? 32 : 1;
      int change = chance(50) ? unit : -unit;
      barrier.arrivals = static_cast<unsigned>(std::max(unit, int(barrier.arrivals) + change));
      return;
    }
    case 1:
      drafts[below(static_cast<unsigned>(drafts.size()))].trips = below(4);
      return;
    case 2:
      return stealStep();
    case 3:
      return addSync();
    default: { // an access out of turn
      unsigned r = below(static_cast<unsigned>(rings.size()));
      std::vector<Step> &steps = somePart();
      Step step = callStep(r, {}, chance(30), false, By::All);
      step.accesses[0].at.stage = below(rings[r].stages);
      steps.insert(steps.begin() + below(static_cast<unsigned>(steps.size()) + 1), step);
    }
    }
  }

  // A step of one task, copied into another with that one's cursor.
  void stealStep() {
    unsigned r = below(static_cast<unsigned>(rings.size()));
    unsigned thief = below(static_cast<unsigned>(drafts.size()));
    CursorId cursor = cursorOf(thief, r, below(2));
    std::vector<Step> &steps = drafts[thief].parts[below(3)];
    Step step;
    switch (below(4)) {
    case 0:
      step = barrierStep(StepKind::Arrive, chance(50) ? rings[r].full : rings[r].empty, cursor,
                         chance(50) ? By::Leader : By::All);
      break;
    case 1:
      step =
          barrierStep(StepKind::Wait, chance(50) ? rings[r].full : rings[r].empty, cursor, By::All);
      break;
    case 2:
      step = barrierStep(StepKind::Expect, rings[r].full, cursor, By::Leader);
      step.bytes = 4;
      break;
    default:
      step = advanceStep(cursor);
    }
    steps.insert(steps.begin() + below(static_cast<unsigned>(steps.size()) + 1), step);
  }

  // A named barrier between two tasks, one side perhaps not blocking.
  void addSync() {
    unsigned a = below(static_cast<unsigned>(drafts.size()));
    unsigned b = (a + 1) % static_cast<unsigned>(drafts.size());
    Barrier barrier;
    barrier.kind = Barrier::Kind::Named;
    barrier.name = fmt::format("n{}", ++namedCount);
    barrier.namedId = namedCount;
    barrier.arrivals = 32 * (drafts[a].warps + drafts[b].warps) + (chance(15) ? 32 : 0);
    BarrierId id = plan.barriers.add(barrier);
    bool isSignal = chance(30);
    for (unsigned task : {a, b}) {
      Step step;
      step.kind = task == b && isSignal ? StepKind::Arrive : StepKind::Sync;
      step.barrier = id;
      std::vector<Step> &steps = drafts[task].parts[1];
      steps.insert(steps.begin() + below(static_cast<unsigned>(steps.size()) + 1), step);
    }
  }

  void guard(std::vector<Step> &steps, unsigned at) {
    bool isInLoop = false;
    for (Draft &draft : drafts)
      isInLoop |= &steps == &draft.parts[1];
    if (!isInLoop || steps[at].kind == StepKind::If)
      return;
    Step step;
    step.kind = StepKind::If;
    step.body = plan.regions.add({{steps[at]}});
    guarded.push_back(&steps);
    step.args.push_back(ExprId()); // first(i), once the loop's variable exists
    steps[at] = step;
  }

  // ---- assembly
  // ----------------------------------------------------------------------------------

  ExprId constant(int64_t value) {
    return ir::makeConstant(plan.tables, ir::ConstantScalar::ofInt(value), {});
  }

  void finish() {
    unsigned warp = 0;
    for (Draft &draft : drafts) {
      Task task;
      task.name = draft.name;
      task.firstWarp = warp;
      task.warps = draft.warps;
      task.isSingleLane = draft.isSingleLane;
      warp += draft.warps;
      std::vector<Step> body = draft.parts[0];
      body.push_back(loopOf(draft));
      body.insert(body.end(), draft.parts[2].begin(), draft.parts[2].end());
      task.body = plan.regions.add({body});
      plan.tasks.add(task);
    }
    plan.warps = warp;
    uint64_t end = 0;
    for (Allocation &allocation : plan.allocations)
      end = placeAt(allocation, end);
    for (Barrier &barrier : plan.barriers)
      end = placeAt(barrier, end);
    plan.sharedBytes = static_cast<uint32_t>(end);
  }

  Step loopOf(Draft &draft) {
    ir::Value variable;
    variable.name = "i_" + draft.name;
    variable.kind = ir::Value::Kind::LoopVariable;
    variable.type = ir::Type::ofScalar(ir::ScalarType::I32);
    variable.uniformity = ir::Uniformity::Const;
    Step loop;
    loop.kind = StepKind::For;
    loop.loop.variable = plan.tables.values.add(variable);
    loop.loop.lower = constant(0);
    loop.loop.upper = constant(draft.trips);
    loop.loop.step = constant(1);
    for (Step &step : draft.parts[1])
      if (step.kind == StepKind::If) {
        ExprId value = ir::makeValueRef(plan.tables, loop.loop.variable, {});
        step.args[0] = ir::makeExpr(plan.tables, ir::ExprOp::First, {value}, {});
      }
    loop.body = plan.regions.add({draft.parts[1]});
    return loop;
  }

  std::mt19937 engine;
  Plan plan;
  std::vector<Draft> drafts;
  std::vector<Ring> rings;
  std::vector<std::pair<By, By>> issuers;
  std::vector<std::vector<Step> *> guarded;
  By producerBy = By::All, consumerBy = By::All;
  unsigned trips = 0, namedCount = 0;
};

} // namespace

Plan randomPlan(uint32_t seed) { return Generator(seed).run(); }

} // namespace tsk::oracle
