// Which elements of a tensor the threads of a task touch in one call of a work, as far as its body
// tells: sums of the work's arguments, of values that all threads share, and of what each thread
// has for itself.
#pragma once

#include <cstdint>
#include <map>
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
  std::string threads; // equal: each thread adds the same
  bool isOwn = false;  // no two threads of the task meet, for this dimension alone
  friend bool operator==(const ElementIndex &, const ElementIndex &) = default;
};

struct ElementForm {
  std::vector<ElementIndex> dims; // outermost first
  bool isOwn = false;             // no two threads of the task meet
  friend bool operator==(const ElementForm &, const ElementForm &) = default;
};

// Of one access. Without forms: any of the tensor's elements.
struct Elements {
  std::vector<ElementForm> forms;
  bool isAtomic = false;
  friend bool operator==(const Elements &, const Elements &) = default;

  // What this or the other touches.
  void join(const Elements &other);
};

} // namespace tsk::ir
