// What is known of a value at a point of a body: an over-approximation of all its values in all
// threads of the task, all rounds of all loops.
#pragma once

#include "compiler/body/reader/Truth.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tsk::body {

// How far a value is the same for the threads of a task, from most to least.
enum class Level : uint8_t {
  Constant, // known while compiling, once loops with constant bounds are unrolled
  Task,     // the same in all threads of the task
  Group,    // in all threads of a warpgroup
  Warp,     // in all lanes of a warp
  Thread
};
inline Level join(Level a, Level b) { return a < b ? b : a; }

// What a pointer may lead to: a field, tensor or pointer of the kernel, or a part of a variable.
// Elements of an array are one part, number 0.
struct Target {
  bool isLocal = false;
  uint32_t id = 0; // the parameter's number, or the variable's
  std::vector<uint32_t> path;
  static constexpr uint32_t Anywhere = ~0U; // in the path: some part of what stands before it

  friend auto operator<=>(const Target &, const Target &) = default;
};

// `whole / divisor`, or `whole % divisor` times `scale`: together, they are the whole again.
struct Share {
  SumRef whole;
  int64_t divisor = 1, scale = 1;
  bool isRest = false;
};

struct Value;
using ValueRef = std::shared_ptr<const Value>; // null: nothing is known, or not yet written

struct Value {
  static constexpr int64_t Min = INT64_MIN, Max = INT64_MAX;

  // An integer lies in [low, high]. If `isTaken`, some thread in some round has either bound, and
  // what varies does so through `sources` (variables; ThreadSource for the thread's number).
  int64_t low = Min, high = Max;
  bool isTaken = false;
  bool isGiven = false; // by what the schedules pass: C++ does not know it while compiling
  std::vector<uint32_t> sources;
  static constexpr uint32_t ThreadSource = ~0U;

  Level level = Level::Thread;
  // A thread's number: in its task, or in its warp, up to a constant multiple of 32; a warp's in
  // the task, up to a constant.
  enum class Form : uint8_t { Other, ThreadNumber, Lane, WarpNumber } form = Form::Other;
  // True in exactly one thread: of each warp, of the task.
  enum class Elects : uint8_t { Nobody, OneOfWarp, OneOfTask } elects = Elects::Nobody;

  SumRef sum;                             // an integer, as far as it is one
  std::shared_ptr<const Share> share;     // what it is a quotient or a rest of
  std::shared_ptr<const Places> elements; // which ones of what an address leads to
  TruthRef truth;                         // a condition: what holds where it does
  bool isOwn = false; // follows from who the thread is, not from memory or what lanes exchange

  std::vector<Target> targets; // sorted
  bool isLost = false;         // a pointer that may lead anywhere else
  bool isOutside = false;      // or to a variable that outlives the body
  // How many bytes behind the beginning of the object, whichever of them; null: nobody can tell.
  // `isLogical`: where it would be if the field were not swizzled.
  ValueRef offset;
  bool isLogical = false;
  std::vector<ValueRef> parts; // members of a record, or the one part of an array; may be absent

  bool isConstant() const { return low == high && !isGiven; }
  bool isBounded() const { return low != Min && high != Max; }
};

// Whether the same is known of both, which may be two values; whether they are certainly one.
bool equal(const ValueRef &a, const ValueRef &b);
bool isSame(const ValueRef &a, const ValueRef &b);
// What holds for both.
ValueRef join(const ValueRef &a, const ValueRef &b);

ValueRef constantValue(int64_t value);
ValueRef anyValue(Level level);
ValueRef pointerTo(Target target, Level level);
ValueRef rangeValue(int64_t low, int64_t high, Level level);
// The value with another level, in all its parts.
ValueRef atLeast(const ValueRef &value, Level level);
// The value of a variable in a later round of a loop: numbers forgotten, the rest kept, an offset
// as long as no round changes it. In a loop
// that is not unrolled, it is not known while compiling.
ValueRef generalized(const ValueRef &value, Level atLeast);
// Where addresses lead in their objects is forgotten; is the same.
ValueRef withoutOffsets(const ValueRef &value);
bool haveEqualOffsets(const ValueRef &a, const ValueRef &b);
// Part `number` of a record or an array.
ValueRef partOf(const ValueRef &value, size_t number);
ValueRef withPart(const ValueRef &value, size_t number, size_t count, ValueRef part);
// The value without its parts: where it leads, any of it may lead.
ValueRef blurred(const ValueRef &value);
// All objects that the value or a part of it leads to.
void collectTargets(const ValueRef &value, std::vector<Target> &targets);
Level levelOf(const ValueRef &value);
bool isOwn(const ValueRef &value);
// What a condition that follows from who the thread is decides, follows from it too.
ValueRef asOwn(const ValueRef &value, bool isOwn);

// Arithmetic.
// An integer as a sum, a constant too.
SumRef sumOf(const ValueRef &value);
ValueRef withSum(const ValueRef &value, SumRef sum);
// What holds where it is not 0.
TruthRef truthOf(const ValueRef &value);
ValueRef withTruth(const ValueRef &value, TruthRef truth);
ValueRef unaryValue(tree::Op op, const ValueRef &a);
ValueRef binaryValue(tree::Op op, const ValueRef &a, const ValueRef &b);
// Of two indices, one behind the other in rows of that many columns: the position, if they are the
// quotient and the rest of one number.
SumRef reunited(const ValueRef &row, const ValueRef &column, int64_t columns);
// As a value of another arithmetic type: numbers that do not fit are forgotten.
ValueRef convertedValue(const ValueRef &a, const tree::Type &type);

} // namespace tsk::body
