// What the expressions of a schedule are at one point of it, as sums of what is not known: so that
// two of them can be compared.
#pragma once

#include "compiler/ir/Expr.h"

#include <map>
#include <optional>
#include <string>

namespace tsk::body {

// A sum of what is not known, by its number, and of a number.
struct Linear {
  std::map<unsigned, int64_t> parts;
  int64_t constant = 0;

  // False: it is too large.
  bool add(const Linear &other, int64_t weight);
  std::optional<int64_t> number() const {
    return parts.empty() ? std::optional(constant) : std::nullopt;
  }
};

class ScheduleValues {
public:
  explicit ScheduleValues(const ir::ValueTables &t) : tables(&t) {}

  // Nothing: it is not known.
  void bind(ir::ValueId value, std::optional<Linear> is) { bound[value] = std::move(is); }
  // Whether a loop is in its first round.
  bool isFirst(ir::ValueId loop) const {
    const auto known = bound.find(loop);
    return known != bound.end() && known->second;
  }

  Linear of(ir::ExprId id);
  // In the type that C++ converts it to. Nothing: it may be another number there.
  std::optional<Linear> as(ir::ExprId id, const ir::Type &type);
  // Of a condition.
  std::optional<bool> holds(ir::ExprId id);
  void restart() { steps = 0; } // before another question
  // Something else than all others.
  Linear fresh() { return {{{next++, 1}}, 0}; }
  Linear scalar(uint32_t number);

  // Of a sum, with nought.
  static std::optional<bool> compare(ir::ExprOp op, const Linear &with0);

private:
  // What is computed from integers. Nothing: it is none of these operations, or what C++ computes
  // may be another number: unsigned types wrap. (Signed ones do not: the launcher refuses that.)
  std::optional<Linear> computed(const ir::Expr &expr);
  std::optional<bool> compared(const ir::Expr &expr);

  Linear interned(const std::string &text);
  // Two with the same text are the same: nothing in it changes between them.
  Linear symbol(const ir::Expr &expr, ir::ExprId id);

  const ir::ValueTables *tables;
  std::map<ir::ValueId, std::optional<Linear>> bound; // nothing: it is not known
  std::map<std::string, unsigned> symbols;
  unsigned next = 0;
  size_t steps = 0; // of one question
  static constexpr size_t MaxSteps = 1000;
};

} // namespace tsk::body
