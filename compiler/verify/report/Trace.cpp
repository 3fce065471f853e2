#include "compiler/verify/report/Trace.h"
#include "compiler/verify/protocol/Run.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using protocol::Code;
using protocol::Event;
using protocol::Instr;
using protocol::OpKind;

Trace::Trace(const plan::Plan &judged, const proof::Translation &theTranslation,
             const protocol::Model &program, const protocol::Scenario &values)
    : plan(judged), translation(theTranslation), model(program), scenario(values),
      machine(program) {
  machine.startRecord(record);
  fault = protocol::runScenario(machine, scenario);
  for (size_t part = 0; part < model.parts.size(); ++part) {
    int loop = model.parts[part].tiles;
    int runs = loop < 0 ? 1 : protocol::valueOf(*model.program, scenario, -1, 0, loop);
    for (int tile = 0; tile < runs; ++tile)
      stages.push_back({static_cast<int>(part), tile});
  }
  collect();
}

// ---- from events to moments --------------------------------------------------------------------

int64_t Trace::trips(const protocol::Count &count, int stage) const {
  if (count.symbol < 0)
    return count.add;
  auto [part, tile] = stages[stage];
  int loop = model.parts[part].tiles;
  int64_t value = protocol::valueOf(*model.program, scenario, loop, tile, count.symbol);
  return std::max<int64_t>(0, count.scale * value + count.add);
}

void Trace::addIterations(const Event &event, Moment &to) const {
  const protocol::Agent &agent = model.agents[event.agent];
  std::vector<const Instr *> around;
  auto [part, tile] = stages[event.stage];
  for (int pc = agent.partBegin[part]; pc < event.pc; ++pc) {
    if (agent.code[pc].code == Code::LoopEnter)
      around.push_back(&agent.code[pc]);
    if (agent.code[pc].code == Code::LoopBack)
      around.pop_back();
  }
  for (const Instr *loop : llvm::reverse(around)) {
    const proof::Origin &origin = translation.origins[loop->provenance];
    int64_t ordinal = origin.base + event.counters[loop->slot];
    if (origin.isFromEnd)
      ordinal = origin.base + trips(loop->count, event.stage) - 1;
    to.iterations.push_back({origin.step, ordinal});
  }
  if (model.parts[part].tiles >= 0) {
    const proof::Origin &origin = translation.origins[agent.partOrigin[part]];
    to.iterations.push_back({origin.step, origin.base + tile});
  }
}

Moment Trace::moment(const Event &event) const {
  Moment result;
  if (event.agent < 0)
    return result;
  const Instr &instr = model.agents[event.agent].code[event.pc];
  result.agent = event.agent;
  result.step = translation.origins[instr.provenance].step;
  result.element = event.element;
  result.phase = event.phase + (instr.kind == OpKind::Wait ? 0 : 1);
  for (int base : instr.bar.bases)
    result.ranks |= 1u << model.elements[base].rank;
  for (size_t i = 0; i < event.cells.size(); ++i) {
    const protocol::CellUse &use = instr.cells[i];
    uint32_t ranks = 0;
    for (int base : use.at.bases)
      ranks |= 1u << (base - model.cellBase[use.array]) / use.at.stages;
    result.cells.push_back({event.cells[i], use.isWrite, instr.kind != OpKind::Access, ranks});
  }
  addIterations(event, result);
  return result;
}

static bool isSameExecution(const Moment &a, const Moment &b) {
  auto isSame = [](const Iteration &x, const Iteration &y) {
    return x.loop == y.loop && x.ordinal == y.ordinal;
  };
  return a.step == b.step && a.iterations.size() == b.iterations.size() &&
         std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(), isSame);
}

// The operations of one step are one moment; a cursor's moving takes no time.
void Trace::collect() {
  momentOf.assign(record.events.size(), -1);
  std::vector<int> last(model.agents.size(), -1);         // moment
  std::vector<const Event *> before(model.agents.size()); // event
  auto settle = [&](int agent) {
    const Event *event = before[agent];
    if (event && event->after >= 0 && momentOf[event->after] >= 0) {
      Moment &held = all[last[agent]];
      held.time = std::max(held.time, all[momentOf[event->after]].time + (event->element >= 0));
    }
  };
  for (size_t i = 0; i < record.events.size(); ++i) {
    const Event &event = record.events[i];
    OpKind kind = model.agents[event.agent].code[event.pc].kind;
    if (kind == OpKind::Next || kind == OpKind::SetCursor)
      continue;
    settle(event.agent);
    Moment added = moment(event);
    int previous = last[event.agent];
    if (previous >= 0 && isSameExecution(all[previous], added)) {
      all[previous].cells.insert(all[previous].cells.end(), added.cells.begin(), added.cells.end());
      momentOf[i] = previous;
    } else {
      added.time = previous < 0 ? 1 : all[previous].time + 1;
      momentOf[i] = static_cast<int>(all.size());
      last[event.agent] = momentOf[i];
      all.push_back(std::move(added));
    }
    before[event.agent] = &event;
    if (event.after <= static_cast<int>(i))
      settle(event.agent);
  }
  for (size_t agent = 0; agent < before.size(); ++agent)
    settle(static_cast<int>(agent));
}

Moment Trace::newest(int agent, int pc) const {
  for (size_t i = record.events.size(); i-- > 0;)
    if (record.events[i].agent == agent && record.events[i].pc == pc && momentOf[i] >= 0)
      return all[momentOf[i]];
  return {};
}

Moment Trace::newest(int agent, int element, llvm::ArrayRef<OpKind> kinds) const {
  for (size_t i = record.events.size(); i-- > 0;) {
    const Event &event = record.events[i];
    if (event.agent == agent && event.element == element && momentOf[i] >= 0 &&
        llvm::is_contained(kinds, model.agents[agent].code[event.pc].kind))
      return all[momentOf[i]];
  }
  return {};
}

bool Trace::isAt(const Moment &moment, int element) const {
  if (moment.element < 0 || element < 0 || moment.element == element)
    return moment.element == element;
  const protocol::Element &one = model.elements[moment.element], &other = model.elements[element];
  return one.array == other.array && one.stage == other.stage && moment.ranks >> other.rank & 1;
}

std::vector<int> Trace::elementsOf(const Touched &touched) const {
  size_t array = llvm::upper_bound(model.cellBase, touched.cell) - model.cellBase.begin() - 1;
  auto count = static_cast<int>(model.program->cells[array].stages);
  int base = model.cellBase[array], stage = (touched.cell - base) % count;
  std::vector<int> elements;
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank)
    if (touched.ranks >> rank & 1)
      elements.push_back(base + static_cast<int>(rank) * count + stage);
  return elements;
}

Moment Trace::otherAccess() const {
  const protocol::AtomItem &item = model.item(fault->atom, fault->source);
  int event = record.lastAccess[fault->isOlder ? item.older : item.column];
  return event < 0 ? Moment() : all[momentOf[event]];
}

Moment Trace::completion(int element) const {
  int event = record.completedBy[element];
  return event < 0 ? Moment() : all[momentOf[event]];
}

Moment Trace::next(int agent) const {
  std::vector<Moment> rest = remaining(agent, 1);
  return rest.empty() ? Moment() : rest.front();
}

std::vector<Moment> Trace::remaining(int agent, size_t limit) const {
  protocol::Machine copy = machine;
  copy.record = nullptr;
  std::vector<Moment> rest;
  for (const Event &event : copy.skip(agent, limit))
    rest.push_back(moment(event));
  return rest;
}

// ---- words -------------------------------------------------------------------------------------

std::string Trace::taskName(int agent) const {
  const std::string &name = plan.tasks[taskOf(agent)].name;
  return hasRanks() ? fmt::format("{}@{}", name, model.agents[agent].rank) : name;
}

static std::string staged(const std::string &name, unsigned stages, unsigned stage) {
  return stages == 1 ? name : fmt::format("{}[{}]", name, stage);
}

std::string Trace::ofRanks(std::string name, uint32_t ranks) const {
  if (!hasRanks())
    return name;
  llvm::StringRef before = "@";
  for (unsigned rank = 0; rank < model.program->clusterSize; ++rank)
    if (ranks >> rank & 1) {
      name += fmt::format("{}{}", before, rank);
      before = ",";
    }
  return name;
}

std::string Trace::barrierName(int element, uint32_t ranks) const {
  const protocol::Element &which = model.elements[element];
  const protocol::BarrierArray &array = model.program->barriers[which.array];
  return ofRanks(staged(array.name, array.stages, which.stage), ranks ? ranks : 1u << which.rank);
}

std::string Trace::cellName(int cell, uint32_t ranks) const {
  size_t array = llvm::upper_bound(model.cellBase, cell) - model.cellBase.begin() - 1;
  const protocol::CellArray &which = model.program->cells[array];
  auto stage = static_cast<unsigned>(cell - model.cellBase[array]);
  return ofRanks(staged(which.name, which.stages, stage % which.stages),
                 ranks ? ranks : 1u << stage / which.stages);
}

std::string Trace::iteration(const Moment &at) const {
  std::string text;
  for (const Iteration &each : at.iterations)
    text += fmt::format(" in iteration {} of `{}`", each.ordinal + 1,
                        plan.tables.values[each.loop->loop.variable].name);
  return text;
}

std::string Trace::threadBarrier(const Moment &at) const {
  return at.step->barrier ? plan.barriers[at.step->barrier].name
                          : ir::spelling(at.step->scope).str();
}

std::string Trace::operation(const Moment &at) const {
  std::string text = plan::mnemonic(at.step->kind).str();
  switch (at.step->kind) {
  case plan::StepKind::Sync:
    return text + " " + threadBarrier(at);
  case plan::StepKind::Call:
    return text + " " + plan.works[at.step->work];
  case plan::StepKind::Fence:
    return text + " " + plan::spelling(at.step->fence).str();
  case plan::StepKind::CommitGroup:
  case plan::StepKind::WaitGroup:
    return text + " " + plan::spelling(at.step->queue).str() + (at.step->isRead ? " read" : "");
  default:
    break;
  }
  if (at.element < 0)
    return at.step->barrier ? text + " " + plan.barriers[at.step->barrier].name : text;
  text += " " + barrierName(at.element, at.ranks);
  if (at.step->bytes)
    text += fmt::format(" {}", at.step->bytes);
  return text;
}

std::string Trace::waitedFor(const Moment &at) const {
  return at.element >= 0 ? barrierName(at.element) : operation(at);
}

} // namespace tsk::verify
