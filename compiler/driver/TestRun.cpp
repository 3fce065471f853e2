#include "compiler/driver/TestRun.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "compiler/codegen/Amalgamate.h"
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/HostCompiler.h"
#include "compiler/driver/Installation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/ProgramCache.h"
#include "compiler/driver/RunProgram.h"
#include "compiler/support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> NothingToTest{kind::NothingToTest,
                                                    "`{}` has no tests that run"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolFailed{kind::ToolFailed, "{}: {}"};

namespace {

namespace path = llvm::sys::path;

constexpr unsigned CompileSeconds = 300;

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

// ---- Building for the simulator
// ------------------------------------------------------------------

class SimulatorBuild {
public:
  SimulatorBuild(Session &s, Generated g)
      : session(s), diags(s.diags), files(std::move(g)), keep(s.invocation.keepFolder) {}

  // The built program's path; nothing after an error, which is reported.
  std::optional<std::string> program() {
    if (!findParts())
      return std::nullopt;
    const std::string key = programKey();
    if (keep.empty())
      if (std::optional<std::string> cached = cache.find(key))
        return cached;
    const std::string built = file("tests");
    if (!writeSources() || !compile(built))
      return std::nullopt;
    if (!keep.empty())
      return built;
    const std::optional<std::string> stored = cache.store(key, built);
    return stored ? stored : built;
  }

private:
  bool findParts() {
    const auto foundCompiler = findHostCompiler(session.invocation.hostCompiler, diags);
    const auto foundSimulator = installedPath(SimulatorInclude, diags);
    const auto foundDevice = installedPath(DeviceInclude, diags);
    const auto foundLibrary = installedPath(SimulatorLibrary, diags);
    if (!foundCompiler || !foundSimulator || !foundDevice || !foundLibrary)
      return false;
    compiler = *foundCompiler;
    simulatorInclude = *foundSimulator;
    deviceInclude = *foundDevice;
    library = *foundLibrary;
    return true;
  }

  std::string programKey() const {
    ProgramKey key;
    for (const std::string &flag : flags())
      key.addText(flag);
    for (const std::string &text : {files.cuda.source, files.cuda.header, files.program})
      key.addText(text);
    key.addFile(compiler);
    key.addFile(library);
    key.addFolder(simulatorInclude + "/tsk");
    key.addFolder(deviceInclude + "/tsk");
    return key.take();
  }

  // -O1 builds in half the time of -O2 and runs nearly as fast. Contraction would make the numbers
  // depend on the host.
  std::vector<std::string> flags() const {
    return {"-std=c++17",
            "-O1",
            "-w",
            "-fno-strict-aliasing",
            "-ffp-contract=off",
            "-fdiagnostics-color=never"};
  }

  std::string folder() {
    if (!keep.empty())
      return keep;
    if (!temporary)
      temporary = std::make_unique<TemporaryFolder>();
    return temporary->getPath().str();
  }

  std::string file(llvm::StringRef name) {
    if (keep.empty()) {
      folder();
      return temporary->file(name);
    }
    llvm::SmallString<128> full(keep);
    path::append(full, name);
    return full.str().str();
  }

  bool writeSources() {
    if (!keep.empty())
      llvm::sys::fs::create_directories(keep);
    OutputFiles outputs;
    outputs.add(sourceFile = file(files.sourceName()), files.cuda.source);
    outputs.add(file(files.headerName()), files.cuda.header);
    outputs.add(programFile = file(files.programName()), files.program);
    return outputs.write(diags, /*keepUnchanged=*/false);
  }

  bool compile(const std::string &built) {
    std::vector<std::string> command{compiler};
    llvm::append_range(command, flags());
    // What __FILE__ says must not depend on where the files happen to lie.
    command.push_back("-fmacro-prefix-map=" + folder() + "/=");
    llvm::append_range(command,
                       std::vector<std::string>{"-I" + simulatorInclude, "-I" + deviceInclude,
                                                programFile, library, "-o", built});
    sayThatItCompiles();
    const std::string log = file("compiler-output.txt");
    const ProgramResult result = runProgram(command, CompileSeconds, log);
    if (result.end == ProgramResult::End::Exited && result.status == 0)
      return true;
    std::string output;
    if (auto text = readSourceFile(log))
      output = shortened((*text)->getBuffer());
    if (!reportCompilerErrors(output, session.sources, diags)) {
      llvm::errs() << output;
      diags.report({}, ToolFailed, path::filename(compiler),
                   result.reason.empty() ? "the tests do not compile" : result.reason);
    }
    return false;
  }

  // It takes seconds, and whoever sits before the terminal should know why.
  void sayThatItCompiles() const {
    if (llvm::errs().is_displayed())
      llvm::errs() << "compiling the tests of " << session.inputName() << " with "
                   << path::filename(compiler) << " …\n";
  }

  // Without the folder that the files happen to lie in.
  std::string shortened(llvm::StringRef text) {
    const std::string prefix = folder() + "/";
    std::string result;
    for (size_t at = text.find(prefix); at != llvm::StringRef::npos; at = text.find(prefix)) {
      result += text.take_front(at);
      text = text.drop_front(at + prefix.size());
    }
    return result + text.str();
  }

  Session &session;
  DiagnosticEngine &diags;
  Generated files;
  std::string keep;
  std::string compiler, simulatorInclude, deviceInclude, library;
  std::string sourceFile, programFile;
  std::unique_ptr<TemporaryFolder> temporary;
  ProgramCache cache;
};

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

ExitCode runTestsOnSimulator(Session &session, const ir::Module &module,
                             llvm::ArrayRef<plan::Plan> plans, TestCount decided) {
  if (!hasTests(session, module))
    return ExitErrors;
  SimulatorBuild build(session, generate(session, module, plans, /*forSimulator=*/true));
  const std::optional<std::string> program = build.program();
  if (!program)
    return ExitErrors;
  llvm::outs().flush();
  // The program gives each test a limit of its own.
  const ProgramResult result = runProgram(testArguments(*program, session.invocation, decided));
  if (result.end == ProgramResult::End::Exited && result.status <= 1)
    return result.status == 0 ? ExitSuccess : ExitErrors;
  session.diags.report({}, ToolFailed, "the test program",
                       result.reason.empty()
                           ? "it ended with status " + std::to_string(result.status)
                           : result.reason);
  return ExitErrors;
}

// ---- For a GPU
// -----------------------------------------------------------------------------------

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
  outputs.add(output,
              codegen::amalgamate(files.program, path::filename(output), read, isGenerated));
  if (!outputs.write(session.diags, /*keepUnchanged=*/false))
    return ExitErrors;
  if (output != "-")
    llvm::outs() << fmt::format("wrote {0}; on a machine with a GPU: nvcc -std=c++17 "
                                "-gencode arch=compute_90a,code=sm_90a {0} -o test && ./test\n",
                                output);
  return session.exitCode();
}

} // namespace tsk::driver
