// A work as a C++ function, for the generated kernel and for the reader of bodies alike.
#pragma once

#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/cuda/Signature.h"
#include "compiler/codegen/cuda/Writer.h"

namespace tsk::codegen {

struct WorkText {
  const ir::Kernel &kernel;
  const ir::Work &work;
  std::string name; // of the function, in its namespace
  WorkSignature signature;
  const SourceManager &sources;
  const CudaOptions &options;
  // Read, not compiled: the attribute by which the reader knows the function. Names then stand one
  // block further out than the body, which may hide them, and a field that TMA may fill is both a
  // tile and a target.
  std::string attribute;
};

void emitWork(Writer &out, const WorkText &text);

// A function of the user's: its body, with what it names of the kernel as parameters before its
// own.
struct FunctionText {
  const ir::Kernel &kernel;
  ir::FunctionId function;
  std::string name;
  const SourceManager &sources;
  const CudaOptions &options;
  std::string attribute; // as a work's
};

void emitFunction(Writer &out, const FunctionText &text);
// A matrix in a warpgroup's registers, and what a task keeps it in.
bool isFragment(const ir::Field &field);
std::string registersType(const ir::Field &field);
// The name of the structure that a work of several results returns.
std::string resultsName(llvm::StringRef function);

} // namespace tsk::codegen
