#include "compiler/ir/Kernel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <set>

namespace tsk::ir {

int64_t Field::stageBytes() const {
  // Sema has checked that the product fits; four-bit elements share bytes.
  int64_t elements = 1;
  for (int64_t extent : dims)
    elements *= extent;
  return (elements * bitWidth(element) + 7) / 8;
}

unsigned Cluster::coordinate(unsigned rank, unsigned axis) const {
  for (unsigned before = 0; before < axis; ++before)
    rank /= extents[before];
  return rank % extents[axis];
}

uint32_t Cluster::line(unsigned rank, unsigned axis) const {
  uint32_t set = 0;
  for (unsigned other = 0; other < size(); ++other) {
    bool isOnIt = true;
    for (unsigned each = 0; each < extents.size(); ++each)
      isOnIt &= each == axis || coordinate(other, each) == coordinate(rank, each);
    set |= uint32_t(isOnIt) << other;
  }
  return set;
}

bool isRemote(const Pipeline &pipeline) {
  return llvm::is_contained(pipeline.producers, Mechanism::Remote);
}

llvm::StringRef mnemonic(OpKind kind) {
  static constexpr llvm::StringRef Mnemonics[] = {
#define TSK_OP(Name, Mnemonic) Mnemonic,
#include "compiler/ir/Ops.def"
  };
  return Mnemonics[static_cast<size_t>(kind)];
}

llvm::StringRef spelling(SyncScope scope) {
  switch (scope) {
  case SyncScope::Warp:
    return "warp";
  case SyncScope::Warpgroup:
    return "warpgroup";
  case SyncScope::Task:
    return "task";
  case SyncScope::Cta:
    return "cta";
  case SyncScope::Cluster:
    return "cluster";
  }
  TSK_UNREACHABLE("scope outside its enumeration");
}

ThreadOffsets threadOffsets(const ElementIndex &index) {
  ThreadOffsets result;
  llvm::StringRef text = index.threads;
  std::set<unsigned> absent;
  unsigned thread = 0;
  while (text.consume_front("-") && !text.consumeInteger(10, thread))
    absent.insert(thread);
  if (text.consume_front("w"))
    text.consumeInteger(10, result.width);
  auto pair = [&](int64_t &a, int64_t &b) {
    return !text.consumeInteger(10, a) && text.consume_front("x") && !text.consumeInteger(10, b);
  };
  int64_t weight = 0, last = 0;
  while (text.consume_front(",r") && pair(weight, last))
    result.rounds.push_back({weight, last});
  int64_t sum = 0, step = 0, count = 0;
  auto add = [&] {
    while (absent.count(static_cast<unsigned>(result.own.size())))
      result.own.push_back(std::nullopt);
    result.own.push_back(sum);
  };
  add();
  while (text.consume_front(":") && pair(step, count))
    for (; count > 0; --count) {
      sum += step;
      add();
    }
  return result;
}

// More than a few places are not worth telling apart.
void Elements::join(const Elements &other) {
  constexpr size_t MaxForms = 64;
  isAtomic &= other.isAtomic;
  isCertain &= other.isCertain;
  mayMeet |= other.mayMeet;
  if (forms.empty() || other.forms.empty())
    return forms.clear();
  for (const ElementForm &form : other.forms)
    if (std::find(forms.begin(), forms.end(), form) == forms.end())
      forms.push_back(form);
  if (forms.size() > MaxForms)
    forms.clear();
}

} // namespace tsk::ir
