// From the `test` blocks of a file to a C++ program that runs them. One text serves both places: on
// the simulator the host's compiler reads it, on a GPU machine nvcc does, in one translation unit
// with the generated kernels.
#pragma once

#include "compiler/codegen/Cuda.h"

namespace tsk::codegen {

struct TestProgramOptions {
  std::string programName; // "tma_copy.tsk.test.cpp": what #line returns to
  std::string sourceName;  // "tma_copy.tsk.cu": what the program includes
  std::string nameSpace = "kernels";
  // Tables of the names of tasks, barriers and memory, for the simulator's reports.
  bool describeKernels = true;
  // Where the statements of the kernels' schedules stand in the generated source (CudaText::steps),
  // so that a report can name the line of the .tsk file.
  std::vector<std::pair<unsigned, SourceLoc>> steps;
};

// Whether a test runs a kernel; those with `expect fault` are judged by the verifier alone.
bool isRunnable(const ir::TestCase &test);

// The name by which a test is shown and filtered: tests of several kernels may have the same, so
// their kernels' are put in front.
std::string shownName(const ir::Module &module, const ir::TestCase &test);

// `module` has at least one runnable test; `plans` in the order of its kernels.
std::string emitTestProgram(const ir::Module &module, llvm::ArrayRef<plan::Plan> plans,
                            const SourceManager &sources, const TestProgramOptions &options);

// The host code of the tests alone, for Clang to read as the bodies are (BodyText.h); empty if no
// test has any. Code that launches kernels itself, by `nameSpace`, is left out.
std::string emitHostCode(const ir::Module &module, const SourceManager &sources,
                         const std::string &nameSpace);

} // namespace tsk::codegen
