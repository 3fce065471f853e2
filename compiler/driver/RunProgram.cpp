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
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tsk::driver {

// ---- What a signal must take along: read by its handler, so without allocation -----------------

namespace {

struct Leftovers {
  std::atomic<pid_t> group{0};
  char folder[PATH_MAX] = {};
};
Leftovers leftovers;

void waitTenMilliseconds() {
  const timespec tenMilliseconds = {0, 10'000'000};
  ::nanosleep(&tenMilliseconds, nullptr);
}

// Ends a process group: asks first, since compilers then remove their own temporary files. Only
// calls that a signal handler may make.
void endGroup(pid_t group) {
  ::kill(-group, SIGTERM);
  for (int i = 0; i < 200 && ::waitpid(group, nullptr, WNOHANG) != group; ++i)
    waitTenMilliseconds();
  ::kill(-group, SIGKILL);
}

void removeFiles(const char *folder) {
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return;
  alignas(dirent64) char buffer[4096];
  for (long size = 0; (size = ::syscall(SYS_getdents64, descriptor, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < size;) {
      const auto *entry = reinterpret_cast<const dirent64 *>(buffer + at);
      ::unlinkat(descriptor, entry->d_name, 0); // fails for `.` and `..`
      at += entry->d_reclen;
    }
  ::close(descriptor);
}

// What is in the folder may be anybody's: compilers put their temporary files there, and one that
// was killed leaves them, perhaps a moment later. Only calls that a signal handler may make.
void removeFolder(const char *folder) {
  for (int i = 0; i < 500; ++i) {
    removeFiles(folder);
    if (::rmdir(folder) == 0 || errno != ENOTEMPTY)
      return;
    waitTenMilliseconds();
  }
}

void onEnd(int signal) {
  if (pid_t group = leftovers.group.load())
    endGroup(group);
  if (leftovers.folder[0])
    removeFolder(leftovers.folder);
  llvm::sys::RunInterruptHandlers(); // removes files that are half written
  // As if nobody had caught it: who waits for the compiler learns what ended it.
  ::signal(signal, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
}

void copyPath(char (&to)[PATH_MAX], llvm::StringRef path) {
  TSK_CHECK(path.size() < PATH_MAX, "a temporary path that the system gave is too long");
  std::memcpy(to, path.data(), path.size());
  to[path.size()] = 0;
}

} // namespace

// Who asks the compiler to end. LLVM would take some of these for crashes, and let others end it on
// the spot.
void endWithoutLeftovers() {
  struct sigaction action = {};
  action.sa_handler = onEnd;
  sigfillset(&action.sa_mask);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGPIPE}) {
    struct sigaction now = {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) // as nohup wants it
      ::sigaction(signal, &action, nullptr);
  }
}

// ---- Temporary folder --------------------------------------------------------------------------

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
  endWithoutLeftovers();
}

TemporaryFolder::~TemporaryFolder() {
  removeFolder(path.c_str());
  leftovers.folder[0] = 0;
}

std::string TemporaryFolder::file(llvm::StringRef name) const {
  llvm::SmallString<128> full(path);
  llvm::sys::path::append(full, name);
  return full.str().str();
}

// ---- Programs
// ------------------------------------------------------------------------------------

// The environment, with our temporary folder for the program's files too, if there is one.
static std::vector<std::string> environmentOfChild() {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable; ++variable)
    if (!leftovers.folder[0] || !llvm::StringRef(*variable).starts_with("TMPDIR="))
      variables.emplace_back(*variable);
  if (leftovers.folder[0])
    variables.push_back(std::string("TMPDIR=") + leftovers.folder);
  return variables;
}

static std::vector<char *> pointersTo(std::vector<std::string> &words) {
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Into a process group of its own, with the signal mask `mask`.
static int spawn(std::vector<std::string> arguments, llvm::StringRef outputFile,
                 const sigset_t &mask, pid_t &child) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &mask);
  const std::string output = outputFile.str();
  if (!output.empty()) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  }
  std::vector<std::string> variables = environmentOfChild();
  const std::vector<char *> argv = pointersTo(arguments);
  const std::vector<char *> envp = pointersTo(variables);
  const int error = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), envp.data());
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
  endWithoutLeftovers();
  // No signal between the start of the program and the note of whom to take along.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const int error = spawn(arguments, outputFile, before, child);
  leftovers.group = error ? 0 : child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (error)
    return {End::NotStarted, 0, std::strerror(error)};
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
