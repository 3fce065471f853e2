// The tables that give the simulator's reports their names: tasks, barriers, shared memory, and the
// lines of the .tsk behind those of the generated source.
#pragma once

#include "compiler/codegen/TestProgram.h"
#include "compiler/codegen/cuda/Names.h"
#include "compiler/codegen/cuda/Writer.h"

namespace tsk::codegen {

// Functions that describe each kernel, and one that calls them all, whose name is returned.
// `names`: of the namespace around them.
std::string emitKernelTables(Writer &out, const ir::Module &module,
                             llvm::ArrayRef<plan::Plan> plans, const SourceManager &sources,
                             const TestProgramOptions &options, NameScope &names);

} // namespace tsk::codegen
