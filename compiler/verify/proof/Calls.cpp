// What a work's call does to shared memory. Reads and writes by the calling threads are one access;
// each asynchronous copy is one more, which ends when its barrier or its group says so.
#include "compiler/verify/proof/Translator.h"

#include "llvm/ADT/bit.h"

namespace tsk::proof {

using ir::Mechanism;

// A load that is multicast brings this CTA's slice, all else touches the whole field.
std::vector<protocol::CellRef> Translator::slicesOf(const plan::Access &access,
                                                    protocol::CellRef ref) const {
  const plan::Axes axes = sliced[access.field.index];
  const bool isSlice = axes && access.multicast == axes;
  std::vector<protocol::CellRef> refs;
  for (unsigned slice = 0; slice < countAlong(plan.cluster, axes); ++slice) {
    if (isSlice && slice != plan.cluster.coordinate(rank, llvm::countr_zero(axes.bits)))
      continue;
    ref.array = cells[access.field.index] + static_cast<int>(slice);
    refs.push_back(ref);
  }
  return refs;
}

void Translator::access(const plan::Step &step, const plan::Access &access, Op &threads,
                        Region &into) {
  protocol::CellRef ref;
  ref.at = indexOf(access.at);
  ref.ranks = ranksOf(access.multicast);
  if (access.isAtPeer) {
    std::optional<protocol::Ranks> peer = rankOf(step);
    if (!peer)
      return;
    ref.ranks = *peer;
  }
  ref.isWrite = access.isWrite;
  ref.isVersioned = true; // a read finds what was written, and of its own turn
  auto complete = [&](Op &op) {
    bool ownStage = access.completesAt.cursor || plan.barriers[access.completes].stages == 1;
    op.bar =
        barrierRef(access.completes, ownStage ? access.completesAt : access.at, access.multicast);
  };
  std::vector<protocol::CellRef> refs = slicesOf(access, ref);
  Op op;
  op.cells = refs;
  switch (access.mechanism) {
  case Mechanism::Async: // plain loads and stores
    threads.cells.insert(threads.cells.end(), refs.begin(), refs.end());
    return;
  case Mechanism::Tma:
    if (!access.isWrite) { // a bulk store: its source is read until a wait says that it was
      op.kind = OpKind::Group;
      op.queue = protocol::Queue::Store;
      return byWhom(step, std::move(op), into);
    }
    if (!access.completes)
      return fail(step, "a bulk load without a barrier", "nothing says when it has landed");
    if (lanes(step) > 1)
      return fail(step, "a bulk load that every thread issues", "let one lane issue it");
    op.kind = OpKind::Load;
    complete(op);
    op.n = static_cast<int>(access.bytes);
    return byWhom(step, std::move(op), into);
  case Mechanism::Wgmma: // reads its operands until a wait says that they were
    if (access.isWrite)
      return fail(step, "a multiplication that writes to shared memory", "it writes registers");
    op.kind = OpKind::Group;
    op.queue = protocol::Queue::Gmma;
    return byWhom(step, std::move(op), into);
  case Mechanism::CpAsync:
    if (!access.isWrite || !access.completes)
      return fail(step, "a non-bulk copy without a barrier", "nothing says when it has landed");
    // Each thread's copies are a group; its arrival comes when they have landed.
    op.kind = OpKind::Group;
    op.queue = protocol::Queue::Copy;
    byWhom(step, op, into);
    op.cells.clear();
    op.kind = OpKind::CopyArrive;
    complete(op);
    op.n = lanes(step);
    return byWhom(step, std::move(op), into);
  default:
    return fail(step, fmt::format("an access by `{}`", words::spelling(access.mechanism)),
                "no step of a plan says when it is over");
  }
}

// Each CTA loads a part of one tile into all along the axes: it is the same tile for all of them.
// Where the work loads other fields too, nobody knows which argument is for which.
void Translator::checkTile(const plan::Step &step) {
  plan::Axes axes;
  for (const plan::Access &each : step.accesses) {
    if (!each.field || !each.isWrite || each.mechanism != Mechanism::Tma)
      continue;
    if (countAlong(plan.cluster, each.multicast) == 1 || (axes && axes != each.multicast))
      return;
    axes = each.multicast;
  }
  if (!axes)
    return;
  const unsigned first = llvm::countr_zero(ranksAlong(plan.cluster, rank, axes));
  Terms &terms = symbols.knowledge().all();
  for (size_t i = 0; i < step.args.size(); ++i) {
    const ir::Type &type = plan.tables.exprs[step.args[i]].type;
    if (!type.isScalar() || ir::scalarClass(type.scalar) == ir::ScalarClass::Float)
      continue;
    const TermId here = symbols.knowledge().term(step.args[i]);
    const TermId there = tiles.try_emplace({&step, i, first}, here).first->second;
    const Affine difference = terms.affine(terms.sum(here, there, -1));
    if (!difference.base && difference.add != 0)
      reject(step,
             fmt::format("the CTAs along {} load one tile together, but name `{}`, which differs "
                         "along it",
                         plan::spelling(axes), symbols.knowledge().text(step.args[i])),
             "name the same tile in all of them: each adds the place of its slice");
  }
}

void Translator::call(const plan::Step &step, Region &into) {
  if (ranks > 1)
    checkTile(step);
  Op threads;
  for (const plan::Access &each : step.accesses)
    if (each.field && cells[each.field.index] >= 0)
      access(step, each, threads, into);
  // One without accesses is there to be shown.
  if (!threads.cells.empty() || !matters(step))
    byWhom(step, std::move(threads), into);
}

} // namespace tsk::proof
