// The functions of numbers that CUDA C++ has in the global namespace, with its overloads. Exact
// functions stand in for fast approximate ones.
#pragma once

#include <tsk/sim/bits.h>

#include <cmath>
#include <cstdint>
#include <limits>
// C++'s own overloads of abs, exp, pow …, where nvcc has them too.
#include <math.h>
#include <stdlib.h>

// ---- Extremes -----------------------------------------------------------------------------------

// Operands of two types meet where C++'s arithmetic would let them; other mixtures are as ambiguous
// as for nvcc.
#define TSK_SIM_EXTREMES(A, B)                                                                     \
  inline auto min(A a, B b) {                                                                      \
    using T = decltype(a + b);                                                                     \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);          \
  }                                                                                                \
  inline auto max(A a, B b) {                                                                      \
    using T = decltype(a + b);                                                                     \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);          \
  }
#define TSK_SIM_MIXED_EXTREMES(A, B)                                                               \
  TSK_SIM_EXTREMES(A, A)                                                                           \
  TSK_SIM_EXTREMES(B, B)                                                                           \
  TSK_SIM_EXTREMES(A, B)                                                                           \
  TSK_SIM_EXTREMES(B, A)
TSK_SIM_MIXED_EXTREMES(int, unsigned)
TSK_SIM_MIXED_EXTREMES(long, unsigned long)
TSK_SIM_MIXED_EXTREMES(long long, unsigned long long)
#undef TSK_SIM_MIXED_EXTREMES
#undef TSK_SIM_EXTREMES
// Of a number and a NaN, the number.
inline float min(float a, float b) { return std::fmin(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double min(float a, double b) { return std::fmin(a, b); }
inline double min(double a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }
inline double max(float a, double b) { return std::fmax(a, b); }
inline double max(double a, float b) { return std::fmax(a, b); }

inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// ---- Bits ---------------------------------------------------------------------------------------

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(unsigned x) { return x == 0 ? 32 : __builtin_clz(x); }
inline int __clzll(unsigned long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
inline int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
inline int __ffsll(unsigned long long x) { return __builtin_ffsll(static_cast<long long>(x)); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i)
    reversed |= ((x >> i) & 1u) << (31 - i);
  return reversed;
}
inline int __mulhi(int a, int b) { return static_cast<int>((int64_t{a} * b) >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((uint64_t{a} * b) >> 32);
}
inline float __uint_as_float(unsigned x) { return tsk::sim::bit_cast<float>(x); }
inline float __int_as_float(int x) { return tsk::sim::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return tsk::sim::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return tsk::sim::bit_cast<int>(x); }
inline double __longlong_as_double(long long x) { return tsk::sim::bit_cast<double>(x); }
inline long long __double_as_longlong(double x) { return tsk::sim::bit_cast<long long>(x); }

// ---- Conversions: to the nearest integer that the type has, NaN to zero
// --------------------------

namespace tsk::sim {

template <typename To> To to_integer(double x) {
  if (x != x)
    return 0;
  if (x <= static_cast<double>(std::numeric_limits<To>::min()))
    return std::numeric_limits<To>::min();
  if (x >= static_cast<double>(std::numeric_limits<To>::max()))
    return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

} // namespace tsk::sim

#define TSK_SIM_ROUNDINGS(Name, From, To)                                                          \
  inline To Name##_rn(From x) { return tsk::sim::to_integer<To>(std::nearbyint(x)); }              \
  inline To Name##_rz(From x) { return tsk::sim::to_integer<To>(std::trunc(x)); }                  \
  inline To Name##_rd(From x) { return tsk::sim::to_integer<To>(std::floor(x)); }                  \
  inline To Name##_ru(From x) { return tsk::sim::to_integer<To>(std::ceil(x)); }
TSK_SIM_ROUNDINGS(__float2int, float, int)
TSK_SIM_ROUNDINGS(__float2uint, float, unsigned)
TSK_SIM_ROUNDINGS(__double2int, double, int)
TSK_SIM_ROUNDINGS(__double2uint, double, unsigned)
#undef TSK_SIM_ROUNDINGS
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// ---- Mathematics --------------------------------------------------------------------------------

inline float __expf(float x) { return std::exp(x); }
inline float __exp2f(float x) { return std::exp2(x); }
inline float __exp10f(float x) { return std::pow(10.0f, x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __log10f(float x) { return std::log10(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float __tanf(float x) { return std::tan(x); }
inline float __powf(float x, float y) { return std::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / std::sqrt(double{x})); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline float rsqrtf(float x) { return __frsqrt_rn(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
