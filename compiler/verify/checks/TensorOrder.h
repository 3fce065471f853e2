// Which accesses to global memory barriers put in order: a search from one step to another, through
// the text of the tasks.
//
// Whoever comes by a step comes by the next ones of its task, as far as no branch and no loop that
// may not run lies between. From task to task lead barriers: the k-th arrival of one task belongs
// to the k-th wait of another, and the k-th `cta.sync()` to the k-th. Which is the k-th can be told
// where both tasks use the barrier in one pattern of loops, branches and uses; elsewhere no way
// leads through it.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/verify/proof/Facts.h"

#include <map>
#include <set>
#include <tuple>

namespace tsk::verify {

// A loop or a branch around a step.
struct Around {
  const plan::Step *step = nullptr;
  bool isElse = false;
  bool isLoop() const { return step->kind != plan::StepKind::If; }
  friend bool operator==(const Around &, const Around &) = default;
};

struct Node {
  const plan::Step *step = nullptr;
  size_t task = 0;
  std::vector<Around> path; // outermost first
  bool isIn(const plan::Step *loop) const;
  std::vector<const plan::Step *> loops() const;
};

// An access of a step to a tensor.
struct Site {
  size_t node = 0;
  const plan::Access *access = nullptr;
  bool isCopy() const { return access->mechanism == ir::Mechanism::Tma; }
};

// The same round of all loops; or a later one of these two loops, which run equally often; or any
// of the one and any of the other.
struct Rounds {
  const plan::Step *ofFrom = nullptr, *ofTo = nullptr;
  bool areAny = false;
  bool areLater() const { return ofFrom && !areAny; }
};

class TensorOrder {
public:
  TensorOrder(const plan::Plan &plan, const proof::Facts &facts);

  const std::vector<Node> &all() const { return nodes; }
  const plan::Task &taskOf(const Site &site) const { return task(nodes[site.node].task); }
  plan::By byOf(const Node &node) const;
  // Whether barriers lead from the one to the other. `needsFence`: and a fence for the copy engine.
  bool leads(const Site &from, const Site &to, bool needsFence, Rounds rounds = {});
  // Whether they do if each use of a barrier belongs to each by a task that uses it in another
  // pattern, and one that stands under a round's condition is come by: then nobody can tell.
  bool mayLead(const Site &from, const Site &to, bool needsFence, Rounds rounds = {});
  // Whether any chain of barriers might lead from the one to the other, in whatever rounds.
  bool mightLead(const Site &from, const Site &to) const;
  // The search was too long, and an answer yes by default.
  bool isExhausted() const { return budget == 0; }

private:
  // What is known behind a node: by all threads of its task, or by those that one `by` names.
  // Before the first barrier each thread knows only of its own part.
  struct State {
    size_t node;
    bool isOwn; // each thread of `by` its own
    plan::By by;
    bool isFenced;
    unsigned lap = 0; // how many rounds behind the start
    bool operator<(const State &o) const {
      return std::tie(node, isOwn, by, isFenced, lap) <
             std::tie(o.node, o.isOwn, o.by, o.isFenced, o.lap);
    }
  };
  struct Search {
    const Site &from, &to;
    Rounds rounds;
    bool needsFence;
    bool isLoose = false; // see mayLead
    std::vector<State> open = {};
    std::set<State> seen = {};
    unsigned goalLap() const { return rounds.areLater() ? 1 : 0; }
  };
  // How a task uses a barrier. Uses of one slot are of one phase.
  struct Uses {
    using Sign = std::vector<uint64_t>;
    std::vector<std::pair<size_t, size_t>> slots; // node, slot
    std::vector<Sign> pattern;
    bool isClear = true;
  };
  enum class Side : uint8_t { Arrive, Wait, Sync };
  using UsesKey = std::tuple<size_t, Side, int64_t>;

  std::set<int64_t> passes(const Node &node, bool isArrival) const;
  bool mayFollow(size_t first, size_t second) const;
  const plan::Task &task(size_t i) const { return plan.tasks[plan.tasks.idAt(i)]; }
  void collect(plan::RegionId region, Node &place);
  const plan::Step *loopIn(size_t task, const Search &search) const;
  bool comesBy(const State &state, size_t next, unsigned lap, const Search &search) const;
  bool run(Search &search);
  void start(Search &search) const;
  void advance(const State &state, size_t next, unsigned lap, Search &search);
  bool isReached(const State &state, const Search &search) const;

  bool mayBeMet(const Around &around, const Search &search) const;
  bool runs(const plan::Step &loop, const Search &search) const;
  bool isOfOneRound(size_t arrival, size_t partner, bool areAlike, const Search &search) const;
  bool isEverybodysSync(const Node &node) const;
  void throughSync(size_t sync, const State &state, Search &search);
  void throughBarrier(plan::BarrierId barrier, size_t arrival, const State &state, Search &search);
  const Uses &uses(size_t task, Side side, int64_t of);
  void addUse(Uses &into, size_t node, bool isAdvance, bool sharesSlots) const;
  Uses::Sign signOf(const Node &node, const Node *before, bool isAdvance) const;
  static bool areAlike(const Uses &from, const Uses &to) {
    return from.isClear && to.isClear && from.pattern == to.pattern;
  }
  std::vector<size_t> partners(size_t node, const Uses &from, const Uses &to, bool isLoose) const;

  const plan::Plan &plan;
  const proof::Facts &facts;
  std::vector<Node> nodes;  // task after task, each in the order of its text
  std::vector<size_t> ends; // by task: behind its last node
  std::map<UsesKey, Uses> known;
  size_t budget = 5000000; // of steps looked at
};

} // namespace tsk::verify
