#include "compiler/verify/report/Finding.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using protocol::Fault;
using protocol::FaultKind;
using protocol::OpKind;
using protocol::Source;
using protocol::SourceKind;

bool Finding::isAboutData() const {
  switch (kind) {
  case FaultKind::Race:
  case FaultKind::Predecessor:
  case FaultKind::ExitInFlight:
  case FaultKind::WrongItem:
  case FaultKind::Unwritten:
  case FaultKind::ProxyOrder:
  case FaultKind::Visibility:
    return true;
  default:
    return false;
  }
}

// Which of a moment's cells an atom belongs to: that element alone.
static std::optional<Touched> touchOf(const Trace &trace, const Moment &moment, int atom,
                                      bool wantsWrite) {
  std::optional<Touched> found;
  for (const Touched &each : moment.cells)
    for (int element : trace.elementsOf(each))
      if (llvm::is_contained(trace.model.atomsOf[element], atom) &&
          (!found || each.isWrite == wantsWrite)) {
        found = each;
        found->cell = element;
      }
  return found;
}

static void addAtom(const Trace &trace, const Fault &fault, Finding &finding) {
  bool isOnlySide = fault.kind == FaultKind::ExitInFlight;
  if (fault.source >= 0) {
    const Source &source = trace.model.sources[fault.source];
    finding.other = trace.otherAccess();
    finding.isOtherWrite = source.isWrite;
    finding.isOtherCopy = source.kind != SourceKind::Threads;
    if (isOnlySide)
      finding.place = finding.other;
  }
  if (finding.place.agent < 0)
    return;
  bool wantsWrite = isOnlySide || (fault.source >= 0 && !finding.isOtherWrite);
  if (std::optional<Touched> touched = touchOf(trace, finding.place, fault.atom, wantsWrite)) {
    finding.cell = touched->cell;
    finding.isWrite = touched->isWrite;
    finding.isCopy = touched->isCopy;
  }
}

// Which item a get names and which one it finds.
static void addItems(const Trace &trace, const Fault &fault, Finding &finding) {
  const protocol::AtomState &held = trace.state().atoms[fault.atom];
  for (const protocol::CellUse &use : trace.instruction(fault).cells) {
    if (use.isWrite)
      continue;
    finding.isClobbered = held.array != use.array;
    if (use.at.cursor < 0)
      continue;
    finding.expected = trace.state().cursors[use.at.cursor].item + use.at.offset;
    finding.found = held.item;
  }
}

Finding findingOf(const Trace &trace) {
  const Fault &fault = *trace.fault;
  Finding finding;
  finding.kind = fault.kind;
  finding.element = fault.element;
  // A wait where the run ends is not among what was executed.
  bool isBlocked = fault.agent >= 0 && !trace.isFinished(fault.agent) &&
                   trace.state().agents[fault.agent].pc == fault.pc;
  if (fault.agent >= 0 && fault.pc >= 0)
    finding.place = isBlocked ? trace.next(fault.agent) : trace.newest(fault.agent, fault.pc);
  if (fault.kind == FaultKind::StaleWait && isBlocked) {
    // It would have passed, had it looked before the phase that it knows nothing of.
    finding.kind = FaultKind::MissedPhase;
    finding.other = finding.place;
    finding.place = trace.completion(fault.element);
    return finding;
  }
  if (fault.atom >= 0)
    addAtom(trace, fault, finding);
  if (fault.kind == FaultKind::WrongItem)
    addItems(trace, fault, finding);
  if (fault.kind == FaultKind::MissedPhase)
    finding.other = trace.newest(fault.otherAgent, fault.element, {OpKind::Wait});
  if (fault.kind == FaultKind::LateExpect)
    finding.other = trace.newest(fault.otherAgent, fault.element, {OpKind::Expect});
  return finding;
}

} // namespace tsk::verify
