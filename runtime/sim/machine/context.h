// Switching between stacks. On x86-64 by hand (about 3 ns: only callee-saved registers move, and
// the jump is predicted where a `ret` would not be); elsewhere, and with TSK_SIM_UCONTEXT, by
// POSIX's ucontext, which also saves the signal mask and costs some 200 ns.
#pragma once

#include "stacks.h"

#include <cstddef>

#if !defined(__x86_64__) && !defined(TSK_SIM_UCONTEXT)
#define TSK_SIM_UCONTEXT
#endif
#ifdef TSK_SIM_UCONTEXT
#include <ucontext.h>
#endif

namespace tsk::sim {

// A suspended computation. One that never ran again leaves nothing behind but its stack.
class context {
public:
  // Makes a computation on `memory` that starts in entry(argument) at the first switch to it and
  // must never return from there. `colour` shifts its first frame, so that a thousand fibers do
  // not share the same few cache sets.
  void start(stack memory, unsigned colour, void (*entry)(void *), void *argument);
  // Saves the running computation in `from` and continues this one.
  void resume(context &from);
  // Like resume, for a computation that will never be continued.
  void resume_for_good(context &from);

private:
#ifdef TSK_SIM_UCONTEXT
  ucontext_t state;
#else
  void *stack_pointer = nullptr;
#endif
  friend struct context_entry;
  void switch_from(context &from, bool for_good);

  void (*entry_function)(void *) = nullptr;
  void *entry_argument = nullptr;
  // For AddressSanitizer, which must know the bounds of each stack before it is switched to. Those
  // of the host's stack are learnt in the first fiber that it starts.
  const void *stack_bottom = nullptr;
  size_t stack_size = 0;
  context *resumed_by = nullptr;
};

} // namespace tsk::sim
