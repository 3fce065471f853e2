#include "compiler/support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

namespace tsk {

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readSourceFile(llvm::StringRef path) {
  namespace fs = llvm::sys::fs;
  int descriptor = STDIN_FILENO;
  if (path != "-") {
    if (std::error_code error = fs::openFileForRead(path, descriptor))
      return error;
  }
  // Not MemoryBuffer::getFile: it maps a file that may shrink meanwhile, and reads /dev/zero on.
  llvm::SmallString<0> text;
  std::error_code failure;
  while (!failure) {
    constexpr size_t Chunk = size_t{1} << 16;
    size_t size = text.size();
    text.resize_for_overwrite(size + Chunk);
    llvm::Expected<size_t> got =
        fs::readNativeFile(descriptor, llvm::MutableArrayRef(text.data() + size, Chunk));
    text.truncate(size + (got ? *got : 0));
    if (!got)
      failure = llvm::errorToErrorCode(got.takeError());
    else if (*got == 0)
      break;
    else if (text.size() > MaxSourceBytes)
      failure = std::make_error_code(std::errc::file_too_large);
  }
  if (path != "-")
    ::close(descriptor);
  if (failure)
    return failure;
  return llvm::MemoryBuffer::getMemBufferCopy(text, path);
}

} // namespace tsk
