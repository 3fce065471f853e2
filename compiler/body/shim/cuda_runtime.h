// CUDA C++ without a toolkit: declarations for Clang to check bodies against. Nothing here is ever
// run; what a function does to memory, the reader knows by its name or by its parameters' types.
#pragma once

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI

using size_t = decltype(sizeof 0);

// ---- Vectors ------------------------------------------------------------------------------------

#define TSK_SHIM_VECTORS(Name, T, Align)                                                           \
  struct Name##1 { T x; };                                                                         \
  struct __align__(Align * 2) Name##2 { T x, y; };                                                 \
  struct Name##3 { T x, y, z; };                                                                   \
  struct __align__((Align * 4 > 16 ? 16 : Align * 4)) Name##4 { T x, y, z, w; };                   \
  __host__ __device__ inline Name##1 make_##Name##1(T x) { return {x}; }                           \
  __host__ __device__ inline Name##2 make_##Name##2(T x, T y) { return {x, y}; }                   \
  __host__ __device__ inline Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; }           \
  __host__ __device__ inline Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
TSK_SHIM_VECTORS(char, signed char, 1)
TSK_SHIM_VECTORS(uchar, unsigned char, 1)
TSK_SHIM_VECTORS(short, short, 2)
TSK_SHIM_VECTORS(ushort, unsigned short, 2)
TSK_SHIM_VECTORS(int, int, 4)
TSK_SHIM_VECTORS(uint, unsigned, 4)
TSK_SHIM_VECTORS(long, long, 8)
TSK_SHIM_VECTORS(ulong, unsigned long, 8)
TSK_SHIM_VECTORS(longlong, long long, 8)
TSK_SHIM_VECTORS(ulonglong, unsigned long long, 8)
TSK_SHIM_VECTORS(float, float, 4)
TSK_SHIM_VECTORS(double, double, 8)
#undef TSK_SHIM_VECTORS

struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// ---- Who and where ------------------------------------------------------------------------------

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
constexpr int warpSize = 32; // a name that others may use too

__device__ size_t __cvta_generic_to_shared(const void *);
__device__ size_t __cvta_generic_to_global(const void *);
__device__ size_t __cvta_generic_to_local(const void *);
__device__ size_t __cvta_generic_to_constant(const void *);
__device__ void *__cvta_shared_to_generic(size_t);
__device__ void *__cvta_global_to_generic(size_t);
__device__ void *__cvta_local_to_generic(size_t);
__device__ void *__cvta_constant_to_generic(size_t);
__device__ unsigned __isShared(const void *);
__device__ unsigned __isGlobal(const void *);
__device__ unsigned __isLocal(const void *);
__device__ unsigned __isConstant(const void *);
__device__ unsigned __isCtaShared(const void *);
__device__ unsigned __isClusterShared(const void *);
__device__ unsigned __isGridConstant(const void *);
__device__ long long clock64();
__device__ long clock();
__device__ unsigned long long __globaltimer();
__device__ void __nanosleep(unsigned);
[[noreturn]] __device__ void __trap();
__device__ void __brkpt();
__device__ void __prof_trigger(int);

// Of C's library; the system's headers declare the same for the host.
extern "C" {
__device__ int printf(const char *, ...);
__device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
__device__ void __assert_fail(const char *, const char *, unsigned, const char *);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memmove(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);
__device__ int memcmp(const void *, const void *, size_t);
}

// ---- Synchronisation ----------------------------------------------------------------------------

__device__ void __syncthreads();
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned = 0xffffffffu);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ void __threadfence_system();
__device__ void __threadfence_cluster();
__device__ void __barrier_sync(unsigned);
__device__ void __barrier_sync_count(unsigned, unsigned);
__device__ int __uni_sync(unsigned, int);
__device__ unsigned __activemask();
__device__ unsigned __ballot_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
template <typename T> __device__ T __shfl_sync(unsigned, T, int, int = 32);
template <typename T> __device__ T __shfl_up_sync(unsigned, T, unsigned, int = 32);
template <typename T> __device__ T __shfl_down_sync(unsigned, T, unsigned, int = 32);
template <typename T> __device__ T __shfl_xor_sync(unsigned, T, int, int = 32);
template <typename T> __device__ unsigned __match_any_sync(unsigned, T);
template <typename T> __device__ unsigned __match_all_sync(unsigned, T, int *);
template <typename T> __device__ T __reduce_add_sync(unsigned, T);
template <typename T> __device__ T __reduce_min_sync(unsigned, T);
template <typename T> __device__ T __reduce_max_sync(unsigned, T);
template <typename T> __device__ T __reduce_and_sync(unsigned, T);
template <typename T> __device__ T __reduce_or_sync(unsigned, T);
template <typename T> __device__ T __reduce_xor_sync(unsigned, T);

// ---- Memory -------------------------------------------------------------------------------------

template <typename T> struct tsk_shim_same {
  using type = T;
};
// The value converts to what the address points to, as with CUDA's own overloads.
#define TSK_SHIM_ATOMIC(Name)                                                                      \
  template <typename T> __device__ T Name(T *, typename tsk_shim_same<T>::type);                   \
  template <typename T> __device__ T Name##_block(T *, typename tsk_shim_same<T>::type);           \
  template <typename T> __device__ T Name##_system(T *, typename tsk_shim_same<T>::type);
TSK_SHIM_ATOMIC(atomicAdd)
TSK_SHIM_ATOMIC(atomicSub)
TSK_SHIM_ATOMIC(atomicExch)
TSK_SHIM_ATOMIC(atomicMin)
TSK_SHIM_ATOMIC(atomicMax)
TSK_SHIM_ATOMIC(atomicInc)
TSK_SHIM_ATOMIC(atomicDec)
TSK_SHIM_ATOMIC(atomicAnd)
TSK_SHIM_ATOMIC(atomicOr)
TSK_SHIM_ATOMIC(atomicXor)
#undef TSK_SHIM_ATOMIC
template <typename T>
__device__ T atomicCAS(T *, typename tsk_shim_same<T>::type, typename tsk_shim_same<T>::type);
template <typename T>
__device__ T atomicCAS_system(T *, typename tsk_shim_same<T>::type,
                              typename tsk_shim_same<T>::type);
template <typename T>
__device__ T atomicCAS_block(T *, typename tsk_shim_same<T>::type, typename tsk_shim_same<T>::type);

template <typename T> __device__ T __ldg(const T *);
template <typename T> __device__ T __ldca(const T *);
template <typename T> __device__ T __ldcg(const T *);
template <typename T> __device__ T __ldcs(const T *);
template <typename T> __device__ T __ldcv(const T *);
template <typename T> __device__ T __ldlu(const T *);
template <typename T> __device__ void __stcg(T *, typename tsk_shim_same<T>::type);
template <typename T> __device__ void __stcs(T *, typename tsk_shim_same<T>::type);
template <typename T> __device__ void __stwb(T *, typename tsk_shim_same<T>::type);
template <typename T> __device__ void __stwt(T *, typename tsk_shim_same<T>::type);

// ---- Bits and conversions -----------------------------------------------------------------------

__device__ int __popc(unsigned);
__device__ int __popcll(unsigned long long);
__device__ int __clz(int);
__device__ int __clzll(long long);
__device__ int __ffs(int);
__device__ int __ffsll(long long);
__device__ unsigned __brev(unsigned);
__device__ unsigned long long __brevll(unsigned long long);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_l(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_r(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_lc(unsigned, unsigned, unsigned);
__device__ unsigned __funnelshift_rc(unsigned, unsigned, unsigned);
__device__ int __mul24(int, int);
__device__ int __mulhi(int, int);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ unsigned long long __umul64hi(unsigned long long, unsigned long long);
__device__ int __sad(int, int, unsigned);
__device__ int __hadd(int, int);
__device__ int __rhadd(int, int);
__device__ unsigned __uhadd(unsigned, unsigned);
__device__ unsigned __urhadd(unsigned, unsigned);
__device__ unsigned __umul24(unsigned, unsigned);
__device__ unsigned __usad(unsigned, unsigned, unsigned);
__device__ long long __mul64hi(long long, long long);
__device__ unsigned __fns(unsigned, unsigned, int);
__device__ int __dp4a(int, int, int);
__device__ unsigned __dp4a(unsigned, unsigned, unsigned);
__device__ int __dp4a(char4, char4, int);
__device__ unsigned __dp4a(uchar4, uchar4, unsigned);
#define TSK_SHIM_DP2A(Name)                                                                        \
  __device__ int Name(int, int, int);                                                              \
  __device__ unsigned Name(unsigned, unsigned, unsigned);                                          \
  __device__ int Name(short2, char4, int);                                                         \
  __device__ unsigned Name(ushort2, uchar4, unsigned);
TSK_SHIM_DP2A(__dp2a_lo)
TSK_SHIM_DP2A(__dp2a_hi)
#undef TSK_SHIM_DP2A
__device__ float __int_as_float(int);
__device__ float __uint_as_float(unsigned);
__device__ int __float_as_int(float);
__device__ unsigned __float_as_uint(float);
__device__ double __longlong_as_double(long long);
__device__ long long __double_as_longlong(double);
__device__ double __hiloint2double(int, int);
__device__ int __double2hiint(double);
__device__ int __double2loint(double);
#define TSK_SHIM_CONVERT(Result, Name, T)                                                          \
  __device__ Result __##Name##_rn(T);                                                              \
  __device__ Result __##Name##_rz(T);                                                              \
  __device__ Result __##Name##_ru(T);                                                              \
  __device__ Result __##Name##_rd(T);
TSK_SHIM_CONVERT(int, float2int, float)
TSK_SHIM_CONVERT(unsigned, float2uint, float)
TSK_SHIM_CONVERT(long long, float2ll, float)
TSK_SHIM_CONVERT(unsigned long long, float2ull, float)
TSK_SHIM_CONVERT(float, int2float, int)
TSK_SHIM_CONVERT(float, uint2float, unsigned)
TSK_SHIM_CONVERT(float, ll2float, long long)
TSK_SHIM_CONVERT(float, ull2float, unsigned long long)
TSK_SHIM_CONVERT(float, double2float, double)
TSK_SHIM_CONVERT(int, double2int, double)
TSK_SHIM_CONVERT(unsigned, double2uint, double)
TSK_SHIM_CONVERT(long long, double2ll, double)
TSK_SHIM_CONVERT(unsigned long long, double2ull, double)
TSK_SHIM_CONVERT(double, ll2double, long long)
TSK_SHIM_CONVERT(double, ull2double, unsigned long long)
TSK_SHIM_CONVERT(float, frcp, float)
TSK_SHIM_CONVERT(float, fsqrt, float)
TSK_SHIM_CONVERT(double, drcp, double)
TSK_SHIM_CONVERT(double, dsqrt, double)
#undef TSK_SHIM_CONVERT
#define TSK_SHIM_ROUNDED(Name)                                                                     \
  __device__ float __f##Name##_rn(float, float);                                                   \
  __device__ float __f##Name##_rz(float, float);                                                   \
  __device__ float __f##Name##_ru(float, float);                                                   \
  __device__ float __f##Name##_rd(float, float);                                                   \
  __device__ double __d##Name##_rn(double, double);                                                \
  __device__ double __d##Name##_rz(double, double);                                                \
  __device__ double __d##Name##_ru(double, double);                                                \
  __device__ double __d##Name##_rd(double, double);
TSK_SHIM_ROUNDED(add)
TSK_SHIM_ROUNDED(sub)
TSK_SHIM_ROUNDED(mul)
TSK_SHIM_ROUNDED(div)
#undef TSK_SHIM_ROUNDED
#define TSK_SHIM_FMA(T, Name)                                                                      \
  __device__ T Name##_rn(T, T, T);                                                                 \
  __device__ T Name##_rz(T, T, T);                                                                 \
  __device__ T Name##_ru(T, T, T);                                                                 \
  __device__ T Name##_rd(T, T, T);
TSK_SHIM_FMA(float, __fmaf)
TSK_SHIM_FMA(double, __fma)
#undef TSK_SHIM_FMA
__device__ double __int2double_rn(int);
__device__ double __uint2double_rn(unsigned);
__device__ float __frsqrt_rn(float);
__device__ float __fdividef(float, float);
__device__ float __saturatef(float);
__device__ float __expf(float);
__device__ float __exp10f(float);
__device__ float __logf(float);
__device__ float __log2f(float);
__device__ float __log10f(float);
__device__ float __sinf(float);
__device__ float __cosf(float);
__device__ float __tanf(float);
__device__ float __tanhf(float);
__device__ float __powf(float, float);
__device__ void __sincosf(float, float *, float *);

#include "cuda_math.h"
#include "cuda_simd.h"
