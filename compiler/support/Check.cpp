#include "compiler/support/Check.h"

#include <cstdio>
#include <unistd.h>

namespace tsk {

void checkFailed(const char *file, int line, const char *condition, const char *why) {
  std::fprintf(stderr,
               "tskc: internal error: %s (%s:%d: %s)\n"
               "tskc: this is a fault of the compiler; please report it with the input\n",
               why, file, line, condition);
  std::fflush(stderr);
  // Not exit(): destructors of half-built state must not run after an invariant broke.
  _exit(70);
}

} // namespace tsk
