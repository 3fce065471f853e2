// Which cases of conditions need no proof of their own: those whose values, and all that `requires`
// says, contradict each other. Whether a case does happen is another question (Witness).
#include "compiler/verify/proof/FromPlan.h"

namespace tsk::proof {

namespace {

class Trial {
public:
  Trial(const plan::Plan &judged, const Translation &from, const std::map<int, int> &theValues)
      : plan(judged), translation(from), values(theValues), facts(judged, Facts::Learn::Nothing) {}

  bool run() {
    constexpr int Rounds = 4;
    for (int round = 0; round < Rounds; ++round) {
      facts.renew();
      for (const Meaning &meaning : translation.meanings) {
        auto value = values.find(meaning.symbol);
        if (value != values.end() && !add(meaning, value->second))
          return false;
      }
      for (ir::ExprId assumption : plan.assumptions)
        if (!add(facts.term(assumption), true))
          return false;
    }
    return true;
  }

private:
  // The lowest number stands for all below it, too.
  bool add(const Meaning &meaning, int value) {
    if (!meaning.loop)
      return add(facts.term(meaning.condition), (value != 0) != meaning.isContrary);
    Terms &terms = facts.all();
    TermId trips = facts.trips(*meaning.loop);
    Wide number = Wide(value) * meaning.scale + meaning.add;
    bool isLowest = value == translation.program.symbols[meaning.symbol].min;
    return add(isLowest ? terms.atMost(trips, number) : terms.equal(trips, number), true);
  }

  bool add(TermId condition, bool isTrue) {
    Terms &terms = facts.all();
    if (std::optional<bool> known = terms.truthValue(condition))
      return *known == isTrue;
    terms.learn(condition, isTrue);
    if (std::optional<Order> order = terms.order(condition)) {
      Range left = terms.range(order->base);
      return left.low <= left.high;
    }
    return true;
  }

  const plan::Plan &plan;
  const Translation &translation;
  const std::map<int, int> &values;
  Facts facts;
};

} // namespace

bool isPossible(const plan::Plan &plan, const Translation &translation,
                const std::map<int, int> &values) {
  return Trial(plan, translation, values).run();
}

} // namespace tsk::proof
