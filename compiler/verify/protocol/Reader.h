// Reads the text form of protocol programs (`.proto`), in which tests write them. The notation is
// described in docs/verifier.md.
#pragma once

#include "compiler/verify/protocol/Program.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tsk::protocol {

struct ReadError {
  unsigned line = 0;
  unsigned column = 0;
  std::string message; // lower case, no final period
};

std::optional<Program> readProgram(llvm::StringRef text, ReadError &error);

} // namespace tsk::protocol
