// Random protocol programs: pipelines between a few tasks, most of them right, then a few changes.
#pragma once

#include <cstdint>
#include <string>

namespace tsk::protocol::oracle {

struct Shape {
  bool tiles = false; // in a tile loop, with per-tile trip counts and a skip condition
  bool twoSymbols = false;
  bool related = false; // by a relation, with two symbols
};

// The text of a program; the same seed gives the same program on every machine.
std::string generate(uint64_t seed, const Shape &shape);

// With everything that the text form has; one symbol. Only where the fields are in shared memory do
// proxies and publication matter.
std::string generateWide(uint64_t seed, bool inSharedMemory);

} // namespace tsk::protocol::oracle
