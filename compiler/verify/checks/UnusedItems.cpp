// A warning of V5: what is committed more often than it is waited for. Nothing hangs, and nothing
// reads the last items.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/proof/Facts.h"

namespace tsk::verify {

namespace {

using plan::Step;
using plan::StepKind;
using proof::TermId;

constexpr Diagnostic<std::string, std::string, std::string> ItemUnused{
    kind::ItemUnused, "{} of `{}` is never waited for: task `{}` waits less often than this "
                      "commits; wait for it, or do not produce it"};

// How often a task does something with a barrier, for all its runs at once.
class Counter {
public:
  Counter(const plan::Plan &judged, const proof::Facts &known, plan::BarrierId which,
          StepKind wanted)
      : kind(wanted), plan(judged), facts(known), barrier(which) {}

  TermId count(plan::RegionId region) {
    proof::Terms &terms = facts.all();
    TermId sum = terms.integer(0);
    if (!region)
      return sum;
    for (const Step &step : plan.regions[region].steps) {
      if (step.barrier == barrier && step.kind == kind) {
        last = &step;
        sum = terms.sum(sum, terms.integer(1));
      } else if (step.kind == StepKind::If) {
        const TermId condition = facts.term(step.args[0]);
        sum = terms.sum(sum, product(condition, count(step.body)));
        sum = terms.sum(sum, product(terms.negation(condition), count(step.elseBody)));
      } else if (step.body) {
        TermId trips = facts.trips(step.loop);
        if (terms.range(trips).low < 0)
          trips = terms.max(trips, terms.integer(0));
        sum = terms.sum(sum, product(trips, count(step.body)));
      }
    }
    return sum;
  }

  StepKind kind;
  const Step *last = nullptr; // of those that were counted

private:
  // Of a number of rounds, or of a condition that is 0 or 1.
  TermId product(TermId factor, TermId inner) {
    proof::Terms &terms = facts.all();
    if (std::optional<proof::Wide> number = terms.integerValue(inner); number == 0)
      return inner;
    if (const std::optional<bool> truth = terms.truthValue(factor))
      return *truth ? inner : terms.integer(0);
    const std::optional<proof::Wide> rounds = terms.integerValue(factor);
    if (rounds && *rounds >= 0 && *rounds < INT32_MAX)
      return terms.scaled(inner, *rounds);
    const std::optional<proof::Wide> each = terms.integerValue(inner);
    if (each && terms.range(factor).low >= 0 && isNumber(factor))
      return terms.scaled(factor, *each);
    return terms.leaf("times", "", ir::ScalarType::I64, {0, INT64_MAX}, {factor, inner});
  }
  bool isNumber(TermId id) const {
    switch (facts.all()[id].kind) {
    case proof::TermKind::Truth:
    case proof::TermKind::AtMost:
    case proof::TermKind::Equal:
    case proof::TermKind::Not:
    case proof::TermKind::And:
    case proof::TermKind::Same:
      return false;
    default:
      return facts.all().range(id).high < proof::Range::Limit;
    }
  }

  const plan::Plan &plan;
  const proof::Facts &facts;
  const plan::BarrierId barrier;
};

} // namespace

void warnOfUnusedItems(const plan::Plan &plan, DiagnosticEngine &diags) {
  const proof::Facts facts(plan);
  proof::Terms &terms = facts.all();
  for (size_t i = 0; i < plan.barriers.size(); ++i) {
    const plan::BarrierId id = plan.barriers.idAt(i);
    const plan::Barrier &barrier = plan.barriers[id];
    if (barrier.resource.empty() || barrier.name != barrier.resource + ".full")
      continue;
    bool isReported = false;
    for (const plan::Task &producer : plan.tasks) {
      // A copy and stores of threads may fill one item together: each arrives for it.
      Counter commits(plan, facts, id, StepKind::Arrive);
      TermId committed = commits.count(producer.body);
      if (!commits.last) {
        commits.kind = StepKind::ArriveExpect;
        committed = commits.count(producer.body);
      }
      for (const plan::Task &consumer : plan.tasks) {
        Counter waits(plan, facts, id, StepKind::Wait);
        const TermId waited = waits.count(consumer.body);
        if (!commits.last || !waits.last || isReported)
          continue;
        const TermId rest = terms.difference(committed, waited);
        if (terms.range(rest).low < 1)
          continue;
        isReported = true;
        const std::optional<proof::Wide> number = terms.integerValue(rest);
        diags
            .report(commits.last->loc, ItemUnused,
                    number == 1 ? "the last item"
                    : number    ? fmt::format("the last {} items", static_cast<int64_t>(*number))
                                : std::string("some item"),
                    barrier.resource, consumer.name)
            .note(waits.last->loc, "the last wait is here");
      }
    }
  }
}

} // namespace tsk::verify
