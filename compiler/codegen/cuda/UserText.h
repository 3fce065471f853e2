// C++ that the user wrote, in generated code, with #line directives around it.
#pragma once

#include "compiler/codegen/Cuda.h"
#include "compiler/codegen/cuda/Writer.h"
#include "compiler/ir/Module.h"

namespace tsk::codegen {

// As given on the command line; of an absolute path only the last part, so that the output does
// not depend on where it was made. Escaped for a string literal.
std::string displayedPath(llvm::StringRef path);
// As a string literal, on one line.
std::string quoted(llvm::StringRef text);
// A directive that gives the next line this number in this file.
std::string lineDirective(unsigned line, llvm::StringRef file);
// `text`, which stands at `loc` in a .tsk file, between directives to there and back.
void emitUserText(Writer &out, llvm::StringRef text, SourceLoc loc, const SourceManager &sources,
                  const CudaOptions &options);
// Where `text` begins within its range, which may include the braces around it and what is in
// front.
SourceLoc textBegin(llvm::StringRef text, SourceRange range, const SourceManager &sources);
// The `cpp` blocks of a file (CppBlocks.cpp): invisible to other files but for what they include.
void emitCppBlocks(Writer &out, const ir::Module &module, const SourceManager &sources,
                   const CudaOptions &options);

} // namespace tsk::codegen
