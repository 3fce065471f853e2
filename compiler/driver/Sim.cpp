// `tskc sim FILE`: runs the file's tests on the simulator and shows what their kernels do.
#include "compiler/codegen/TestProgram.h"
#include "compiler/driver/Compilation.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/TestRun.h"
#include "compiler/driver/Verbs.h"
#include "compiler/plan/FieldLayout.h"
#include "compiler/profile/Show.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace tsk::driver {

constexpr Diagnostic<> NoCounters{
    kind::VerbNotAvailable,
    "`tskc sim` is only available where hosts are x86-64: it works on the compiler's assembly"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolFailed{kind::ToolFailed, "{}: {}"};

constexpr Diagnostic<llvm::StringRef> UnknownArgument{
    kind::BadOptionValue, "`--arg`: no test of this file has a dimension or scalar `{}`"};

static std::vector<profile::FieldLayout> layoutsOf(const ir::Kernel &kernel,
                                                   const plan::Plan &plan) {
  std::vector<profile::FieldLayout> layouts;
  for (const plan::Allocation &allocation : plan.allocations) {
    const ir::Field &field = kernel.fields[allocation.field];
    int64_t elements = 1;
    for (int64_t extent : field.dims)
      elements *= extent;
    if (elements == 0 || field.dims.empty())
      continue;
    profile::FieldLayout layout;
    layout.name = allocation.name;
    layout.offset = allocation.offset;
    layout.stageBytes = allocation.stageBytes;
    layout.stages = allocation.stages;
    layout.columns = static_cast<unsigned>(field.dims.back());
    layout.rows = static_cast<unsigned>(elements / field.dims.back());
    layout.elementBytes = static_cast<unsigned>(field.stageBytes() / elements);
    layout.swizzle = plan::swizzleSpan(field.swizzle);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

// Its number in the module, and of its plan.
static std::optional<size_t> numberOf(llvm::StringRef kernel, const ir::Module &module) {
  const auto found = llvm::find_if(
      module.kernels, [&](const auto &candidate) { return candidate->name == kernel; });
  if (found == module.kernels.end())
    return std::nullopt;
  return found - module.kernels.begin();
}

static std::vector<profile::FieldLayout> layoutsOf(llvm::StringRef kernel, const ir::Module &module,
                                                   llvm::ArrayRef<plan::Plan> plans) {
  const std::optional<size_t> number = numberOf(kernel, module);
  return number ? layoutsOf(*module.kernels[*number], plans[*number])
                : std::vector<profile::FieldLayout>();
}

static const profile::Gpu &gpuOf(const Invocation &invocation, llvm::ArrayRef<plan::Plan> plans) {
  if (!invocation.gpu.empty())
    return *profile::findGpu(invocation.gpu);
  const llvm::StringRef target = plans.empty() ? llvm::StringRef() : plans.front().target;
  const llvm::StringRef name = target.starts_with("sm_1")   ? "b200"
                               : target.starts_with("sm_8") ? "a100"
                                                            : "h200";
  return *profile::findGpu(name);
}

// ---- Estimates
// ----------------------------------------------------------------------------------

namespace {

// The arguments of a launch, and those of the launch that is asked about.
class Scaling {
public:
  Scaling(Session &s, const ir::Module &m) : session(s), module(m) {}

  // Names that no kernel of the file has are reported.
  bool areKnown() {
    for (const auto &[name, value] : session.invocation.modelArguments)
      if (llvm::none_of(module.tests, [&wanted = name](const ir::TestCase &test) {
            return test.scalars.count(wanted) != 0;
          }))
        session.diags.report({}, UnknownArgument, name);
    return !session.diags.hasErrors();
  }

  const ir::TestCase *testOf(const profile::Launch &launch) const {
    const auto found = llvm::find_if(module.tests, [&](const ir::TestCase &test) {
      return codegen::shownName(module, test) == launch.test;
    });
    return found == module.tests.end() ? nullptr : &*found;
  }

  int64_t wanted(const ir::TestCase &test, const std::string &name) const {
    for (const auto &[given, value] : session.invocation.modelArguments)
      if (given == name)
        return value;
    return test.scalars.at(name);
  }

  profile::Problem problemOf(const ir::TestCase &test) const {
    profile::Problem problem;
    for (const auto &[name, value] : test.scalars)
      if (value > 0)
        problem.scale *= static_cast<double>(wanted(test, name)) / static_cast<double>(value);
    const std::optional<size_t> number = numberOf(test.kernel, module);
    double written = 0, wantedWritten = 0; // bytes
    for (const ir::TestTensor &tensor : test.tensors)
      if (tensor.param && number) {
        const ir::Kernel &kernel = *module.kernels[*number];
        const double bytes = bytesOf(kernel, test, tensor, /*isCounted=*/false);
        problem.tensorBytes += bytes;
        if (kernel.params[*tensor.param].direction == ir::Direction::In)
          continue;
        wantedWritten += bytes;
        written += bytesOf(kernel, test, tensor, /*isCounted=*/true);
      }
    if (written > 0)
      problem.resultScale = wantedWritten / written;
    return problem;
  }

  std::string describe(const ir::TestCase &test) const {
    std::string text;
    for (const auto &[name, value] : test.scalars)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, wanted(test, name));
    return text;
  }

private:
  // In the launch that was counted, or in the one that is asked about: an extent that is a
  // dimension of its own grows with it.
  double bytesOf(const ir::Kernel &kernel, const ir::TestCase &test, const ir::TestTensor &tensor,
                 bool isCounted) const {
    const ir::Param &param = kernel.params[*tensor.param];
    double bytes = static_cast<double>(ir::bitWidth(tensor.element)) / 8;
    for (size_t i = 0; i < tensor.dims.size(); ++i) {
      const ir::Expr &extent = kernel.tables.exprs[param.dims[i]];
      bytes *= static_cast<double>(extent.op == ir::ExprOp::Scalar && !isCounted
                                       ? wanted(test, kernel.scalars[extent.scalarRef].name)
                                       : tensor.dims[i]);
    }
    return bytes;
  }

  Session &session;
  const ir::Module &module;
};

} // namespace

// Of each kernel's launches the largest is nearest to what is asked about.
static void showEstimates(Session &session, const ir::Module &module, const profile::Gpu &gpu,
                          llvm::ArrayRef<profile::Launch> launches) {
  const Scaling scaling(session, module);
  std::map<std::string, std::pair<double, const profile::Launch *>> largest;
  for (const profile::Launch &launch : launches)
    if (const ir::TestCase *test = scaling.testOf(launch); test && launch.hasEnded) {
      const double scale = scaling.problemOf(*test).scale;
      auto [it, isNew] = largest.try_emplace(launch.kernel, scale, &launch);
      if (!isNew && scale < it->second.first)
        it->second = {scale, &launch};
    }
  for (const auto &[kernel, found] : largest) {
    const profile::Launch &launch = *found.second;
    const ir::TestCase &test = *scaling.testOf(launch);
    profile::showEstimate(llvm::outs(), launch, gpu,
                          profile::estimate(launch, gpu, scaling.problemOf(test)),
                          scaling.describe(test));
  }
}

ExitCode runSim(Session &session) {
#ifndef __x86_64__
  session.diags.report({}, NoCounters);
  return ExitErrors;
#endif
  Compilation compilation(session);
  if (!compilation.run(Phase::Plan, /*withTests=*/true))
    return ExitErrors;
  const ir::Module &module = *compilation.module;
  if (!Scaling(session, module).areKnown())
    return ExitErrors;
  std::string text;
  const ExitCode result = runCountedTests(session, module, compilation.plans, text);
  if (session.invocation.jsonReport) {
    llvm::outs() << text;
    return result;
  }
  const auto launches = profile::readProfile(text);
  if (!launches) {
    session.diags.report({}, ToolFailed, "the test program", "its profile cannot be read");
    return ExitErrors;
  }
  const profile::Gpu &gpu = gpuOf(session.invocation, compilation.plans);
  if (session.invocation.model) {
    showEstimates(session, module, gpu, *launches);
    return result;
  }
  for (const profile::Launch &launch : *launches) {
    profile::showSummary(llvm::outs(), launch, gpu);
    if (session.invocation.profile)
      profile::showLines(llvm::outs(), launch, gpu,
                         layoutsOf(launch.kernel, module, compilation.plans));
  }
  return result;
}

} // namespace tsk::driver
