#include "compiler/sema/Holds.h"

#include <algorithm>

namespace tsk::sema {

void Holds::giveBack(End end, SourceRange loc) {
  unsigned &held = state.held[end];
  if (held > 0)
    --held;
  for (Hold &hold : state.holds) {
    if (hold.end != end || !hold.position)
      continue;
    if (*hold.position > 0) {
      --*hold.position;
    } else {
      hold.position.reset();
      hold.ended = loc;
    }
  }
}

HoldId Holds::name(End end, unsigned position) {
  state.holds.push_back({end, position, {}, 0});
  return state.holds.size() - 1;
}

bool Holds::isHeld(End end) const {
  auto found = state.held.find(end);
  return found != state.held.end() && found->second > 0;
}

std::optional<unsigned> Holds::use(HoldId id) {
  Hold &hold = state.holds[id];
  ++hold.uses;
  if (!hold.position)
    return std::nullopt;
  return state.held[hold.end] - 1 - *hold.position;
}

void Holds::join(const State &before, const State &other, SourceRange loc) {
  state.holds.resize(before.holds.size());
  for (size_t i = 0; i < state.holds.size(); ++i) {
    Hold &mine = state.holds[i];
    mine.uses += other.holds[i].uses - before.holds[i].uses;
    if (mine.position == other.holds[i].position)
      continue;
    mine.ended = mine.position ? other.holds[i].ended : mine.ended;
    if (mine.position && other.holds[i].position)
      mine.ended = loc;
    mine.position.reset();
  }
  for (const auto &[end, held] : other.held)
    state.held[end] = std::max(state.held[end], held);
}

std::vector<HoldId> Holds::endLoop(const State &before, SourceRange loc) {
  std::vector<HoldId> moved;
  state.holds.resize(before.holds.size());
  for (size_t i = 0; i < state.holds.size(); ++i) {
    Hold &hold = state.holds[i];
    if (hold.position == before.holds[i].position)
      continue;
    if (hold.uses != before.holds[i].uses && before.holds[i].position)
      moved.push_back(i);
    if (hold.position)
      hold.ended = loc;
    hold.position.reset();
  }
  return moved;
}

} // namespace tsk::sema
