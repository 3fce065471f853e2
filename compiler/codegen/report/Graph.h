// The task graph as a picture: tasks and resources, who writes and who reads what. Graphviz text.
#pragma once

#include "compiler/ir/Module.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::codegen {

void writeGraph(const ir::Module &module, llvm::raw_ostream &os);

} // namespace tsk::codegen
