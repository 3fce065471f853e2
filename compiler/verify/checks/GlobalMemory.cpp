// V2 for tensors: two accesses to one element, of which one writes, are in an order that barriers
// or one thread's own steps give.
//
// Which elements a call touches is known as far as its body's indices tell (ElementsApart). Where
// they may be the same, barriers must lead from the one statement to the other (TensorOrder): in
// the same round of the loops around both, and in different ones. Of two writes whose arguments
// change with a loop, other rounds are assumed to touch other elements, which the verdict says; and
// of other CTAs, unless two are found that meet in a launch (CtasMeet). Where a read may meet a
// write of another round, nothing is proved.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/checks/CtasMeet.h"
#include "compiler/verify/checks/ElementsApart.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

using plan::By;
using plan::Step;

constexpr Diagnostic<std::string, std::string, std::string> TensorRace{
    kind::TensorRace, "task `{}` reads `{}`, which task `{}` writes, and no barrier orders them; "
                      "let a pipeline or `cta.sync()` stand between"};
constexpr Diagnostic<std::string, std::string> TensorUnfenced{
    kind::TensorUnfenced, "TMA reads `{}`, which threads of task `{}` write: the copy engine may "
                          "miss what they store; load a tensor that this kernel does not write"};
constexpr Diagnostic<std::string, std::string> TensorRestored{
    kind::TensorUnfenced,
    "TMA loads `{}`, which bulk stores of task `{}` write, and nothing is seen "
    "to order the two; let the store's barriers and waits stand in the same "
    "loops as the load's, or load a tensor that this kernel does not write"};
constexpr Diagnostic<std::string, llvm::StringRef, std::string> TensorReloaded{
    kind::TensorReloaded,
    "TMA may load a part of `{}` again that {} of task `{}` have written meanwhile: its "
    "coordinates do not change with the loop around it"};
constexpr Diagnostic<std::string, llvm::StringRef, std::string> TensorOverwritten{
    kind::TensorRace, "TMA may still load `{}` when {} of task `{}` write it in a later round, and "
                      "no barrier orders them; let the load's end come before the next write"};
constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string> ThreadsRace{
    kind::ThreadsRace, "`{}` {} elements of `{}` that {}, and no barrier orders them; let "
                       "`{}.sync()` stand between, or "
                       "let each thread have elements of its own"};

constexpr Diagnostic<std::string, std::string, std::string> TensorNotShown{
    kind::TensorNotShown,
    "not proved: that `{}` reads none of the elements of `{}` in one round that `{}` writes in "
    "another; compute indices as sums of loop variables with constant steps, or let barriers order "
    "the rounds"};

constexpr Diagnostic<std::string, std::string, std::string> OrderNotShown{
    kind::TensorNotShown,
    "not proved: that barriers order `{}`, which reads `{}`, and `{}`, which writes it: their "
    "tasks use the barriers between them in other loops and branches; write both in one form"};

constexpr Diagnostic<> TensorsTooMany{
    kind::TensorNotShown, "not proved: the accesses to tensors and the barriers between them are "
                          "too many to look at; split the kernel"};

// Of a finding: where, and in which direction.
struct Pair {
  const Site &earlier, &later;
  const Step *nextRoundOf = nullptr; // a loop
};

class Checker {
public:
  Checker(const plan::Plan &thePlan, const ir::Kernel *theKernel, DiagnosticEngine &engine,
          std::vector<std::string> &list)
      : plan(thePlan), kernel(theKernel), diags(engine), assumptions(list), facts(thePlan),
        order(thePlan, facts), elements(thePlan, theKernel, facts, order) {
    for (size_t i = 0; i < order.all().size(); ++i)
      for (const plan::Access &access : order.all()[i].step->accesses)
        if (access.tensor)
          (access.isWrite ? writes : reads)[access.tensor].push_back({i, &access});
  }

  Outcome run() {
    for (const auto &[tensor, writers] : writes) {
      for (size_t i = 0; i < writers.size(); ++i) {
        for (const Site &read : reads[tensor])
          judge(tensor, writers[i], read);
        for (size_t j = i; j < writers.size(); ++j)
          judge(tensor, writers[i], writers[j]);
      }
      describe(tensor);
    }
    if (kernel && outcome != Outcome::Fault)
      judgeMeetings();
    if (order.isExhausted()) {
      found(Outcome::NotShown);
      diags.report({}, TensorsTooMany);
    }
    return outcome;
  }

private:
  const Node &nodeOf(const Site &site) const { return order.all()[site.node]; }

  void judge(ir::ParamId tensor, const Site &write, const Site &other) {
    if (other.isCopy() && !other.access->isWrite)
      return judgeCopy(tensor, write, other);
    if (write.access->elements.isAtomic && other.access->elements.isAtomic)
      return;
    // Bulk stores of a queue are taken to write different bytes.
    if (write.isCopy() && other.isCopy())
      return;
    // A call's reads are of the elements that it writes.
    if (!other.access->isWrite && isUpdate(tensor, other))
      return;
    if (nodeOf(write).task != nodeOf(other).task)
      return judgeTasks(tensor, write, other);
    const bool isInOrder = write.node <= other.node;
    judgeThreads(tensor, isInOrder ? write : other, isInOrder ? other : write);
  }

  bool isUpdate(ir::ParamId tensor, const Site &site) const {
    return llvm::any_of(nodeOf(site).step->accesses, [&](const plan::Access &access) {
      return access.tensor == tensor && access.isWrite;
    });
  }

  static bool needsFence(const Site &from, const Site &to) { return !from.isCopy() && to.isCopy(); }

  bool areOrdered(const Site &from, const Site &to, Rounds rounds = {}) {
    return order.leads(from, to, needsFence(from, to), rounds);
  }

  // ---- Two tasks ----

  void judgeTasks(ir::ParamId tensor, const Site &write, const Site &other) {
    if (elements.areApart(write, other))
      return;
    if (areOrdered(write, other) || areOrdered(other, write)) {
      if (!other.access->isWrite && !areRoundsOrdered(write, other))
        return changes(write, other) || areRoundsOrdered(write, other, /*isLoose=*/true)
                   ? notShown(tensor, write, other)
                   : raceOfTasks(tensor, write, other);
      if (other.access->isWrite)
        assumedRounds.insert(tensor);
      return;
    }
    if (!other.access->isWrite)
      return mayBeOrdered(write, other) ? notShown(tensor, write, other, OrderNotShown)
                                        : raceOfTasks(tensor, write, other);
    assumedWriters.insert(tensor);
    if (!order.mightLead(write, other) && !order.mightLead(other, write))
      unordered.push_back({write, other});
  }

  // Whether it is only the barriers' use that hides an order.
  bool mayBeOrdered(const Site &write, const Site &read) {
    return order.mayLead(write, read, needsFence(write, read)) ||
           order.mayLead(read, write, needsFence(read, write));
  }

  // Whether in different rounds the calls touch different elements, or barriers order them: with a
  // fence on the way to a copy. All rounds of one before all of the other are so with the loops
  // within, too. `isLoose`: or nobody can tell.
  bool areRoundsOrdered(const Site &a, const Site &b, bool isLoose = false) {
    auto lead = [&](const Site &from, const Site &to, Rounds rounds) {
      return isLoose ? order.mayLead(from, to, needsFence(from, to), rounds)
                     : areOrdered(from, to, rounds);
    };
    const std::vector<const Step *> first = nodeOf(a).loops(), second = nodeOf(b).loops();
    for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      const Step *one = first[i], *other = second[i];
      const bool areAlike = facts.trips(one->loop) == facts.trips(other->loop);
      if (areAlike && elements.areApart(a, b, {one, other}))
        continue;
      // One loop's rounds come by turns: not all of one site's before all of the other's.
      if (one != other && (lead(a, b, {one, other, true}) || lead(b, a, {other, one, true})))
        return true;
      if (!areAlike)
        return isLoose;
      if (!lead(a, b, {one, other}) || !lead(b, a, {other, one}))
        return false;
    }
    return true;
  }

  // Whether arguments of either change with a loop: then luck decides.
  bool changes(const Site &a, const Site &b) {
    const auto changesInside = [&](const Site &site) {
      return llvm::any_of(nodeOf(site).loops(),
                          [&](const Step *loop) { return elements.changesWith(site, *loop); });
    };
    return changesInside(a) || changesInside(b);
  }

  void notShown(ir::ParamId tensor, const Site &write, const Site &read,
                const Diagnostic<std::string, std::string, std::string> &what = TensorNotShown) {
    if (isNew(tensor, write, read, Outcome::NotShown))
      diags
          .report(nodeOf(read).step->loc, what, plan.works[nodeOf(read).step->work],
                  plan.params[tensor], plan.works[nodeOf(write).step->work])
          .note(nodeOf(write).step->loc, "written here");
  }

  void raceOfTasks(ir::ParamId tensor, const Site &write, const Site &read) {
    if (isNew(tensor, write, read))
      diags
          .report(nodeOf(read).step->loc, TensorRace, order.taskOf(read).name, plan.params[tensor],
                  order.taskOf(write).name)
          .note(nodeOf(write).step->loc, "written here");
  }

  // ---- Threads of one task ----

  // Both are steps of one thread alone, the same.
  bool areOneThreads(const Site &a, const Site &b) const {
    const By first = order.byOf(nodeOf(a)), second = order.byOf(nodeOf(b));
    const plan::Task &task = order.taskOf(a);
    return task.isSingleLane || (first == second && first == By::Leader) ||
           (task.warps == 1 && first != By::All && second != By::All);
  }

  bool areExclusive(const Node &a, const Node &b) const {
    return llvm::any_of(a.path, [&](const Around &around) {
      return !around.isLoop() && llvm::is_contained(b.path, Around{around.step, !around.isElse});
    });
  }

  // Whether each iteration of a `parallel for` may have elements of its own in both: its thread has
  // them in two calls if both give it the same iterations. Two writes are assumed to differ.
  bool areSpread(const Site &first, const Site &second) const {
    const Step *a = parallelLoop(nodeOf(first)), *b = parallelLoop(nodeOf(second));
    if (first.access->isWrite && second.access->isWrite)
      return a || b;
    if (!a || !b)
      return false;
    return a == b ||
           (a->across == b->across && facts.variable(a->loop) == facts.variable(b->loop) &&
            nodeOf(first).step->args.size() == nodeOf(second).step->args.size() &&
            llvm::equal(
                nodeOf(first).step->args, nodeOf(second).step->args,
                [&](ir::ExprId x, ir::ExprId y) { return facts.term(x) == facts.term(y); }));
  }
  static const Step *parallelLoop(const Node &node) {
    for (const Around &around : node.path)
      if (around.step->kind == plan::StepKind::ParallelFor)
        return around.step;
    return nullptr;
  }

  void judgeThreads(ir::ParamId tensor, const Site &first, const Site &second) {
    if (areOneThreads(first, second) && !first.isCopy() && !second.isCopy())
      return;
    const Node &a = nodeOf(first), &b = nodeOf(second);
    if (first.node != second.node && !areExclusive(a, b) && !elements.areApart(first, second) &&
        !areOrdered(first, second)) {
      if (!areSpread(first, second))
        return raceOfThreads(tensor, {first, second});
      assumedRounds.insert(tensor);
    }
    for (const Step *loop : a.loops()) {
      const Rounds rounds{loop, loop};
      if (!b.isIn(loop) || elements.areApart(first, second, rounds))
        continue;
      const bool isAssumed =
          elements.changesWith(first, *loop) && elements.changesWith(second, *loop);
      for (const Pair &pair : {Pair{first, second, loop}, Pair{second, first, loop}}) {
        if (areOrdered(pair.earlier, pair.later, rounds))
          continue;
        if (!isAssumed || elements.meetsLater(pair.earlier, pair.later, *loop))
          return raceOfThreads(tensor, pair);
        const bool isWrite = first.access->isWrite;
        if (!isWrite || !second.access->isWrite)
          return notShown(tensor, isWrite ? first : second, isWrite ? second : first);
        assumedRounds.insert(tensor);
      }
    }
  }

  void raceOfThreads(ir::ParamId tensor, const Pair &pair) {
    found(Outcome::Fault);
    const Step &later = *nodeOf(pair.later).step, &earlier = *nodeOf(pair.earlier).step;
    if (!reportedSteps.insert(std::minmax(&later, &earlier)).second)
      return;
    auto verb = [](const Site &site) { return site.access->isWrite ? "writes" : "reads"; };
    const plan::Task &task = order.taskOf(pair.later);
    const char *when = pair.nextRoundOf ? "in a round before" : "before";
    ReportBuilder report = diags.report(
        later.loc, ThreadsRace, plan.works[later.work], verb(pair.later), plan.params[tensor],
        fmt::format("another thread of task `{}` {} {}", task.name, verb(pair.earlier), when),
        task.warps == 1 ? "warp" : "task");
    report.note(earlier.loc, "`{}` {} them here", plan.works[earlier.work], verb(pair.earlier));
    const Step *loop = pair.nextRoundOf;
    if (loop && elements.changesWith(pair.later, *loop) &&
        facts.term(loop->loop.step) == facts.all().integer(1))
      report.note(loop->loc, "this loop has no `step`: give it the tile's size, if each round is "
                             "of one tile");
  }

  // ---- Copies ----

  void judgeCopy(ir::ParamId tensor, const Site &write, const Site &read) {
    const bool isBehind = order.leads(write, read, true);
    if (isBehind && areRoundsOrdered(write, read))
      return;
    const std::vector<const Step *> loops = nodeOf(read).loops();
    const bool comesAgain =
        llvm::any_of(loops, [&](const Step *loop) { return !elements.changesWith(read, *loop); });
    const bool isBefore = order.leads(read, write, false);
    if (isBefore && !comesAgain)
      return areRoundsOrdered(write, read) ? void() : notShown(tensor, write, read);
    if (!isBefore && !isBehind && mayBeOrdered(write, read))
      return notShown(tensor, write, read, OrderNotShown);
    if (!isBefore && isBehind &&
        (changes(write, read) || areRoundsOrdered(write, read, /*isLoose=*/true)))
      return notShown(tensor, write, read);
    if (!isNew(tensor, write, read))
      return;
    const SourceRange loc = nodeOf(read).step->loc;
    const std::string &name = plan.params[tensor], &task = order.taskOf(write).name;
    const llvm::StringRef writer = write.isCopy() ? "bulk stores" : "threads";
    ReportBuilder report = isBefore   ? diags.report(loc, TensorReloaded, name, writer, task)
                           : isBehind ? diags.report(loc, TensorOverwritten, name, writer, task)
                           : write.isCopy() ? diags.report(loc, TensorRestored, name, task)
                                            : diags.report(loc, TensorUnfenced, name, task);
    report.note(nodeOf(write).step->loc, "written here");
  }

  // One finding for a tensor and two tasks.
  bool isNew(ir::ParamId tensor, const Site &write, const Site &read,
             Outcome what = Outcome::Fault) {
    found(what);
    return reported.insert({tensor, nodeOf(write).task, nodeOf(read).task}).second;
  }

  void found(Outcome what) { outcome = std::max(outcome, what); }

  // Writes that nothing orders, of tasks and of CTAs, where a launch shows them at one element.
  void judgeMeetings() {
    std::map<ir::ParamId, CtaMeeting> all = findTaskMeetings(plan, *kernel, order, unordered);
    for (auto &each : findCtaMeetings(plan, *kernel, order, writes, reads))
      all.insert(std::move(each));
    for (const auto &[tensor, meeting] : all) {
      found(Outcome::Fault);
      report(meeting, plan, order, diags);
    }
  }

  // What is taken for granted.
  void describe(ir::ParamId tensor) {
    std::set<size_t> tasks;
    for (const Site &site : writes[tensor])
      tasks.insert(nodeOf(site).task);
    const std::string &name = plan.params[tensor];
    if (assumedWriters.count(tensor))
      assumptions.push_back(fmt::format(
          "that the {} tasks which write `{}` write different elements", tasks.size(), name));
    const bool isRead = !reads[tensor].empty(), areRounds = assumedRounds.count(tensor) != 0;
    const bool areCtas = !kernel || mayHaveCtas(*kernel);
    if (areCtas || areRounds)
      assumptions.push_back(
          fmt::format("that each {} has elements of its own of `{}`, which is {}written",
                      !areRounds ? "CTA"
                      : areCtas  ? "iteration and each CTA"
                                 : "iteration",
                      name, isRead ? "read and " : ""));
  }

  const plan::Plan &plan;
  const ir::Kernel *kernel;
  DiagnosticEngine &diags;
  std::vector<std::string> &assumptions;
  proof::Facts facts;
  TensorOrder order;
  ElementsApart elements;
  Sites reads, writes;
  std::set<std::tuple<ir::ParamId, size_t, size_t>> reported;
  std::set<std::pair<const Step *, const Step *>> reportedSteps;
  std::set<ir::ParamId> assumedRounds, assumedWriters;
  std::vector<std::pair<Site, Site>> unordered; // writes of two tasks
  Outcome outcome = Outcome::Right;
};

} // namespace

Outcome checkGlobalMemory(const plan::Plan &plan, const ir::Kernel *kernel, DiagnosticEngine &diags,
                          std::vector<std::string> &assumptions) {
  return Checker(plan, kernel, diags, assumptions).run();
}

} // namespace tsk::verify
