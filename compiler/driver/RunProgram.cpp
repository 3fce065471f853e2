#include "compiler/driver/RunProgram.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "compiler/support/Check.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tsk::driver {

// ---- What a signal that ends tskc must take along: read by its handler, so without allocation
// ----

namespace {

constexpr size_t MaxFiles = 16;

struct Leftovers {
  std::atomic<pid_t> group{0};
  char files[MaxFiles][PATH_MAX] = {};
  std::atomic<size_t> fileCount{0};
  char folder[PATH_MAX] = {};
};
Leftovers leftovers;

// Ends a process group: asks first, since compilers then remove their own temporary files. Only
// calls that a signal handler may make.
void endGroup(pid_t group) {
  ::kill(-group, SIGTERM);
  for (int i = 0; i < 200 && ::waitpid(group, nullptr, WNOHANG) != group; ++i) {
    const timespec tenMilliseconds = {0, 10'000'000};
    ::nanosleep(&tenMilliseconds, nullptr);
  }
  ::kill(-group, SIGKILL);
}

// LLVM calls this for SIGINT, SIGTERM and SIGHUP.
void onInterrupt() {
  if (pid_t group = leftovers.group.load())
    endGroup(group);
  for (size_t i = 0; i < leftovers.fileCount.load(); ++i)
    ::unlink(leftovers.files[i]);
  if (leftovers.folder[0])
    ::rmdir(leftovers.folder);
  ::_exit(128 + SIGINT);
}

void copyPath(char (&to)[PATH_MAX], llvm::StringRef path) {
  TSK_CHECK(path.size() < PATH_MAX, "a temporary path that the system gave is too long");
  std::memcpy(to, path.data(), path.size());
  to[path.size()] = 0;
}

} // namespace

// ---- Temporary folder
// ----------------------------------------------------------------------------

constexpr Diagnostic<std::string, std::string> NoTemporaryFolder{
    kind::CannotWrite, "no temporary folder can be made in `{}`: {}; $TMPDIR names another place"};

std::unique_ptr<TemporaryFolder> TemporaryFolder::make(DiagnosticEngine &diags) {
  TSK_CHECK(!leftovers.folder[0], "one temporary folder at a time");
  llvm::SmallString<128> place;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, place);
  const auto fail = [&](std::error_code error) {
    diags.report({}, NoTemporaryFolder, place.str().str(), error.message());
    return nullptr;
  };
  llvm::SmallString<128> made;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tskc", made))
    return fail(error);
  // Names of files must fit behind it.
  std::error_code error = llvm::sys::fs::setPermissions(made, llvm::sys::fs::owner_all);
  if (!error && made.size() >= PATH_MAX - 256)
    error = std::make_error_code(std::errc::filename_too_long);
  if (error) {
    ::rmdir(made.c_str());
    return fail(error);
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(made.str().str()));
}

TemporaryFolder::TemporaryFolder(std::string made) : path(std::move(made)) {
  copyPath(leftovers.folder, path);
  llvm::sys::SetInterruptFunction(onInterrupt);
}

TemporaryFolder::~TemporaryFolder() {
  for (const std::string &name : files)
    ::unlink(name.c_str());
  ::rmdir(path.c_str());
  leftovers.fileCount = 0;
  leftovers.folder[0] = 0;
}

std::string TemporaryFolder::file(llvm::StringRef name) {
  TSK_CHECK(files.size() < MaxFiles, "too many temporary files");
  llvm::SmallString<128> full(path);
  llvm::sys::path::append(full, name);
  files.push_back(full.str().str());
  copyPath(leftovers.files[files.size() - 1], files.back());
  leftovers.fileCount = files.size();
  return files.back();
}

// ---- Programs
// ------------------------------------------------------------------------------------

static int spawn(const std::vector<std::string> &arguments, llvm::StringRef outputFile,
                 pid_t &child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const std::string output = outputFile.str();
  if (!output.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// False if the process has not ended after `seconds`.
static bool waitUntilEnded(pid_t child, unsigned seconds) {
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  if (descriptor < 0) // an old system: without a limit
    return true;
  pollfd ended = {descriptor, POLLIN, 0};
  const auto limit = static_cast<int>(std::min(seconds, unsigned{INT_MAX} / 1000) * 1000);
  int ready = 0;
  do
    ready = ::poll(&ended, 1, limit);
  while (ready < 0 && errno == EINTR);
  ::close(descriptor);
  return ready != 0;
}

ProgramResult runProgram(const std::vector<std::string> &arguments, std::optional<unsigned> seconds,
                         llvm::StringRef outputFile) {
  using End = ProgramResult::End;
  pid_t child = 0;
  if (int error = spawn(arguments, outputFile, child))
    return {End::NotStarted, 0, std::strerror(error)};
  leftovers.group = child;
  llvm::sys::SetInterruptFunction(onInterrupt);
  const bool isInTime = !seconds || waitUntilEnded(child, *seconds);
  int status = 0;
  if (!isInTime)
    endGroup(child);
  else
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  ::kill(-child, SIGKILL); // what it may have left behind
  leftovers.group = 0;
  if (!isInTime)
    return {End::TimedOut, 0, "ran longer than " + std::to_string(*seconds) + " s"};
  if (WIFEXITED(status))
    return {End::Exited, WEXITSTATUS(status), {}};
  return {End::Crashed, 0, ::strsignal(WTERMSIG(status))};
}

} // namespace tsk::driver
