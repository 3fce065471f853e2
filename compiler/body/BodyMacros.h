// Macros of the user's: which names bodies come to through them, and which are still there where
// generated text follows.
#pragma once

#include "compiler/body/BodyReading.h"

namespace tsk::body {

struct Macro {
  std::string name;
  bool takesArguments = false;
  SourceRange range;  // none where a header defines it
  std::string header; // that one
  bool isInBody = false;
};

// Notes in works and functions the names that they do not spell and yet come to. Without a reading,
// or where a header was not read: what macros of `cpp` blocks lead to, and where anything is
// included every name that costs nothing.
void noteHiddenNames(ir::Module &module, const Reading *reading);

// The names of those that `cpp` blocks define, by their tokens.
std::set<std::string> macrosOfBlocks(const ir::Module &module);

// Those that nothing has undefined, of `cpp` blocks and bodies.
std::vector<Macro> macrosLeft(const ir::Module &module, const Reading *reading,
                              const SourceManager &sources);

// A macro that is left behind a body: the text behind it depends on the order of the tasks. False
// after an error.
bool checkMacrosOfBodies(llvm::ArrayRef<Macro> macros, DiagnosticEngine &diags);

} // namespace tsk::body
