// A protocol program: what the full verifier judges. It knows nothing of the language, the task
// graph or the plan; it has only what synchronisation is about: agents that run a few structured
// loops over waits, arrivals, fences and accesses to cells.
//
// Everything is per CTA rank of a cluster: a barrier or cell array exists once a rank, an op names
// the ranks that it touches. An agent is one warp of one task on one rank.
#pragma once

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

namespace tsk::protocol {

inline constexpr unsigned MaxRanks = 16;

// A number that is known only at run time: a trip count, or (0 or 1) a condition. All agents that
// read a symbol read the same value; different symbols are independent. A symbol of a tile loop
// has a value of its own for each tile.
struct Symbol {
  std::string name;
  bool isCondition = false;
  bool isPerTile = false;
  int min = 0;
  int max = INT_MAX;
  // Made from the program (Prepare.h). Its value in a plain run: scale * x + add, where x is the
  // value of the symbol `of`, or the number of the tile; without either: add.
  bool isDerived = false;
  bool isOfTile = false;
  int of = -1;
  int scale = 1;
  int add = 0;
};

// larger >= smaller + atLeast, in one kernel or one tile.
struct Relation {
  int larger = -1;
  int smaller = -1;
  int atLeast = 0;
};

// max(0, scale * symbol + add); without a symbol: add. With `outer`, the iteration of that loop in
// place of a symbol: 1 is the one directly around, counted from 0.
struct Count {
  int symbol = -1;
  int scale = 1;
  int add = 0;
  int outer = 0;
};

// `stages` mbarriers a rank.
struct BarrierArray {
  std::string name;
  unsigned stages = 1;
  unsigned arrivals = 1;
  bool needsInit = false; // some agent initialises it; until then it does not exist
  int storage = -1;       // cell array that its memory is, where that is used for other things too
};

enum class Space : uint8_t { Shared, Tensor, Global, Registers };

// `stages` copies of one field a rank. Arrays with an address may overlap others of their space.
struct CellArray {
  std::string name;
  unsigned stages = 1;
  Space space = Space::Shared;
  bool hasAddress = false;
  unsigned address = 0;
  unsigned stageBytes = 1;
  unsigned stride = 0;         // from one stage to the next; 0: stageBytes
  bool isPredecessors = false; // written by the kernel before this one (PDL)

  unsigned stageAt(unsigned stage) const {
    return address + stage * (stride ? stride : stageBytes);
  }
};

// Which element of an array: `cursor + offset` modulo its stages, or the constant `offset`.
struct Index {
  int cursor = -1; // of the task
  int offset = 0;
};

// ((cursor + offset) / divisor) & 1, flipped if `inverted`; without a cursor: inverted.
struct Parity {
  int cursor = -1;
  int offset = 0;
  unsigned divisor = 1;
  bool inverted = false;
};

// Which ranks: a set, or the agent's own rank with `mask` xored (1: the peer of a pair).
struct Ranks {
  uint16_t set = 0; // 0: relative
  uint8_t flip = 0;
};

struct BarrierRef {
  int array = -1;
  Index at;
  Ranks ranks;
};

struct CellRef {
  int array = -1;
  Index at;
  Ranks ranks;
  bool isWrite = false;
  bool isVersioned = false;
};

enum class OpKind : uint8_t {
#define TSK_PROTOCOL_OP(Name, Spelling) Name,
#include "compiler/verify/protocol/Ops.def"
};
const char *spelling(OpKind kind);

// Asynchronous queues whose completion the issuing agent waits for in groups.
enum class Queue : uint8_t { Gmma, Store, Copy };
inline constexpr unsigned QueueCount = 3;

struct Op {
  OpKind kind = OpKind::Access;
  BarrierRef bar;
  Parity parity;
  Queue queue = Queue::Gmma;
  bool readOnly = false;
  int named = 0; // named barrier
  int n = 1;
  int cursor = -1;
  std::vector<CellRef> cells;
  unsigned provenance = 0; // opaque; for messages
};

struct Node;
using Region = std::vector<Node>;

enum class NodeKind : uint8_t {
  Op,
  Loop,   // count
  Tiles,  // count: a loop over work tiles; per-tile symbols get new values
  First,  // in the first iteration of the loop around, or `level` loops further out
  Last,   // in its last
  Every,  // in iterations i with i % modulus == remainder
  If,     // symbol > bound: body, else elseBody
  Leader, // the task's first warp only
  Warps,  // its warps firstWarp .. endWarp only
  OnRanks // the ranks of `ranks` only
};

struct Node {
  NodeKind kind = NodeKind::Op;
  Op op;
  Count count;
  int level = 0;
  int modulus = 1;
  int remainder = 0;
  int symbol = -1;
  int bound = 0;
  unsigned firstWarp = 0, endWarp = 0;
  bool isUniform = true; // If: all participants of what is inside agree on the condition
  uint16_t ranks = 0;
  Region body;
  Region elseBody;
  unsigned provenance = 0;
};

struct Task {
  std::string name;
  unsigned warps = 1;
  uint16_t ranks = 1;               // on which ranks it runs
  std::vector<std::string> cursors; // each warp has its own
  Region body;
};

struct Program {
  unsigned clusterSize = 1;
  // In a cluster of more than one CTA, or where a barrier or cell lives elsewhere, arrays exist on
  // each rank below clusterSize.
  std::vector<Symbol> symbols;
  std::vector<Relation> relations;
  std::vector<BarrierArray> barriers;
  std::vector<CellArray> cells;
  std::vector<Task> tasks;
  unsigned entryRegisters = 0; // a thread, at launch; 0: unknown
  // What an mbarrier arrival that follows ordinary reads lets the async proxy do with the bytes
  // read: true, the hardware's practice; false, only a proxy fence orders them.
  bool arrivalOrdersReads = true;
  // Where an op comes from, by provenance, for messages: "12: wait full[c]".
  std::vector<std::string> places;
};

} // namespace tsk::protocol
