// Where things lie in dynamic shared memory.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/target/Target.h"

#include "llvm/Support/MathExtras.h"

namespace tsk::plan {

inline uint64_t totalBytes(const Allocation &allocation) {
  return uint64_t(allocation.stages) * allocation.stageBytes;
}
inline uint64_t totalBytes(const Barrier &barrier) {
  return barrier.kind == Barrier::Kind::Mbarrier ? uint64_t(barrier.stages) * target::MbarrierBytes
                                                 : 0;
}

// Each puts its item at the next aligned place from `end` on and returns the new end.
inline uint64_t placeAt(Allocation &allocation, uint64_t end) {
  uint64_t offset = llvm::alignTo(end, allocation.align);
  allocation.offset = static_cast<uint32_t>(offset);
  return offset + totalBytes(allocation);
}
inline uint64_t placeAt(Barrier &barrier, uint64_t end) {
  if (barrier.kind != Barrier::Kind::Mbarrier)
    return end;
  uint64_t offset = llvm::alignTo(end, target::MbarrierBytes);
  barrier.offset = static_cast<uint32_t>(offset);
  return offset + totalBytes(barrier);
}

} // namespace tsk::plan
