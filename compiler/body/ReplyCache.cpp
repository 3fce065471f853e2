#include "compiler/body/ReplyCache.h"

#include "compiler/support/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace tsk::body {

namespace fs = llvm::sys::fs;

// Of the program, size and time of change; of the environment, what Clang and relative names look
// at.
static std::string circumstances(llvm::StringRef program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  fs::file_status status;
  if (!fs::status(program, status))
    os << status.getSize() << ' ' << status.getLastModificationTime().time_since_epoch().count();
  llvm::SmallString<128> folder;
  if (!fs::current_path(folder))
    os << '\n' << folder;
  for (const char *name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (const char *value = std::getenv(name))
      os << '\n' << name << '=' << value;
  return text;
}

ReplyCache::ReplyCache(llvm::StringRef question, llvm::StringRef program)
    : folder(cacheFolder("bodies")) {
  if (folder.empty())
    return;
  llvm::SHA1 hash;
  const std::string around = circumstances(program);
  hash.update(std::to_string(around.size()));
  hash.update(around);
  hash.update(question);
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::toHex(hash.final(), /*LowerCase=*/true));
  file = path.str().str();
}

std::optional<Reply> ReplyCache::find() const {
  if (file.empty())
    return std::nullopt;
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return std::nullopt;
  std::optional<Reply> reply = replyFromJson((*text)->getBuffer());
  auto isUnchanged = [](const InputFile &input) { return InputFile::now(input.path) == input; };
  if (!reply || !llvm::all_of(reply->inputs, isUnchanged))
    return std::nullopt;
  touchFile(file);
  return reply;
}

// Through a name of its own, so that a tskc that runs at the same time sees all of it or nothing.
void ReplyCache::store(llvm::StringRef answer) const {
  llvm::SmallString<128> temporary;
  int descriptor = -1;
  if (file.empty() || fs::createUniqueFile(file + ".%%%%%%%%", descriptor, temporary))
    return;
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << answer;
  os.close();
  if (os.has_error() || fs::rename(temporary, file)) {
    os.clear_error();
    (void)fs::remove(temporary); // in the way of nobody if it stays
    return;
  }
  removeOldestFiles(folder, MaxReplies);
}

} // namespace tsk::body
