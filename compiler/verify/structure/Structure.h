// Rules on the task graph that need no run. Each reports all its findings; false: there were some.
#pragma once

#include "compiler/verify/Verify.h"

namespace tsk::verify {

bool checkBrackets(const ir::Kernel &kernel, DiagnosticEngine &diags, const SourceManager *sources);
bool checkRoles(const ir::Kernel &kernel, DiagnosticEngine &diags);
bool checkEffects(const ir::Kernel &kernel, DiagnosticEngine &diags);
bool checkRouting(const ir::Kernel &kernel, DiagnosticEngine &diags);
bool checkContract(const ir::Kernel &kernel, DiagnosticEngine &diags);

// The dependencies of the kernel, found in its calls and bodies: downstream <- upstream, ordered by
// resource. Register resources are transparent.
std::vector<ir::Edge> inferDependencies(const ir::Kernel &kernel);

} // namespace tsk::verify
