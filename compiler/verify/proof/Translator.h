// How fromPlan proceeds. FromPlan.cpp: tasks, memory and steps; Calls.cpp: accesses; Loops.cpp:
// loops; Conditions.cpp: what the steps stand under.
#pragma once

#include "compiler/verify/proof/FromPlan.h"
#include "compiler/verify/proof/Symbols.h"

#include <set>
#include <tuple>

namespace tsk::proof {

using protocol::Node;
using protocol::NodeKind;
using protocol::Op;
using protocol::OpKind;
using protocol::Region;

inline constexpr int WarpLanes = 32;

// A question about the place of an iteration in its loop.
struct OrdinalTest {
  enum class Kind : uint8_t {
    Within,    // low <= ordinal < high
    Modulo,    // ordinal % low == high
    BeforeEnd, // ordinal < trips - low
    AtEnd,     // ordinal == trips - low
  };
  static constexpr int64_t NoLimit = INT64_MAX;
  Kind kind = Kind::Within;
  const Frame *frame = nullptr;
  int64_t low = 0, high = NoLimit;
  bool isNegated = false;

  bool isFirst() const { return kind == Kind::Within && low == 0 && high == 1; }
  bool asksForLast() const { return (kind == Kind::BeforeEnd || kind == Kind::AtEnd) && low == 1; }
  bool isLater() const { return kind == Kind::Within && low == 1 && high == NoLimit; }
};

class Translator {
public:
  Translator(const plan::Plan &judged, const Launch *launch, const ir::Kernel *kernel)
      : plan(judged), symbols(judged, result, launch, kernel) {}
  Translation run();

private:
  // FromPlan.cpp
  void addMemory();
  void addCells(const plan::Allocation &memory);
  void findSlices();
  void makeMeetings();
  void begin(Region &into);
  void end(Region &into);
  Op syncOfCta() const;
  void addTask(plan::TaskId id);
  void region(plan::RegionId id, Region &into);
  void step(const plan::Step &step, Region &into);
  void barrierStep(const plan::Step &step, Region &into);
  void sync(const plan::Step &step, Region &into);
  void add(const plan::Step &step, Op op, Region &into);
  bool isTooLarge(const plan::Step &step, size_t more = 1);
  void byWhom(const plan::Step &step, Op op, Region &into);
  static protocol::Queue queueOf(plan::Queue queue);
  protocol::Index indexOf(const plan::At &at) const;
  protocol::BarrierRef barrierRef(plan::BarrierId barrier, const plan::At &at,
                                  plan::Axes peers = {}) const;
  protocol::Ranks ranksOf(plan::Axes peers) const;
  std::optional<protocol::Ranks> rankOf(const plan::Step &step);
  unsigned provenance(const plan::Step &step, int64_t base = 0, bool isFromEnd = false);
  void fail(const plan::Step &step, std::string what, std::string wayOut = "",
            bool isSentence = false);
  void reject(const plan::Step &step, std::string sentence, std::string wayOut) {
    fail(step, std::move(sentence), std::move(wayOut), true);
  }
  int lanes(const plan::Step &step) const {
    return isSingleLane || step.by != plan::By::All ? 1 : WarpLanes;
  }
  bool matters(plan::RegionId id) const;
  bool matters(const plan::Step &step) const;

  // Calls.cpp
  void call(const plan::Step &step, Region &into);
  void access(const plan::Step &step, const plan::Access &access, Op &threads, Region &into);
  void checkTile(const plan::Step &step);
  std::vector<protocol::CellRef> slicesOf(const plan::Access &access, protocol::CellRef ref) const;

  // Loops.cpp
  struct Needs {                // of the iterations of one loop
    int64_t first = 0;          // so many are asked for by number
    int64_t last = 0;           // likewise, from the end
    bool changes = false;       // something in it changes from one iteration to the next
    bool isComputable = true;   // … but as its number says
    std::set<ir::ExprId> asked; // conditions that have been looked at
  };
  void loop(const plan::Step &step, Region &into);
  void parallelLoop(const plan::Step &step, Region &into);
  void tileLoop(const plan::Step &step, Region &into);
  void unroll(const plan::Step &step, int64_t trips, Region &into);
  void peel(const plan::Step &step, const protocol::Count &count, const Needs &needs, Region &into);
  Node iterations(const plan::Step &step, Frame frame, protocol::Count count);
  Region body(const plan::Step &step, Frame frame);
  bool isTileLoop(const plan::Step &step) const;
  void findTileLoops();
  Needs needsOf(const plan::Step &loop);
  void collectNeeds(plan::RegionId id, Needs &needs);
  void collectNeeds(ir::ExprId condition, Needs &needs);
  bool isComputable(ir::ExprId id);
  struct Limited { // min(trips, most)
    protocol::Count count;
    int64_t most = 0;
  };
  std::optional<Limited> limited(const plan::Step &step);
  std::optional<protocol::Count> varying(const plan::Step &step) const;
  Node once(const plan::Step &step, Frame frame);

  // Conditions.cpp
  void branch(const plan::Step &step, Region &into);
  Region copied(const Region &from, const plan::Step &step);
  ir::ExprId plain(ir::ExprId id, Region &body, Region &other) const;
  void condition(ir::ExprId expr, const plan::Step &step, Region body, Region other, Region &into);
  bool ordinal(const OrdinalTest &test, const plan::Step &step, Region &body, Region &other,
               Region &into);
  void choose(ir::ExprId expr, const plan::Step &step, Region body, Region other, Region &into);
  std::optional<OrdinalTest> ordinalTest(ir::ExprId expr) const;
  std::optional<OrdinalTest> everyTest(const ir::Expr &expr) const;
  std::optional<OrdinalTest> comparison(TermId condition) const;
  std::optional<OrdinalTest> remainderTest(const Term &rest, Wide remainder) const;
  std::optional<OrdinalTest> endTest(const Frame &frame, TermId right, bool isEquality) const;
  const Frame *frameOf(TermId variable) const;
  std::optional<int64_t> valueOf(const Frame *frame) const;
  TermId settled(TermId id) const;
  struct Linear { // factor * ordinal + offset; `isReversed`: counted from the last one
    const Frame *frame = nullptr;
    int64_t factor = 0, offset = 0;
    bool isReversed = false;
  };
  std::optional<Linear> linear(TermId id) const;

  const plan::Plan &plan;
  Translation result;
  Symbols symbols;
  std::vector<int> mbarriers;     // by barrier: array, or -1 for a named one
  std::vector<int> cells;         // by field: its first array, or -1
  std::vector<plan::Axes> sliced; // by field: along which axis each CTA loads a slice
  unsigned ranks = 1;             // CTAs that reach each other
  unsigned rank = 0;
  std::vector<int> cursorIndex; // by cursor: of its task
  std::set<TermId> tileKeys;    // trip counts of tile loops
  std::map<const plan::Step *, unsigned> newestOrigin;
  std::set<std::pair<const plan::Step *, std::string>> failed;
  // By call, argument and first CTA: what that CTA gives to a load that is multicast.
  std::map<std::tuple<const plan::Step *, size_t, unsigned>, TermId> tiles;
  protocol::Task *task = nullptr;
  unsigned taskIndex = 0;
  bool isSingleLane = false;
  bool isAtTop = true; // no loop or branch around
  size_t nodes = 0;
  unsigned depth = 0; // of the condition that is taken apart
  Scope scope;
};

} // namespace tsk::proof
