// CUDA's 8-bit floats: they hold data and convert explicitly.
#pragma once

#include "cuda_bf16.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
TSK_SHIM_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t,
                                                     __nv_fp8_interpretation_t);
TSK_SHIM_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2, __nv_saturation_t,
                                                          __nv_fp8_interpretation_t);

#define TSK_SHIM_NARROW(Self, Storage)                                                             \
  struct Self {                                                                                    \
    Storage __x;                                                                                   \
    Self() = default;                                                                              \
    explicit TSK_SHIM_HD Self(__half);                                                             \
    explicit TSK_SHIM_HD Self(__nv_bfloat16);                                                      \
    explicit TSK_SHIM_HD Self(float);                                                              \
    explicit TSK_SHIM_HD Self(double);                                                             \
    explicit TSK_SHIM_HD Self(short);                                                              \
    explicit TSK_SHIM_HD Self(unsigned short);                                                     \
    explicit TSK_SHIM_HD Self(int);                                                                \
    explicit TSK_SHIM_HD Self(unsigned);                                                           \
    explicit TSK_SHIM_HD Self(long);                                                               \
    explicit TSK_SHIM_HD Self(unsigned long);                                                      \
    explicit TSK_SHIM_HD operator __half() const;                                                  \
    explicit TSK_SHIM_HD operator __nv_bfloat16() const;                                           \
    explicit TSK_SHIM_HD operator float() const;                                                   \
    explicit TSK_SHIM_HD operator double() const;                                                  \
    explicit TSK_SHIM_HD operator bool() const;                                                    \
    explicit TSK_SHIM_HD operator int() const;                                                     \
    explicit TSK_SHIM_HD operator unsigned() const;                                                \
    explicit TSK_SHIM_HD operator short() const;                                                   \
    explicit TSK_SHIM_HD operator long() const;                                                    \
  };
#define TSK_SHIM_NARROW_VECTOR(Self, Storage, Floats)                                              \
  struct Self {                                                                                    \
    Storage __x;                                                                                   \
    Self() = default;                                                                              \
    explicit TSK_SHIM_HD Self(Floats);                                                             \
    explicit TSK_SHIM_HD operator Floats() const;                                                  \
  };
TSK_SHIM_NARROW(__nv_fp8_e4m3, unsigned char)
TSK_SHIM_NARROW(__nv_fp8_e5m2, unsigned char)
TSK_SHIM_NARROW(__nv_fp8_e8m0, unsigned char)
TSK_SHIM_NARROW_VECTOR(__nv_fp8x2_e4m3, unsigned short, float2)
TSK_SHIM_NARROW_VECTOR(__nv_fp8x2_e5m2, unsigned short, float2)
TSK_SHIM_NARROW_VECTOR(__nv_fp8x4_e4m3, unsigned, float4)
TSK_SHIM_NARROW_VECTOR(__nv_fp8x4_e5m2, unsigned, float4)
