#include "compiler/verify/structure/BracketEdits.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

using ir::Op;
using ir::OpKind;

const std::string &BracketEdits::name(size_t resource) const {
  return kernel.resources[kernel.resources.idAt(resource)].name;
}
const Words &BracketEdits::wordsOf(size_t resource, bool isProducer) const {
  const bool isOrder = kernel.resources[kernel.resources.idAt(resource)].isOrder;
  return isOrder ? TurnWords : isProducer ? ProducerWords : ConsumerWords;
}
std::string BracketEdits::statement(size_t resource, llvm::StringRef word) const {
  return fmt::format("{}.{}()", name(resource), word);
}

std::string BracketEdits::workName(const ir::Work &work) const {
  return kernel.resources[work.resource].name + "." + work.name;
}

bool BracketEdits::isReader(const ir::Work &work, ir::ResourceId resource) const {
  bool isOwn = work.resource == resource &&
               (work.kind == ir::WorkKind::Consume || work.kind == ir::WorkKind::Update);
  return isOwn || llvm::any_of(work.accesses, [&](const ir::Access &access) {
           return access.field && kernel.fields[access.field].resource == resource;
         });
}

static void offer(ReportBuilder &report, const std::optional<Edit> &edit, std::string title) {
  if (edit)
    report.fixit(edit->range, edit->text, std::move(title));
}

void BracketEdits::offerRemoval(ReportBuilder &report, const Op &op) const {
  offer(report, removeStatement(sources, op.loc), "remove this one");
}

void BracketEdits::offerGiveBack(ReportBuilder &report, size_t resource, const Op &last,
                                 const Words &words) const {
  const std::string missing = statement(resource, words.giveBack) + ";";
  offer(report, insertBehind(sources, last.loc, missing), fmt::format("insert `{}`", missing));
}

void BracketEdits::offerMove(ReportBuilder &report, const Op &giveBack, const Op &call,
                             Ops following) const {
  const ir::ResourceId resource = giveBack.resource;
  const Op *last = &call;
  for (const Op &op : following) {
    if ((op.kind == OpKind::Wait || op.kind == OpKind::Acquire) && op.resource == resource)
      break;
    if (op.kind == OpKind::Call &&
        (kernel.works[op.work].resource == resource || isReader(kernel.works[op.work], resource)))
      last = &op;
  }
  const Words &words = wordsOf(resource.index, giveBack.kind == OpKind::Commit);
  offer(report, moveBehind(sources, giveBack.loc, last->loc),
        fmt::format("move `{}` behind `{}`", statement(resource.index, words.giveBack),
                    workName(kernel.works[last->work])));
}

void BracketEdits::offerTake(ReportBuilder &report, const Op &call, size_t resource,
                             bool isProducer, Ops following) const {
  const auto isOf = [&](const Op &op, OpKind kind) {
    return op.kind == kind && op.resource.index == resource;
  };
  for (const Op &op : following) {
    if (isOf(op, isProducer ? OpKind::Acquire : OpKind::Wait))
      return;
    if (!isOf(op, isProducer ? OpKind::Commit : OpKind::Release))
      continue;
    const Words &words = wordsOf(resource, isProducer);
    const std::string missing = statement(resource, words.take) + ";";
    return offer(report, insertBefore(sources, call.loc, missing),
                 fmt::format("insert `{}`", missing));
  }
}

} // namespace tsk::verify
