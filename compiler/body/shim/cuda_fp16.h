// CUDA's half precision: what converts to what, and the functions by their names.
#pragma once

#include "cuda_runtime.h"

struct __nv_bfloat16;

#define TSK_SHIM_HD __host__ __device__

// Conversions of f16 and bf16 from and to numbers, all implicit, as in CUDA.
#define TSK_SHIM_HALF_MEMBERS(Self)                                                                \
  unsigned short __x;                                                                              \
  Self() = default;                                                                                \
  TSK_SHIM_HD Self(float);                                                                         \
  TSK_SHIM_HD Self(double);                                                                        \
  TSK_SHIM_HD Self(short);                                                                         \
  TSK_SHIM_HD Self(unsigned short);                                                                \
  TSK_SHIM_HD Self(int);                                                                           \
  TSK_SHIM_HD Self(unsigned);                                                                      \
  TSK_SHIM_HD Self(long);                                                                          \
  TSK_SHIM_HD Self(unsigned long);                                                                 \
  TSK_SHIM_HD Self(long long);                                                                     \
  TSK_SHIM_HD Self(unsigned long long);                                                            \
  TSK_SHIM_HD operator float() const;                                                              \
  TSK_SHIM_HD operator bool() const;                                                               \
  TSK_SHIM_HD operator char() const;                                                               \
  TSK_SHIM_HD operator signed char() const;                                                        \
  TSK_SHIM_HD operator unsigned char() const;                                                      \
  TSK_SHIM_HD operator short() const;                                                              \
  TSK_SHIM_HD operator unsigned short() const;                                                     \
  TSK_SHIM_HD operator int() const;                                                                \
  TSK_SHIM_HD operator unsigned() const;                                                           \
  TSK_SHIM_HD operator long() const;                                                               \
  TSK_SHIM_HD operator unsigned long() const;                                                      \
  TSK_SHIM_HD operator long long() const;                                                          \
  TSK_SHIM_HD operator unsigned long long() const;                                                 \
  TSK_SHIM_HD Self &operator=(float);                                                              \
  TSK_SHIM_HD Self &operator=(double);                                                             \
  TSK_SHIM_HD Self &operator=(short);                                                              \
  TSK_SHIM_HD Self &operator=(unsigned short);                                                     \
  TSK_SHIM_HD Self &operator=(int);                                                                \
  TSK_SHIM_HD Self &operator=(unsigned);                                                           \
  TSK_SHIM_HD Self &operator=(long long);                                                          \
  TSK_SHIM_HD Self &operator=(unsigned long long);

#define TSK_SHIM_ARITHMETIC(Self, Bool)                                                            \
  TSK_SHIM_HD Self operator+(const Self &, const Self &);                                          \
  TSK_SHIM_HD Self operator-(const Self &, const Self &);                                          \
  TSK_SHIM_HD Self operator*(const Self &, const Self &);                                          \
  TSK_SHIM_HD Self operator/(const Self &, const Self &);                                          \
  TSK_SHIM_HD Self &operator+=(Self &, const Self &);                                              \
  TSK_SHIM_HD Self &operator-=(Self &, const Self &);                                              \
  TSK_SHIM_HD Self &operator*=(Self &, const Self &);                                              \
  TSK_SHIM_HD Self &operator/=(Self &, const Self &);                                              \
  TSK_SHIM_HD Self &operator++(Self &);                                                            \
  TSK_SHIM_HD Self &operator--(Self &);                                                            \
  TSK_SHIM_HD Self operator++(Self &, int);                                                        \
  TSK_SHIM_HD Self operator--(Self &, int);                                                        \
  TSK_SHIM_HD Self operator+(const Self &);                                                        \
  TSK_SHIM_HD Self operator-(const Self &);                                                        \
  TSK_SHIM_HD bool operator==(const Self &, const Self &);                                         \
  TSK_SHIM_HD bool operator!=(const Self &, const Self &);                                         \
  TSK_SHIM_HD bool operator<(const Self &, const Self &);                                          \
  TSK_SHIM_HD bool operator>(const Self &, const Self &);                                          \
  TSK_SHIM_HD bool operator<=(const Self &, const Self &);                                         \
  TSK_SHIM_HD bool operator>=(const Self &, const Self &);

// `__hadd` and its kin, for a type and for pairs of it.
#define TSK_SHIM_HALF_FUNCTIONS(One, Two)                                                          \
  TSK_SHIM_HD One __hadd(One, One);                                                                \
  TSK_SHIM_HD One __hsub(One, One);                                                                \
  TSK_SHIM_HD One __hmul(One, One);                                                                \
  TSK_SHIM_HD One __hdiv(One, One);                                                                \
  TSK_SHIM_HD One __hfma(One, One, One);                                                           \
  TSK_SHIM_HD One __hfma_relu(One, One, One);                                                      \
  TSK_SHIM_HD One __hneg(One);                                                                     \
  TSK_SHIM_HD One __habs(One);                                                                     \
  TSK_SHIM_HD One __hmax(One, One);                                                                \
  TSK_SHIM_HD One __hmin(One, One);                                                                \
  TSK_SHIM_HD bool __heq(One, One);                                                                \
  TSK_SHIM_HD bool __hne(One, One);                                                                \
  TSK_SHIM_HD bool __hlt(One, One);                                                                \
  TSK_SHIM_HD bool __hle(One, One);                                                                \
  TSK_SHIM_HD bool __hgt(One, One);                                                                \
  TSK_SHIM_HD bool __hge(One, One);                                                                \
  TSK_SHIM_HD bool __hisnan(One);                                                                  \
  __device__ One hexp(One);                                                                        \
  __device__ One hexp2(One);                                                                       \
  __device__ One hlog(One);                                                                        \
  __device__ One hlog2(One);                                                                       \
  __device__ One hsqrt(One);                                                                       \
  __device__ One hrsqrt(One);                                                                      \
  __device__ One hrcp(One);                                                                        \
  __device__ One htanh(One);                                                                       \
  TSK_SHIM_HD One __hadd_rn(One, One);                                                             \
  TSK_SHIM_HD One __hadd_sat(One, One);                                                            \
  TSK_SHIM_HD One __hsub_rn(One, One);                                                             \
  TSK_SHIM_HD One __hsub_sat(One, One);                                                            \
  TSK_SHIM_HD One __hmul_rn(One, One);                                                             \
  TSK_SHIM_HD One __hmul_sat(One, One);                                                            \
  TSK_SHIM_HD One __hmax_nan(One, One);                                                            \
  TSK_SHIM_HD One __hmin_nan(One, One);                                                            \
  TSK_SHIM_HD Two __hadd2_rn(Two, Two);                                                            \
  TSK_SHIM_HD Two __hadd2_sat(Two, Two);                                                           \
  TSK_SHIM_HD Two __hsub2_rn(Two, Two);                                                            \
  TSK_SHIM_HD Two __hsub2_sat(Two, Two);                                                           \
  TSK_SHIM_HD Two __hmul2_rn(Two, Two);                                                            \
  TSK_SHIM_HD Two __hmul2_sat(Two, Two);                                                           \
  TSK_SHIM_HD Two __hmax2_nan(Two, Two);                                                           \
  TSK_SHIM_HD Two __hmin2_nan(Two, Two);                                                           \
  TSK_SHIM_HD One __hfma_sat(One, One, One);                                                       \
  TSK_SHIM_HD Two __hfma2_sat(Two, Two, Two);                                                      \
  TSK_SHIM_HD Two __hcmadd(Two, Two, Two);                                                         \
  TSK_SHIM_HD bool __hequ(One, One);                                                               \
  TSK_SHIM_HD bool __hneu(One, One);                                                               \
  TSK_SHIM_HD bool __hltu(One, One);                                                               \
  TSK_SHIM_HD bool __hleu(One, One);                                                               \
  TSK_SHIM_HD bool __hgtu(One, One);                                                               \
  TSK_SHIM_HD bool __hgeu(One, One);                                                               \
  TSK_SHIM_HD Two __heq2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __heq2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hbeq2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hne2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __hne2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hbne2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hlt2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __hlt2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hblt2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hle2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __hle2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hble2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hgt2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __hgt2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hbgt2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hge2(Two, Two);                                                                \
  TSK_SHIM_HD unsigned __hge2_mask(Two, Two);                                                      \
  TSK_SHIM_HD bool __hbge2(Two, Two);                                                              \
  TSK_SHIM_HD Two __hequ2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hequ2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbequ2(Two, Two);                                                             \
  TSK_SHIM_HD Two __hneu2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hneu2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbneu2(Two, Two);                                                             \
  TSK_SHIM_HD Two __hltu2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hltu2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbltu2(Two, Two);                                                             \
  TSK_SHIM_HD Two __hleu2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hleu2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbleu2(Two, Two);                                                             \
  TSK_SHIM_HD Two __hgtu2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hgtu2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbgtu2(Two, Two);                                                             \
  TSK_SHIM_HD Two __hgeu2(Two, Two);                                                               \
  TSK_SHIM_HD unsigned __hgeu2_mask(Two, Two);                                                     \
  TSK_SHIM_HD bool __hbgeu2(Two, Two);                                                             \
  TSK_SHIM_HD int __hisinf(One);                                                                   \
  TSK_SHIM_HD Two __hisnan2(Two);                                                                  \
  TSK_SHIM_HD Two __lowhigh2highlow(Two);                                                          \
  __device__ One hceil(One);                                                                       \
  __device__ One hfloor(One);                                                                      \
  __device__ One hrint(One);                                                                       \
  __device__ One htrunc(One);                                                                      \
  __device__ One hcos(One);                                                                        \
  __device__ One htanh_approx(One);                                                                \
  __device__ One hsin(One);                                                                        \
  __device__ One hexp10(One);                                                                      \
  __device__ One hlog10(One);                                                                      \
  __device__ Two h2ceil(Two);                                                                      \
  __device__ Two h2floor(Two);                                                                     \
  __device__ Two h2rint(Two);                                                                      \
  __device__ Two h2trunc(Two);                                                                     \
  __device__ Two h2cos(Two);                                                                       \
  __device__ Two h2sin(Two);                                                                       \
  __device__ Two h2exp10(Two);                                                                     \
  __device__ Two h2log10(Two);                                                                     \
  __device__ Two h2log2(Two);                                                                      \
  __device__ Two h2sqrt(Two);                                                                      \
  __device__ Two h2tanh_approx(Two);                                                               \
  TSK_SHIM_HD Two __hadd2(Two, Two);                                                               \
  TSK_SHIM_HD Two __hsub2(Two, Two);                                                               \
  TSK_SHIM_HD Two __hmul2(Two, Two);                                                               \
  TSK_SHIM_HD Two __h2div(Two, Two);                                                               \
  TSK_SHIM_HD Two __hfma2(Two, Two, Two);                                                          \
  TSK_SHIM_HD Two __hfma2_relu(Two, Two, Two);                                                     \
  TSK_SHIM_HD Two __hneg2(Two);                                                                    \
  TSK_SHIM_HD Two __habs2(Two);                                                                    \
  TSK_SHIM_HD Two __hmax2(Two, Two);                                                               \
  TSK_SHIM_HD Two __hmin2(Two, Two);                                                               \
  __device__ Two h2exp(Two);                                                                       \
  __device__ Two h2exp2(Two);                                                                      \
  __device__ Two h2log(Two);                                                                       \
  __device__ Two h2rsqrt(Two);                                                                     \
  __device__ Two h2rcp(Two);                                                                       \
  __device__ Two h2tanh(Two);                                                                      \
  __device__ One atomicAdd(One *, One);                                                            \
  __device__ Two atomicAdd(Two *, Two);

struct __half_raw {
  unsigned short x;
};

// `Prefix` to and from the integers, in every rounding.
#define TSK_SHIM_ROUNDINGS(Result, Name, T)                                                        \
  TSK_SHIM_HD Result Name##_rn(T);                                                                 \
  TSK_SHIM_HD Result Name##_rz(T);                                                                 \
  TSK_SHIM_HD Result Name##_ru(T);                                                                 \
  TSK_SHIM_HD Result Name##_rd(T);
#define TSK_SHIM_INTEGER(One, Name, Kind, Integer)                                                 \
  TSK_SHIM_ROUNDINGS(Integer, __##Name##2##Kind, One)                                              \
  TSK_SHIM_ROUNDINGS(One, __##Kind##2##Name, Integer)
#define TSK_SHIM_INTEGERS(One, Name)                                                               \
  TSK_SHIM_INTEGER(One, Name, short, short)                                                        \
  TSK_SHIM_INTEGER(One, Name, ushort, unsigned short)                                              \
  TSK_SHIM_INTEGER(One, Name, int, int)                                                            \
  TSK_SHIM_INTEGER(One, Name, uint, unsigned)                                                      \
  TSK_SHIM_INTEGER(One, Name, ll, long long)                                                       \
  TSK_SHIM_INTEGER(One, Name, ull, unsigned long long)                                             \
  TSK_SHIM_HD signed char __##Name##2char_rz(One);                                                 \
  TSK_SHIM_HD unsigned char __##Name##2uchar_rz(One);

struct alignas(2) __half {
  TSK_SHIM_HALF_MEMBERS(__half)
  explicit TSK_SHIM_HD __half(__nv_bfloat16);
  TSK_SHIM_HD __half(const __half_raw &);
  TSK_SHIM_HD operator __half_raw() const;
};
struct alignas(4) __half2 {
  __half x, y;
  __half2() = default;
  TSK_SHIM_HD constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
struct __half2_raw {
  unsigned short x, y;
};

TSK_SHIM_ARITHMETIC(__half, bool)
TSK_SHIM_ARITHMETIC(__half2, bool)
TSK_SHIM_HALF_FUNCTIONS(__half, __half2)

TSK_SHIM_HD float __half2float(__half);
TSK_SHIM_HD __half __float2half(float);
TSK_SHIM_HD __half __float2half_rn(float);
TSK_SHIM_HD __half __float2half_rz(float);
TSK_SHIM_HD __half __float2half_ru(float);
TSK_SHIM_HD __half __float2half_rd(float);
TSK_SHIM_HD __half __double2half(double);
TSK_SHIM_HD __half2 __float2half2_rn(float);
TSK_SHIM_HD __half2 __floats2half2_rn(float, float);
TSK_SHIM_HD __half2 __float22half2_rn(float2);
TSK_SHIM_HD float2 __half22float2(__half2);
TSK_SHIM_HD float __low2float(__half2);
TSK_SHIM_HD float __high2float(__half2);
TSK_SHIM_HD __half __low2half(__half2);
TSK_SHIM_HD __half __high2half(__half2);
TSK_SHIM_HD __half2 __half2half2(__half);
TSK_SHIM_HD __half2 __halves2half2(__half, __half);
TSK_SHIM_HD __half2 make_half2(__half, __half);
TSK_SHIM_HD short __half_as_short(__half);
TSK_SHIM_HD unsigned short __half_as_ushort(__half);
TSK_SHIM_HD __half __short_as_half(short);
TSK_SHIM_HD __half __ushort_as_half(unsigned short);
TSK_SHIM_INTEGERS(__half, half)
TSK_SHIM_HD __half2 __low2half2(__half2);
TSK_SHIM_HD __half2 __high2half2(__half2);
TSK_SHIM_HD __half2 __lows2half2(__half2, __half2);
TSK_SHIM_HD __half2 __highs2half2(__half2, __half2);
