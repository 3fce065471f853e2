#include "compiler/plan/Pipeline.h"
#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>

namespace tsk::plan {

static constexpr PassInfo Passes[] = {
#define TSK_PASS(Function, Name) {Name, Function},
#include "compiler/plan/Passes.def"
};

llvm::ArrayRef<PassInfo> allPasses() { return Passes; }

const PassInfo *findPass(llvm::StringRef name) {
  const PassInfo *found = llvm::find_if(Passes, [&](const PassInfo &p) { return p.name == name; });
  return found == std::end(Passes) ? nullptr : found;
}

// What a plan takes over from its kernel as it is: names and expressions keep their ids.
static void begin(const ir::Kernel &kernel, const target::Target &target, Plan &plan) {
  plan.kernel = kernel.name;
  plan.target = target.name.str();
  plan.tables = kernel.tables;
  plan.scalars = kernel.scalars;
  for (const ir::Param &param : kernel.params)
    plan.params.add(param.name);
  for (size_t i = 0; i < kernel.fields.size(); ++i)
    plan.fields.add(ir::fieldName(kernel, kernel.fields.idAt(i)));
  for (size_t i = 0; i < kernel.works.size(); ++i)
    plan.works.add(ir::workName(kernel, kernel.works.idAt(i)));
  for (const ir::Requirement &requirement : kernel.requirements)
    plan.assumptions.push_back(requirement.condition);
}

std::unique_ptr<Plan> makePlan(const ir::Kernel &kernel, const target::Target &target,
                               DiagnosticEngine &diagnostics, const PipelineHooks &hooks) {
  auto plan = std::make_unique<Plan>();
  begin(kernel, target, *plan);
  PassContext context{kernel, target, *plan, diagnostics};
  for (const PassInfo &pass : Passes) {
    auto start = std::chrono::steady_clock::now();
    if (!pass.run(context))
      return nullptr;
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (hooks.afterPass)
      hooks.afterPass(pass.name, *plan, taken.count());
    if (pass.name == hooks.lastPass)
      break;
  }
  return plan;
}

} // namespace tsk::plan
