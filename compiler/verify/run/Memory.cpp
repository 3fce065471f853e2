// The memory of a canonical run: races, versions, loads that nobody waits for.
#include "compiler/verify/run/CanonicalRun.h"

namespace tsk::verify {

void CanonicalRun::call(unsigned warp, const Op &op) {
  const TaskProgram &task = programOf(warp);
  for (unsigned i = 0; i < op.accessCount && !finding; ++i)
    access(warp, task.accesses[op.firstAccess + i]);
}

void CanonicalRun::access(unsigned warp, const CellAccess &access) {
  if (!checkRaces(warp, access, access.cell))
    return;
  for (unsigned overlap : model.cells[access.cell].overlaps)
    if (!checkRaces(warp, access, overlap))
      return;
  if (access.isWrite)
    write(access);
  else if (!checkVersion(warp, access))
    return;

  unsigned index =
      items.access(access.cell, access.isLoad ? -1 : static_cast<int>(warp), access.isWrite);
  const AccessItem &item = items.accesses[access.cell][index];
  Last &last = lastAccess[access.cell][index];
  auto pc = static_cast<int>(states[warp].pc);
  if (item.olderColumn >= 0 && last.op != pc)
    known.copyColumn(item.column, item.olderColumn);
  known.setColumn(item.column, false);
  last = {pc, warp};
  if (access.isLoad)
    load(warp, access);
  else
    known.set(warp, item.column);
}

bool CanonicalRun::checkRaces(unsigned warp, const CellAccess &access, unsigned cell) {
  for (size_t i = 0; i < items.accesses[cell].size(); ++i) {
    const AccessItem &item = items.accesses[cell][i];
    const Last &last = lastAccess[cell][i];
    if (last.op < 0 || !(item.isWrite || access.isWrite))
      continue;
    unsigned column = item.column;
    // The threads of one call of one work cooperate: their accesses do not conflict.
    if (last.op == static_cast<int>(states[warp].pc) &&
        model.warps[last.warp].task == model.warps[warp].task) {
      if (item.olderColumn < 0)
        continue;
      column = static_cast<unsigned>(item.olderColumn);
    }
    if (known.knows(warp, column))
      continue;
    Finding &race = report(FindingKind::Race, warp);
    race.cell = static_cast<int>(access.cell);
    race.other = {last.warp, static_cast<unsigned>(last.op)};
    race.isWrite = access.isWrite;
    race.isLoad = access.isLoad;
    race.isOtherWrite = item.isWrite;
    race.isOtherLoad = item.warp < 0;
    return false;
  }
  return true;
}

void CanonicalRun::write(const CellAccess &access) {
  versions[access.cell] = {Version::Written, access.position};
  for (unsigned overlap : model.cells[access.cell].overlaps)
    if (versions[overlap].state == Version::Written)
      versions[overlap].state = Version::Clobbered;
}

// Without races the newest write is the same in every interleaving, so this run decides.
bool CanonicalRun::checkVersion(unsigned warp, const CellAccess &access) {
  const Version &version = versions[access.cell];
  bool isWrong =
      access.position >= 0 && version.position >= 0 && access.position != version.position;
  if (version.state == Version::Written && !isWrong)
    return true;
  FindingKind kind = version.state == Version::Unwritten   ? FindingKind::Unwritten
                     : version.state == Version::Clobbered ? FindingKind::Clobbered
                                                           : FindingKind::WrongVersion;
  Finding &wrong = report(kind, warp);
  wrong.cell = static_cast<int>(access.cell);
  wrong.expected = access.position;
  wrong.found = version.position;
  return false;
}

// The memory of a CTA lives as long as one of its warps: a load must be known complete to some warp
// before that one ends.
void CanonicalRun::checkExit() {
  for (unsigned cell = 0; cell < items.accesses.size(); ++cell)
    for (size_t i = 0; i < items.accesses[cell].size(); ++i) {
      const AccessItem &item = items.accesses[cell][i];
      const Last &last = lastAccess[cell][i];
      if (item.warp >= 0 || last.op < 0)
        continue;
      bool isKnown = false;
      for (unsigned warp = 0; warp < states.size(); ++warp)
        isKnown |= known.knows(warp, item.column);
      if (isKnown)
        continue;
      Finding &open = report(FindingKind::LoadAtExit, last.warp);
      open.place = {last.warp, static_cast<unsigned>(last.op)};
      open.cell = static_cast<int>(cell);
      return;
    }
}

} // namespace tsk::verify
