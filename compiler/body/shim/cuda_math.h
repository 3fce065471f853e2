// The mathematical functions that CUDA C++ has without an include.
#pragma once

template <bool> struct tsk_shim_if {};
template <> struct tsk_shim_if<true> {
  using type = double;
};
template <typename T>
inline constexpr bool tsk_shim_is_integer = __is_integral(T) && !__is_same(T, bool);
template <typename T>
inline constexpr bool tsk_shim_is_number = __is_integral(T) || __is_floating_point(T);
// Two numbers that are not both floats: computed as doubles.
template <typename A, typename B>
using tsk_shim_mixed = typename tsk_shim_if<tsk_shim_is_number<A> && tsk_shim_is_number<B> &&
                                            !(__is_same(A, B) && __is_floating_point(A))>::type;

// `x` of double, `xf` of float, and the name without `f` for both and for integers: as in C++.
#define TSK_SHIM_MATH(Name)                                                                        \
  extern "C" __device__ double Name(double);                                                       \
  extern "C" __device__ float Name##f(float);                                                      \
  __device__ float Name(float);                                                                    \
  template <typename T> __device__ typename tsk_shim_if<__is_integral(T)>::type Name(T);
#define TSK_SHIM_MATH2(Name)                                                                       \
  extern "C" __device__ double Name(double, double);                                               \
  extern "C" __device__ float Name##f(float, float);                                               \
  __device__ float Name(float, float);                                                             \
  template <typename A, typename B> __device__ tsk_shim_mixed<A, B> Name(A, B);

TSK_SHIM_MATH(acos)
TSK_SHIM_MATH(acosh)
TSK_SHIM_MATH(asin)
TSK_SHIM_MATH(asinh)
TSK_SHIM_MATH(atan)
TSK_SHIM_MATH(atanh)
TSK_SHIM_MATH(cbrt)
TSK_SHIM_MATH(ceil)
TSK_SHIM_MATH(cos)
TSK_SHIM_MATH(cosh)
TSK_SHIM_MATH(cospi)
TSK_SHIM_MATH(cyl_bessel_i0)
TSK_SHIM_MATH(cyl_bessel_i1)
TSK_SHIM_MATH(erfcinv)
TSK_SHIM_MATH(erfcx)
TSK_SHIM_MATH(j0)
TSK_SHIM_MATH(j1)
TSK_SHIM_MATH(y0)
TSK_SHIM_MATH(y1)
TSK_SHIM_MATH(normcdfinv)
TSK_SHIM_MATH(erf)
TSK_SHIM_MATH(erfc)
TSK_SHIM_MATH(erfinv)
TSK_SHIM_MATH(exp)
TSK_SHIM_MATH(exp10)
TSK_SHIM_MATH(exp2)
TSK_SHIM_MATH(expm1)
TSK_SHIM_MATH(fabs)
TSK_SHIM_MATH(floor)
TSK_SHIM_MATH(lgamma)
TSK_SHIM_MATH(log)
TSK_SHIM_MATH(log10)
TSK_SHIM_MATH(log1p)
TSK_SHIM_MATH(log2)
TSK_SHIM_MATH(logb)
TSK_SHIM_MATH(nearbyint)
TSK_SHIM_MATH(normcdf)
TSK_SHIM_MATH(rint)
TSK_SHIM_MATH(round)
TSK_SHIM_MATH(rcbrt)
TSK_SHIM_MATH(rsqrt)
TSK_SHIM_MATH(sin)
TSK_SHIM_MATH(sinh)
TSK_SHIM_MATH(sinpi)
TSK_SHIM_MATH(sqrt)
TSK_SHIM_MATH(tan)
TSK_SHIM_MATH(tanh)
TSK_SHIM_MATH(tgamma)
TSK_SHIM_MATH(trunc)
TSK_SHIM_MATH2(atan2)
TSK_SHIM_MATH2(copysign)
TSK_SHIM_MATH2(fdim)
TSK_SHIM_MATH2(fmax)
TSK_SHIM_MATH2(fmin)
TSK_SHIM_MATH2(fmod)
TSK_SHIM_MATH2(hypot)
TSK_SHIM_MATH2(rhypot)
TSK_SHIM_MATH2(nextafter)
TSK_SHIM_MATH2(pow)
TSK_SHIM_MATH2(remainder)
#undef TSK_SHIM_MATH
#undef TSK_SHIM_MATH2

extern "C" __device__ double fma(double, double, double);
extern "C" __device__ float fmaf(float, float, float);
__device__ float fma(float, float, float);
template <typename A, typename B, typename C>
__device__
    typename tsk_shim_if<tsk_shim_is_number<A> && tsk_shim_is_number<B> && tsk_shim_is_number<C> &&
                         !(__is_same(A, B) && __is_same(B, C) && __is_floating_point(A))>::type
        fma(A, B, C);
extern "C" __device__ double ldexp(double, int);
extern "C" __device__ float ldexpf(float, int);
extern "C" __device__ double frexp(double, int *);
extern "C" __device__ float frexpf(float, int *);
extern "C" __device__ double modf(double, double *);
extern "C" __device__ float modff(float, float *);
extern "C" __device__ void sincos(double, double *, double *);
extern "C" __device__ void sincosf(float, float *, float *);
extern "C" __device__ float fdividef(float, float);
__device__ double fdivide(double, double);
__device__ float fdivide(float, float);
#define TSK_SHIM_TO_INTEGER(Result, Name)                                                          \
  extern "C" __device__ Result Name(double);                                                       \
  extern "C" __device__ Result Name##f(float);                                                     \
  __device__ Result Name(float);
TSK_SHIM_TO_INTEGER(int, ilogb)
TSK_SHIM_TO_INTEGER(long, lrint)
TSK_SHIM_TO_INTEGER(long, lround)
TSK_SHIM_TO_INTEGER(long long, llrint)
TSK_SHIM_TO_INTEGER(long long, llround)
#undef TSK_SHIM_TO_INTEGER
#define TSK_SHIM_SCALE(Name, Exponent)                                                             \
  extern "C" __device__ double Name(double, Exponent);                                             \
  extern "C" __device__ float Name##f(float, Exponent);                                            \
  __device__ float Name(float, Exponent);
TSK_SHIM_SCALE(scalbn, int)
TSK_SHIM_SCALE(scalbln, long)
#undef TSK_SHIM_SCALE
#define TSK_SHIM_ORDER(Name)                                                                       \
  extern "C" __device__ double Name(int, double);                                                  \
  extern "C" __device__ float Name##f(int, float);                                                 \
  __device__ float Name(int, float);
TSK_SHIM_ORDER(jn)
TSK_SHIM_ORDER(yn)
#undef TSK_SHIM_ORDER
extern "C" {
__device__ double norm(int, const double *);
__device__ float normf(int, const float *);
__device__ double norm3d(double, double, double);
__device__ float norm3df(float, float, float);
__device__ double norm4d(double, double, double, double);
__device__ float norm4df(float, float, float, float);
__device__ double rnorm(int, const double *);
__device__ float rnormf(int, const float *);
__device__ double rnorm3d(double, double, double);
__device__ float rnorm3df(float, float, float);
__device__ double rnorm4d(double, double, double, double);
__device__ float rnorm4df(float, float, float, float);
__device__ double nan(const char *);
__device__ float nanf(const char *);
__device__ double remquo(double, double, int *);
__device__ float remquof(float, float, int *);
__device__ void sincospi(double, double *, double *);
__device__ void sincospif(float, float *, float *);
}
__device__ float remquo(float, float, int *);
__device__ float ldexp(float, int);
__device__ float frexp(float, int *);
__device__ float modf(float, float *);
__device__ void sincos(float, float *, float *);
__device__ void sincospi(float, float *, float *);
extern "C" __device__ int abs(int);
extern "C" __device__ long labs(long);
extern "C" __device__ long long llabs(long long);
__device__ long abs(long);
__device__ long long abs(long long);
__device__ float abs(float);
__device__ double abs(double);
__device__ bool isnan(float);
__device__ bool isnan(double);
__device__ bool isnan(long double);
__device__ bool isinf(float);
__device__ bool isinf(double);
__device__ bool isinf(long double);
__device__ bool isfinite(float);
__device__ bool isfinite(double);
__device__ bool isfinite(long double);
__device__ bool signbit(float);
__device__ bool signbit(double);
__device__ bool signbit(long double);

#define TSK_SHIM_MIN_MAX(Result, A, B)                                                             \
  __host__ __device__ constexpr Result min(A a, B b) {                                             \
    return static_cast<Result>(b) < static_cast<Result>(a) ? b : a;                                \
  }                                                                                                \
  __host__ __device__ constexpr Result max(A a, B b) {                                             \
    return static_cast<Result>(a) < static_cast<Result>(b) ? b : a;                                \
  }
TSK_SHIM_MIN_MAX(int, int, int)
TSK_SHIM_MIN_MAX(unsigned, unsigned, unsigned)
TSK_SHIM_MIN_MAX(unsigned, int, unsigned)
TSK_SHIM_MIN_MAX(unsigned, unsigned, int)
TSK_SHIM_MIN_MAX(long, long, long)
TSK_SHIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
TSK_SHIM_MIN_MAX(unsigned long, long, unsigned long)
TSK_SHIM_MIN_MAX(unsigned long, unsigned long, long)
TSK_SHIM_MIN_MAX(long long, long long, long long)
TSK_SHIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
TSK_SHIM_MIN_MAX(unsigned long long, long long, unsigned long long)
TSK_SHIM_MIN_MAX(unsigned long long, unsigned long long, long long)
TSK_SHIM_MIN_MAX(float, float, float)
TSK_SHIM_MIN_MAX(double, double, double)
TSK_SHIM_MIN_MAX(double, float, double)
TSK_SHIM_MIN_MAX(double, double, float)
#undef TSK_SHIM_MIN_MAX

#define TSK_SHIM_NAMED_MIN_MAX(Prefix, T)                                                          \
  __host__ __device__ constexpr T Prefix##min(T a, T b) { return b < a ? b : a; }                  \
  __host__ __device__ constexpr T Prefix##max(T a, T b) { return a < b ? b : a; }
TSK_SHIM_NAMED_MIN_MAX(u, unsigned)
TSK_SHIM_NAMED_MIN_MAX(ll, long long)
TSK_SHIM_NAMED_MIN_MAX(ull, unsigned long long)
#undef TSK_SHIM_NAMED_MIN_MAX
