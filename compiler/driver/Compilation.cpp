#include "compiler/driver/Compilation.h"

#include "compiler/body/BodyReader.h"
#include "compiler/codegen/BodyText.h"
#include "compiler/codegen/CheckMacros.h"
#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/Headers.h"
#include "compiler/driver/Installation.h"
#include "compiler/driver/SelfCheck.h"
#include "compiler/ir/Text.h"
#include "compiler/plan/Pipeline.h"
#include "compiler/plan/Text.h"
#include "compiler/sema/Sema.h"
#include "compiler/support/Files.h"
#include "compiler/syntax/AstDump.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

using llvm::StringRef;

constexpr Diagnostic<StringRef> NoKernel{kind::NoKernel,
                                         "`{}` has no kernel: nothing comes out of it"};

// What --print-after and --time-passes call the phases without passes of their own.
constexpr StringRef ParsePass = "parse", SemaPass = "sema", BodiesPass = "read-bodies",
                    StructurePass = "check-structure", VerifyPass = "verify";

std::vector<StringRef> passNames() {
  std::vector<StringRef> names = {ParsePass, SemaPass, BodiesPass, StructurePass};
  for (const plan::PassInfo &pass : plan::allPasses())
    names.push_back(pass.name);
  names.push_back(VerifyPass);
  return names;
}

bool Compilation::run(Phase last, bool withTests) {
  bool isRight = runPhases(last, withTests);
  if (session.invocation.timePasses)
    times.print(llvm::errs());
  return isRight;
}

bool Compilation::runPhases(Phase last, bool withTests) {
  DiagnosticEngine &diags = session.diags;
  source = session.readInput();
  if (!source.isValid())
    return false;

  file = times.time(ParsePass, [&] { return syntax::parseFile(session.sources, source, diags); });
  show(ParsePass, [&](llvm::raw_ostream &os) { ast::dump(*file, session.sources, os); });
  if (diags.hasErrors() || last == Phase::Syntax)
    return !diags.hasErrors();

  // Errors of several kernels are reported in one run; a kernel with errors of its own is not
  // planned, so that one mistake is not reported twice.
  const bool readsBodies = session.invocation.readBodies && last == Phase::Plan;
  bool isRight = times.time(SemaPass, [&] { return analyze(withTests, readsBodies); });
  show(SemaPass, [&](llvm::raw_ostream &os) { ir::print(*module, &session.sources, os); });
  if (!isRight || last == Phase::Sema) {
    repeatTokenFindings();
    return isRight && !diags.hasErrors();
  }

  if (!times.time(BodiesPass, [&] { return readBodies(); }))
    return false;
  times.time(BodiesPass, [&] { readHostCode(); });
  if (withTests)
    decideFaultTests();
  for (const auto &kernel : module->kernels)
    isRight &= planAndVerify(*kernel, diags);
  isRight &= codegen::checkVariants(*module, diags);
  isRight &= codegen::checkLauncherNames(*module, diags);
  if (isRight && !diags.hasErrors())
    isRight = checkMacros(withTests);
  return isRight && !diags.hasErrors();
}

void Compilation::warnWithoutKernel() const {
  // Kernels that are there and never made have had a warning of their own.
  bool hasKernel = llvm::any_of(file->decls, [](const ast::Decl *decl) {
    return llvm::isa<ast::KernelDecl>(decl) || llvm::isa<ast::InstantiateDecl>(decl);
  });
  if (!hasKernel)
    session.diags.report({}, NoKernel, session.inputName());
}

// What no reader of bodies sees: the launchers, and the program that runs the tests.
bool Compilation::checkMacros(bool withTests) {
  if (macros.empty() || module->kernels.empty())
    return true;
  codegen::CudaOptions cuda;
  cuda.sourceName = codegen::BodyTextName.str();
  cuda.nameSpace = session.invocation.cppNamespace;
  cuda.emitTestKernels = withTests;
  std::string text = codegen::emitCuda(*module, plans, session.sources, cuda).source;
  if (withTests && llvm::any_of(module->tests, codegen::isRunnable)) {
    codegen::TestProgramOptions program;
    program.programName = program.sourceName = cuda.sourceName;
    program.nameSpace = cuda.nameSpace;
    text += codegen::emitTestProgram(*module, plans, session.sources, program);
  }
  return codegen::checkMacros(macros, text, cuda.sourceName, session.diags);
}

bool Compilation::analyze(bool withTests, bool readsBodies) {
  sema::SemaOptions options;
  options.defines = session.invocation.defines;
  options.importFolders = session.invocation.importFolders;
  options.libraryFolder = partPath(LanguageFolder);
  options.readFile = readSourceFile;
  options.judgesTestArguments = withTests || options.defines.empty();
  if (readsBodies)
    options.tokenFindings = &tokenFindings.engine;
  // Tests are read in any case, for their mistakes.
  module = sema::analyze(*file, session.sources, session.diags, options);
  const Verb verb = session.invocation.verb;
  if (readsBodies && (withTests || verb == Verb::Check) && module->isRight)
    hostCode = codegen::emitHostCode(*module, session.sources, session.invocation.cppNamespace);
  if (!withTests) {
    module->tests.clear();
    llvm::erase_if(module->kernels, [](const auto &kernel) { return kernel->isTestOnly; });
  }
  return module->isRight; // a test that cannot run hides nothing of its kernel
}

// What Clang says of the bodies, or their tokens where it says nothing. False after errors.
bool Compilation::readBodies() {
  if (!checkHeaders(session, *module))
    return false;
  const unsigned errorsBefore = session.diags.errorCount(); // of tests
  askForBodies();
  const body::Reading *read = reading ? &*reading : nullptr;
  body::noteHiddenNames(*module, read);
  macros = body::macrosLeft(*module, read, session.sources);
  if (!body::checkMacrosOfBodies(macros, session.diags) ||
      (read &&
       !codegen::checkMacros(macros, read->request.text, codegen::BodyTextName, session.diags)))
    return false;
  repeatTokenFindings();
  if (!reading)
    return session.diags.errorCount() == errorsBefore;
  body::reportMessages(*module, *reading, tokenFindings.reports, session.sources, session.diags);
  body::applyFacts(*module, *reading);
  show(BodiesPass, [&](llvm::raw_ostream &os) { body::print(*module, *reading, os); });
  return session.diags.errorCount() == errorsBefore;
}

// Where Clang has followed a body, it knows better than its tokens.
void Compilation::repeatTokenFindings() {
  for (const Report &report : tokenFindings.reports)
    if (!reading || !reading->covers(*module, report))
      session.diags.repeat(report);
}

// What all questions have in common.
body::Request Compilation::makeRequest() const {
  body::Request request;
  request.runtimeFolder = partPath(DeviceInclude);
  const StringRef here = llvm::sys::path::parent_path(session.invocation.inputs.front());
  request.sourceFolder = here.empty() ? "." : here.str();
  request.includeFolders = session.invocation.importFolders;
  request.target = targetOf(*module->kernels.front()).name.str();
  return request;
}

void Compilation::askForBodies() {
  if (!session.invocation.readBodies || module->kernels.empty())
    return;
  body::Request request = makeRequest();
  codegen::emitBodyText(*module, session.sources, request);
  const auto ask = [&] {
    return body::readBodies(request, partPath(BodyReader), session.invocation.usesBodyCache,
                            session.diags);
  };
  std::optional<body::Reply> reply = ask();
  if (!reply)
    return;
  // A body that comes to a name of the kernel by way of a header's macro must have it around.
  const body::Reading first{request, *reply};
  body::noteHiddenNames(*module, &first);
  request = makeRequest();
  codegen::emitBodyText(*module, session.sources, request);
  if (request.text != first.request.text)
    reply = ask();
  if (!reply)
    return;
  // What is generated depends on the user's headers too.
  std::vector<std::string> folders = request.includeFolders;
  folders.push_back(request.sourceFolder);
  for (const body::InputFile &input : reply->inputs)
    for (StringRef folder : folders)
      if (input.size && StringRef(input.path).starts_with(folder) &&
          !llvm::is_contained(module->dependencies, input.path))
        module->dependencies.push_back(input.path);
  reading = body::Reading{std::move(request), std::move(*reply)};
}

// The C++ in tests. Its errors are of the tests: the kernels are judged nevertheless.
void Compilation::readHostCode() {
  if (hostCode.empty() || !reading || module->kernels.empty())
    return;
  body::Request request = makeRequest();
  request.text = std::move(hostCode);
  request.simulatorFolder = partPath(SimulatorInclude);
  std::optional<body::Reply> reply = body::readBodies(
      request, partPath(BodyReader), session.invocation.usesBodyCache, session.diags);
  if (reply)
    body::reportTestMessages(*module, {std::move(request), std::move(*reply)}, session.sources,
                             session.diags);
}

const target::Target &Compilation::targetOf(const ir::Kernel &kernel) const {
  StringRef name = session.invocation.arch;
  if (name.empty() && !kernel.targets.empty())
    name = kernel.targets.front();
  const target::Target *found = name.empty() ? &target::defaultTarget() : target::findTarget(name);
  TSK_CHECK(found, "a target that neither the command line nor sema knows");
  return *found;
}

// A kernel that must be rejected is judged aside: what is found there is no error of this run. One
// that has other tests too is judged again with the rest, since those need it right.
void Compilation::decideFaultTests() {
  std::set<std::string> rejected;
  for (const auto &kernel : module->kernels) {
    if (!hasFaultTests(*module, *kernel))
      continue;
    FoundFaults found;
    DiagnosticEngine aside(found);
    planAndVerify(*kernel, aside);
    llvm::append_range(faultTests, decide(*module, *kernel, found));
    if (mustBeRejected(*module, *kernel))
      rejected.insert(kernel->name);
  }
  plans.clear();
  verdicts.clear();
  llvm::erase_if(module->tests, isFaultTest);
  llvm::erase_if(module->kernels, [&](const auto &kernel) { return rejected.count(kernel->name); });
}

// What the verdict takes for granted about bodies that nobody could see into.
void Compilation::assumeOfBodies(const ir::Kernel &kernel, verify::VerifyResult &verdict) const {
  bool isGuessed = false;
  for (size_t i = 0; i < kernel.works.size(); ++i) {
    const ir::WorkId id = kernel.works.idAt(i);
    if (!kernel.works[id].declared.empty())
      verdict.assumptions.push_back(
          fmt::format("that `{}` does what it declares", ir::workName(kernel, id)));
    else
      isGuessed |= !reading || !reading->isFollowed(kernel, id);
  }
  if (isGuessed)
    verdict.assumptions.push_back("that the bodies do what their tokens tell");
}

// A plan and its verdict more, or errors.
bool Compilation::planAndVerify(ir::Kernel &kernel, DiagnosticEngine &diags) {
  diags.shownNames = &kernel.shownNames;
  auto inside = llvm::make_scope_exit([&] { diags.shownNames = nullptr; });
  const unsigned errors = diags.errorCount();
  if (reading) {
    body::checkFacts(kernel, *reading, session.sources, diags);
    if (diags.errorCount() == errors && reading->isFollowed(kernel))
      sema::checkUses(kernel, diags);
  }
  if (diags.errorCount() != errors)
    return false;
  if (session.invocation.verifyEach)
    checkRoundTrip(kernel);
  verify::VerifyOptions options;
  options.sources = &session.sources;
  bool isSound =
      times.time(StructurePass, [&] { return verify::checkStructure(kernel, diags, options); });
  if (!isSound)
    return false;
  auto afterPass = [&](StringRef pass, const plan::Plan &plan, double seconds) {
    times.add(pass, seconds);
    if (session.invocation.verifyEach)
      checkFixedPoint(plan);
    show(pass, [&](llvm::raw_ostream &os) { plan::print(plan, &session.sources, os); });
  };
  std::unique_ptr<plan::Plan> plan =
      plan::makePlan(kernel, targetOf(kernel), diags, {{}, afterPass});
  if (!plan)
    return false;
  if (session.invocation.verifyEach)
    checkRoundTrip(*plan);
  options.kernel = &kernel;
  options.judgesPlaces = reading && reading->isFollowed(kernel);
  verify::VerifyResult verdict;
  isSound = times.time(VerifyPass, [&] { return verify::verify(*plan, diags, options, verdict); });
  isSound &= codegen::checkParameters(kernel, *plan, diags);
  if (isSound && reading && !body::checkCoverage(kernel, *reading, diags, verdict.assumptions)) {
    isSound = false;
    verdict.verdict = verify::VerifyResult::Verdict::Unknown;
  }
  assumeOfBodies(kernel, verdict);
  plans.push_back(std::move(*plan));
  verdicts.push_back(std::move(verdict));
  return isSound;
}

void Compilation::show(StringRef pass, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  const std::vector<std::string> &wanted = session.invocation.printAfter;
  if (!llvm::is_contained(wanted, pass) && !llvm::is_contained(wanted, "all"))
    return;
  llvm::errs() << "// after " << pass << '\n';
  print(llvm::errs());
}

} // namespace tsk::driver
