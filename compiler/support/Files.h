// Reading source files, which may be anything that a user can type: absent, a folder, a device
// without end, larger than memory.
#pragma once

#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tsk {

// Larger files are refused: no kernel is that long, and the parser's tables grow with its input.
constexpr size_t MaxSourceBytes = size_t{64} << 20;

// The whole text of a file, or of standard input if `path` is `-`. Reads at most MaxSourceBytes;
// what is longer gives std::errc::file_too_large.
llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readSourceFile(llvm::StringRef path);

// Why the text of `path` is not to be read, if it is there and no file of bearable size: for files
// that other programs read, which would wait for a pipe or read a device for ever.
std::error_code whyNotReadable(llvm::StringRef path);

} // namespace tsk
