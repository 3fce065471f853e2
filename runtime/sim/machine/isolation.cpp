// A process of its own for code that may crash or never end.
#include "launch.h"
#include "machine.h"
#include "text.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tsk::sim {

namespace {

int report_pipe = -1; // of the child, to its parent
constexpr int crash_status = 113;

// A number that a process and its parent share.
class shared_number {
public:
  shared_number() {
    void *memory =
        mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    number = memory == MAP_FAILED ? nullptr : new (memory) std::atomic<uint64_t>(0);
  }
  ~shared_number() {
    if (number != nullptr)
      munmap(number, sizeof(uint64_t));
  }
  shared_number(const shared_number &) = delete;
  shared_number &operator=(const shared_number &) = delete;

  std::atomic<uint64_t> *get() const { return number; }
  uint64_t value() const { return number == nullptr ? 0 : number->load(); }

private:
  std::atomic<uint64_t> *number;
};

std::atomic<uint64_t> *noted = nullptr; // of the child

std::string cause(int signal, const siginfo_t *info) {
  if (signal == SIGALRM)
    return "ran longer than its time limit";
  if (signal == SIGFPE)
    return "integer division by zero (a GPU gives an undefined number)";
  if (signal == SIGABRT)
    return "aborted";
  if (fiber_stacks().is_guard_page(info->si_addr))
    return cat("stack overflow: a simulated GPU thread has ", fiber_stacks().stack_bytes() / 1024,
               " KiB, TSK_SIM_STACK_KB=N gives more");
  return "access to memory that is not there";
}

// The process cannot go on: the signal may have come in the middle of anything. This allocates,
// which a handler should not; a second signal then ends the process without a text.
void on_signal(int signal, siginfo_t *info, void *) {
  std::string text = cause(signal, info);
  if (current_thread != nullptr) {
    const thread &t = self();
    text += cat("\n  by ", describe(t));
    if (t.last.line != 0)
      text += cat("\n  last seen", describe(*t.block->owner, t.last).substr(2));
  }
  const ssize_t written = write(report_pipe, text.data(), text.size());
  _exit(written < 0 ? 1 : crash_status);
}

void catch_signals(unsigned seconds) {
  static unsigned char memory[64 * 1024]; // the stack may be what has overflowed
  stack_t alternative = {};
  alternative.ss_sp = memory;
  alternative.ss_size = sizeof memory;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM})
    sigaction(signal, &action, nullptr);
  alarm(seconds);
}

// The rest of what the pipe holds.
std::string read_all(int pipe) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(pipe, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  return text;
}

isolated_result outcome_of(int wait_status, bool has_returned, std::string text) {
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) != crash_status)
    return has_returned
               ? isolated_result{true, WEXITSTATUS(wait_status), {}}
               : isolated_result{false, 0, "the program ended before the test's last statement"};
  if (text.empty() && WIFSIGNALED(wait_status))
    text =
        cat("ended by signal ", WTERMSIG(wait_status), " (", strsignal(WTERMSIG(wait_status)), ")");
  return {false, 0, text};
}

} // namespace

void note(uint64_t number) {
  if (noted != nullptr)
    noted->store(number);
}

isolated_result run_isolated(int (*function)(void *), void *argument, unsigned seconds) {
  const shared_number number, returned;
  int pipes[2];
  if (pipe(pipes) != 0)
    return {false, 0, "no pipe for the test's process"};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    close(pipes[0]);
    close(pipes[1]);
    return {false, 0, "no process for the test"};
  }
  if (child == 0) {
    close(pipes[0]);
    report_pipe = pipes[1];
    noted = number.get();
    catch_signals(seconds);
    const int status = function(argument);
    if (returned.get() != nullptr)
      returned.get()->store(1);
    std::fflush(stdout);
    _exit(status);
  }
  close(pipes[1]);
  std::string text = read_all(pipes[0]);
  close(pipes[0]);
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  isolated_result result = outcome_of(wait_status, returned.value() != 0, std::move(text));
  result.noted = number.value();
  return result;
}

} // namespace tsk::sim
