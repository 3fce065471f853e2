// What must hold between the options of one command line: an option that would change nothing is
// refused, since whoever wrote it meant something.
#pragma once

#include "compiler/driver/Options.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/Option/ArgList.h"

namespace tsk::driver {

// Reports empty values, options that are given twice with different values, and options without
// effect beside another one.
void checkOptionRules(Verb verb, const llvm::opt::InputArgList &arguments, DiagnosticEngine &diags);

// "`--arch` means nothing with `--emit=ir`".
void reportWithoutEffect(const std::string &option, const std::string &other,
                         DiagnosticEngine &diags);

} // namespace tsk::driver
