// What counted launches have done: the simulator's JSON (runtime/sim/machine/counting/profile.cpp)
// as structures.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tsk::profile {

struct Line {
  std::string file;
  unsigned line = 0;
  std::string task; // empty: of no task
};

// How the lanes of a warp lie in shared memory, and how often they did.
struct Pattern {
  uint64_t instructions = 0, wavefronts = 0, withoutConflicts = 0;
  std::array<int64_t, 32> offsets{}; // -1: the lane takes no part
};

struct Accesses {
  Line at;
  bool isShared = false, isStore = false;
  unsigned bytes = 0; // a thread
  uint64_t instructions = 0, accesses = 0;
  uint64_t lines = 0, sectors = 0;               // global memory
  uint64_t wavefronts = 0, withoutConflicts = 0; // shared memory
  std::vector<Pattern> patterns;
};

struct Arithmetic {
  Line at;
  std::string kind; // "fma", "add", "multiply", "other"
  uint64_t operations = 0;
};

// Barriers, copies, multiplications of the tensor cores.
struct Event {
  Line at;
  std::string what;
  uint64_t instructions = 0, calls = 0, waits = 0, bytes = 0;
};

struct Launch {
  std::string test, kernel;
  bool hasEnded = false; // well
  std::array<uint64_t, 3> grid{}, block{};
  uint64_t sharedBytes = 0;
  // How often CTAs wait for device memory, one time after the other; and of these, how often
  // nothing else of the CTA can happen meanwhile.
  double memoryRounds = 0, serialRounds = 0;
  std::vector<Accesses> accesses; // one for each line, task and kind
  std::vector<Arithmetic> arithmetic;
  std::vector<Event> events;

  uint64_t threads() const { return block[0] * block[1] * block[2]; }
  uint64_t ctas() const { return grid[0] * grid[1] * grid[2]; }
};

// Nothing if the text is not what the simulator writes.
std::optional<std::vector<Launch>> readProfile(llvm::StringRef text);

} // namespace tsk::profile
