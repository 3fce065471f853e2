#include "compiler/ir/Kernel.h"

namespace tsk::ir {

int64_t Field::stageBytes() const {
  // Sema has checked that the product fits; four-bit elements share bytes.
  int64_t elements = 1;
  for (int64_t extent : dims)
    elements *= extent;
  return (elements * bitWidth(element) + 7) / 8;
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

} // namespace tsk::ir
