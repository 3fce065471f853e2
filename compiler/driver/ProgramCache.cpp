#include "compiler/driver/ProgramCache.h"

#include "compiler/support/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace tsk::driver {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string hexOf(llvm::SHA1 &hash) { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

// Of a file's content; empty if it cannot be read.
static std::string contentHash(llvm::StringRef file) {
  auto text = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!text)
    return {};
  llvm::SHA1 hash;
  hash.update((*text)->getBuffer());
  return hexOf(hash);
}

// ---- Keys
// ----------------------------------------------------------------------------------------

ProgramKey::ProgramKey() { addText("tskc test program 2"); } // counts up when the build changes

void ProgramKey::addText(llvm::StringRef text) {
  hash.update(std::to_string(text.size()) + ":");
  hash.update(text);
}

void ProgramKey::addVariable(const char *name) {
  const char *value = std::getenv(name);
  addText(value ? llvm::StringRef(value) : "");
}

void ProgramKey::addFile(llvm::StringRef file) {
  addText(file);
  addText(contentHash(file));
}

std::string ProgramKey::take() { return hexOf(hash); }

// "out: a.cpp b\ c.h \<newline> d.h": blanks in names are escaped as make wants it.
std::vector<std::string> filesOfRule(llvm::StringRef rule) {
  std::vector<std::string> files;
  std::string name;
  const auto end = [&] {
    if (!name.empty())
      files.push_back(name);
    name.clear();
  };
  for (llvm::StringRef rest = rule.substr(rule.find(": ") + 1); !rest.empty();) {
    if (rest.consume_front("\\\n") || rest.consume_front("\\\r\n")) {
      end();
    } else if (rest.consume_front("$$")) {
      name += '$';
    } else if (rest.starts_with("\\ ") || rest.starts_with("\\#") || rest.starts_with("\\:")) {
      name += rest[1];
      rest = rest.drop_front(2);
    } else if (llvm::isSpace(rest.front())) {
      end();
      rest = rest.drop_front();
    } else {
      name += rest.front();
      rest = rest.drop_front();
    }
  }
  end();
  return files;
}

// ---- The cache
// -----------------------------------------------------------------------------------

ProgramCache::ProgramCache() : folder(cacheFolder("tests")) {}

std::string ProgramCache::pathOf(llvm::StringRef name) const {
  llvm::SmallString<128> file(folder);
  path::append(file, name);
  return file.str().str();
}

std::string ProgramCache::programOf(llvm::StringRef key, llvm::StringRef list) const {
  llvm::SHA1 hash;
  hash.update(key);
  hash.update(list);
  return pathOf(hexOf(hash));
}

// A line a file: the hash of its content, or `-` for one that is not there.
static bool isUnchanged(llvm::StringRef line) {
  const auto [hash, file] = line.split(' ');
  return hash == "-" ? !fs::exists(file) : contentHash(file) == hash;
}

std::optional<std::string> ProgramCache::find(llvm::StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  auto list = llvm::MemoryBuffer::getFile(listOf(key));
  if (!list)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*list)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string program = programOf(key, (*list)->getBuffer());
  if (!llvm::all_of(lines, isUnchanged) || !fs::can_execute(program))
    return std::nullopt;
  touchFile(listOf(key));
  touchFile(program);
  return program;
}

// Through a name of its own, so that a tskc that runs at the same time sees all of it or nothing.
bool ProgramCache::put(llvm::StringRef place,
                       llvm::function_ref<bool(llvm::StringRef)> write) const {
  llvm::SmallString<128> temporary;
  int descriptor = -1;
  if (fs::createUniqueFile(place.str() + ".%%%%%%%%", descriptor, temporary))
    return false;
  fs::closeFile(descriptor);
  if (write(temporary) && !fs::setPermissions(temporary, fs::owner_all) &&
      !fs::rename(temporary, place))
    return true;
  fs::remove(temporary);
  return false;
}

std::optional<std::string> ProgramCache::store(llvm::StringRef key, llvm::StringRef built,
                                               const ProgramInputs &inputs) const {
  if (folder.empty())
    return std::nullopt;
  std::string list;
  for (const std::string &file : inputs.files) {
    const std::string hash = contentHash(file);
    if (hash.empty() || llvm::StringRef(file).contains('\n'))
      return std::nullopt;
    list += hash + " " + file + "\n";
  }
  for (const std::string &file : inputs.absent)
    list += "- " + file + "\n";
  const std::string program = programOf(key, list);
  const auto writeList = [&](llvm::StringRef place) {
    std::error_code error;
    llvm::raw_fd_ostream os(place, error);
    os << list;
    os.close();
    const bool isDone = !error && !os.has_error();
    os.clear_error();
    return isDone;
  };
  if (!put(program, [&](llvm::StringRef place) { return !fs::copy_file(built, place); }) ||
      !put(listOf(key), writeList))
    return std::nullopt;
  removeOldestFiles(folder, 2 * MaxPrograms);
  return program;
}

} // namespace tsk::driver
