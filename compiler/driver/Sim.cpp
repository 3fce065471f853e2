// `tskc sim FILE`: runs the file's tests on the simulator and shows what their kernels do.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/TestRun.h"
#include "compiler/driver/Verbs.h"
#include "compiler/profile/Show.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

constexpr Diagnostic<> NoCounters{
    kind::VerbNotAvailable,
    "`tskc sim` is only available where hosts are x86-64: it works on the compiler's assembly"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolFailed{kind::ToolFailed, "{}: {}"};

static unsigned spanOf(ir::Swizzle swizzle) {
  switch (swizzle) {
  case ir::Swizzle::None:
    return 0;
  case ir::Swizzle::B32:
    return 32;
  case ir::Swizzle::B64:
    return 64;
  case ir::Swizzle::B128:
    return 128;
  }
  return 0;
}

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
    layout.swizzle = spanOf(field.swizzle);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

// Of the kernel by that name.
static std::vector<profile::FieldLayout> layoutsOf(llvm::StringRef name, const ir::Module &module,
                                                   llvm::ArrayRef<plan::Plan> plans) {
  for (const auto &[kernel, plan] : llvm::zip(module.kernels, plans))
    if (kernel->name == name)
      return layoutsOf(*kernel, plan);
  return {};
}

static const profile::Gpu &gpuOf(llvm::ArrayRef<plan::Plan> plans) {
  const llvm::StringRef target = plans.empty() ? llvm::StringRef() : plans.front().target;
  const llvm::StringRef name = target.starts_with("sm_1")   ? "b200"
                               : target.starts_with("sm_8") ? "a100"
                                                            : "h200";
  return *profile::findGpu(name);
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
  const profile::Gpu &gpu = gpuOf(compilation.plans);
  for (const profile::Launch &launch : *launches) {
    profile::showSummary(llvm::outs(), launch, gpu);
    if (session.invocation.profile)
      profile::showLines(llvm::outs(), launch, gpu,
                         layoutsOf(launch.kernel, module, compilation.plans));
  }
  return result;
}

} // namespace tsk::driver
