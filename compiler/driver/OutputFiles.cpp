#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace tsk::driver {

namespace fs = llvm::sys::fs;
using llvm::StringRef;

constexpr Diagnostic<StringRef, std::string> CannotWrite{kind::CannotWrite,
                                                         "cannot write `{}`: {}"};
constexpr Diagnostic<StringRef, StringRef> OutputIsInput{
    kind::OutputIsInput, "the output `{}` would overwrite the input `{}`"};
constexpr Diagnostic<StringRef> OutputWrittenTwice{kind::OutputWrittenTwice,
                                                   "two outputs would go to `{}`"};

void OutputFiles::add(StringRef path, std::string content) {
  files.push_back({path.str(), std::move(content), {}});
}

// Standard output, devices and pipes: they have no old content to protect and cannot be renamed
// onto.
static bool isStream(StringRef path) {
  fs::file_status status;
  return path == "-" || (!fs::status(path, status) && fs::exists(status) &&
                         !fs::is_regular_file(status) && !fs::is_directory(status));
}

bool OutputFiles::check(const File &file, DiagnosticEngine &diags) const {
  if (isStream(file.path))
    return true;
  for (StringRef input : inputs) {
    if (!fs::equivalent(file.path, input))
      continue;
    diags.report({}, OutputIsInput, file.path, input);
    return false;
  }
  for (const File &other : files) {
    if (&other == &file)
      continue;
    if (other.path != file.path && !fs::equivalent(other.path, file.path))
      continue;
    diags.report({}, OutputWrittenTwice, file.path);
    return false;
  }
  // Renaming would replace a file that its owner protected.
  if (fs::exists(file.path) && !fs::can_write(file.path)) {
    diags.report({}, CannotWrite, file.path,
                 std::make_error_code(std::errc::permission_denied).message());
    return false;
  }
  return true;
}

static std::error_code writeDirectly(StringRef path, StringRef content) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (error)
    return error;
  stream << content;
  stream.flush();
  error = stream.error();
  stream.clear_error();
  return error;
}

// The file that a chain of symbolic links ends at, there or not: renaming onto a link would replace
// the link. Empty: it has no end.
static std::string target(StringRef path) {
  std::filesystem::path result = path.str();
  std::error_code error;
  for (int i = 0; i < 40; ++i) {
    if (!std::filesystem::is_symlink(result, error))
      return result.string();
    result = result.parent_path() / std::filesystem::read_symlink(result, error);
  }
  return {};
}

bool OutputFiles::writeTemporary(File &file, DiagnosticEngine &diags) {
  auto fail = [&](std::error_code error) {
    diags.report({}, CannotWrite, file.path, error.message());
    return false;
  };
  if (fs::is_directory(file.path))
    return fail(std::make_error_code(std::errc::is_a_directory));
  const std::string place = target(file.path);
  if (place.empty())
    return fail(std::make_error_code(std::errc::too_many_symbolic_link_levels));
  llvm::SmallString<128> temporary;
  int descriptor = -1;
  if (std::error_code error = fs::createUniqueFile(place + ".%%%%%%%%.tmp", descriptor, temporary))
    return fail(error);
  file.temporary = temporary.str().str();
  llvm::sys::RemoveFileOnSignal(file.temporary);
  if (auto permissions = fs::getPermissions(file.path))
    (void)fs::setPermissions(descriptor, *permissions);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << file.content;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error ? fail(error) : true;
}

static bool hasContent(StringRef path, StringRef content) {
  auto old = llvm::MemoryBuffer::getFile(path);
  return old && (*old)->getBuffer() == content;
}

bool OutputFiles::checkAll(DiagnosticEngine &diags) const {
  return llvm::all_of(files, [&](const File &file) { return check(file, diags); });
}

bool OutputFiles::writeTemporaries(DiagnosticEngine &diags, bool keepUnchanged) {
  return llvm::all_of(files, [&](File &file) {
    if (isStream(file.path)) // to be read only by its receiver
      return true;
    bool isKept = keepUnchanged && hasContent(file.path, file.content);
    return isKept || writeTemporary(file, diags);
  });
}

bool OutputFiles::renameTemporaries(DiagnosticEngine &diags) {
  for (File &file : files) {
    if (file.temporary.empty())
      continue;
    if (std::error_code error = fs::rename(file.temporary, target(file.path))) {
      diags.report({}, CannotWrite, file.path, error.message());
      return false;
    }
    llvm::sys::DontRemoveFileOnSignal(file.temporary);
    file.temporary.clear();
  }
  return true;
}

void OutputFiles::removeTemporaries() {
  for (File &file : files) {
    if (file.temporary.empty())
      continue;
    (void)fs::remove(file.temporary);
    llvm::sys::DontRemoveFileOnSignal(file.temporary);
  }
}

bool OutputFiles::writeStreams(DiagnosticEngine &diags) const {
  return llvm::all_of(files, [&](const File &file) {
    if (!isStream(file.path))
      return true;
    std::error_code error = writeDirectly(file.path, file.content);
    if (error)
      diags.report({}, CannotWrite, file.path == "-" ? "<stdout>" : file.path, error.message());
    return !error;
  });
}

// Streams before files take their places: what could not be written there leaves none behind.
bool OutputFiles::write(DiagnosticEngine &diags, bool keepUnchanged) {
  bool isDone = checkAll(diags) && writeTemporaries(diags, keepUnchanged) && writeStreams(diags) &&
                renameTemporaries(diags);
  removeTemporaries();
  return isDone;
}

} // namespace tsk::driver
