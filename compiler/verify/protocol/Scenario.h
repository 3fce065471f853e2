// Concrete values for the symbols of a program: one run.
#pragma once

#include "compiler/verify/protocol/Program.h"

#include <map>

namespace tsk::protocol {

struct Scenario {
  std::vector<int> values; // per symbol; of a tile loop's count: the number of tiles
  // Per tile loop (its count's symbol), per tile: the values of the symbols in that tile. Where a
  // tile or a loop has none, `values` holds.
  std::map<int, std::vector<std::vector<int>>> tiles;

  int valueIn(int tileLoop, int tile, int symbol) const {
    auto found = tiles.find(tileLoop);
    if (found == tiles.end() || tile < 0 || tile >= static_cast<int>(found->second.size()))
      return values[symbol];
    return found->second[tile][symbol];
  }
};

// The value of a symbol in one tile of a loop, or in a straight part (loop -1): also of one that
// was made from the program.
int valueOf(const Program &program, const Scenario &scenario, int loop, int tile, int which);

// Whether the program's relations hold, in the kernel and in every tile.
bool isAllowed(const Program &program, const Scenario &scenario);

// "n = 3, 2 tiles: n = 0, 2"
std::string describe(const Program &program, const Scenario &scenario);

} // namespace tsk::protocol
