// The headers that stand in for a CUDA toolkit's, inside the program.
#include "compiler/body/reader/Reader.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::body {

llvm::ArrayRef<ShimFile> shimFiles() {
  static constexpr ShimFile Files[] = {
#include "compiler/body/ShimFiles.inc"
  };
  return Files;
}

} // namespace tsk::body
