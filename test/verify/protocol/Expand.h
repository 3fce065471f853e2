// What each warp of a program does in one scenario, one step after the other. Shared by the
// oracles (the explorer and the Promela writer) and independent of the engine: only the parsed
// program is common to both.
#pragma once

#include "compiler/verify/protocol/Scenario.h"

#include <optional>

namespace tsk::protocol::oracle {

inline constexpr int AnyItem = 0x7fff;

struct CellAccess {
  int cell = 0; // bytes that no two accesses share in part; see Expanded::cells
  int rank = 0;
  bool isWrite = false;
  bool isVersioned = false;
  bool isGlobal = false;
  bool outlivesCta = false;    // global memory, registers
  bool isBarrier = false;      // the memory of a barrier
  bool hasProxies = false;     // shared or global memory: both proxies reach it
  bool isPredecessors = false; // written by the kernel before
  int item = 0;
  int array = 0;
};

struct Step {
  OpKind kind = OpKind::Access;
  std::vector<int> bars; // array, rank and stage in one number
  int parity = 0;
  int n = 1;
  int named = 0; // rank * 256 + id; the cluster's: -1
  Queue queue = Queue::Gmma;
  bool readOnly = false;
  std::vector<CellAccess> cells;
  unsigned provenance = 0;
  int call = 0; // how often the warp has executed that operation before
};

struct Warp {
  std::string name;
  unsigned task = 0;
  int rank = 0;
  std::vector<Step> steps;
};

struct Expanded {
  std::vector<Warp> warps;
  std::vector<int> arrivals; // per barrier
  std::vector<int> barrierRank;
  std::vector<bool> isReady; // at the start
  std::vector<std::string> barrierNames;
  int ranks = 1;
  int entryRegisters = 0; // 0: unknown
  int cells = 0;
  std::vector<std::string> cellNames;
  std::vector<int> cellRank;
};

Expanded expand(const Program &program, const Scenario &scenario);

// All symbols as close to `size` as their bounds and relations let them; nothing if that is no run.
std::optional<Scenario> uniformScenario(const Program &program, int size);

// More warps than the explorer can follow.
bool isTooWide(const Program &program);

} // namespace tsk::protocol::oracle
