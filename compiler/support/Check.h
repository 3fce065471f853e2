// TSK_CHECK: for what only a bug in the compiler can break. A user's mistake is a diagnostic.
#pragma once

namespace tsk {

// Prints the place and the reason and exits with status 70 (internal error).
[[noreturn]] void checkFailed(const char *file, int line, const char *condition, const char *why);

} // namespace tsk

#define TSK_CHECK(condition, why)                                                                  \
  ((condition) ? (void)0 : ::tsk::checkFailed(__FILE__, __LINE__, #condition, why))
#define TSK_UNREACHABLE(why) ::tsk::checkFailed(__FILE__, __LINE__, "unreachable", why)
