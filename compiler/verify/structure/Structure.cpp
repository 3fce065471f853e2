#include "compiler/verify/structure/Structure.h"

namespace tsk::verify {

bool checkStructure(const ir::Kernel &kernel, DiagnosticEngine &diags,
                    const VerifyOptions &options) {
  bool isGood = checkBrackets(kernel, diags, options.sources);
  isGood &= checkEffects(kernel, diags);
  // A role that is missing because its bracket is broken needs no second report.
  isGood = isGood && checkRoles(kernel, diags);
  isGood &= checkRouting(kernel, diags);
  isGood &= checkContract(kernel, diags);
  return isGood;
}

} // namespace tsk::verify
