#include "compiler/plan/Plan.h"

#include "llvm/ADT/bit.h"

namespace tsk::plan {

llvm::StringRef spelling(By by) {
  switch (by) {
  case By::All:
    return "all";
  case By::Leader:
    return "leader";
  case By::WarpLeader:
    return "warp";
  }
  TSK_UNREACHABLE("issuer outside its enumeration");
}

std::string spelling(Axes axes) {
  std::string text;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axes.has(axis))
      text += (text.empty() ? "" : ", ") + std::string(1, "xyz"[axis]);
  return text;
}

uint32_t ranksAlong(const ir::Cluster &cluster, unsigned rank, Axes axes) {
  uint32_t set = 1u << rank;
  for (unsigned axis = 0; axis < cluster.extents.size(); ++axis)
    if (axes.has(axis))
      set |= cluster.line(rank, axis);
  return set;
}

unsigned countAlong(const ir::Cluster &cluster, Axes axes) {
  return static_cast<unsigned>(llvm::popcount(ranksAlong(cluster, 0, axes)));
}

llvm::StringRef spelling(FenceKind kind) {
  switch (kind) {
  case FenceKind::ProxyAsync:
    return "proxy_async";
  case FenceKind::Wgmma:
    return "wgmma";
  }
  TSK_UNREACHABLE("fence outside its enumeration");
}

llvm::StringRef spelling(Queue queue) {
  switch (queue) {
  case Queue::Wgmma:
    return "wgmma";
  case Queue::Bulk:
    return "bulk";
  }
  TSK_UNREACHABLE("queue outside its enumeration");
}

llvm::StringRef spelling(Registers::Change change) {
  switch (change) {
  case Registers::Change::Keep:
    return "keep";
  case Registers::Change::Raise:
    return "inc";
  case Registers::Change::Lower:
    return "dec";
  }
  TSK_UNREACHABLE("change outside its enumeration");
}

std::optional<unsigned> Plan::registersOf(unsigned warp) const {
  for (const Registers &item : registers)
    if (warp >= item.firstWarp && warp < item.firstWarp + item.warps)
      return item.count;
  return std::nullopt;
}

llvm::StringRef mnemonic(StepKind kind) {
  static constexpr llvm::StringRef Mnemonics[] = {
#define TSK_STEP(Name, Mnemonic) Mnemonic,
#include "compiler/plan/Steps.def"
  };
  return Mnemonics[static_cast<size_t>(kind)];
}

} // namespace tsk::plan
