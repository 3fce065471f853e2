// Makes one kernel instance, and the tests that run it.
#pragma once

#include "compiler/sema/KernelState.h"

namespace tsk::sema {

// The whole of an instance, in the order in which its parts need each other.
void buildKernel(KernelState &state, const FileSet &files);

// Adds the test to the module, if the instance has it (`static if` may hide tests).
void buildTest(KernelState &state, const ast::TestDecl &test, ir::Module &module);

} // namespace tsk::sema
