// The bodies of a file as one C++ text, for Clang to read (docs/decisions/0007).
#pragma once

#include "compiler/body/BodyRequest.h"
#include "compiler/ir/Module.h"

namespace tsk::codegen {

// Fills text, functions and arguments of the request. What stands in a .tsk file has its place
// there by #line, columns kept; the rest belongs to a file called BodyTextName.
inline constexpr llvm::StringLiteral BodyTextName = "<bodies>";
void emitBodyText(const ir::Module &module, const SourceManager &sources, body::Request &request);

} // namespace tsk::codegen
