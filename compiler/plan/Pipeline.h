// From a task graph to a plan: the whole way, with hooks for looking between the passes.
#pragma once

#include "compiler/plan/Passes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace tsk::plan {

struct PipelineHooks {
  llvm::StringRef lastPass; // stop after it; empty: run all
  // Called after each pass that succeeded, with its name and its wall time: --print-after=,
  // --verify-each and --time-passes.
  llvm::function_ref<void(llvm::StringRef pass, const Plan &plan, double seconds)> afterPass;
};

// The plan of `kernel` on `target`, or null after an error. The task graph must have passed
// verify::checkStructure: its brackets are closed and its holds static.
std::unique_ptr<Plan> makePlan(const ir::Kernel &kernel, const target::Target &target,
                               DiagnosticEngine &diagnostics, const PipelineHooks &hooks = {});

} // namespace tsk::plan
