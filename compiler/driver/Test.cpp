// `tskc test FILE`: runs the file's test blocks on the simulator, or writes a program that runs
// them on a GPU.
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/Compilation.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/TestRun.h"
#include "compiler/driver/Verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

using llvm::StringRef;

constexpr Diagnostic<StringRef> NoTests{kind::NothingToTest, "`{}` has no tests"};
constexpr Diagnostic<StringRef> NoTestMatches{kind::NothingToTest, "no test's name contains `{}`"};

// Shows the tests that the verifier decided, as the test program shows its own.
static TestCount showFaultTests(const Invocation &invocation, const std::vector<FaultTest> &tests,
                                llvm::raw_ostream &os) {
  TestCount count;
  for (const FaultTest &test : tests) {
    if (!StringRef(test.name).contains(invocation.testFilter))
      continue;
    ++(test.passed ? count.passed : count.failed);
    if (invocation.jsonReport) {
      llvm::json::Object line{
          {"test", test.name}, {"result", test.passed ? "pass" : "fail"}, {"found", test.text}};
      os << llvm::json::Value(std::move(line)) << '\n';
      continue;
    }
    os << (test.passed ? "PASS " : "FAIL ") << test.name << '\n';
    llvm::SmallVector<StringRef> lines;
    StringRef(test.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      os << "  " << line << '\n';
  }
  os.flush();
  return count;
}

static void showCount(const Invocation &invocation, TestCount count) {
  llvm::outs() << fmt::format(fmt::runtime(invocation.jsonReport
                                               ? "{{\"passed\": {}, \"failed\": {}}}\n"
                                               : "{} passed, {} failed\n"),
                              count.passed, count.failed);
}

ExitCode runTest(Session &session) {
  Compilation compilation(session);
  if (!compilation.run(Phase::Plan, /*withTests=*/true))
    return ExitErrors;
  const Invocation &invocation = session.invocation;
  const ir::Module &module = *compilation.module;
  const std::vector<FaultTest> &faultTests = compilation.faultTests;
  StringRef filter = invocation.testFilter;
  auto isWanted = [&](const FaultTest &test) { return StringRef(test.name).contains(filter); };
  bool hasRuns = llvm::any_of(module.tests, [&](const ir::TestCase &test) {
    return StringRef(codegen::shownName(module, test)).contains(filter);
  });
  if (module.tests.empty() && faultTests.empty())
    session.diags.report({}, NoTests, session.inputName());
  else if (!hasRuns && llvm::none_of(faultTests, isWanted))
    session.diags.report({}, NoTestMatches, filter);
  if (session.diags.hasErrors())
    return ExitErrors;
  // The program for a GPU may go to standard output itself.
  const bool isShownAside = invocation.onGpu && invocation.output == "-";
  TestCount decided =
      showFaultTests(invocation, faultTests, isShownAside ? llvm::errs() : llvm::outs());
  if (invocation.onGpu) {
    const ExitCode written = writeTestsForGpu(session, module, compilation.plans);
    return decided.failed ? ExitErrors : written;
  }
  if (hasRuns)
    return runTestsOnSimulator(session, module, compilation.plans, decided);
  showCount(invocation, decided);
  return decided.failed ? ExitErrors : ExitSuccess;
}

} // namespace tsk::driver
