// A compiled file: its kernel instances, the C++ text around them and its tests.
#pragma once

#include "compiler/ir/Kernel.h"
#include "compiler/ir/Test.h"

#include <memory>

namespace tsk::ir {

// Text that stands at namespace scope: `cpp { … }`.
struct CppBlock {
  std::string text;
  SourceRange loc;
};

struct Module {
  std::string file; // the main file's name as it was given
  std::vector<CppBlock> cpp;
  std::vector<std::unique_ptr<Kernel>> kernels; // in the order of declaration, tests' last
  std::vector<TestCase> tests;
  std::vector<std::string> dependencies; // files read, for -MD; the main file first
  bool isRight = false; // no errors, but for tests whose arguments break a requirement
};

} // namespace tsk::ir
