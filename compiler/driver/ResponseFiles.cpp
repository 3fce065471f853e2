#include "compiler/driver/ResponseFiles.h"

#include "compiler/support/Files.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <fmt/format.h>

namespace tsk::driver {

namespace {

// Of all response files together: they may name each other, twice as often in each.
constexpr size_t MaxBytes = size_t{1} << 20;

class BoundedFiles : public llvm::vfs::ProxyFileSystem {
public:
  BoundedFiles() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override {
    const std::string name = path.str();
    if (std::error_code error = whyNotReadable(name))
      return refuse(name, error);
    const llvm::ErrorOr<llvm::vfs::Status> found = status(name);
    read += found ? found->getSize() : 0;
    if (read > MaxBytes)
      return refuse(name, std::make_error_code(std::errc::file_too_large));
    return ProxyFileSystem::openFileForRead(path);
  }

  std::string fault;

private:
  std::error_code refuse(const std::string &name, std::error_code error) {
    if (fault.empty())
      fault = error == std::errc::file_too_large
                  ? fmt::format("`@{}` is too large; the limit is {} MiB for all response files",
                                name, MaxBytes >> 20)
                  : fmt::format("cannot read `@{}`: {}", name, error.message());
    return error;
  }

  size_t read = 0;
};

} // namespace

std::string expandResponseFiles(llvm::SmallVectorImpl<const char *> &words,
                                llvm::BumpPtrAllocator &allocator) {
  llvm::IntrusiveRefCntPtr<BoundedFiles> files(new BoundedFiles);
  llvm::cl::ExpansionContext expansion(allocator, llvm::cl::TokenizeGNUCommandLine);
  expansion.setVFS(files.get());
  llvm::Error error = expansion.expandResponseFiles(words);
  std::string text = error ? llvm::toString(std::move(error)) : std::string();
  return files->fault.empty() ? text : files->fault;
}

} // namespace tsk::driver
