// Explores every interleaving of one scenario, asynchronous completions included, with nothing but
// the semantics of the operations. The first of the differential oracles.
#pragma once

#include "Expand.h"

#include <set>

namespace tsk::protocol::oracle {

// What it looks for: property classes as the engine names them ("V1" …).
struct Exploration {
  std::set<std::string> faults;
  std::string why; // of the first
  size_t states = 0;
  bool isComplete = true; // no state limit hit
};

enum class Order { Times, Proxies }; // Times: proxies and publication are left out

// Stops at the first fault unless `all`.
Exploration explore(const Expanded &expanded, size_t limit, bool all = false,
                    Order order = Order::Times);

// What the reads of one interleaving saw: by warp, each read with the write that it saw, once. A
// program without races has one answer only.
std::vector<std::set<std::string>> readsOf(const Expanded &expanded);

} // namespace tsk::protocol::oracle
