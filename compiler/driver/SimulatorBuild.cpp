#include "compiler/driver/SimulatorBuild.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "compiler/driver/Installation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/profile/Assembly.h"
#include "compiler/support/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolFailed{kind::ToolFailed, "{}: {}"};

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

constexpr unsigned CompileSeconds = 300;
constexpr unsigned VersionSeconds = 10;

static std::string absolute(llvm::StringRef name) {
  llvm::SmallString<128> full(name);
  (void)fs::make_absolute(full); // where it fails the name stays as it is
  path::remove_dots(full);
  return full.str().str();
}

static std::string inFolder(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<128> full(folder);
  path::append(full, name);
  return full.str().str();
}

SimulatorBuild::SimulatorBuild(Session &s, std::vector<GeneratedFile> f, bool counted)
    : session(s), diags(s.diags), files(std::move(f)), isCounted(counted),
      keep(s.invocation.keepFolder) {
  const llvm::StringRef here = path::parent_path(s.invocation.inputs.front());
  folders.push_back(absolute(here.empty() ? "." : here));
  for (const std::string &folder : s.invocation.importFolders)
    folders.push_back(absolute(folder));
}

std::optional<std::string> SimulatorBuild::program() {
  temporary = TemporaryFolder::make(diags);
  if (!temporary || !findParts())
    return std::nullopt;
  const std::string key = keep.empty() ? programKey() : "";
  if (keep.empty())
    if (std::optional<std::string> cached = cache.find(key))
      return cached;
  std::string built = file("tests");
  if (!writeSources() || !compile(built))
    return std::nullopt;
  if (keep.empty())
    if (const std::optional<ProgramInputs> inputs = inputsOfBuild())
      if (std::optional<std::string> stored = cache.store(key, built, *inputs))
        return stored;
  return built;
}

bool SimulatorBuild::findParts() {
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

// ---- The cache
// -----------------------------------------------------------------------------------

std::string SimulatorBuild::programKey() {
  ProgramKey key;
  for (const std::string &option : options())
    key.addText(option);
  if (isCounted) { // tskc takes part in the compiling
    fs::file_status status;
    (void)fs::status(partPath("bin/tskc"), status);
    key.addText(std::to_string(status.getSize()) + " " +
                std::to_string(status.getLastModificationTime().time_since_epoch().count()));
  }
  for (const GeneratedFile &generated : files)
    key.addText(generated.text);
  for (const std::string &word : compiler.words)
    key.addText(word);
  key.addFile(compiler.words.front());
  key.addText(compilerVersion());
  key.addFile(library);
  // What compilers read besides their command lines.
  for (const char *name : {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
                           "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS"})
    key.addVariable(name);
  return key.take();
}

// The program may only call another one, which is what changes.
std::string SimulatorBuild::compilerVersion() {
  std::vector<std::string> command = compiler.words;
  command.emplace_back("--version");
  const std::string output = temporary->file("version.txt");
  runProgram(command, VersionSeconds, output);
  auto text = readSourceFile(output);
  return text ? (*text)->getBuffer().str() : "";
}

// Nothing if one of them has changed while it was compiled.
std::optional<ProgramInputs> SimulatorBuild::inputsOfBuild() const {
  auto rule = readSourceFile(dependencyRule);
  if (!rule)
    return std::nullopt;
  ProgramInputs inputs;
  for (const std::string &name : filesOfRule((*rule)->getBuffer())) {
    const std::string input = absolute(name);
    if (path::parent_path(input) == temporary->getPath())
      continue; // generated: its text is in the key
    fs::file_status status;
    if (fs::status(input, status) || status.getLastModificationTime() >= started)
      return std::nullopt;
    inputs.files.push_back(input);
    const auto folder = llvm::find_if(folders, [&](llvm::StringRef candidate) {
      return llvm::StringRef(input).starts_with(candidate.str() + "/");
    });
    for (const std::string &earlier : llvm::make_range(folders.begin(), folder)) {
      if (folder == folders.end())
        break;
      const std::string other =
          inFolder(earlier, llvm::StringRef(input).drop_front(folder->size() + 1));
      if (!fs::exists(other))
        inputs.absent.push_back(other);
    }
  }
  return inputs;
}

// ---- Compiling
// -----------------------------------------------------------------------------------

std::string SimulatorBuild::file(llvm::StringRef name) {
  return keep.empty() ? temporary->file(name) : inFolder(keep, name);
}

bool SimulatorBuild::writeSources() {
  if (!keep.empty())
    (void)fs::create_directories(keep); // writing the files reports it
  OutputFiles outputs;
  outputs.addInput(session.invocation.inputs.front());
  for (const GeneratedFile &generated : files)
    outputs.add(file(generated.name), generated.text);
  return outputs.write(diags, /*keepUnchanged=*/false);
}

// -O1 builds in half the time of -O2 and runs nearly as fast. Contraction would make the numbers
// depend on the host; where operations are counted it is what a GPU's compiler does.
std::vector<std::string> SimulatorBuild::options() const {
  std::vector<std::string> list{"-std=c++17",
                                "-w",
                                "-fno-strict-aliasing",
                                "-fdiagnostics-color=never",
                                "-I" + simulatorInclude,
                                "-I" + deviceInclude};
  if (isCounted) {
    llvm::append_range(
        list, std::vector<std::string>{"-DTSK_SIM_COUNTED", "-include", "tsk/sim/loops.h"});
    const auto isLevel = [](llvm::StringRef word) { return word.starts_with("-O"); };
    if (llvm::none_of(compiler.words, isLevel))
      list.push_back("-O3"); // each access costs more than the compiler's work on it
  } else
    llvm::append_range(list, std::vector<std::string>{"-O1", "-ffp-contract=off"});
  // The source's folder: for "…" first, as beside a file of C++, and for <…> behind the system's.
  llvm::append_range(list, std::vector<std::string>{"-iquote", folders.front()});
  for (const std::string &folder : llvm::drop_begin(folders))
    list.push_back("-I" + folder);
  llvm::append_range(list, std::vector<std::string>{"-idirafter", folders.front()});
  return list;
}

// Without what becomes of the source.
std::vector<std::string> SimulatorBuild::sourceCommand() {
  std::vector<std::string> command = compiler.words;
  llvm::append_range(command, options());
  const std::string source = file(files.front().name);
  // What __FILE__ says must not depend on where the files happen to lie.
  command.push_back("-fmacro-prefix-map=" + path::parent_path(source).str() + "/=");
  llvm::append_range(
      command, std::vector<std::string>{"-MD", "-MF", dependencyRule, "-MT", "tests", source});
  return command;
}

bool SimulatorBuild::compile(const std::string &built) {
  dependencyRule = temporary->file("tests.d");
  sayThatItCompiles();
  started = std::chrono::system_clock::now();
  if (isCounted)
    return compileCounted(built);
  std::vector<std::string> command = sourceCommand();
  llvm::append_range(command, std::vector<std::string>{library, "-o", built});
  return runCompiler(command);
}

bool SimulatorBuild::compileCounted(const std::string &built) {
  const bool isClang = llvm::StringRef(compilerVersion()).contains("clang");
  const std::string assembly = file("tests.s"), counted = file("tests.counted.s");
  std::vector<std::string> command = sourceCommand();
  llvm::append_range(command, profile::instrumentingOptions(isClang));
  llvm::append_range(command, std::vector<std::string>{"-S", "-o", assembly});
  if (!runCompiler(command))
    return false;
  auto text = readSourceFile(assembly);
  if (!text) {
    diags.report({}, ToolFailed, compiler.name(), "it wrote no assembly");
    return false;
  }
  // Files that came with a compiler or with tskc: all but those that the folders of the user have.
  const std::vector<std::string> foreign{simulatorInclude, deviceInclude, "/usr/"};
  OutputFiles outputs;
  const std::string result = profile::countInAssembly((*text)->getBuffer(), foreign);
  outputs.add(counted, result);
  if (!outputs.write(diags, /*keepUnchanged=*/false))
    return false;
  command = compiler.words;
  llvm::append_range(command, std::vector<std::string>{counted, library, "-o", built});
  return runCompiler(command);
}

bool SimulatorBuild::runCompiler(const std::vector<std::string> &command) {
  const std::string log = file("compiler-output.txt");
  const ProgramResult result = runProgram(command, CompileSeconds, log);
  if (result.end == ProgramResult::End::Exited && result.status == 0)
    return true;
  std::string output;
  if (auto text = readSourceFile(log))
    output = shortened((*text)->getBuffer());
  if (!reportCompilerErrors(output, session.sources, diags)) {
    llvm::errs() << output;
    diags.report({}, ToolFailed, compiler.name(),
                 result.reason.empty() ? "the tests do not compile" : result.reason);
  }
  return false;
}

// It takes seconds, and whoever sits before the terminal should know why.
void SimulatorBuild::sayThatItCompiles() const {
  if (llvm::errs().is_displayed())
    llvm::errs() << "compiling the tests of " << session.inputName() << " with " << compiler.name()
                 << " …\n";
}

// Without the folder that the files happen to lie in.
std::string SimulatorBuild::shortened(llvm::StringRef text) const {
  const std::string prefix = (keep.empty() ? temporary->getPath().str() : keep) + "/";
  std::string result;
  for (size_t at = text.find(prefix); at != llvm::StringRef::npos; at = text.find(prefix)) {
    result += text.take_front(at);
    text = text.drop_front(at + prefix.size());
  }
  return result + text.str();
}

} // namespace tsk::driver
