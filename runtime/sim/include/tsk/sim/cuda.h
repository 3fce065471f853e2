// What of CUDA C++ itself the bodies of works may use, for the host's compiler: attributes,
// built-in variables, warp intrinsics and atomics; functions of numbers are in math.h.
#pragma once

#include <tsk/scalars.h>
#include <tsk/sim/machine.h>
#include <tsk/sim/math.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#ifdef TSK_SIM_COUNTED
#define __forceinline__ inline __attribute__((always_inline))
#else
#define __forceinline__ inline
#endif
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

#define threadIdx (::tsk::sim::current_thread->thread_index)
#define blockIdx (::tsk::sim::current_thread->block_index)
#define blockDim (::tsk::sim::current_thread->block_extent)
#define gridDim (::tsk::sim::current_thread->grid_extent)
inline constexpr int warpSize = 32;

using __half = tsk::f16;
using __nv_bfloat16 = tsk::bf16;
using __nv_fp8_e4m3 = tsk::f8e4m3;
using __nv_fp8_e5m2 = tsk::f8e5m2;

inline float __half2float(__half x) { return x; }
inline __half __float2half(float x) { return x; }
inline __half __float2half_rn(float x) { return x; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }

// ---- Warps
// ----------------------------------------------------------------------------------------

namespace tsk::sim {

// A value of up to 8 bytes travels as its bits.
template <typename T> T shuffle(uint32_t mask, T value, unsigned from, const char *name, place at) {
  static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(mask, bits, from, name, at);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The lane that a shuffle within segments of `width` lanes reads; its own where that is outside.
inline unsigned shuffle_source(int64_t wanted, int width) {
  const auto own = static_cast<int64_t>(current_thread->lane);
  const int64_t first = own / width * width;
  return static_cast<unsigned>(wanted >= first && wanted < first + width ? wanted : own);
}

} // namespace tsk::sim

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::warp_sync(mask, at);
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, tsk::sim::place at = TSK_SIM_HERE) {
  const int own = static_cast<int>(tsk::sim::current_thread->lane);
  const auto from = static_cast<unsigned>(own / width * width + (lane & (width - 1)));
  return tsk::sim::shuffle(mask, value, from, "__shfl_sync", at);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 tsk::sim::place at = TSK_SIM_HERE) {
  const int64_t wanted = int64_t{tsk::sim::current_thread->lane} - delta;
  return tsk::sim::shuffle(mask, value, tsk::sim::shuffle_source(wanted, width), "__shfl_up_sync",
                           at);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   tsk::sim::place at = TSK_SIM_HERE) {
  const int64_t wanted = int64_t{tsk::sim::current_thread->lane} + delta;
  return tsk::sim::shuffle(mask, value, tsk::sim::shuffle_source(wanted, width), "__shfl_down_sync",
                           at);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                  tsk::sim::place at = TSK_SIM_HERE) {
  const int64_t wanted = tsk::sim::current_thread->lane ^ static_cast<unsigned>(lanes);
  return tsk::sim::shuffle(mask, value, tsk::sim::shuffle_source(wanted, width), "__shfl_xor_sync",
                           at);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, tsk::sim::place at = TSK_SIM_HERE) {
  return tsk::sim::ballot(mask, predicate != 0, at);
}
inline int __any_sync(unsigned mask, int predicate, tsk::sim::place at = TSK_SIM_HERE) {
  return tsk::sim::ballot(mask, predicate != 0, at) != 0;
}
inline int __all_sync(unsigned mask, int predicate, tsk::sim::place at = TSK_SIM_HERE) {
  return tsk::sim::ballot(mask, predicate == 0, at) == 0;
}

// ---- Atomics: one GPU thread runs at a time
// -------------------------------------------------------

template <typename T, typename U>
T atomicAdd(T *address, U value, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::count_event("atomic", at, sizeof(T));
  const T old = *address;
  *address = old + static_cast<T>(value);
  return old;
}
template <typename T, typename U>
T atomicMax(T *address, U value, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::count_event("atomic", at, sizeof(T));
  const T old = *address;
  *address = std::max(old, static_cast<T>(value));
  return old;
}
template <typename T, typename U>
T atomicMin(T *address, U value, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::count_event("atomic", at, sizeof(T));
  const T old = *address;
  *address = std::min(old, static_cast<T>(value));
  return old;
}
template <typename T, typename U>
T atomicExch(T *address, U value, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::count_event("atomic", at, sizeof(T));
  const T old = *address;
  *address = static_cast<T>(value);
  return old;
}
template <typename T, typename U, typename V>
T atomicCAS(T *address, U compare, V value, tsk::sim::place at = TSK_SIM_HERE) {
  tsk::sim::count_event("atomic", at, sizeof(T));
  const T old = *address;
  if (old == static_cast<T>(compare))
    *address = static_cast<T>(value);
  return old;
}
inline void __threadfence() {}
inline void __threadfence_block() {}
#ifdef TSK_SIM_COUNTED // an access of the line that has it
#define __ldg(address) (*(address))
#else
template <typename T> T __ldg(const T *address) { return *address; }
#endif
