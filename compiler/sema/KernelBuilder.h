// Makes one kernel instance, and the tests that run it.
#pragma once

#include "compiler/sema/KernelState.h"

namespace tsk::sema {

// The whole of an instance, in the order in which its parts need each other.
void buildKernel(KernelState &state);

// Adds every identifier of the C++ text.
void collectNames(llvm::StringRef text, llvm::StringSet<> &names);

// The tests so far by kernel and name; a kernel's instances share their tests' names.
using TestNames = std::map<std::pair<const ast::KernelDecl *, std::string>, SourceRange>;

// Adds the test to the module, if the instance has it (`static if` may hide tests).
void buildTest(KernelState &state, const ast::TestDecl &test, TestNames &names, ir::Module &module);

} // namespace tsk::sema
