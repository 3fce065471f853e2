// V2 for tensors: a task reads what another one writes only in an order that barriers give.
//
// A tensor is one thing here; which elements a call touches is the body's affair. So an order is
// looked for between two statements, not between all their instances: a way from the one through
// barriers to the other, forward through the text, as within one iteration. Where there is none in
// either direction, nothing can order them, which is an error. Where there is one, other iterations
// and other CTAs are assumed to touch other elements, which the verdict says.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace tsk::verify {

namespace {

using plan::By;
using plan::Step;
using plan::StepKind;

constexpr Diagnostic<std::string, std::string, std::string> TensorRace{
    kind::TensorRace, "task `{}` reads `{}`, which task `{}` writes, and no barrier orders them; "
                      "let a pipeline or `cta.sync()` stand between"};
constexpr Diagnostic<std::string, std::string> TensorUnfenced{
    kind::TensorUnfenced, "TMA reads `{}`, which threads of task `{}` write: the copy engine may "
                          "miss what they store; load a tensor that this kernel does not write"};
constexpr Diagnostic<std::string, std::string> TensorReloaded{
    kind::TensorReloaded,
    "TMA may load a part of `{}` again that threads of task `{}` have written "
    "meanwhile: its coordinates do not change with the loop around it"};

// A step with its place: in the order of the text, and in which branches and loops it stands.
struct Node {
  const Step *step;
  size_t task;
  std::vector<std::pair<const Step *, bool>> branches; // with: in the `else`
  std::vector<const Step *> loops;
};

struct Site {
  size_t node;
  ir::Mechanism mechanism;
  bool isUpdate; // the same call writes the tensor: its reads are of elements of its own
};

// What is known behind a node: by all threads of its task, or by those that one `by` names. Before
// the first barrier each thread knows only of its own part.
struct State {
  size_t node;
  bool isOwn; // each thread of `by` its own
  By by;
  bool isFenced;
  bool operator<(const State &o) const {
    return std::tie(node, isOwn, by, isFenced) < std::tie(o.node, o.isOwn, o.by, o.isFenced);
  }
};

class Checker {
public:
  Checker(const plan::Plan &thePlan, DiagnosticEngine &engine, std::vector<std::string> &list)
      : plan(thePlan), diags(engine), assumptions(list) {
    for (size_t i = 0; i < plan.tasks.size(); ++i) {
      Node place{nullptr, i, {}, {}};
      collect(task(i).body, place);
    }
  }

  bool run() {
    for (const auto &[tensor, writers] : writes) {
      for (const Site &write : writers)
        for (const Site &read : reads[tensor])
          judge(tensor, write, read);
      describe(tensor);
    }
    if (budget == 0)
      assumptions.push_back(
          "that barriers order the accesses to tensors, which are too many to look at");
    return isGood;
  }

private:
  const plan::Task &task(size_t i) const { return plan.tasks[plan.tasks.idAt(i)]; }
  const plan::Task &taskOf(const Site &site) const { return task(nodes[site.node].task); }

  void collect(plan::RegionId region, Node &place) {
    if (!region)
      return;
    for (const Step &step : plan.regions[region].steps) {
      place.step = &step;
      nodes.push_back(place);
      addSites(step);
      bool isLoop = step.kind == StepKind::For;
      for (bool isElse : {false, true}) {
        if (isLoop)
          place.loops.push_back(&step);
        else
          place.branches.push_back({&step, isElse});
        collect(isElse ? step.elseBody : step.body, place);
        if (isLoop)
          place.loops.pop_back();
        else
          place.branches.pop_back();
      }
    }
  }

  void addSites(const Step &step) {
    auto isWritten = [&](ir::ParamId tensor) {
      return llvm::any_of(step.accesses, [&](const plan::Access &access) {
        return access.tensor == tensor && access.isWrite;
      });
    };
    for (const plan::Access &access : step.accesses)
      if (access.tensor)
        (access.isWrite ? writes : reads)[access.tensor].push_back(
            {nodes.size() - 1, access.mechanism, isWritten(access.tensor)});
  }

  // ---- Order ----

  // Whoever has come by `from` comes by `to`: the branches of `to` are among its own.
  bool isCertain(const Node &from, const Node &to) const {
    return llvm::all_of(
        to.branches, [&](const auto &branch) { return llvm::is_contained(from.branches, branch); });
  }

  // A fresh barrier lets a producer's first waits pass: they order nothing.
  bool orders(const Step &wait) const {
    return wait.at.cursor ? plan.cursors[wait.at.cursor].startParity == 0 : wait.at.parity == 0;
  }

  bool isEverybodysSync(const Node &node) const {
    const Step &step = *node.step;
    return step.kind == StepKind::Sync &&
           (step.scope != ir::SyncScope::Warp || task(node.task).warps == 1);
  }
  bool isShared(const Step &a, const Step &b) const {
    if (a.barrier || b.barrier)
      return a.barrier == b.barrier;
    return a.scope == ir::SyncScope::Cta && b.scope == ir::SyncScope::Cta;
  }

  static bool covers(By knowing, By acting) {
    return knowing == By::All || knowing == acting ||
           (knowing == By::WarpLeader && acting == By::Leader);
  }
  By byOf(const Node &node) const { return task(node.task).isSingleLane ? By::All : node.step->by; }

  // What follows from `state` at `next`, a later node of the same task.
  void advance(const State &state, size_t next, bool isSource, std::vector<State> &out) const {
    const Node &from = nodes[state.node];
    const Node &to = nodes[next];
    if (!isCertain(from, to) || (!isSource && !isCertain(to, from)))
      return;
    if (to.step->kind == StepKind::Fence && to.step->fence == plan::FenceKind::ProxyAsync &&
        state.isOwn && !state.isFenced)
      out.push_back({next, true, state.by, true});
    if (isEverybodysSync(to)) {
      out.push_back({next, false, By::All, state.isFenced});
      for (size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].task != to.task && nodes[i].step->kind == StepKind::Sync &&
            isShared(*nodes[i].step, *to.step))
          out.push_back({i, false, By::All, state.isFenced});
    }
    bool isArrival = to.step->kind == StepKind::Arrive || to.step->kind == StepKind::ArriveExpect;
    if (isArrival && (!state.isOwn || covers(byOf(to), state.by)))
      waitsOn(to.step->barrier, state.isFenced, out);
  }

  void waitsOn(plan::BarrierId barrier, bool isFenced, std::vector<State> &out) const {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].step->kind == StepKind::Wait && nodes[i].step->barrier == barrier &&
          orders(*nodes[i].step))
        out.push_back({i, false, byOf(nodes[i]), isFenced});
  }

  // Whether barriers lead from one site to the other. `needsFence`: and a fence before the first.
  bool isOrdered(const Site &from, const Site &to, bool needsFence) {
    std::vector<State> open;
    std::set<State> seen;
    if (from.mechanism == ir::Mechanism::Tma) {
      for (const plan::Access &access : nodes[from.node].step->accesses)
        if (access.completes)
          waitsOn(access.completes, true, open);
    } else {
      open.push_back({from.node, true, byOf(nodes[from.node]), false});
    }
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      if (!seen.insert(state).second)
        continue;
      bool isSource = state.isOwn;
      const Node &node = nodes[state.node];
      const Node &goal = nodes[to.node];
      if (!isSource && node.task == goal.task && state.node < to.node && isCertain(goal, node) &&
          covers(state.by, byOf(goal)) && (state.isFenced || !needsFence))
        return true;
      for (size_t next = state.node + 1; next < nodes.size() && nodes[next].task == node.task;
           ++next) {
        if (budget == 0) // the verdict will say so
          return true;
        --budget;
        advance(state, next, isSource, open);
      }
    }
    return false;
  }

  // ---- Does a copy come to the same box again? ----

  bool changesWith(ir::ExprId id, const Step &loop, unsigned depth = 0) const {
    if (!id || depth > 32)
      return bool(id); // a long way: taken to change
    const ir::Expr &expr = plan.tables.exprs[id];
    if (expr.op == ir::ExprOp::Value)
      return expr.valueRef == loop.loop.variable || valueChangesWith(expr.valueRef, loop, depth);
    return llvm::any_of(expr.operands,
                        [&](ir::ExprId operand) { return changesWith(operand, loop, depth + 1); });
  }

  bool valueChangesWith(ir::ValueId value, const Step &loop, unsigned depth) const {
    if (plan.tables.values[value].kind == ir::Value::Kind::Result)
      return true; // only the body knows
    for (const Node &node : nodes) {
      const Step &step = *node.step;
      bool isDefined = !step.results.empty() && step.results[0] == value && !step.args.empty();
      if (isDefined && (changesWith(step.args[0], loop, depth + 1) ||
                        (step.kind == StepKind::Assign && llvm::is_contained(node.loops, &loop))))
        return true;
      bool isLoop = step.kind == StepKind::For && step.loop.variable == value;
      if (isLoop && (changesWith(step.loop.lower, loop, depth + 1) ||
                     changesWith(step.loop.upper, loop, depth + 1)))
        return true;
    }
    return false;
  }

  bool comesAgain(const Node &node) const {
    return llvm::any_of(node.loops, [&](const Step *loop) {
      return llvm::none_of(node.step->args,
                           [&](ir::ExprId arg) { return changesWith(arg, *loop); });
    });
  }

  // ---- Findings ----

  void judge(ir::ParamId tensor, const Site &write, const Site &read) {
    if (read.mechanism == ir::Mechanism::Tma)
      return judgeCopy(tensor, write, read);
    bool isOthers = nodes[write.node].task != nodes[read.node].task;
    if (!isOthers || read.isUpdate || isOrdered(write, read, false) ||
        isOrdered(read, write, false) || !isNew(tensor, write, read))
      return;
    diags
        .report(nodes[read.node].step->loc, TensorRace, taskOf(read).name, plan.params[tensor],
                taskOf(write).name)
        .note(nodes[write.node].step->loc, "written here");
  }

  void judgeCopy(ir::ParamId tensor, const Site &write, const Site &read) {
    if (isOrdered(write, read, true))
      return;
    bool isBefore = isOrdered(read, write, false);
    if (isBefore && !comesAgain(nodes[read.node]))
      return;
    if (!isNew(tensor, write, read))
      return;
    diags
        .report(nodes[read.node].step->loc, isBefore ? TensorReloaded : TensorUnfenced,
                plan.params[tensor], taskOf(write).name)
        .note(nodes[write.node].step->loc, "written here");
  }

  // One finding for a tensor and two tasks.
  bool isNew(ir::ParamId tensor, const Site &write, const Site &read) {
    isGood = false;
    return reported.insert({tensor, nodes[write.node].task, nodes[read.node].task}).second;
  }

  // What is taken for granted.
  void describe(ir::ParamId tensor) {
    std::set<size_t> tasks;
    for (const Site &site : writes[tensor])
      tasks.insert(nodes[site.node].task);
    const std::string &name = plan.params[tensor];
    if (tasks.size() > 1)
      assumptions.push_back(fmt::format(
          "that the {} tasks which write `{}` write different elements", tasks.size(), name));
    if (!reads[tensor].empty())
      assumptions.push_back(
          fmt::format("that each iteration and each CTA has elements of its own of `{}`, which is "
                      "read and written",
                      name));
  }

  const plan::Plan &plan;
  DiagnosticEngine &diags;
  std::vector<std::string> &assumptions;
  std::vector<Node> nodes; // task after task, each in the order of its text
  std::map<ir::ParamId, std::vector<Site>> reads, writes;
  std::set<std::tuple<ir::ParamId, size_t, size_t>> reported;
  size_t budget = 5000000; // of steps looked at
  bool isGood = true;
};

} // namespace

bool checkGlobalMemory(const plan::Plan &plan, DiagnosticEngine &diags,
                       std::vector<std::string> &assumptions) {
  return Checker(plan, diags, assumptions).run();
}

} // namespace tsk::verify
