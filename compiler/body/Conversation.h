// One question to a program, one answer from it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tsk::body {

// Starts `program`, which reads all of its standard input, then answers on its standard output.
// Nothing if it ended otherwise than with status 0; `failure` then says how.
std::optional<std::string> ask(llvm::StringRef program, llvm::StringRef question,
                               std::string &failure);

} // namespace tsk::body
