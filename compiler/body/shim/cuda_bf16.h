// CUDA's bf16, in the same way as its half precision.
#pragma once

#include "cuda_fp16.h"

struct alignas(2) __nv_bfloat16 {
  TSK_SHIM_HALF_MEMBERS(__nv_bfloat16)
  explicit TSK_SHIM_HD __nv_bfloat16(__half);
};
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  TSK_SHIM_HD constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b)
      : x(a), y(b) {}
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
struct __nv_bfloat16_raw {
  unsigned short x;
};

TSK_SHIM_ARITHMETIC(__nv_bfloat16, bool)
TSK_SHIM_ARITHMETIC(__nv_bfloat162, bool)
TSK_SHIM_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)

TSK_SHIM_HD float __bfloat162float(__nv_bfloat16);
TSK_SHIM_HD __nv_bfloat16 __float2bfloat16(float);
TSK_SHIM_HD __nv_bfloat16 __double2bfloat16(double);
TSK_SHIM_HD __nv_bfloat162 __float2bfloat162_rn(float);
TSK_SHIM_HD __nv_bfloat162 __floats2bfloat162_rn(float, float);
TSK_SHIM_HD __nv_bfloat162 __float22bfloat162_rn(float2);
TSK_SHIM_HD float2 __bfloat1622float2(__nv_bfloat162);
TSK_SHIM_HD float __low2float(__nv_bfloat162);
TSK_SHIM_HD float __high2float(__nv_bfloat162);
TSK_SHIM_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162);
TSK_SHIM_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162);
TSK_SHIM_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16);
TSK_SHIM_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16, __nv_bfloat16);
TSK_SHIM_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
TSK_SHIM_HD short __bfloat16_as_short(__nv_bfloat16);
TSK_SHIM_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16);
TSK_SHIM_HD __nv_bfloat16 __short_as_bfloat16(short);
TSK_SHIM_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short);
TSK_SHIM_INTEGERS(__nv_bfloat16, bfloat16)
TSK_SHIM_ROUNDINGS(__nv_bfloat16, __float2bfloat16, float)
TSK_SHIM_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162);
TSK_SHIM_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162);
TSK_SHIM_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162, __nv_bfloat162);
TSK_SHIM_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162, __nv_bfloat162);
