// Canonical forms of states, so that states which behave the same compare equal.
#pragma once

#include "compiler/verify/protocol/State.h"

namespace tsk::protocol {

class Canon {
public:
  explicit Canon(const Model &judged) : model(judged) {}

  // Facts that everybody whom they concern knows become known to all; what nobody will look at any
  // more takes a neutral value. Never makes a holder know more than it does about anything that is
  // still asked.
  void normalise(State &state) const;
  // Turns every ring that can be turned until its first living cursor stands at stage 0, parity 0,
  // and counts items from there.
  void turn(State &state) const;
  // Everything but the matrix and the step counts. In loops of `symbol` an iteration counts only as
  // "the first one or a later one" (and modulo the loop's `every` guards). Ends with what agents
  // that lag behind still need of their stage's symbols.
  std::vector<int32_t> controlKey(const State &state, int symbol) const;

private:
  bool isLive(const State &state, int cursor) const;
  bool canTurn(const State &state, const Ring &ring) const;
  void normaliseElement(State &state, unsigned index) const;
  void normaliseAtoms(State &state) const;
  void normaliseNamed(State &state) const;
  void normaliseCalls(State &state) const;
  void turnBarriers(State &state, int array, int shift,
                    std::vector<std::pair<Bits, Bits>> &moves) const;
  void turnCells(State &state, int array, int shift,
                 std::vector<std::pair<Bits, Bits>> &moves) const;

  const Model &model;
};

uint64_t hashOf(const std::vector<int32_t> &key);

} // namespace tsk::protocol
