// Whether a field of shared memory laid out otherwise would have fewer bank conflicts.
#pragma once

#include "compiler/profile/Profile.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::profile {

// One field as it lies in shared memory.
struct FieldLayout {
  std::string name; // "ring.bs"
  uint32_t offset = 0, stageBytes = 0;
  unsigned stages = 1;
  unsigned rows = 1, columns = 1; // elements; all dimensions but the last are rows
  unsigned elementBytes = 4;
  unsigned swizzle = 0; // bytes of its span; 0: none
};

struct Advice {
  const FieldLayout *field = nullptr; // null: the accesses are not all in one field
  std::string change;                 // empty: no layout that is known here helps
  uint64_t before = 0, after = 0;     // wavefronts of all accesses to the field
};

// For the conflicts of one row; the layout is judged by all accesses of the launch to that field.
Advice adviseOn(const Accesses &row, const Launch &launch, llvm::ArrayRef<FieldLayout> fields);

} // namespace tsk::profile
