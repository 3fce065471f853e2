// Which elements of a tensor or a field the threads of a task touch in one call of a work, as far
// as its body tells: sums of the work's arguments, of values that all threads share, and of what
// each thread has for itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tsk::ir {

// One place of a body, in one dimension: the sum of `args` (weights by parameter), `others`
// (weights by name) and `constant`, and of what threads and the body's loops add: low .. high, a
// vector's width included.
struct ElementIndex {
  std::map<unsigned, int64_t> args;
  std::map<std::string, int64_t> others;
  int64_t constant = 0;
  int64_t low = 0, high = 0;
  // Equal: each thread adds the same. `-3`: thread 3 does not come here; `w4`: a vector's width;
  // `,r64x15`: a loop adds 64 in each of 15 further rounds (-1: no end is known); `:1x31`: each of
  // the next 31 threads adds one more than the one before it.
  std::string threads;
  bool isOwn = false; // no two threads of the task meet, for this dimension alone
  friend bool operator==(const ElementIndex &, const ElementIndex &) = default;
};

struct ElementForm {
  std::vector<ElementIndex> dims; // outermost first
  bool isOwn = false;             // no two threads of the task meet
  friend bool operator==(const ElementForm &, const ElementForm &) = default;
};

// The same taken apart.
struct ThreadOffsets {
  // By thread, what it adds to `constant`; nothing: it does not come here. One number: for all.
  std::vector<std::optional<int64_t>> own;
  int64_t width = 1;
  std::vector<std::pair<int64_t, int64_t>> rounds; // weight, last
};
ThreadOffsets threadOffsets(const ElementIndex &index);

// Of one access. Without forms: any of the tensor's elements.
struct Elements {
  std::vector<ElementForm> forms;
  bool isAtomic = false;
  // Each call touches all of them, whatever its arguments are and memory holds.
  bool isCertain = false;
  // Of a field: in two calls, threads may be at one byte.
  bool mayMeet = false;
  friend bool operator==(const Elements &, const Elements &) = default;

  // What this or the other touches.
  void join(const Elements &other);
};

} // namespace tsk::ir
