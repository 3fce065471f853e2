// What the thread sanitizer's instrumentation asks for besides plain accesses: atomics of the C++
// library, in programs that are compiled for counting. One host thread runs, so they are plain.
#include <cstdint>

#define TSK_ATOMICS(Bits, Type)                                                                    \
  Type __tsan_atomic##Bits##_load(const volatile Type *at, int) { return *at; }                    \
  void __tsan_atomic##Bits##_store(volatile Type *at, Type value, int) { *at = value; }            \
  Type __tsan_atomic##Bits##_exchange(volatile Type *at, Type value, int) {                        \
    const Type old = *at;                                                                          \
    *at = value;                                                                                   \
    return old;                                                                                    \
  }                                                                                                \
  TSK_FETCH(Bits, Type, add, old + value)                                                          \
  TSK_FETCH(Bits, Type, sub, old - value)                                                          \
  TSK_FETCH(Bits, Type, and, old &value)                                                           \
  TSK_FETCH(Bits, Type, or, old | value)                                                           \
  TSK_FETCH(Bits, Type, xor, old ^ value)                                                          \
  int __tsan_atomic##Bits##_compare_exchange_strong(volatile Type *at, Type *wanted, Type value,   \
                                                    int, int) {                                    \
    const Type old = *at;                                                                          \
    if (old == *wanted) {                                                                          \
      *at = value;                                                                                 \
      return 1;                                                                                    \
    }                                                                                              \
    *wanted = old;                                                                                 \
    return 0;                                                                                      \
  }                                                                                                \
  int __tsan_atomic##Bits##_compare_exchange_weak(volatile Type *at, Type *wanted, Type value,     \
                                                  int a, int b) {                                  \
    return __tsan_atomic##Bits##_compare_exchange_strong(at, wanted, value, a, b);                 \
  }                                                                                                \
  Type __tsan_atomic##Bits##_compare_exchange_val(volatile Type *at, Type wanted, Type value, int, \
                                                  int) {                                           \
    const Type old = *at;                                                                          \
    if (old == wanted)                                                                             \
      *at = value;                                                                                 \
    return old;                                                                                    \
  }
#define TSK_FETCH(Bits, Type, Name, Result)                                                        \
  Type __tsan_atomic##Bits##_fetch_##Name(volatile Type *at, Type value, int) {                    \
    const Type old = *at;                                                                          \
    *at = static_cast<Type>(Result);                                                               \
    return old;                                                                                    \
  }

extern "C" {
TSK_ATOMICS(8, uint8_t)
TSK_ATOMICS(16, uint16_t)
TSK_ATOMICS(32, uint32_t)
TSK_ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
}
