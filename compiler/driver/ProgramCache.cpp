#include "compiler/driver/ProgramCache.h"

#include "compiler/support/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <vector>

namespace tsk::driver {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// ---- Keys
// ----------------------------------------------------------------------------------------

ProgramKey::ProgramKey() { addText("tskc test program 1"); } // counts up when the build changes

void ProgramKey::addText(llvm::StringRef text) {
  hash.update(std::to_string(text.size()) + ":");
  hash.update(text);
}

void ProgramKey::addFile(llvm::StringRef file) {
  addText(file);
  fs::file_status status;
  if (fs::status(file, status))
    return;
  addText(std::to_string(status.getSize()));
  addText(std::to_string(status.getLastModificationTime().time_since_epoch().count()));
}

void ProgramKey::addFolder(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    files.push_back(it->path());
  std::sort(files.begin(), files.end());
  for (const std::string &file : files)
    addFile(file);
}

std::string ProgramKey::take() { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

// ---- The cache
// -----------------------------------------------------------------------------------

ProgramCache::ProgramCache() : folder(cacheFolder("tests")) {}

std::string ProgramCache::pathOf(llvm::StringRef key) const {
  llvm::SmallString<128> file(folder);
  path::append(file, key);
  return file.str().str();
}

std::optional<std::string> ProgramCache::find(llvm::StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  std::string file = pathOf(key);
  if (!fs::can_execute(file))
    return std::nullopt;
  touchFile(file); // used last: removed last
  return file;
}

std::optional<std::string> ProgramCache::store(llvm::StringRef key, llvm::StringRef built) const {
  if (folder.empty())
    return std::nullopt;
  // Through a name of its own, so that a tskc that runs at the same time sees all of it or nothing.
  llvm::SmallString<128> temporary;
  int descriptor = -1;
  if (fs::createUniqueFile(pathOf(key) + ".%%%%%%%%", descriptor, temporary))
    return std::nullopt;
  fs::closeFile(descriptor);
  const std::string file = pathOf(key);
  if (fs::copy_file(built, temporary) || fs::setPermissions(temporary, fs::owner_all) ||
      fs::rename(temporary, file)) {
    fs::remove(temporary);
    return std::nullopt;
  }
  removeOldestFiles(folder, MaxPrograms);
  return file;
}

} // namespace tsk::driver
