// The program as the machine runs it: agents with flat code, barriers and cells as elements, and
// the columns of the knowledge matrix. Built once a program; nothing here changes during a run.
#pragma once

#include "compiler/verify/protocol/Knowledge.h"
#include "compiler/verify/protocol/Program.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tsk::protocol {

// Where in the code an agent is inside symbolic loops decides little; how deep it may be nested is
// bounded so that its counters fit a fixed array.
inline constexpr unsigned MaxLoopDepth = 6;

enum class Code : uint8_t {
  Op,
  LoopEnter, // slot: counter = 0
  LoopTest,  // counter < count, else to `target`
  LoopBack,  // counter += 1, to `target`
  First,     // counter == 0, else to `target`
  Last,      // counter == count - 1, else to `target`
  TileFirst, // the same of the tile loop
  TileLast,
  Every,
  Branch, // symbol > bound, else to `target`
  Jump,
  PartEnd,
  End
};

// Plain expects of one agent in one phase that others can know apart from each other.
inline constexpr unsigned ExpectColumns = 3;

struct ElementRef {
  std::vector<int> bases; // first element of the array on each rank touched
  unsigned stages = 1;
  int cursor = -1; // of the model
  int offset = 0;
};

struct CellUse {
  ElementRef at;
  int array = -1;
  int source = -1;
  bool isWrite = false;
  bool isVersioned = false;
  bool isAsync = false;
};

struct Instr {
  Code code = Code::Op;
  OpKind kind = OpKind::Access;
  int target = -1;
  Count count;
  int slot = 0;
  int loop = -1; // static number of a symbolic loop; -1: constant count
  int modulus = 1;
  int remainder = 0;
  int symbol = -1;
  int bound = 0;
  ElementRef bar;
  bool isRemote = false; // touches a barrier of another rank
  Parity parity;         // cursor: of the model
  int n = 1;
  int named = -1;
  int cursor = -1;
  Queue queue = Queue::Gmma;
  bool readOnly = false;
  std::vector<CellUse> cells;
  int call = -1; // of Model::calls: several warps of the task share the work of this access
  unsigned provenance = 0;
};

// One agent's executions of an access whose work the warps of its task share.
struct CallSite {
  int agent = -1;
  int group = -1; // the same access of all these warps
};

struct Agent {
  std::string name; // "Store", "Store.2", "Load@1"
  unsigned task = 0;
  unsigned rank = 0;
  unsigned warp = 0;
  unsigned weight = 1; // how many identical warps it stands for
  std::vector<Instr> code;
  std::vector<int> partBegin;       // per part; -1: the agent does not have it
  std::vector<unsigned> partOrigin; // provenance of its tile loop
  int lastPart = 0;
  // Outermost loop around each instruction, its own position outside one: what lies before it can
  // not be reached any more.
  std::vector<int> horizon;     // the tile loop counts
  std::vector<int> loopHorizon; // it does not
  unsigned firstCursor = 0;
  unsigned cursorCount = 0;
};

// A stretch of the program between tile loops, or a tile loop (run any number of times).
struct Part {
  int tiles = -1; // the tile loop's symbol
};

struct Cursor {
  std::string name;
  int agent = -1;
  int ring = -1;    // class of cursors and arrays that turn together
  int modulus = 1;  // positions count modulo this
  int lastUse = -1; // in the agent's code
};

// Cursors and arrays of a rotatable ring: adding one to every cursor and moving every element one
// stage on (with the parity flipped at the wrap) gives a program that behaves the same.
struct Ring {
  bool canTurn = true;
  bool hasGets = false; // it matters which item a stage holds
  int firstGet = 0;     // lowest offset from a cursor that a get names
  unsigned stages = 0;  // of every array
  std::vector<int> cursors;
  std::vector<int> barrierArrays;
  std::vector<int> cellArrays;
  // Per agent: the last instruction that names a stage by a constant. Until all agents are past
  // theirs the ring cannot turn.
  std::vector<int> lastConstant;
};

struct Element { // an mbarrier
  int array = -1;
  unsigned rank = 0;
  unsigned stage = 0;
  int arrivals = 1;
  Bits phases;          // newest, second newest completed phase
  Bits contributors[3]; // of the current, newest, second newest phase
  Bits waiters;         // passed the newest phase
  Bits phase(uint32_t age) const { return {phases.word, phases.shift + age, 1}; }
  Bits expects;  // plain expects of the current phase, ExpectColumns an agent
  int open = -1; // in State::open; -1: no plain expects go here
  std::vector<int> waiterAgents, contributorAgents, expectAgents, users; // agents, in column order
  bool hasAsync = false;    // contributors' last column: asynchronous ones
  std::vector<int> storage; // atoms that its memory is; empty: nothing else is known of it
};

// A barrier by generation: a named one of one rank, or the cluster's.
struct Named {
  unsigned rank = 0;
  int id = 0; // -1: the cluster's
  Bits phase;
  Bits contributors[2]; // current, last
  std::vector<int> agents;
  int total = 0; // the cluster's: how many agents there are
};

enum class SourceKind : uint8_t { Threads, Loads, Tensor, Gmma, Store, Copy, Barrier };

// Who accesses: each source's instances on one cell are totally ordered, so the newest says all.
struct Source {
  SourceKind kind = SourceKind::Threads;
  int agent = -1;    // -1: loads, asynchronous barrier uses
  unsigned rank = 0; // … whose issuers run on this rank
  bool isWrite = false;
  int group = -1; // of a shared access: the warps' parts of one and the same call never collide
};

struct AtomItem {
  int source = -1;
  Column column = -1;
  Column proxy = -1;      // generic access is ordered before the async proxy's
  Column visibility = -1; // generic write is visible to other agents' threads
  Column init = -1;       // of a barrier's memory: its initialisation is published
  Column older = -1;      // of a shared access: the instance before the newest
  int call = -1;          // of a shared access: in State::itemCalls
};

// Bytes that are accessed together.
struct Atom {
  std::string name;
  unsigned rank = 0;
  Space space = Space::Shared;
  bool isBarrier = false;
  bool holdsBarrier = false;   // … or a field in whose memory one may lie
  bool hasGets = false;        // it matters which item it holds
  std::vector<AtomItem> items; // in column order
  std::vector<int> users;      // agents
  std::vector<Bits> blocks;    // all its columns
  WordMasks all, writes;       // items' columns
};

struct Model {
  std::shared_ptr<const Program> program; // as prepared
  std::vector<Relation> relations;        // all that follow from the program's
  std::vector<Count> meaning; // per symbol: another one plus a number, where they are equal
  std::vector<Agent> agents;
  std::vector<Part> parts;
  std::vector<Cursor> cursors;
  std::vector<Ring> rings;
  std::vector<Element> elements;
  unsigned openPhases = 0; // of elements to which plain expects go
  std::vector<Named> named;
  std::vector<Source> sources;
  std::vector<Atom> atoms;
  std::vector<std::vector<int>> atomsOf; // per cell element
  std::vector<int> cellBase;             // per array, element of rank 0 stage 0
  std::vector<int> barrierBase;
  std::vector<CallSite> calls;
  std::vector<std::vector<int>> callGroups;        // in calls
  std::vector<std::pair<int, Column>> sharedItems; // by AtomItem::call: group, newest access
  std::vector<int> loopSymbols;                    // per symbolic loop
  std::vector<int> loopModulus;                    // per symbolic loop: of the `every` guards in it
  std::vector<int> largestBound;                   // per symbol: of the branches on it, at least 0
  // Per agent: what its proxy fence, its init fence make known to it; what its tensor commit, its
  // copy arrival wait for.
  std::vector<WordMasks> fenceMask, initMask, tensorMask, copyMask;
  // Reads that an arrival orders before the async proxy's writes: access, proxy.
  std::vector<std::pair<Column, Column>> readProxies;
  WordMasks visibilities; // visibility columns, which only arrivals of threads pass on
  std::vector<std::pair<Column, Column>> copyProxies;        // of cpasync writes: access, proxy
  std::vector<int> columnAtom, columnSource;                 // of access columns, else -1
  std::vector<std::vector<Column>> queueColumns[QueueCount]; // per agent
  Column pdl = -1;                                           // the kernel before this one has ended
  bool waitsForPdl = false;
  std::vector<Column> facts;  // what nobody knows at the start: these two
  std::vector<Column> raised; // per rank: somebody has raised its registers
  unsigned columns = 0;
  unsigned words = 0;
  std::string unsupported; // why the model cannot judge the program; empty: it can

  unsigned rowAcc(unsigned element) const { return agents.size() + element; }
  unsigned rowPast(unsigned element) const { return agents.size() + elements.size() + element; }
  unsigned rowNamed(unsigned index) const { return agents.size() + 2 * elements.size() + index; }
  unsigned rowNamedPast(unsigned index) const { return rowNamed(named.size() + index); }
  unsigned rowScratch() const { return rowNamed(2 * named.size()); }
  unsigned rows() const { return rowScratch() + 1; }
  const AtomItem &item(int atom, int source) const {
    const std::vector<AtomItem> &items = atoms[atom].items; // in the sources' order
    return *std::lower_bound(items.begin(), items.end(), source,
                             [](const AtomItem &item, int wanted) { return item.source < wanted; });
  }
};

// `fold`: warps that do the same are represented by two of them, which loses nothing (see
// docs/verifier.md).
Model buildModel(const Program &program, bool fold = true);

} // namespace tsk::protocol
