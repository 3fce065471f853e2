// Programs that differ from a right one in one step.
#pragma once

#include "compiler/verify/protocol/Program.h"

#include <functional>
#include <string>

namespace tsk::protocol::oracle {

struct Mutant {
  Program program;
  std::string what; // "Load: delete 4: aexpect full"
};

// Every operation of every task deleted, doubled, swapped with the next one, moved to its block's
// front and to its end. Calls `visit` with the number of each mutant, which builds it on demand.
void forMutants(
    const Program &original,
    const std::function<void(size_t number, const std::function<Mutant()> &make)> &visit);

// The same program with two warps of every task that has more, and counts to match. Its mutants
// have the numbers of the original's.
Program narrow(const Program &original);

} // namespace tsk::protocol::oracle
