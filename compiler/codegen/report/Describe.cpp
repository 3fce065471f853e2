#include "compiler/codegen/report/Describe.h"

#include "compiler/support/Diagnostics.h" // StringRef in fmt

namespace tsk::codegen {

std::string warpRange(unsigned first, unsigned count) {
  return count == 1 ? fmt::format("warp {}", first)
                    : fmt::format("warps {} .. {}", first, first + count);
}

static std::string joined(llvm::ArrayRef<ir::Mechanism> list) {
  std::string result;
  for (ir::Mechanism mechanism : list)
    result += (result.empty() ? "" : " + ") + words::spelling(mechanism).str();
  return result;
}

std::string mechanisms(const ir::Pipeline &pipeline) {
  return fmt::format("{} {} {}", joined(pipeline.producers), pipeline.isExchange ? "<->" : "->",
                     joined(pipeline.consumers));
}

std::string describe(const ir::Pipeline &pipeline) {
  return fmt::format("{} stages {}", mechanisms(pipeline), pipeline.stages);
}

} // namespace tsk::codegen
