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

// Where a statement may be inserted behind the one at `range`, and the line break and indentation
// to put before it. Nothing if the text around does not look as expected.
struct Insertion {
  SourceRange place;
  std::string separator;
};
std::optional<Insertion> insertionAfter(const SourceManager *sources, SourceRange range);

} // namespace tsk::verify
