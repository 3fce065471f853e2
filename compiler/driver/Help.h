// `tskc --help`, `tskc VERB --help` and docs/cli.md, all from the option table.
#pragma once

#include "compiler/driver/Options.h"

namespace llvm {
class raw_ostream;
}

namespace tsk::driver {

void printVersion(llvm::raw_ostream &os);
// Help for one verb; for the first one, whose name need not be typed, also the list of verbs.
void printHelp(llvm::raw_ostream &os, Verb verb);
void printHelpMarkdown(llvm::raw_ostream &os);

} // namespace tsk::driver
