// What is known of one body in one task.
#pragma once

#include "compiler/ir/Elements.h"
#include "compiler/ir/Expr.h"
#include "compiler/syntax/Ast.h" // Mechanism

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsk::body {

// As #line says it; lines and columns count from 1.
struct CxxPlace {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned length = 1; // bytes on that line

  bool isValid() const { return line != 0; }
  friend bool operator==(const CxxPlace &, const CxxPlace &) = default;
};

// `sum op 0`, of the function's parameters by their weights.
struct ComparisonFact {
  ir::ExprOp op = ir::ExprOp::Ne;
  std::map<unsigned, int64_t> args;
  int64_t constant = 0;
};

// Where something happens, one of these ways holds, all of one together; if it is exact, it
// happens where one does.
struct ConditionFact {
  std::vector<std::vector<ComparisonFact>> ways;
  bool isExact = true;
};

// What a body does to one field, tensor or pointer.
struct AccessFact {
  unsigned role = 0; // of the function's parameters
  bool isWrite = false;
  ast::Mechanism mechanism = ast::Mechanism::Async;
  bool isStore = false;    // Tma: from the field to memory
  bool isInFlight = false; // when the body returns
  enum class Completes : uint8_t { Nothing, Stage, Group } completes = Completes::Nothing;
  // Asynchronous: which of the threads that run the body start it.
  enum class Issuer : uint8_t { All, OneOfWarp, OneOfTask, Some } issuer = Issuer::All;
  std::optional<int64_t> bytes; // moved each time, if known while compiling
  // How often each of these threads does it in one call.
  int64_t least = 1;
  std::optional<int64_t> most = 1;
  // Of what a multiplication adds to and writes, in the first round of its body's loops. None: it
  // may happen always, or never.
  std::optional<ConditionFact> when;
  ir::Elements elements; // of a tensor; arguments numbered as roles
  std::string primitive; // of the device library; empty: plain loads and stores
  CxxPlace place;
  CxxPlace via; // the call in the body that leads there, if it is elsewhere
};

// Bytes of a field that every call certainly writes, or perhaps reads: [first, end) in order.
struct CoverFact {
  unsigned role = 0;
  bool isWrite = false;
  std::vector<std::pair<int64_t, int64_t>> ranges;
};

// What a body may not do, or what nobody can follow.
struct EventFact {
  enum class Kind : uint8_t {
    Protocol,    // text: what the compiler owns
    AsmProtocol, // text: the instruction
    ThreadIndex, // text: threadIdx, blockDim, blockIdx, gridDim
    LaneOfOne,   // text: a function that tells threads apart, where one thread alone runs the work
    UnwrittenStage,  // role: read where this body cannot have written yet
    Divergent,       // text: a collective; numbers: of how many threads; other: what parts them; or
                     // 32 and a lane that comes without being named
    OutOfRange,      // role; numbers: dimension, lowest and highest index, extent, whether always
    LocalIndexed,    // text: a local array; numbers: its bytes
    OpaqueCall,      // text: the function; roles: what it is given and may write
    Escapes,         // role: a pointer to it leaves the body; text: how
    Unfenced,        // role; text: the primitive; other: the store before it
    NotAField,       // text: a primitive whose operand is not a field
    NotCompiled,     // text: a primitive that is not compiled yet
    MissingResult,   // numbers: given, wanted
    HiddenName,      // text: a local with the name of a parameter
    Unwritten,       // text: a local that the first round of a loop reads before anything is there
    NotUniform,      // numbers: which result is declared to be the same in all threads, and is not
    UniformNotShown, // numbers: which result may be another in each thread
    Outside,         // role; numbers: first and last byte, bytes of the field: certainly beyond it
    NotShownInside,  // role; numbers: the same, or the field's bytes alone
    Meet,            // role; numbers: whether certain, whether this one writes; other: the first
    SharedVariable,  // text: a variable of a `cpp` block that is written or read; numbers: writes
    OperandsDiffer,  // text: what of which instruction; numbers: whether certain, in how many
                     // threads
    OperandRows,     // text: what of which instruction; numbers: whether certain, how many it has
    OperandBegins,   // text: which one; numbers: whether certain, of what a multiple
    NotSwizzled,     // role: what takes swizzled fields is given it, whether or not it is one
    Last = NotSwizzled
  };
  Kind kind = Kind::Protocol;
  CxxPlace place;
  CxxPlace via;
  CxxPlace other;
  std::optional<unsigned> role;
  std::vector<unsigned> roles;
  std::string text;
  std::vector<int64_t> numbers;

  bool isOfGroup() const { return kind == Kind::Divergent && numbers.front() > 32; }
};

// What the reader knows of a value where `tsk::reading::claim(number, value)` stands: its tests
// hold it against what runs.
struct ClaimFact {
  int64_t number = 0;
  std::string text;
  std::vector<unsigned> roles; // what it may lead to
};

struct WorkFacts {
  unsigned function = 0;   // of the request
  std::vector<bool> named; // parameters that the text names
  std::string notFollowed; // why the facts are not complete; empty: they are
  CxxPlace notFollowedPlace;
  // Whether what it returns follows from its arguments and from the objects that it reads, and
  // nothing else outlives it: no variable of a `cpp` block, no clock, no call that cannot be seen.
  bool isPure = true;
  // The same of all that it does, writes too; and it does not ask which CTA runs it, or for a time.
  bool isClosed = true;
  bool spins = false; // an atomic in a loop without a known end: threads may wait for others
  std::vector<AccessFact> accesses;
  std::vector<EventFact> events;
  std::vector<ClaimFact> claims;
  std::vector<CoverFact> covers;
};

// An argument of a schedule's call that does not convert to the parameter.
struct ArgumentFact {
  unsigned argument = 0; // of the request
  std::string given, wanted;
};

} // namespace tsk::body
