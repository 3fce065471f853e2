#include "compiler/support/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tsk {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string rootFolder() {
  const auto from = [](const char *variable, llvm::StringRef below) -> std::string {
    const char *value = std::getenv(variable);
    if (!value || !*value)
      return {};
    llvm::SmallString<128> folder(value);
    if (!below.empty())
      path::append(folder, below);
    return folder.str().str();
  };
  for (const auto &[variable, below] :
       {std::pair{"TSK_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "tskc"}, {"HOME", ".cache/tskc"}})
    if (std::string folder = from(variable, below); !folder.empty())
      return folder;
  return {};
}

std::string cacheFolder(llvm::StringRef name) {
  llvm::SmallString<128> folder(rootFolder());
  if (folder.empty())
    return {};
  path::append(folder, name);
  return fs::create_directories(folder, true, fs::owner_all) ? "" : folder.str().str();
}

void removeOldestFiles(llvm::StringRef folder, size_t most) {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (auto status = it->status())
      files.emplace_back(status->getLastModificationTime(), it->path());
  if (files.size() <= most)
    return;
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + most < files.size(); ++i)
    (void)fs::remove(files[i].second); // what cannot be removed stays
}

void touchFile(llvm::StringRef file) {
  int descriptor = -1;
  if (fs::openFileForRead(file, descriptor))
    return;
  (void)fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
  (void)fs::closeFile(descriptor);
}

} // namespace tsk
