// How often a fixed point of loops follows their bodies.
#include "compiler/plan/LoopHeads.h"

#include <catch2/catch.hpp>

using namespace tsk;

namespace {

constexpr int Highest = 3;

// A height that the innermost body raises by one each time, up to a limit.
struct Height {
  int at = 0;
  bool join(const Height &other) {
    const bool isChanged = other.at > at;
    at = std::max(at, other.at);
    return isChanged;
  }
};

struct Nest {
  explicit Nest(size_t depth) : loops(depth), follows(depth) {}

  Height visit(size_t level, Height before) {
    if (level == loops.size())
      return {std::min(before.at + 1, Highest)};
    return heads
        .settle(loops[level], before,
                [&](Height head) {
                  ++follows[level];
                  return visit(level + 1, head);
                })
        .head;
  }

  std::vector<plan::Step> loops;
  std::vector<int> follows; // by level
  plan::LoopHeads<Height> heads;
};

} // namespace

TEST_CASE("a loop is followed until an iteration brings nothing new") {
  Nest nest(1);
  CHECK(nest.visit(0, {}).at == Highest);
  CHECK(nest.follows[0] == Highest + 1);
  CHECK(nest.heads.settle(nest.loops[0], {}, [](Height head) { return head; }).end.at == Highest);
}

TEST_CASE("loops around a loop do not multiply how often it is followed") {
  for (size_t depth : {2, 24, 400}) {
    Nest nest(depth);
    CHECK(nest.visit(0, {}).at == Highest);
    for (int follows : nest.follows)
      CHECK(follows <= Highest + 1);
  }
}

TEST_CASE("what is new before a loop is followed, what is known is not") {
  Nest nest(2);
  nest.visit(0, {1});
  const std::vector<int> first = nest.follows;
  nest.visit(0, {0});
  CHECK(nest.follows == first);
  auto raised = [](Height head) { return head; };
  CHECK(nest.heads.settle(nest.loops[0], {Highest + 5}, raised).end.at == Highest + 5);
}
