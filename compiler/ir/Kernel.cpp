#include "compiler/ir/Kernel.h"

#include <algorithm>

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

// More than a few places are not worth telling apart.
void Elements::join(const Elements &other) {
  constexpr size_t MaxForms = 64;
  isAtomic &= other.isAtomic;
  if (forms.empty() || other.forms.empty())
    return forms.clear();
  for (const ElementForm &form : other.forms)
    if (std::find(forms.begin(), forms.end(), form) == forms.end())
      forms.push_back(form);
  if (forms.size() > MaxForms)
    forms.clear();
}

} // namespace tsk::ir
