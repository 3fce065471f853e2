// Tests of programs that must be rejected: `expect fault V1;`. The verifier decides them while
// compiling; nothing of theirs is generated or run.
#pragma once

#include "compiler/ir/Module.h"
#include "compiler/support/Diagnostics.h"

#include <set>

namespace tsk::driver {

// What was found in a kernel, kept instead of shown.
class FoundFaults : public DiagnosticConsumer {
public:
  void handle(const Report &report) override;

  std::set<std::string> properties; // "V1"; from the code of each error
  std::vector<std::string> messages;
};

// One test with expectations of faults, decided.
struct FaultTest {
  std::string name;
  bool passed = false;
  std::string text; // what was found, and what was expected and was not
};

// Whether a test expects a fault of its kernel, and so never runs.
bool isFaultTest(const ir::TestCase &test);

// Whether one of the kernel's tests expects a fault of it.
bool hasFaultTests(const ir::Module &module, const ir::Kernel &kernel);

// Whether a kernel is there to be rejected: it has tests, and each expects a fault.
bool mustBeRejected(const ir::Module &module, const ir::Kernel &kernel);

// Decides those tests of a kernel that expect a fault of it.
std::vector<FaultTest> decide(const ir::Module &module, const ir::Kernel &kernel,
                              const FoundFaults &found);

} // namespace tsk::driver
