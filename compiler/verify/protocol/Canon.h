// Canonical forms of states, so that states which behave the same compare equal.
#pragma once

#include "compiler/verify/protocol/State.h"

#include <map>

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
  void turn(State &state) const { turnKnowledge(state.known, turnControl(state)); }
  // The same in two steps: all but the matrix, which tells by how far each ring turns; the matrix.
  std::vector<int> turnControl(State &state) const;
  void turnKnowledge(Knowledge &known, const std::vector<int> &shifts) const;
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
  using Moves = std::vector<std::pair<Bits, Bits>>;
  void addMoves(const Ring &ring, int shift, Moves &moves, std::vector<unsigned> &rows) const;
  const Permutation &permutation(const std::vector<int> &shifts) const;
  void turnBarriers(State &state, int array, int shift) const;
  void turnCells(State &state, int array, int shift) const;

  const Model &model;
  mutable std::map<std::vector<int>, Permutation> permutations; // by how far each ring turns
};

uint64_t hashOf(const std::vector<int32_t> &key);

} // namespace tsk::protocol
