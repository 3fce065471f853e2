// `tskc test FILE`: runs the file's test blocks on the simulator, or writes a program that runs
// them on a GPU.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/HostProgram.h"
#include "compiler/driver/Installation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Verbs.h"

#include "compiler/codegen/Amalgamate.h"
#include "compiler/codegen/TestProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

using llvm::StringRef;

constexpr Diagnostic<StringRef> NoTests{DiagnosticKind::NothingToTest, "`{}` has no tests"};
constexpr Diagnostic<StringRef> NoTestMatches{DiagnosticKind::NothingToTest,
                                              "no test's name contains `{}`"};

namespace {
// The generated kernels and the program that tests them.
struct TestFiles {
  GeneratedFile header;
  GeneratedFile kernels;
  GeneratedFile program;
};
} // namespace

static TestFiles generate(const Session &session, const Compilation &compilation) {
  const Invocation &invocation = session.invocation;
  StringRef input = invocation.inputs.front();
  std::string name = input == "-" ? "stdin.tsk" : llvm::sys::path::filename(input).str();
  codegen::CudaOptions cuda;
  cuda.sourceName = name + ".cu";
  cuda.headerName = name + ".h";
  cuda.nameSpace = invocation.cppNamespace;
  cuda.emitTestKernels = true;
  codegen::CudaText text =
      codegen::emitCuda(*compilation.module, compilation.plans, session.sources, cuda);
  codegen::TestProgramOptions options;
  options.programName = name + (invocation.onGpu ? ".test.cu" : ".test.cpp");
  options.sourceName = cuda.sourceName;
  options.nameSpace = cuda.nameSpace;
  options.describeKernels = !invocation.onGpu;
  options.steps = text.steps;
  std::string program =
      codegen::emitTestProgram(*compilation.module, compilation.plans, session.sources, options);
  return {{cuda.headerName, std::move(text.header)},
          {cuda.sourceName, std::move(text.source)},
          {options.programName, std::move(program)}};
}

namespace {
struct Count {
  unsigned passed = 0, failed = 0;
};
} // namespace

// Shows the tests that the verifier decided, as the test program shows its own.
static Count showFaultTests(const Invocation &invocation, const std::vector<FaultTest> &tests) {
  Count count;
  for (const FaultTest &test : tests) {
    if (!StringRef(test.name).contains(invocation.testFilter))
      continue;
    ++(test.passed ? count.passed : count.failed);
    if (invocation.jsonReport) {
      llvm::json::Object line{{"test", test.name},
                              {"result", test.passed ? "pass" : "fail"},
                              {"found", test.text}};
      llvm::outs() << llvm::json::Value(std::move(line)) << '\n';
      continue;
    }
    llvm::outs() << (test.passed ? "PASS " : "FAIL ") << test.name << '\n';
    llvm::SmallVector<StringRef> lines;
    StringRef(test.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      llvm::outs() << "  " << line << '\n';
  }
  llvm::outs().flush();
  return count;
}

static void showCount(const Invocation &invocation, Count count) {
  llvm::outs() << fmt::format(fmt::runtime(invocation.jsonReport
                                               ? "{{\"passed\": {}, \"failed\": {}}}\n"
                                               : "{} passed, {} failed\n"),
                              count.passed, count.failed);
}

static std::vector<std::string> programArguments(const Invocation &invocation, Count before) {
  std::vector<std::string> arguments = invocation.testArguments;
  if (before.passed || before.failed)
    arguments.push_back(fmt::format("--before={},{}", before.passed, before.failed));
  if (!invocation.testFilter.empty())
    arguments.push_back("--filter=" + invocation.testFilter);
  if (invocation.jsonReport)
    arguments.emplace_back("--format=json");
  return arguments;
}

static ExitCode testOnSimulator(Session &session, const Compilation &compilation, Count before) {
  TestFiles files = generate(session, compilation);
  ProgramFolder folder(session);
  if (!folder.write({files.header, files.kernels, files.program}))
    return ExitErrors;
  std::string program = llvm::sys::path::stem(files.program.name).str();
  if (!buildForSimulator(session, folder, files.program.name, program))
    return ExitErrors;
  std::optional<int> status =
      runProgram(session, folder.path(program), programArguments(session.invocation, before));
  return status == 0 ? session.exitCode() : ExitErrors;
}

// One file that a machine without tskc can compile: the program, the kernels and the runtime.
static ExitCode writeForGpu(Session &session, const Compilation &compilation) {
  auto include = installedPath(DeviceInclude, session.diags);
  if (!include)
    return ExitErrors;
  TestFiles files = generate(session, compilation);
  auto read = [&](StringRef name) -> std::optional<std::string> {
    for (const GeneratedFile &file : {files.header, files.kernels})
      if (name == file.name)
        return file.text;
    if (!name.starts_with("tsk/"))
      return std::nullopt;
    auto text = llvm::MemoryBuffer::getFile(*include + "/" + name);
    return text ? std::optional((*text)->getBuffer().str()) : std::nullopt;
  };
  auto isGenerated = [&](StringRef name) {
    return name == files.program.name || name == files.kernels.name || name == files.header.name;
  };
  StringRef output = session.invocation.output;
  std::string path = output.empty() ? files.program.name : output.str();
  OutputFiles outputs;
  for (StringRef input : compilation.module->dependencies)
    outputs.addInput(input);
  outputs.add(path, codegen::amalgamate(files.program.text, llvm::sys::path::filename(path), read,
                                        isGenerated));
  if (!outputs.write(session.diags, /*keepUnchanged=*/false))
    return ExitErrors;
  if (path != "-")
    llvm::outs() << fmt::format("wrote {0}; on a machine with a GPU: nvcc -std=c++17 "
                                "-gencode arch=compute_90a,code=sm_90a {0} -o test && ./test\n",
                                path);
  return session.exitCode();
}

ExitCode runTest(Session &session) {
  Compilation compilation(session);
  if (!compilation.run(Phase::Plan, /*withTests=*/true))
    return ExitErrors;
  StringRef filter = session.invocation.testFilter;
  const std::vector<ir::TestCase> &tests = compilation.module->tests;
  const std::vector<FaultTest> &faultTests = compilation.faultTests;
  auto isWanted = [&](const auto &test) { return StringRef(test.name).contains(filter); };
  bool hasRuns = llvm::any_of(tests, isWanted);
  if (tests.empty() && faultTests.empty())
    session.diags.report({}, NoTests, session.inputName());
  else if (!hasRuns && llvm::none_of(faultTests, isWanted))
    session.diags.report({}, NoTestMatches, filter);
  else if (hasRuns && session.invocation.onGpu)
    return writeForGpu(session, compilation);
  if (session.diags.hasErrors())
    return ExitErrors;
  Count decided = showFaultTests(session.invocation, faultTests);
  if (hasRuns)
    return testOnSimulator(session, compilation, decided);
  showCount(session.invocation, decided);
  return decided.failed ? ExitErrors : ExitSuccess;
}

} // namespace tsk::driver
