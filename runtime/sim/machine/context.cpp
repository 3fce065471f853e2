#include "context.h"

#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define TSK_SIM_ASAN 1
#else
#define TSK_SIM_ASAN 0
#endif

namespace tsk::sim {

// The first frame of every computation.
struct context_entry {
  [[noreturn]] static void run(context *self) {
#if TSK_SIM_ASAN
    context &host = *self->resumed_by;
    __sanitizer_finish_switch_fiber(nullptr, &host.stack_bottom, &host.stack_size);
#endif
    self->entry_function(self->entry_argument);
    std::abort(); // the machine's entry functions do not return
  }
};

#ifndef TSK_SIM_UCONTEXT

extern "C" {
void tsk_sim_switch(void **save, void *load);
void tsk_sim_first_frame();
[[noreturn]] void tsk_sim_run_context(void *self) {
  context_entry::run(static_cast<context *>(self));
}
}

asm(R"(
  .text
  .p2align 4
  .globl tsk_sim_switch
  .hidden tsk_sim_switch
  .type tsk_sim_switch, @function
tsk_sim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmp *%rcx
  .size tsk_sim_switch, .-tsk_sim_switch

  .p2align 4
  .globl tsk_sim_first_frame
  .hidden tsk_sim_first_frame
  .type tsk_sim_first_frame, @function
tsk_sim_first_frame:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq tsk_sim_run_context@PLT
  ud2
  .cfi_endproc
  .size tsk_sim_first_frame, .-tsk_sim_first_frame
)");

void context::start(stack memory, unsigned colour, void (*entry)(void *), void *argument) {
  entry_function = entry;
  entry_argument = argument;
  stack_bottom = memory.bottom;
  stack_size = memory.size;
  const uintptr_t shift = (colour % 32u) * 128u;
  const uintptr_t top = (reinterpret_cast<uintptr_t>(memory.bottom) + memory.size - shift) & ~15ull;
  // What tsk_sim_switch pops: r15 r14 r13 r12 rbx rbp, then the address to jump to. The stack
  // pointer is `top` after that, aligned to 16 as the ABI wants it before a call.
  constexpr int popped = 7;
  void **frame = reinterpret_cast<void **>(top) - popped;
  for (int i = 0; i < popped; ++i)
    frame[i] = nullptr;
  frame[3] = this;
  frame[6] = reinterpret_cast<void *>(&tsk_sim_first_frame);
  stack_pointer = frame;
}

#else

namespace {
// makecontext passes ints only.
void first_frame(unsigned high, unsigned low) {
  const uintptr_t bits = (static_cast<uintptr_t>(high) << 32) | low;
  context_entry::run(reinterpret_cast<context *>(bits));
}
} // namespace

void context::start(stack memory, unsigned colour, void (*entry)(void *), void *argument) {
  entry_function = entry;
  entry_argument = argument;
  stack_bottom = memory.bottom;
  stack_size = memory.size;
  getcontext(&state);
  state.uc_stack.ss_sp = memory.bottom;
  state.uc_stack.ss_size = memory.size - (colour % 32u) * 128u;
  state.uc_link = nullptr;
  const auto bits = reinterpret_cast<uintptr_t>(this);
  makecontext(&state, reinterpret_cast<void (*)()>(first_frame), 2,
              static_cast<unsigned>(bits >> 32), static_cast<unsigned>(bits));
}

#endif

void context::switch_from(context &from, bool for_good) {
  resumed_by = &from;
#if TSK_SIM_ASAN
  void *fake_stack = nullptr;
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack, stack_bottom, stack_size);
#endif
#ifdef TSK_SIM_UCONTEXT
  swapcontext(&from.state, &state);
#else
  tsk_sim_switch(&from.stack_pointer, stack_pointer);
#endif
#if TSK_SIM_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr); // we are `from` again
#endif
}

void context::resume(context &from) { switch_from(from, false); }
void context::resume_for_good(context &from) { switch_from(from, true); }

} // namespace tsk::sim
