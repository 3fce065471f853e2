#include "compiler/driver/ExpectedFaults.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::driver {

// The verifier's codes are 20xx for V1, 21xx for V2, …; the plan's budgets are V8, what bodies do
// is V7, and threads that part before a collective are V9.
static std::string propertyOf(unsigned code) {
  if (code >= 4000 && code < 4900)
    return "V8";
  if (code >= 3000 && code < 3900)
    return code == 3018 ? "V9" : "V7";
  return code >= 2000 && code < 3000 ? fmt::format("V{}", code / 100 - 19) : std::string();
}

void FoundFaults::handle(const Report &report) {
  if (report.severity != Severity::Error)
    return;
  unsigned code = diagnosticInfo(report.kind).code;
  std::string property = propertyOf(code);
  messages.push_back(
      fmt::format("{}{}TSK{:04}: {}", property, property.empty() ? "" : " ", code, report.message));
  if (!property.empty())
    properties.insert(std::move(property));
}

static bool isFault(const ir::TestStep &step) { return step.isFaultOfKernel(); }
bool isFaultTest(const ir::TestCase &test) { return llvm::any_of(test.steps, isFault); }

bool hasFaultTests(const ir::Module &module, const ir::Kernel &kernel) {
  return llvm::any_of(module.tests, [&](const ir::TestCase &test) {
    return test.kernel == kernel.name && isFaultTest(test);
  });
}

bool mustBeRejected(const ir::Module &module, const ir::Kernel &kernel) {
  auto isOfKernel = [&](const ir::TestCase &test) { return test.kernel == kernel.name; };
  return llvm::any_of(module.tests, isOfKernel) &&
         llvm::all_of(module.tests, [&](const ir::TestCase &test) {
           return !isOfKernel(test) || isFaultTest(test);
         });
}

std::vector<FaultTest> decide(const ir::Module &module, const ir::Kernel &kernel,
                              const FoundFaults &found) {
  std::vector<FaultTest> decided;
  for (const ir::TestCase &test : module.tests) {
    if (test.kernel != kernel.name || !isFaultTest(test))
      continue;
    FaultTest result{test.name, true, {}};
    for (const ir::TestStep &step : llvm::make_filter_range(test.steps, isFault))
      if (!found.properties.count(step.text)) {
        result.passed = false;
        result.text += fmt::format("expected fault {}, which was not found\n", step.text);
      }
    for (const std::string &message : found.messages)
      result.text += message + "\n";
    decided.push_back(std::move(result));
  }
  return decided;
}

} // namespace tsk::driver
