// What waits: barriers in memory, barriers of threads, and the meetings of a cluster's CTAs.
#include "compiler/verify/proof/Translator.h"

#include "compiler/target/Target.h"

#include <algorithm>

namespace tsk::proof {

using target::WarpgroupWarps;

// Barriers of threads to which the plan gives no number: the tasks' own and their warpgroups'.
static constexpr int FirstTaskBarrier = 64;
static constexpr int BarriersPerTask = 32;

void Translator::barrierStep(const plan::Step &step, Region &into) {
  const plan::Barrier &bar = plan.barriers[step.barrier];
  Op op;
  if (bar.kind == plan::Barrier::Kind::Named) {
    op.kind = OpKind::NamedArrive;
    op.named = static_cast<int>(bar.namedId);
    op.n = static_cast<int>(bar.arrivals);
    if (step.kind != plan::StepKind::Arrive)
      return fail(step, fmt::format("`{}` on a barrier of threads", plan::mnemonic(step.kind)),
                  "a barrier of threads is for `sync` and `arrive`");
    return byWhom(step, std::move(op), into);
  }
  op.bar = barrierRef(step.barrier, step.at, step.peers);
  if (step.peer) {
    std::optional<protocol::Ranks> peer = rankOf(step);
    if (!peer)
      return;
    op.bar.ranks = *peer;
  }
  int bytes = static_cast<int>(step.bytes);
  switch (step.kind) {
  case plan::StepKind::Wait:
  case plan::StepKind::TryWait:
    op.kind = step.kind == plan::StepKind::Wait ? OpKind::Wait : OpKind::TryWait;
    if (step.at.cursor) {
      const plan::Cursor &cursor = plan.cursors[step.at.cursor];
      op.parity = {cursorIndex[step.at.cursor.index], 0, cursor.stages, cursor.startParity == 1};
    } else {
      op.parity.inverted = step.at.parity == 1;
    }
    break;
  case plan::StepKind::Arrive:
    op.kind = OpKind::Arrive;
    op.n = lanes(step);
    break;
  case plan::StepKind::ArriveExpect:
    if (lanes(step) == 1) {
      op.kind = OpKind::ArriveExpect;
      op.n = bytes;
      break;
    }
    op.kind = OpKind::Expect;
    op.n = bytes * WarpLanes;
    byWhom(step, op, into);
    op.kind = OpKind::Arrive;
    op.n = WarpLanes;
    break;
  default:
    op.kind = OpKind::Expect;
    op.n = bytes * lanes(step);
    break;
  }
  byWhom(step, std::move(op), into);
}

Op Translator::syncOfCta() const {
  Op op;
  op.kind = OpKind::Sync;
  op.n = 0;
  for (const plan::Task &each : plan.tasks)
    op.n += WarpLanes * static_cast<int>(each.warps);
  return op;
}

// ---- before and after tasks, where CTAs reach each other

void Translator::makeMeetings() {
  plan::Step meeting;
  meeting.kind = plan::StepKind::Sync;
  meeting.loc = plan.cluster.loc;
  meeting.scope = ir::SyncScope::Cluster;
  result.end = std::make_shared<plan::Step>(meeting);
  if (!plan.meetsAtStart)
    meeting.scope = ir::SyncScope::Cta;
  result.start = std::make_shared<plan::Step>(meeting);
}

// One warp of each CTA initialises its barriers; then all that are to know of it meet.
void Translator::begin(Region &into) {
  if (taskIndex == 0) {
    Node first;
    first.kind = NodeKind::Leader;
    for (size_t array = 0; array < result.program.barriers.size(); ++array)
      for (unsigned stage = 0; stage < result.program.barriers[array].stages; ++stage) {
        Op op;
        op.kind = OpKind::Init;
        op.bar = {static_cast<int>(array), {-1, static_cast<int>(stage)}, {}};
        add(*result.start, std::move(op), first.body);
      }
    Op fence;
    fence.kind = OpKind::InitFence;
    add(*result.start, std::move(fence), first.body);
    into.push_back(std::move(first));
  }
  if (plan.meetsAtStart)
    return sync(*result.start, into);
  add(*result.start, syncOfCta(), into);
}

void Translator::end(Region &into) {
  if (plan.meetsAtEnd)
    sync(*result.end, into);
}

// Lanes of one warp are one agent: a barrier among them alone is nothing to the engine.
void Translator::sync(const plan::Step &step, Region &into) {
  Op op;
  op.kind = OpKind::Sync;
  op.n = 0;
  int own = FirstTaskBarrier + static_cast<int>(taskIndex) * BarriersPerTask;
  if (step.barrier) {
    op.named = static_cast<int>(plan.barriers[step.barrier].namedId);
    op.n = static_cast<int>(plan.barriers[step.barrier].arrivals);
    return add(step, std::move(op), into);
  }
  switch (step.scope) {
  case ir::SyncScope::Warp:
    return;
  case ir::SyncScope::Warpgroup:
    // Each warpgroup has a barrier of its own; its warps are told apart by their numbers.
    for (unsigned first = 0; first < task->warps; first += WarpgroupWarps) {
      op.named = own + 1 + static_cast<int>(first / WarpgroupWarps);
      unsigned warps = std::min(WarpgroupWarps, task->warps - first);
      if (warps == 1)
        continue;
      op.n = WarpLanes * static_cast<int>(warps);
      Node node;
      node.kind = NodeKind::Warps;
      node.firstWarp = first;
      node.endWarp = first + warps;
      add(step, op, node.body);
      into.push_back(std::move(node));
    }
    return;
  case ir::SyncScope::Task:
    if (task->warps == 1)
      return;
    op.named = own;
    op.n = WarpLanes * static_cast<int>(task->warps);
    return add(step, std::move(op), into);
  case ir::SyncScope::Cta:
    return add(step, syncOfCta(), into);
  case ir::SyncScope::Cluster:
    op.kind = OpKind::ClusterArrive;
    add(step, op, into);
    op.kind = OpKind::ClusterWait;
    return add(step, std::move(op), into);
  }
}

} // namespace tsk::proof
