#include "compiler/driver/TestRun.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "compiler/codegen/Amalgamate.h"
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/Installation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/SimulatorBuild.h"
#include "compiler/profile/LoopMarks.h"
#include "compiler/support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> NothingToTest{kind::NothingToTest,
                                                    "`{}` has no tests that run"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolFailed{kind::ToolFailed, "{}: {}"};

namespace {

namespace path = llvm::sys::path;

// The generated files: their names and texts.
struct Generated {
  std::string stem; // "tma_copy.tsk"
  codegen::CudaText cuda;
  std::string program;

  std::string sourceName() const { return stem + ".cu"; }
  std::string headerName() const { return stem + ".h"; }
  std::string programName() const { return stem + ".test.cpp"; }
};

Generated generate(const Session &session, const ir::Module &module,
                   llvm::ArrayRef<plan::Plan> plans, bool forSimulator) {
  Generated files;
  files.stem = session.invocation.inputs.front() == "-" ? "stdin.tsk"
                                                        : path::filename(session.inputName()).str();
  codegen::CudaOptions cuda;
  cuda.sourceName = files.sourceName();
  cuda.headerName = files.headerName();
  cuda.nameSpace = session.invocation.cppNamespace;
  cuda.emitTestKernels = true;
  cuda.keepColumns = forSimulator;
  files.cuda = codegen::emitCuda(module, plans, session.sources, cuda);
  codegen::TestProgramOptions program;
  program.programName = files.programName();
  program.sourceName = files.sourceName();
  program.nameSpace = cuda.nameSpace;
  program.describeKernels = forSimulator;
  if (forSimulator)
    program.steps = files.cuda.steps;
  files.program = codegen::emitTestProgram(module, plans, session.sources, program);
  return files;
}

bool hasTests(Session &session, const ir::Module &module) {
  if (llvm::any_of(module.tests, codegen::isRunnable))
    return true;
  session.diags.report({}, NothingToTest, session.inputName());
  return false;
}

std::vector<std::string> testArguments(const std::string &program, const Invocation &invocation,
                                       TestCount decided) {
  std::vector<std::string> arguments{program};
  if (decided.passed || decided.failed)
    arguments.push_back(fmt::format("--before={},{}", decided.passed, decided.failed));
  if (!invocation.testFilter.empty())
    arguments.push_back("--filter=" + invocation.testFilter);
  if (invocation.jsonReport)
    arguments.push_back("--format=json");
  llvm::append_range(arguments, invocation.testArguments);
  return arguments;
}

} // namespace

static SimulatorBuild makeBuild(Session &session, Generated files, bool isCounted) {
  if (isCounted)
    files.cuda.source = profile::markLoops(files.cuda.source);
  return SimulatorBuild(session,
                        {{files.programName(), std::move(files.program)},
                         {files.sourceName(), std::move(files.cuda.source)},
                         {files.headerName(), std::move(files.cuda.header)}},
                        isCounted);
}

// The program gives each test a limit of its own.
static ExitCode runTests(Session &session, const std::vector<std::string> &command) {
  llvm::outs().flush();
  const ProgramResult result = runProgram(command);
  if (result.end == ProgramResult::End::Exited && result.status <= 1)
    return result.status == 0 ? ExitSuccess : ExitErrors;
  session.diags.report({}, ToolFailed, "the test program",
                       result.reason.empty()
                           ? "it ended with status " + std::to_string(result.status)
                           : result.reason);
  return ExitErrors;
}

ExitCode runTestsOnSimulator(Session &session, const ir::Module &module,
                             llvm::ArrayRef<plan::Plan> plans, TestCount decided) {
  if (!hasTests(session, module))
    return ExitErrors;
  SimulatorBuild build =
      makeBuild(session, generate(session, module, plans, /*forSimulator=*/true), false);
  const std::optional<std::string> program = build.program();
  return program ? runTests(session, testArguments(*program, session.invocation, decided))
                 : ExitErrors;
}

ExitCode runCountedTests(Session &session, const ir::Module &module,
                         llvm::ArrayRef<plan::Plan> plans, std::string &profile) {
  if (!hasTests(session, module))
    return ExitErrors;
  SimulatorBuild build =
      makeBuild(session, generate(session, module, plans, /*forSimulator=*/true), true);
  const std::optional<std::string> program = build.program();
  if (!program)
    return ExitErrors;
  std::vector<std::string> command = testArguments(*program, session.invocation, {});
  const std::string file = build.temporaryFile("profile.json");
  command.push_back("--profile=" + file);
  const ExitCode result = runTests(session, command);
  if (auto text = readSourceFile(file))
    profile = (*text)->getBuffer().str();
  return result;
}

// ---- For a GPU
// -----------------------------------------------------------------------------------

// What stands in the file is not included any more.
static bool includesOwnHeaders(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  return llvm::any_of(lines, [](llvm::StringRef line) {
    line = line.ltrim();
    return line.consume_front("#") && (line = line.ltrim()).consume_front("include") &&
           line.ltrim().starts_with("\"");
  });
}

// As a shell reads it.
static std::string shellWord(llvm::StringRef word) {
  const llvm::StringRef plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == llvm::StringRef::npos)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

// What compiles the file: for the targets that its kernels were planned for, with the folders of
// the user's own headers, if it includes one.
static std::string nvccCommand(const Session &session, llvm::StringRef file, llvm::StringRef text,
                               llvm::ArrayRef<plan::Plan> plans) {
  std::vector<std::string> words{"nvcc", "-std=c++17"};
  for (const plan::Plan &plan : plans) {
    const std::string number = llvm::StringRef(plan.target).drop_front(3).str();
    std::string word = fmt::format("-gencode arch=compute_{0},code=sm_{0}", number);
    if (!llvm::is_contained(words, word))
      words.push_back(std::move(word));
  }
  if (includesOwnHeaders(text)) {
    const llvm::StringRef here = path::parent_path(session.invocation.inputs.front());
    words.push_back("-I " + shellWord(here.empty() ? "." : here));
    for (const std::string &folder : session.invocation.importFolders)
      words.push_back("-I " + shellWord(folder));
  }
  words.push_back(shellWord(file) + " -o test && ./test");
  return llvm::join(words, " ");
}

ExitCode writeTestsForGpu(Session &session, const ir::Module &module,
                          llvm::ArrayRef<plan::Plan> plans) {
  if (!hasTests(session, module))
    return ExitErrors;
  const std::optional<std::string> include = installedPath(DeviceInclude, session.diags);
  if (!include)
    return ExitErrors;
  const Generated files = generate(session, module, plans, /*forSimulator=*/false);
  const codegen::IncludeReader read = [&](llvm::StringRef name) -> std::optional<std::string> {
    if (name == files.sourceName())
      return files.cuda.source;
    if (name == files.headerName())
      return files.cuda.header;
    if (!name.starts_with("tsk/"))
      return std::nullopt;
    auto text = readSourceFile(*include + "/" + name.str());
    return text ? std::optional((*text)->getBuffer().str()) : std::nullopt;
  };
  const std::string output =
      session.invocation.output.empty() ? files.stem + ".test.cu" : session.invocation.output;
  const auto isGenerated = [&](llvm::StringRef file) {
    return file == files.sourceName() || file == files.programName();
  };
  OutputFiles outputs;
  outputs.addInput(session.invocation.inputs.front());
  const std::string text =
      codegen::amalgamate(files.program, path::filename(output), read, isGenerated);
  outputs.add(output, text);
  if (!outputs.write(session.diags, /*keepUnchanged=*/false))
    return ExitErrors;
  if (output != "-")
    llvm::outs() << "wrote " << output
                 << "; on a machine with a GPU: " << nvccCommand(session, output, text, plans)
                 << '\n';
  return session.exitCode();
}

} // namespace tsk::driver
