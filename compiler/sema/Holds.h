// Which stages a schedule holds, and the names that it gave to them: `let s = r.wait();`.
//
// Stages of a pipeline are given back in the order in which they were taken, so that a name is a
// position in that order. Positions are followed from statement to statement; where paths join, a
// name that would mean two stages means none any more. That as many are held on each path is the
// verifier's to judge.
#pragma once

#include "compiler/ir/Kernel.h"
#include "compiler/support/Source.h"

#include <map>
#include <optional>
#include <vector>

namespace tsk::sema {

using HoldId = size_t; // of a name

class Holds {
public:
  // One end of a pipeline, in this task.
  struct End {
    ir::ResourceId resource;
    bool isProducer = false;
    auto operator<=>(const End &) const = default;
  };

  struct Hold {
    End end;
    std::optional<unsigned> position; // from the oldest stage held; none: given back, or several
    SourceRange ended;                // where that happened
    unsigned uses = 0;
  };

  // All that changes from statement to statement.
  struct State {
    std::map<End, unsigned> held;
    std::vector<Hold> holds;
  };

  // The position of the stage that is taken.
  unsigned take(End end) { return state.held[end]++; }
  void giveBack(End end, SourceRange loc);

  HoldId name(End end, unsigned position);
  void assign(HoldId hold, std::optional<unsigned> position) {
    state.holds[hold].position = position;
  }
  const Hold &operator[](HoldId hold) const { return state.holds[hold]; }
  bool isHeld(End end) const;

  // How far behind the newest stage it is; nothing if it is none any more.
  std::optional<unsigned> use(HoldId id);

  const State &now() const { return state; }
  // Names that were given meanwhile are out of scope.
  void restore(const State &earlier) { state = earlier; }
  // Where two paths meet that began with `before`: this one and `other`.
  void join(const State &before, const State &other, SourceRange loc);
  // The end of a loop's body that began with `before`: the names that were used in it and mean
  // another stage in the next iteration.
  std::vector<HoldId> endLoop(const State &before, SourceRange loc);

private:
  State state;
};

} // namespace tsk::sema
