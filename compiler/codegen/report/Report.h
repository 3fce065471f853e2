// What a kernel takes of the machine: warps, registers, shared memory, pipelines. `tskc report`.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/target/Target.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::codegen {

// A kernel and its plan, as the reports see it.
struct PlannedKernel {
  const ir::Kernel &kernel;
  const plan::Plan &plan;
  const target::Target &target;
};

void writeReport(const PlannedKernel &planned, llvm::raw_ostream &os);
// One JSON array with an object for each kernel. docs/json.md describes the members.
void writeReportJson(llvm::ArrayRef<PlannedKernel> kernels, llvm::raw_ostream &os);

} // namespace tsk::codegen
