// Checks of a launch, settings, names, and reports of crashes inside bodies.
#include "launch.h"

#include "machine.h"
#include "text.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

namespace tsk::sim {

stack_pool &fiber_stacks() {
  static stack_pool pool;
  return pool;
}

settings &current_settings() {
  static settings value;
  return value;
}

limits &current_limits() {
  static limits value;
  return value;
}

namespace {

std::map<const void *, kernel_names> &described() {
  static std::map<const void *, kernel_names> all;
  return all;
}

std::string shape_fault(const launch_shape &shape) {
  const limits &limit = current_limits();
  const auto threads = uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0)
    return cat("the grid is empty: ", shape.grid.x, " x ", shape.grid.y, " x ", shape.grid.z);
  if (shape.grid.x > 0x7FFFFFFF || shape.grid.y > 65535 || shape.grid.z > 65535)
    return cat("the grid is too large: ", shape.grid.x, " x ", shape.grid.y, " x ", shape.grid.z,
               ", the limits are 2147483647 x 65535 x 65535");
  if (threads == 0 || threads > limit.threads_per_cta)
    return cat(threads, " threads a CTA, the limit is ", limit.threads_per_cta);
  if (shape.shared_bytes > limit.shared_bytes)
    return cat(shape.shared_bytes, " bytes of shared memory a CTA, the limit is ",
               limit.shared_bytes);
  if (shape.cluster.x != 1 || shape.cluster.y != 1 || shape.cluster.z != 1)
    return "clusters are not simulated yet";
  if (current_thread != nullptr)
    return "a kernel cannot launch another one";
  return {};
}

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0)
    return;
}

// The process cannot go on: the fault may have hit the middle of anything. It allocates, which a
// handler should not; the alternative is to say nothing.
void on_crash(int signal, siginfo_t *info, void *) {
  std::string what;
  if (signal == SIGFPE)
    what = "integer division by zero (a GPU gives an undefined number)";
  else if (fiber_stacks().is_guard_page(info->si_addr))
    what = cat("stack overflow: a simulated GPU thread has ", fiber_stacks().stack_bytes() / 1024,
               " KiB, set TSK_SIM_STACK_KB for more");
  else
    what = "access to memory that is not there";
  if (current_thread != nullptr)
    what += cat("\n  by ", describe(self()), "\n  after", self().last.line != 0
                    ? cat(" ", self().last.file, ":", self().last.line)
                    : std::string(" its start"));
  say(cat("fault: ", what, "\n"));
  _exit(3);
}

} // namespace

void install_crash_reports() {
  static unsigned char memory[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = memory;
  alternative.ss_size = sizeof memory;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE})
    sigaction(signal, &action, nullptr);
}

void describe(const void *kernel, const kernel_names &names) { described()[kernel] = names; }

const kernel_names &names_of(const void *kernel) {
  static const kernel_names none;
  const auto it = described().find(kernel);
  return it == described().end() ? none : it->second;
}

outcome run(const launch_shape &shape, void (*entry)(void *), void *argument) {
  if (std::string why = shape_fault(shape); !why.empty())
    return {false, "launch refused: " + why};
  return machine(shape, entry, argument).run();
}

} // namespace tsk::sim
