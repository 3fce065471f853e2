// Puts a program and the headers that it includes into one file, so that a machine without tskc can
// compile it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
#include <string>

namespace tsk::codegen {

// The text of an included file, by what stands between the quotes or angle brackets; nothing for a
// file that stays an #include (the toolkit's, the language's).
using IncludeReader = std::function<std::optional<std::string>(llvm::StringRef name)>;

// Each header is put in at its first #include. `#line` directives that name a generated file
// (`isGenerated`) are set to the line they have in the result, which is called `outputName`.
std::string amalgamate(llvm::StringRef program, llvm::StringRef outputName,
                       const IncludeReader &read,
                       const std::function<bool(llvm::StringRef file)> &isGenerated);

} // namespace tsk::codegen
