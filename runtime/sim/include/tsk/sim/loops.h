// Loops of counted code. tskc marks them (compiler/profile/LoopMarks.h), so that the machine can
// tell which accesses of a warp's lanes are one instruction: those at the same place of the source
// in the same iteration of every loop around it.
#pragma once

#include <cstdint>

extern "C" uint64_t tsk_sim_context;

namespace tsk::sim {

// Assembly, since the optimizer must keep these stores where they are and the sanitizer that
// reports accesses must not see them.
inline __attribute__((always_inline)) uint64_t loop_context() {
  uint64_t value;
  asm volatile("movq %1, %0" : "=r"(value) : "m"(tsk_sim_context));
  return value;
}
inline __attribute__((always_inline)) void set_loop_context(uint64_t value) {
  asm volatile("movq %1, %0" : "=m"(tsk_sim_context) : "r"(value));
}

class loop_scope {
public:
  __attribute__((always_inline)) loop_scope() : outer(loop_context()) {}
  __attribute__((always_inline)) ~loop_scope() { set_loop_context(outer); }
  loop_scope(const loop_scope &) = delete;
  __attribute__((always_inline)) void next() {
    ++count;
    set_loop_context((outer + count) * 0x9E3779B97F4A7C15u);
  }

private:
  const uint64_t outer;
  uint64_t count = 0;
};

} // namespace tsk::sim

// In front of a loop, and of its body. Each leaves an `else` behind, so that the loop and its body
// stay single statements and break, continue and `else` keep their meaning.
#define TSK_SIM_LOOP                                                                               \
  if (::tsk::sim::loop_scope tsk_sim_loop; false) {                                                \
  } else
#define TSK_SIM_ITERATION                                                                          \
  if (tsk_sim_loop.next(); false) {                                                                \
  } else
