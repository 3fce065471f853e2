#include "compiler/support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

namespace tsk {

namespace fs = llvm::sys::fs;

namespace {

enum class Refusal { NamedPipe = 1, Device };

class Refusals : public std::error_category {
  const char *name() const noexcept override { return "tsk.files"; }
  std::string message(int code) const override {
    return code == static_cast<int>(Refusal::NamedPipe) ? "it is a named pipe, not a file"
                                                        : "it is a device, not a file";
  }
};

std::error_code refuse(Refusal refusal) {
  static const Refusals Category;
  return {static_cast<int>(refusal), Category};
}

// One whose other end nobody may open. What a shell's `<(…)` names is a pipe without a path.
bool isNamedPipe(const fs::file_status &status, llvm::StringRef path) {
  llvm::SmallString<128> real;
  return status.type() == fs::file_type::fifo_file && !fs::real_path(path, real);
}

} // namespace

std::error_code whyNotReadable(llvm::StringRef path) {
  fs::file_status status;
  if (fs::status(path, status) || !fs::exists(status))
    return {};
  if (fs::is_directory(status))
    return std::make_error_code(std::errc::is_a_directory);
  if (status.type() == fs::file_type::fifo_file)
    return refuse(Refusal::NamedPipe);
  if (!fs::is_regular_file(status))
    return refuse(Refusal::Device);
  return status.getSize() > MaxSourceBytes ? std::make_error_code(std::errc::file_too_large)
                                           : std::error_code();
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readSourceFile(llvm::StringRef path) {
  int descriptor = STDIN_FILENO;
  if (path != "-") {
    fs::file_status status;
    if (!fs::status(path, status) && isNamedPipe(status, path))
      return refuse(Refusal::NamedPipe);
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
