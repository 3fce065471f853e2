// One state of a run: where everybody is, the barriers' counters, and the knowledge matrix.
//
// Rows of the matrix are holders of knowledge: each agent, the open phase of each barrier (what its
// contributors knew), the newest completed phase (what whoever waits for it learns). A bit says:
// the holder comes after the newest instance of the column's fact, in every interleaving.
#pragma once

#include "compiler/verify/protocol/Model.h"

#include <array>

namespace tsk::protocol {

enum class Blocked : uint8_t { No, InSync, Released };

struct AgentState {
  int32_t pc = 0;
  Blocked blocked = Blocked::No;
  uint8_t cluster = 0; // 0: idle, 1: arrived, 2: the generation is over
  int16_t part = 0;    // that it is in
  uint16_t lag = 0;    // how many stages behind the newest
  bool atBoundary = false;
  bool isBetween = false; // finished all its parts
  bool isAsleep = false;  // found waiting, and nothing has happened since that could wake it
  int32_t counters[MaxLoopDepth] = {};
  int16_t loops[MaxLoopDepth] = {};     // static numbers of symbolic loops, -1: constant count
  int32_t instances[MaxLoopDepth] = {}; // numbers the agent's runs of symbolic loops
  int32_t nextInstance = 0;
  uint8_t depth = 0;
  int32_t registers = 0;
  bool hasSetRegisters = false;
  int32_t probe = -1;   // element a successful probe was made on, and
  uint8_t probeAge = 0; // how many of its phases have completed since
  uint64_t steps = 0;   // executed so far; not part of the configuration
};

struct CursorState {
  int32_t place = 0; // stage and parity
  int32_t item = 0;  // which item of the pipeline comes next
};

struct ElementState {
  int32_t pending = 0;
  int32_t bytes = 0;
  uint8_t parity = 0;  // of the number of completed phases
  bool isReady = true; // initialised
};

// Bytes of the open phase that may still be missing when all arrivals are in: a plain expect that
// no arrival comes after, or a load.
struct Announcement {
  int32_t bytes = 0;
  uint64_t after = 0; // the listed expects that come before it, a bit each
  int16_t user = -1;  // of an expect: in Element::expectAgents
  int16_t column = 0; // of the agent's ExpectColumns
  int32_t pc = 0;     // for messages
};

struct OpenPhase {
  std::vector<Announcement> expects; // by user, then in the order in which they were made
  std::vector<Announcement> loads;
};

struct NamedState {
  int32_t arrived = 0;
  int32_t expected = 0;
};

inline constexpr int32_t NoItem = INT32_MIN;
inline constexpr int32_t AnyItem = INT32_MIN + 1;   // written without a number
inline constexpr int32_t OldItem = INT32_MIN + 2;   // older than anything that is still asked for
inline constexpr int32_t FirstItem = INT32_MIN + 3; // below: not a number of an item
inline constexpr uint8_t NoGroup = 255;

struct AtomState {
  int32_t item = NoItem; // which item of `array` its bytes are
  int32_t array = -1;
  bool isAllocated = false;
};

struct SymbolState {
  int32_t value = 0; // known exactly, or a lower bound
  bool isResolved = false;
};

// A stretch of the run: a straight part or one tile. Only the newest few are kept.
struct Stage {
  int part = 0;
  bool isFirstTile = false;
  std::vector<SymbolState> symbols; // behind them: whether this tile is the last one
};

// One run of a symbolic loop in the newest stage.
struct LoopRun {
  int agent = -1;
  int instance = -1;
  int loop = -1;
};

struct State {
  Knowledge known;
  std::vector<AgentState> agents;
  std::vector<CursorState> cursors;
  std::vector<ElementState> elements;
  std::vector<OpenPhase> open; // by Element::open
  std::vector<NamedState> named;
  std::vector<AtomState> atoms;
  std::vector<uint8_t> groupAge;  // per column
  std::vector<int32_t> calls;     // per Model::calls: how often executed
  std::vector<int32_t> itemCalls; // per Model::sharedItems: which execution the newest is
  std::vector<Stage> stages;
  std::vector<int32_t> freeRegisters; // per rank
  std::vector<LoopRun> loopRuns;      // since the newest stage began
};

enum class FaultKind : uint8_t {
#define TSK_PROTOCOL_FAULT(Name, Property, Title) Name,
#include "compiler/verify/protocol/Faults.def"
};
const char *propertyOf(FaultKind kind); // "V2"
const char *titleOf(FaultKind kind);    // "race"

struct Fault {
  FaultKind kind = FaultKind::Hang;
  int agent = -1;
  int pc = -1;
  int element = -1; // barrier
  int named = -1;
  int atom = -1;
  int source = -1;      // race: whose access is not ordered
  bool isOlder = false; // … not its newest one, but the one before
  int otherAgent = -1;  // phase faults: who is not waited for
};

} // namespace tsk::protocol
