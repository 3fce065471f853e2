// Expressions of a plan in a normal form: two with one id have equal values wherever both are
// computed.
//
// The types of C++ are gone from it. A term of integers is a mathematical number: what C++ computes
// in a signed type is that number (the launcher refuses what overflows), and where an unsigned type
// would wrap, or a negative operand become unsigned, there is a Wrap around it, unless its range
// says that nothing happens. So `a < 0` and `a < 0u` differ, and are the same where `a` cannot be
// negative. Reals are left as they are written: there is no algebra on them that NaN, rounding and
// the zero's sign do not break.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/support/Diagnostics.h" // StringRef in fmt

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tsk::proof {

using TermId = Id<struct TermTag>;
using Wide = __int128;

// Inclusive; empty where no such value exists. Beyond ±Limit nothing is known.
struct Range {
  static constexpr Wide Limit = Wide(1) << 100;
  Wide low = -Limit, high = Limit;
  bool contains(const Range &other) const { return low <= other.low && high >= other.high; }
};
Range rangeOf(ir::ScalarType type);

enum class TermKind : uint8_t {
  Sum,      // of weights[i] * operands[i], and `constant`
  Product,  // of integers
  FloorDiv, // by `constant`
  FloorMod, // by `constant`: 0 .. constant - 1
  Wrap,     // modulo 2 to the `constant`: 0 .. 2^constant - 1
  Truth,    // `constant` 0 or 1
  AtMost,   // an integer is not more than `constant`
  Equal,    // an integer is `constant`
  Not,
  And,
  Same,      // two truths
  Real,      // `real`
  Convert,   // to the real type `type`
  Operation, // `op` in `type`, of which no more is known than C++ says
  Call,      // of the function with the number `constant`
  Leaf,      // `name`; its operands say what else it depends on
};

struct Term {
  TermKind kind = TermKind::Sum;
  ir::ExprOp op = ir::ExprOp::Add;
  ir::ScalarType type = ir::ScalarType::I32;
  Wide constant = 0;
  double real = 0;
  std::string name;
  std::vector<TermId> operands;
  std::vector<Wide> weights;
  // Not part of what it is.
  std::string text;        // of a leaf, for readers
  Range range;             // of an integer
  bool hasProduct = false; // of reals: compilers may fuse it with a sum or not
};

// A term and the type that C++ gives to its expression.
struct Typed {
  TermId term;
  ir::ScalarType type = ir::ScalarType::I32;
};

// scale * base + add. The base has no constant, weights without a common factor, the first above 0;
// none: the term is a number.
struct Affine {
  TermId base;
  Wide scale = 0, add = 0;
};

// Integer order: `base` is not more than `most`, or the contrary.
struct Order {
  TermId base;
  Wide most = 0;
  bool isNegated = false;
};

class Terms {
public:
  const Term &operator[](TermId id) const { return terms[id]; }

  TermId integer(Wide value);
  TermId truth(bool value);
  TermId constant(const ir::ConstantScalar &value);
  TermId leaf(std::string name, std::string text, ir::ScalarType type, Range range,
              std::vector<TermId> on = {});
  TermId call(std::string name, uint32_t function, ir::ScalarType type,
              std::vector<TermId> arguments);
  // What C++ computes: the usual arithmetic conversions, then the operation.
  Typed apply(ir::ExprOp op, llvm::ArrayRef<Typed> operands);
  TermId convert(const Typed &value, ir::ScalarType type);

  // Of mathematical integers.
  TermId sum(TermId a, TermId b, Wide factor = 1);
  TermId difference(TermId a, TermId b) { return sum(a, b, -1); }
  TermId scaled(TermId a, Wide factor) { return sum(integer(0), a, factor); }
  TermId floorDiv(TermId a, Wide divisor);
  TermId ceilDiv(TermId a, TermId b);
  TermId max(TermId a, TermId b);
  TermId atMost(TermId a, Wide most);
  TermId equal(TermId a, Wide value);
  TermId negation(TermId condition);
  TermId both(TermId a, TermId b);

  Range range(TermId id);
  std::optional<Wide> integerValue(TermId id) const;
  std::optional<bool> truthValue(TermId id) const;
  Affine affine(TermId id);
  // Of a condition that orders or compares an integer at an end of its range.
  std::optional<Order> order(TermId condition);

  // Makes use of it from now on: in terms that are made later.
  void learn(TermId condition, bool isTrue);
  // An integer is not more than `most`.
  void limit(TermId a, Wide most);
  // What is known of an integer modulo `modulus`.
  std::optional<Wide> residue(TermId id, Wide modulus);
  // An integer leaves this remainder.
  void limitRemainder(TermId a, Wide modulus, Wide remainder);

  std::string text(TermId id) const;

private:
  // Terms.cpp
  TermId intern(Term term);
  TermId operation(ir::ExprOp op, ir::ScalarType type, std::vector<TermId> operands,
                   Range range = {});
  struct Weights { // of a sum under construction
    std::map<TermId, Wide> of;
    Wide constant = 0;
    bool isTooLarge = false;
  };
  void add(Weights &into, TermId term, Wide factor) const;
  TermId make(const Weights &weights);
  Weights split(TermId id) const;
  TermId wrap(TermId a, unsigned bits);
  Typed integerOperation(ir::ExprOp op, ir::ScalarType type, TermId a, TermId b);
  std::optional<Typed> folded(ir::ExprOp op, llvm::ArrayRef<Typed> operands);
  std::optional<ir::ConstantScalar> constantOf(const Typed &value) const;
  Typed select(llvm::ArrayRef<Typed> operands);
  // TermIntegers.cpp
  TermId product(TermId a, TermId b);
  TermId floorMod(TermId a, Wide divisor);
  TermId quotient(TermId a, TermId b);
  TermId remainder(TermId a, TermId b);
  TermId minMax(ir::ExprOp op, TermId a, TermId b);
  TermId exclusiveOr(TermId a, TermId b, ir::ScalarType type);
  // TermConditions.cpp
  TermId compare(ir::ExprOp op, TermId a, TermId b);
  TermId compareReals(ir::ExprOp op, ir::ScalarType type, TermId a, TermId b);
  TermId same(TermId a, TermId b);
  TermId learned(TermId id) const;
  void learnEquality(TermId sum, Wide value);
  bool occurs(TermId inner, TermId in) const;
  void substitute(TermId atom, TermId value);
  // TermRanges.cpp
  Range computeRange(const Term &term);
  Range narrowed(TermId id, Range range) const;
  Range rangeOfSum(const Term &term);
  Range rangeOfQuotients(const Term &term);

  using Key = std::tuple<uint8_t, uint8_t, uint8_t, Wide, uint64_t, std::string,
                         std::vector<TermId>, std::vector<Wide>>;
  Table<TermId, Term> terms;
  std::map<Key, TermId> interned;
  // What was learned.
  std::map<TermId, Range> ranges;                                // of bases
  std::map<TermId, TermId> replaced;                             // atoms and conditions
  std::map<TermId, std::vector<std::pair<Wide, Wide>>> residues; // of bases: modulus, remainder
};

// Rounds towards negative infinity.
template <typename T> T floorDiv(T a, std::type_identity_t<T> b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
inline int64_t remainderOf(int64_t value, int64_t period) {
  return value - floorDiv(value, period) * period;
}

} // namespace tsk::proof
