#include "compiler/verify/protocol/Report.h"

#include "compiler/verify/protocol/Run.h"

#include <algorithm>

namespace tsk::protocol {

static constexpr size_t TimelineRows = 24;
static constexpr size_t ColumnWidth = 26;

static Side sideOf(const Event &event) {
  return {event.agent, event.pc, event.stage, event.iteration};
}

// The other side of a phase fault: the last time the overtaken agent touched that barrier.
static Side lastUse(const Model &model, const std::vector<Event> &events, int agent, int element) {
  for (size_t i = events.size(); i-- > 0;) {
    const Instr &instr = model.agents[events[i].agent].code[events[i].pc];
    if (events[i].agent != agent || instr.bar.bases.empty())
      continue;
    int base = instr.bar.bases.front();
    if (element >= base && element < base + static_cast<int>(instr.bar.stages))
      return sideOf(events[i]);
  }
  return {};
}

Explanation explain(const Model &model, const Verdict &verdict) {
  Explanation explanation;
  if (!verdict.fault)
    return explanation;
  Machine machine(model);
  Record record;
  machine.startRecord(record);
  std::optional<Fault> fault = runScenario(machine, verdict.scenario);
  explanation.events = std::move(record.events);
  if (!fault) {
    explanation.second = {verdict.fault->agent, verdict.fault->pc, -1, -1};
    return explanation;
  }
  explanation.second = {fault->agent, fault->pc, -1, -1};
  for (size_t i = explanation.events.size(); i-- > 0 && explanation.second.stage < 0;)
    if (explanation.events[i].agent == fault->agent && explanation.events[i].pc == fault->pc)
      explanation.second = sideOf(explanation.events[i]);
  int access = -1;
  if (fault->atom >= 0 && fault->source >= 0) {
    const AtomItem &item = model.item(fault->atom, fault->source);
    access = record.lastAccess[fault->isOlder ? item.older : item.column];
  }
  if (access >= 0)
    explanation.first = sideOf(explanation.events[access]);
  else if (fault->otherAgent >= 0 && fault->element >= 0)
    explanation.first = lastUse(model, explanation.events, fault->otherAgent, fault->element);
  return explanation;
}

static std::string placeOf(const Model &model, int agent, int pc) {
  const Instr &instr = model.agents[agent].code[pc];
  const std::vector<std::string> &places = model.program->places;
  return instr.provenance < places.size() ? places[instr.provenance] : spelling(instr.kind);
}

static std::string describeSide(const Model &model, const Side &side) {
  std::string text = model.agents[side.agent].name;
  if (side.pc >= 0)
    text += " at " + placeOf(model, side.agent, side.pc);
  if (side.iteration >= 0)
    text += ", iteration " + std::to_string(side.iteration);
  return text;
}

std::string describe(const Model &model, const Verdict &verdict, const Explanation &explanation) {
  if (!verdict.fault)
    return verdict.judgement == Judgement::Proved ? "proved\n"
                                                  : "unknown: " + verdict.reason + "\n";
  const Fault &fault = *verdict.fault;
  std::string text = std::string(propertyOf(fault.kind)) + " " + titleOf(fault.kind);
  if (fault.element >= 0)
    text += " on " + model.program->barriers[model.elements[fault.element].array].name;
  if (fault.atom >= 0)
    text += " on " + model.atoms[fault.atom].name;
  if (std::string scenario = describe(*model.program, verdict.scenario); !scenario.empty())
    text += " (" + scenario + ")";
  text += "\n";
  if (explanation.first.agent >= 0)
    text += "  first:  " + describeSide(model, explanation.first) + "\n";
  if (explanation.second.agent >= 0)
    text += "  second: " + describeSide(model, explanation.second) + "\n";
  size_t begin =
      explanation.events.size() > TimelineRows ? explanation.events.size() - TimelineRows : 0;
  // Only the agents that act in the rows shown.
  std::vector<int> columns;
  for (size_t i = begin; i < explanation.events.size(); ++i)
    if (std::find(columns.begin(), columns.end(), explanation.events[i].agent) == columns.end())
      columns.push_back(explanation.events[i].agent);
  std::sort(columns.begin(), columns.end());
  auto cell = [&](std::string content) {
    content.resize(ColumnWidth, ' ');
    text += content;
  };
  for (int agent : columns)
    cell(model.agents[agent].name);
  text += columns.empty() ? "" : "\n";
  for (size_t i = begin; i < explanation.events.size(); ++i) {
    const Event &event = explanation.events[i];
    for (int agent : columns)
      cell(agent == event.agent ? placeOf(model, event.agent, event.pc) : "");
    text += "\n";
  }
  return text;
}

} // namespace tsk::protocol
