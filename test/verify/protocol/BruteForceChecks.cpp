#include "BruteForceImpl.h"

#include <algorithm>

namespace tsk::protocol::oracle {

// ---- what must not be --------------------------------------------------------------------------

std::vector<Explorer::Flight> Explorer::inFlight() const {
  std::vector<Flight> flights;
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    const Shape &mine = shapes[warp];
    const auto &steps = program.warps[warp].steps;
    for (size_t i = 0; i < mine.parts.size(); ++i) {
      const Part &part = mine.parts[i];
      if (part.pc < get(warp, Pc) && !isDone(warp, i) && !steps[part.pc].cells.empty())
        flights.push_back({warp, &steps[part.pc],
                           steps[part.pc].bars.size() > 1 ? program.barrierRank[part.bar] : -1,
                           false});
    }
    for (int i = get(warp, MmaDone); i < mine.issued[QueueCount][get(warp, Pc)]; ++i)
      flights.push_back({warp, &steps[mine.mmas[i]], -1, false});
    for (size_t q = 0; q < QueueCount; ++q) {
      int read = q == static_cast<size_t>(Queue::Store) ? get(warp, StoreRead) : 0;
      for (int i = get(warp, GroupDone + static_cast<int>(q)); i < mine.issued[q][get(warp, Pc)];
           ++i)
        flights.push_back({warp, &steps[mine.groupOps[q][i]], -1, i < read});
    }
  }
  return flights;
}

// The cell on which two steps conflict; null: none. `rank`, `onlyWrites`: of the second.
static const CellAccess *overlap(const Step &a, const Step &b, int rank = -1,
                                 bool onlyWrites = false) {
  for (const CellAccess &x : a.cells)
    for (const CellAccess &y : b.cells)
      if (x.cell == y.cell && (x.isWrite || y.isWrite) && (rank < 0 || y.rank == rank) &&
          (y.isWrite || !onlyWrites))
        return &x;
  return nullptr;
}

// Shares of one call of one work do not collide; of global memory only the whole is known.
bool Explorer::collide(size_t warpA, const Step &a, size_t warpB, const Step &b) const {
  const Warp &first = program.warps[warpA], &second = program.warps[warpB];
  bool isShared = a.kind == OpKind::Access && b.kind == OpKind::Access &&
                  a.provenance == b.provenance && first.task == second.task &&
                  first.rank == second.rank;
  if (!isShared)
    return overlap(a, b) != nullptr;
  const CellAccess *cell = overlap(a, b);
  return cell && a.call != b.call && !cell->isGlobal;
}

void Explorer::checkRaces() {
  std::vector<Flight> flights = inFlight();
  for (size_t warp = 0; warp < program.warps.size(); ++warp) {
    const Step *step = next(warp);
    if (!step || step->cells.empty() || get(warp, Blocked) != 0)
      continue;
    auto report = [&](const CellAccess *cell, const std::string &what) {
      if (cell)
        fault(cell->isBarrier ? "V6" : "V2", program.warps[warp].name + " against " + what);
    };
    for (size_t other = warp + 1; other < program.warps.size(); ++other)
      if (const Step *second = next(other);
          second && !second->cells.empty() && collide(warp, *step, other, *second))
        report(overlap(*step, *second), program.warps[other].name);
    for (const Flight &flight : flights) {
      const Step &running = *flight.step;
      bool isStore = step->kind == OpKind::Group && step->queue == Queue::Store &&
                     running.kind == OpKind::Group && running.queue == Queue::Store;
      bool sameQueue = flight.warp == warp && running.kind == step->kind &&
                       (step->kind == OpKind::Mma ||
                        (step->kind == OpKind::Group && step->queue == Queue::Gmma &&
                         running.queue == Queue::Gmma));
      const CellAccess *cell = overlap(*step, running, flight.rank, flight.onlyWrites);
      // Stores of one queue write different tiles.
      if (isStore && flight.warp == warp && cell && cell->isWrite)
        continue;
      if (!sameQueue)
        report(cell, "what is in flight of " + program.warps[flight.warp].name);
    }
  }
}

// A CTA that has ended while something in flight, or a step of another CTA, is about its memory.
void Explorer::checkExit() {
  for (int rank = 0; rank < program.ranks; ++rank) {
    bool isOver = true;
    for (size_t warp = 0; warp < program.warps.size(); ++warp)
      isOver &= program.warps[warp].rank != rank || !next(warp);
    if (!isOver)
      continue;
    auto touches = [&](const Step &step, int ofRank, bool onlyWrites) {
      return std::any_of(step.cells.begin(), step.cells.end(), [&](const CellAccess &access) {
        return access.rank == rank && !access.outlivesCta && !access.isBarrier &&
               (ofRank < 0 || ofRank == rank) && (access.isWrite || !onlyWrites);
      });
    };
    for (const Flight &flight : inFlight())
      if (touches(*flight.step, flight.rank, flight.onlyWrites))
        fault("V4", "in flight at the end of a CTA");
    for (size_t warp = 0; warp < program.warps.size(); ++warp) {
      const Step *step = next(warp);
      if (program.warps[warp].rank == rank)
        continue;
      for (size_t i = 0; i < shapes[warp].parts.size(); ++i) {
        const Part &part = shapes[warp].parts[i];
        if (part.pc < get(warp, Pc) && !isDone(warp, i) && program.barrierRank[part.bar] == rank)
          fault("V4", "an arrival is on its way to a CTA that has ended");
      }
      if (!step)
        continue;
      bool isRemote = touches(*step, -1, false);
      for (int bar : step->bars)
        isRemote |= program.barrierRank[bar] == rank;
      if (isRemote)
        fault("V4", "a CTA has ended that another one still needs");
    }
    for (int cell = 0; cell < program.cells; ++cell)
      if (now[allocBase + cell] && program.cellRank[cell] == rank)
        fault("V4", "tensor memory is not given back");
  }
}

void Explorer::checkState() {
  for (size_t warp = 0; warp < program.warps.size(); ++warp)
    if (const Step *step = next(warp))
      for (int bar : step->bars)
        if ((now[pending(bar) + 3] != 0) == (step->kind == OpKind::Init))
          fault("V6", program.barrierNames[bar] + " is used before it is there, or made twice");
  checkRaces();
  checkExit();
}

} // namespace tsk::protocol::oracle
