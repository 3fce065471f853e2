// tsk-opt: the middle of the compiler, one step at a time, on text: a task graph or a plan in, a
// plan or findings out. For the text tests and for whoever wants to look between two passes.
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/TestRun.h"
#include "compiler/ir/Text.h"
#include "compiler/plan/Pipeline.h"
#include "compiler/plan/Text.h"
#include "compiler/support/Files.h"
#include "compiler/support/TextRenderer.h"
#include "compiler/verify/report/ScheduleTable.h"
#include "tools/PlanEdits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace tsk;

static constexpr llvm::StringLiteral Usage =
    R"(usage: tsk-opt FILE [options]

FILE holds task graphs (`kernel …`, with `cpp` and `test` around them) or a plan (`plan …`); what is
read is printed back. --plan, --check and what they lead to take one kernel.

  --plan              run the passes from task graph to plan, print the plan
  --until=PASS        the same, stop after PASS
  --emit=WHAT         print generated code: cuda, header, tests
  --edit=CHANGE       plant a fault in the plan before it is emitted, see tools/PlanEdits.h
  --test [OPTIONS]    run the module's tests on the simulator; OPTIONS are those of `tskc test`
  --print-after=PASS  print the plan after PASS; `all`: after each
  --time-passes       print how long each pass took
  --target=NAME       compile for NAME
  --check             check the structure of the task graph, print nothing else
  --verify            verify, print the verdict instead of the plan
  --table             verify, print the schedule table
  --verify-each       verify after each pass from plan-memory on, where plans are complete
  --no-timelines      findings without the run that leads to them
  --places            print source places
  --remarks           show remarks
  --list-passes       print the passes' names

Exit status: 0, 1 after errors, 2 for a wrong command line.
)";

namespace {

struct Options {
  llvm::StringRef file, until, printAfter, target, emit, edit;
  std::vector<const char *> testOptions; // those behind --test
  bool plan = false, test = false, timePasses = false, places = false, remarks = false,
       listPasses = false;
  bool check = false, verify = false, table = false, verifyEach = false, noTimelines = false;
};

// False: the command line makes no sense.
bool parseOptions(llvm::ArrayRef<const char *> args, Options &options) {
  auto flag = [](llvm::StringRef arg, llvm::StringRef name, bool &value) {
    return arg == name && (value = true);
  };
  auto valued = [](llvm::StringRef arg, llvm::StringRef name, llvm::StringRef &value) {
    if (!arg.consume_front(name))
      return false;
    value = arg;
    return true;
  };
  for (size_t i = 0; i < args.size(); ++i) {
    llvm::StringRef arg = args[i];
    if (flag(arg, "--test", options.test)) {
      options.testOptions = args.drop_front(i + 1).vec();
      break;
    }
    bool known =
        flag(arg, "--plan", options.plan) || flag(arg, "--time-passes", options.timePasses) ||
        flag(arg, "--places", options.places) || flag(arg, "--remarks", options.remarks) ||
        flag(arg, "--list-passes", options.listPasses) || flag(arg, "--check", options.check) ||
        flag(arg, "--verify", options.verify) || flag(arg, "--table", options.table) ||
        flag(arg, "--verify-each", options.verifyEach) ||
        flag(arg, "--no-timelines", options.noTimelines) ||
        valued(arg, "--until=", options.until) ||
        valued(arg, "--print-after=", options.printAfter) || valued(arg, "--emit=", options.emit) ||
        valued(arg, "--edit=", options.edit) || valued(arg, "--target=", options.target);
    if (known)
      continue;
    if (arg.starts_with("-") || !options.file.empty())
      return false;
    options.file = arg;
  }
  options.plan |= !options.until.empty() || options.verify || options.table || options.verifyEach;
  bool passesExist = (options.until.empty() || plan::findPass(options.until)) &&
                     (options.printAfter.empty() || options.printAfter == "all" ||
                      plan::findPass(options.printAfter));
  bool targetExists = options.target.empty() || target::findTarget(options.target);
  bool emits = options.emit.empty() || options.emit == "cuda" || options.emit == "header" ||
               options.emit == "tests";
  return passesExist && targetExists && emits && (options.listPasses || !options.file.empty());
}

class Run {
public:
  Run(const Options &theOptions, SourceManager &sourceManager, DiagnosticEngine &engine)
      : options(theOptions), sources(sourceManager), diags(engine) {}

  void onPlanText(SourceLoc begin) {
    std::unique_ptr<plan::Plan> plan = plan::parsePlan(sources, begin, diags);
    if (!plan)
      return;
    show(*plan, verified(*plan));
  }

  void onKernelText(SourceLoc begin) {
    std::unique_ptr<ir::Kernel> kernel = ir::parseKernel(sources, begin, diags);
    if (!kernel)
      return;
    if (!verify::checkStructure(*kernel, diags, verifyOptions()) || options.check)
      return;
    auto afterPass = [&](llvm::StringRef pass, const plan::Plan &plan, double seconds) {
      if (options.timePasses)
        llvm::errs() << fmt::format("{:>10.1f} us  {}\n", seconds * 1e6, pass);
      if (options.printAfter == pass || options.printAfter == "all") {
        llvm::outs() << "// after " << pass << "\n";
        plan::print(plan, places(), llvm::outs());
      }
      hasMemory |= pass == "plan-memory";
      if (options.verifyEach && hasMemory)
        verifyAfter(pass, plan);
    };
    std::unique_ptr<plan::Plan> plan =
        plan::makePlan(*kernel, target(), diags, {options.until, afterPass});
    if (!plan)
      return;
    show(*plan, verified(*plan, kernel.get()));
  }

  // Read and printed back, with whatever stands around the kernels.
  void onIrText(SourceLoc begin) {
    if (std::unique_ptr<ir::Module> module = ir::parseModule(sources, begin, diags))
      ir::print(*module, places(), llvm::outs());
  }

  // The module that a text holds, with a plan for each kernel; null after an error.
  std::unique_ptr<ir::Module> readModule(SourceLoc begin, std::vector<plan::Plan> &plans) {
    std::unique_ptr<ir::Module> module = ir::parseModule(sources, begin, diags);
    for (size_t i = 0; module && i < module->kernels.size(); ++i) {
      std::unique_ptr<plan::Plan> plan = plan::makePlan(*module->kernels[i], target(), diags);
      if (!plan)
        return nullptr;
      if (!options.edit.empty() && !editPlan(*plan, options.edit)) {
        llvm::errs() << "tsk-opt: `" << options.edit << "` changes nothing\n";
        return nullptr;
      }
      plans.push_back(std::move(*plan));
    }
    if (module)
      module->file = llvm::sys::path::filename(options.file).str();
    return module;
  }

  void onModuleText(SourceLoc begin) {
    std::vector<plan::Plan> plans;
    std::unique_ptr<ir::Module> module = readModule(begin, plans);
    if (!module)
      return;
    codegen::CudaOptions cuda;
    cuda.sourceName = module->file + ".cu";
    cuda.headerName = module->file + ".h";
    cuda.emitTestKernels = options.emit == "tests";
    codegen::CudaText text = codegen::emitCuda(*module, plans, sources, cuda);
    if (options.emit == "cuda")
      llvm::outs() << text.source;
    else if (options.emit == "header")
      llvm::outs() << text.header;
    else if (llvm::any_of(module->tests, codegen::isRunnable))
      llvm::outs() << codegen::emitTestProgram(
          *module, plans, sources,
          {module->file + ".test.cpp", cuda.sourceName, cuda.nameSpace, true, text.steps});
  }

private:
  verify::VerifyOptions verifyOptions() const {
    verify::VerifyOptions result;
    result.sources = &sources;
    result.showsTimelines = !options.noTimelines;
    return result;
  }

  verify::VerifyResult verified(const plan::Plan &plan, const ir::Kernel *kernel = nullptr) {
    verify::VerifyResult result;
    if (!options.verify && !options.table)
      return result;
    verify::VerifyOptions verifying = verifyOptions();
    verifying.kernel = kernel;
    auto start = std::chrono::steady_clock::now();
    verify::verify(plan, diags, verifying, result);
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (options.timePasses)
      llvm::errs() << fmt::format("{:>10.1f} us  verify, {} states, {} steps\n",
                                  taken.count() * 1e6, result.states, result.steps);
    return result;
  }

  void verifyAfter(llvm::StringRef pass, const plan::Plan &plan) {
    verify::VerifyResult result;
    bool isClean = verify::verify(plan, diags, verifyOptions(), result);
    llvm::outs() << "// after " << pass << (isClean ? ": proved\n" : ": not proved\n");
  }

  // The table, the verdict or the plan.
  void show(const plan::Plan &plan, const verify::VerifyResult &result) const {
    if (options.table)
      verify::printScheduleTable(plan, result, llvm::outs());
    else if (options.verify)
      llvm::outs() << verify::describe(result);
    else
      plan::print(plan, places(), llvm::outs());
  }

  const target::Target &target() const {
    return options.target.empty() ? target::defaultTarget() : *target::findTarget(options.target);
  }
  const SourceManager *places() const { return options.places ? &sources : nullptr; }

  const Options &options;
  SourceManager &sources;
  DiagnosticEngine &diags;
  bool hasMemory = false;
};

// The first word that is not a comment says what a text holds.
bool isPlanText(llvm::StringRef text) {
  text = text.ltrim();
  while (text.consume_front("//"))
    text = text.drop_until([](char c) { return c == '\n'; }).ltrim();
  return text.starts_with("plan");
}

} // namespace

// What `tskc test` does behind the front end.
static int runTests(const Options &options) {
  std::vector<const char *> words{"tskc", "test", options.file.data()};
  llvm::append_range(words, options.testOptions);
  driver::CommandLine commandLine(static_cast<int>(words.size()), words.data());
  driver::Session session(commandLine);
  if (!commandLine.readInvocation(session.invocation, session.diags))
    return 2;
  const SourceLoc begin = session.readInput();
  if (!begin.isValid())
    return 1;
  std::vector<plan::Plan> plans;
  std::unique_ptr<ir::Module> module =
      Run(options, session.sources, session.diags).readModule(begin, plans);
  if (!module)
    return 1;
  return session.invocation.onGpu ? driver::writeTestsForGpu(session, *module, plans)
                                  : driver::runTestsOnSimulator(session, *module, plans, {});
}

int main(int argc, char **argv) {
  Options options;
  if (!parseOptions(llvm::ArrayRef<const char *>(argv + 1, argv + argc), options)) {
    llvm::errs() << Usage;
    return 2;
  }
  if (options.listPasses) {
    for (const plan::PassInfo &pass : plan::allPasses())
      llvm::outs() << pass.name << '\n';
    return 0;
  }
  if (options.test)
    return runTests(options);
  auto text = readSourceFile(options.file);
  if (!text) {
    llvm::errs() << "tsk-opt: cannot read " << options.file << ": " << text.getError().message()
                 << '\n';
    return 2;
  }
  SourceManager sources;
  SourceLoc begin = sources.addBuffer(std::move(*text), llvm::sys::path::filename(options.file));
  TextRenderer renderer(sources, llvm::errs(), /*useColor=*/false);
  DiagnosticEngine engine(renderer);
  engine.showRemarks = options.remarks;
  Run run(options, sources, engine);
  if (!options.emit.empty())
    run.onModuleText(begin);
  else if (isPlanText(sources.bufferText(begin)))
    run.onPlanText(begin);
  else if (options.plan || options.check)
    run.onKernelText(begin);
  else
    run.onIrText(begin);
  return engine.hasErrors() ? 1 : 0;
}
