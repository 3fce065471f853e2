#include "compiler/body/Conversation.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tsk::body {

// A socket and not a pipe: writing to a program that has died is then an error and no signal.
static bool send(int socket, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    text = text.drop_front(static_cast<size_t>(sent));
  }
  return ::shutdown(socket, SHUT_WR) == 0;
}

static std::string receive(int socket) {
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

static std::string describe(int status) {
  if (WIFSIGNALED(status))
    return std::string("it was ended by a signal: ") + ::strsignal(WTERMSIG(status));
  return "it ended with status " + std::to_string(WEXITSTATUS(status));
}

std::optional<std::string> ask(llvm::StringRef program, llvm::StringRef question,
                               std::string &failure) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failure = std::strerror(errno);
    return std::nullopt;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const std::string path = program.str();
  char *arguments[] = {const_cast<char *>(path.c_str()), nullptr};
  pid_t child = 0;
  const int error = ::posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string answer;
  if (!error && send(ends[0], question))
    answer = receive(ends[0]);
  ::close(ends[0]);
  if (error) {
    failure = std::strerror(error);
    return std::nullopt;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return answer;
  failure = describe(status);
  return std::nullopt;
}

} // namespace tsk::body
