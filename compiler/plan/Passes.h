// The passes that turn a task graph into a plan, and what they share.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::plan {

struct PassContext {
  const ir::Kernel &kernel;
  const target::Target &target;
  Plan &plan;
  DiagnosticEngine &diags;
};

// False: an error was reported and the later passes have nothing to stand on.
using PassFunction = bool (*)(PassContext &);

struct PassInfo {
  llvm::StringRef name;
  PassFunction run;
};

#define TSK_PASS(Function, Name) bool Function(PassContext &context);
#include "compiler/plan/Passes.def"

llvm::ArrayRef<PassInfo> allPasses();
const PassInfo *findPass(llvm::StringRef name);

// Whether registers are reallocated (setmaxnreg): some task says `regs`.
bool asksForRegisters(const ir::Kernel &kernel);

// A feature of the language that parses but has no lowering; `what` as in "`overlay`".
extern const Diagnostic<std::string> PlanNotYetCompiled;

} // namespace tsk::plan
