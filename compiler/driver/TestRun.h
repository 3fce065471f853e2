// From verified plans to tests that have run: on the simulator here, or as one file for a machine
// with a GPU.
#pragma once

#include "compiler/driver/Session.h"
#include "compiler/ir/Module.h"
#include "compiler/plan/Plan.h"

namespace tsk::driver {

// How many tests passed and failed.
struct TestCount {
  unsigned passed = 0, failed = 0;
};

// Builds the module's tests for the simulator (or takes them from the cache) and runs them; their
// results go to standard output. `plans` in the order of the module's kernels; `decided`: tests
// that were shown before and count with these.
ExitCode runTestsOnSimulator(Session &session, const ir::Module &module,
                             llvm::ArrayRef<plan::Plan> plans, TestCount decided);

// The same with a program that counts what its kernels do. `profile`: what it has written, a JSON
// object for each launch (compiler/profile/Profile.h).
ExitCode runCountedTests(Session &session, const ir::Module &module,
                         llvm::ArrayRef<plan::Plan> plans, std::string &profile);

// Writes kernels, tests and the runtime's headers as one .cu file, which plain nvcc compiles.
ExitCode writeTestsForGpu(Session &session, const ir::Module &module,
                          llvm::ArrayRef<plan::Plan> plans);

} // namespace tsk::driver
