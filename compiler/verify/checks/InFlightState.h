// What `checkInFlight` knows of a task's registers at one of its steps.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/proof/Terms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <set>

namespace tsk::verify {

// The condition of an `if`, or that of its `else`.
struct Guard {
  proof::TermId condition, contrary;
  ir::ExprId expr; // of the `if`
  bool operator<(const Guard &other) const { return condition < other.condition; }
  bool operator==(const Guard &other) const { return condition == other.condition; }
  Guard negated() const { return {contrary, condition, expr}; }
};

// Something that may be so.
struct May {
  std::set<Guard> ifs;  // all hold where it is so
  bool isVague = false; // so does something else that is not told
  bool operator==(const May &) const = default;

  bool needs(proof::TermId condition) const;
  // On one of two ways to a place or on the other. `isEven`: either counts; else it is this one.
  May either(const May &other, bool isEven) const;
  void forget(llvm::function_ref<bool(const Guard &)> isGone);
};

// The newest group that writes a field's registers: how many have been committed since it began.
struct Flight {
  const plan::Step *call = nullptr;
  unsigned age = 0;
  bool isOver = false; // by a wait that does not define the registers
  May may = {};
  std::pair<unsigned, bool> rank() const { return {age, isOver}; }
};

struct Known {
  std::map<ir::FieldId, Flight> flying;
  std::set<ir::FieldId> written;                     // by all threads, on every way here
  std::set<std::pair<ir::FieldId, Guard>> writtenIf; // … where that holds
  std::optional<May> unfenced = May();               // since threads last touched registers

  // What is in flight on one way or the other, as young as on either, and over only if on both;
  // what is written on both.
  bool join(const Known &other);
  // Where that holds, nothing is so that needs the contrary.
  void enter(const Guard &guard);
  // Behind an arm of an `if`: what may be so is so only if it was taken.
  void leave(const Guard &guard);
  // What may be so no longer says what it takes.
  void forget(llvm::function_ref<bool(const Guard &)> isGone);
};

} // namespace tsk::verify
